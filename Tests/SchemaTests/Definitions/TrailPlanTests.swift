import Postgres
import TestSupport
import Testing

@Suite("Plans of pages of the audit trail")
struct TrailPlanTests {
    /// As `AuditTrail.page` asks.
    private static let page = """
        SELECT id, at FROM app.audit_trail
        WHERE family_unit_id = $1
            AND at <= CASE WHEN $2::timestamptz IS NULL THEN 'infinity' ELSE $2 END
            AND ($2 IS NULL OR (at, id) < ($2, $3::uuid))
        ORDER BY at DESC, id DESC LIMIT 50
        """

    private func plan(_ house: House, before moment: String) throws -> [String] {
        try Connection(house.test.settings(as: "hearth_api")).transaction { transaction in
            try transaction.query(
                "SELECT set_config('plan_cache_mode', 'force_generic_plan', true)")
            try transaction.query(
                SQL(unsafe: "PREPARE page (uuid, timestamptz, uuid) AS \(Self.page)"))
            return try transaction.query(
                SQL(
                    unsafe: """
                        EXPLAIN (COSTS OFF) EXECUTE page (
                            '00000000-0000-4000-9000-000000000001', \(moment),
                            '00000000-0000-4000-9000-000000000002')
                        """)
            ).map { (row) throws(PostgresError) in try row.read(String.self) }
        }
    }

    @Test("a page begins in the index where the last one ended, and opens no later month")
    func later() throws {
        let house = try House()
        try house.superuser().execute(
            script: """
                SET timezone = 'UTC';
                DO $$ BEGIN
                    FOR month IN 1..12 LOOP
                        EXECUTE format('CREATE TABLE app.audit_log_2020%s PARTITION OF app.audit_log
                            FOR VALUES FROM (%L) TO (%L)', to_char(month, 'FM00'),
                            make_date(2020, month, 1), make_date(2020, month, 1)
                                + interval '1 month');
                    END LOOP;
                END $$;
                """)
        for (moment, months) in [("NULL", 12), ("'2020-03-10Z'", 3), ("'2019-03-10Z'", 0)] {
            let plan = try plan(house, before: moment)
            #expect(plan.count { $0.contains(" using audit_log_2020") } == months, "\(plan)")
            #expect(plan.contains { $0.contains(" using audit_log_other") })
            let conditions = plan.filter {
                $0.contains("Index Cond:") && $0.contains("(family_unit_id = $1)")
            }
            #expect(conditions.count == months + 1, "\(plan)")
            #expect(conditions.allSatisfy { $0.contains("(at <= CASE") }, "\(plan)")
        }
    }
}
