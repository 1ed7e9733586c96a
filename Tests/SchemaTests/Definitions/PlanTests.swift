import Postgres
import TestSupport
import Testing

/// Plans of protected reads, with so many families that a full scan would be too expensive.
@Suite("Plans under row-level security")
struct PlanTests {
    static let house = Result {
        let house = try House()
        try house.superuser().execute(script: ManyFamilies.script(2000) + "ANALYZE;")
        return house
    }
    private var house: House { get throws { try Self.house.get() } }

    /// Account 2, the Parent Admin of family 1, as `fill.sql` creates them.
    private static let account = "00000000-0000-4000-8000-000000000002"
    private static let family = "00000000-0000-4000-9000-000000000001"

    /// The lines of the generic plan of a read by family, run as its Parent Admin.
    private func plan(
        _ read: String, as role: String = "hearth_api", callers: String = ""
    ) throws -> [String] {
        let login = role == "hearth_api" ? role : "authenticator"
        let connection = try Connection(house.test.settings(as: login))
        return try connection.transaction { transaction in
            try transaction.query("SELECT set_config('role', \(role), true)")
            try transaction.query(
                "SELECT set_config('plan_cache_mode', 'force_generic_plan', true)")
            try transaction.query("SELECT set_config('hearth.user_id', \(Self.account), true)")
            try transaction.query("SELECT set_config('hearth.callers', \(callers), true)")
            try transaction.query(SQL(unsafe: "PREPARE read (uuid) AS \(read)"))
            return try transaction.query(
                SQL(
                    unsafe: """
                        EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
                        EXECUTE read ('\(Self.family)')
                        """)
            ).map { (row) throws(PostgresError) in try row.read(String.self) }
        }
    }

    /// Lines of a plan whose cost grows with the tables or that run once per row.
    private func faults(_ plan: [String]) -> [String] {
        plan.enumerated().compactMap { index, line in
            for wrong in ["Seq Scan", "SubPlan", "Function Scan", "Hash"] where line.contains(wrong)
            {
                return line
            }
            if line.contains("InitPlan "), !line.contains("->"), !line.contains("Cond"),
                !line.contains("Filter"), index + 1 < plan.count,
                !plan[index + 1].contains("loops=1)"), !plan[index + 1].contains("never executed")
            {
                return plan[index + 1]
            }
            if line.contains("Rows Removed"), let count = line.split(separator: " ").last,
                (Int(count) ?? 0) > 8
            {
                return line
            }
            return nil
        }
    }

    @Test(
        "families and members are read by index, and rights are evaluated once per statement",
        arguments: [
            ("SELECT id, family_name, code_generated_at FROM app.family_units WHERE id = $1", 1),
            (
                "SELECT id, user_id, role FROM app.family_members "
                    + "WHERE family_unit_id = $1 AND status = 'active'", 4
            ),
            (
                "SELECT id, user_id, email, full_name FROM app.member_list "
                    + "WHERE family_unit_id = $1 ORDER BY added_at, id", 4
            ),
            (
                "SELECT m.id, u.full_name FROM app.family_members AS m "
                    + "JOIN app.users AS u ON u.id = m.user_id WHERE m.family_unit_id = $1", 4
            ),
            ("SELECT * FROM app.my_family_list WHERE family_unit_id = $1", 1),
            ("SELECT * FROM app.my_profiles WHERE $1 IS NOT NULL", 2),
        ])
    func api(read: String, rows: Int) throws {
        let plan = try plan(read)
        #expect(plan[0].contains("rows=\(rows)"), "\(plan.joined(separator: "\n"))")
        // The list of families counts each family's members: one scan per family.
        let faults = faults(plan).filter {
            !(read.contains("my_family_list") && $0.contains("SubPlan"))
        }
        #expect(faults == [], "\(plan.joined(separator: "\n"))")
    }

    @Test(
        "batched statements look up each caller's own rows",
        arguments: [("members_of_batch", 4), ("my_families_of_batch", 1)])
    func shared(view: String, rows: Int) throws {
        // The second caller is not a member of the family.
        let plan = try plan(
            """
            SELECT r.* FROM unnest(ARRAY[1, 2], ARRAY[$1, $1]) AS q (caller_index, p1)
            CROSS JOIN LATERAL (
                SELECT * FROM app.\(view)
                WHERE caller_index = q.caller_index AND family_unit_id = q.p1 OFFSET 0
            ) AS r
            """, callers: "{\(Self.account),00000000-0000-4000-8000-000000000005}")
        #expect(plan[0].contains("rows=\(rows)"), "\(plan.joined(separator: "\n"))")
        let slow = plan.filter { $0.contains("Seq Scan") || $0.contains("Hash") }
        #expect(slow == [], "\(plan.joined(separator: "\n"))")
    }

    @Test(
        "direct clients' views, with embedded relations, are read by index",
        arguments: [
            ("SELECT * FROM api.family_units WHERE id = $1 LIMIT 1", 1),
            ("SELECT family_unit_id FROM api.family_members WHERE family_unit_id = $1", 4),
            (
                "SELECT m.*, row_to_json(u.*) FROM api.family_members AS m LEFT JOIN LATERAL "
                    + "(SELECT * FROM api.users WHERE users.id = m.user_id) AS u ON true "
                    + "WHERE m.family_unit_id = $1", 4
            ),
        ])
    func direct(read: String, rows: Int) throws {
        let plan = try plan(read, as: "authenticated")
        #expect(plan[0].contains("rows=\(rows)"), "\(plan.joined(separator: "\n"))")
        #expect(faults(plan) == [], "\(plan.joined(separator: "\n"))")
    }

    @Test("begin_request sets the token's hash, then does one inlined look-up")
    func begin() throws {
        let connection = try Connection(house.test.settings(as: "hearth_api"))
        try connection.execute(
            script: """
                SET plan_cache_mode = force_generic_plan;
                PREPARE b (text, bytea, text, boolean, boolean) AS
                SELECT outcome FROM app.begin_request($1, $2, $3, $4, $5)
                """)
        let plan = try connection.query(
            SQL(
                unsafe: """
                    EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE b (
                        'bench', decode(repeat('00', 24), 'hex') || int8send(2),
                        'user@example.com', true, true)
                    """)
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        let text = plan.joined(separator: "\n")
        #expect(faults(plan) == [], "\(text)")
        #expect(plan.count { $0.contains("Scan using") } == 1, "\(text)")
        #expect(plan.contains { $0.contains("user_identities_pkey") && $0.contains("rows=1") })
        // PostgreSQL 18 prints a scan of the inlined function around it.
        let steps = plan.filter { $0.contains("->") }.map { $0.drop { " ->".contains($0) } }
        let join = try #require(
            steps.firstIndex { $0.hasPrefix("Nested Loop Left Join") }, "\(text)")
        #expect(steps[join + 1].hasPrefix("Result"), "\(text)")
    }
}
