import Postgres
import TestSupport
import Testing

@Suite("Pages of the audit log")
struct AuditPagePlanTests {
    /// Families of `fill.sql`, with many and with few entries, each with its Parent Admin.
    private static let (busy, quiet) = (
        "00000000-0000-4000-9000-000000000001", "00000000-0000-4000-9000-000000000002"
    )
    private static let admins = [
        busy: "00000000-0000-4000-8000-000000000002", quiet: "00000000-0000-4000-8000-000000000005",
    ]

    /// Runs `body` on an audit log of a year, with a partition for each month: one family has ten
    /// entries a day, most of them in pairs with the same time, and another has one a month.
    private func withTrail(_ body: (TestDatabase, Connection) throws -> Void) throws {
        try TestDatabase.with(.migrated) { database in
            try Connection(database.settings()).execute(
                script: ManyFamilies.script(2)
                    + """
                    SET timezone = 'UTC';
                    SELECT app.make_audit_months();
                    DO $$ DECLARE
                        v_begin timestamp;
                    BEGIN
                        FOR n IN 1..12 LOOP
                            v_begin := date_trunc('month', now()) - n * interval '1 month';
                            EXECUTE format('CREATE TABLE app.%I PARTITION OF app.audit_log
                                FOR VALUES FROM (%L) TO (%L)',
                                'audit_log_' || to_char(v_begin, 'YYYYMM'), v_begin,
                                v_begin + interval '1 month');
                        END LOOP;
                    END $$;
                    DELETE FROM app.audit_log;
                    INSERT INTO app.audit_log (id, at, family_unit_id, actor_label, action)
                        SELECT gen_random_uuid(), now() - n / 2 * interval '288 minutes',
                            '\(Self.busy)'::uuid, 'job:test', 'family.test'
                        FROM generate_series(1, 3600) AS n
                        UNION ALL SELECT gen_random_uuid(), date_trunc('month', now())
                                + interval '1 day' - n * interval '1 month',
                            '\(Self.quiet)'::uuid, 'job:test', 'family.test'
                        FROM generate_series(0, 12) AS n;
                    """)
            // In a transaction of its own, after which nothing is left for autovacuum, which would
            // have statements planned again.
            try Connection(database.settings()).execute(script: "ANALYZE app.audit_log")
            try body(database, try Connection(database.settings(as: "hearth_api")))
        }
    }

    private func begin(_ transaction: Transaction, _ family: String) throws {
        try transaction.query(
            """
            SELECT set_config('plan_cache_mode', 'force_generic_plan', true),
                set_config('enable_seqscan', 'off', true),
                set_config('hearth.user_id', \(Self.admins[family] ?? ""), true)
            """)
    }

    /// The ids of a page, with their times.
    private func page(
        _ transaction: Transaction, of family: String, behind entry: String, limit: Int
    ) throws -> [String] {
        try transaction.query(
            SQL(
                unsafe: """
                    SELECT id || ' ' || at FROM app.audit_page('\(family)', \(entry), \(limit))
                    """)
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
    }

    /// The partitions whose indexes a page opens. They stay locked until the transaction ends. The
    /// page is read twice, because planning the first read opens all partitions.
    private func opened(
        _ connection: Connection, _ family: String, behind entry: String
    ) throws -> [String] {
        var opened: [String] = []
        for _ in 0..<2 {
            opened = try connection.transaction { transaction in
                try begin(transaction, family)
                _ = try page(transaction, of: family, behind: entry, limit: 51)
                return try transaction.query(
                    """
                    SELECT DISTINCT i.indrelid::regclass::text
                    FROM pg_locks AS l JOIN pg_index AS i ON i.indexrelid = l.relation
                    JOIN pg_inherits AS p ON p.inhrelid = i.indrelid
                    WHERE l.pid = pg_backend_pid() AND p.inhparent = 'app.audit_log'::regclass
                    """
                ).map { (row) throws(PostgresError) in try row.read(String.self) }
            }
        }
        return opened
    }

    @Test("a page reads no month after its cursor, and only one month if one month fills the page")
    func opened() throws {
        try withTrail { _, connection in
            // The default partition is always opened; 31 days touch two months or three, and two
            // months are created ahead.
            let first = try opened(connection, Self.busy, behind: "NULL, NULL")
            #expect((4...6).contains(first.count), "\(first)")
            let moment = "date_trunc('month', now()) - interval '185 days', NULL"
            let earlier = try opened(connection, Self.busy, behind: moment)
            #expect((2...4).contains(earlier.count), "\(earlier)")
            let all = try opened(connection, Self.quiet, behind: "NULL, NULL")
            #expect(all.count == 16, "\(all)")
            let quiet = try opened(connection, Self.quiet, behind: moment)
            #expect((6...8).contains(quiet.count), "\(quiet)")
        }
    }

    @Test("the pages contain each entry of the log exactly once, whatever the page size")
    func whole() throws {
        try withTrail { database, connection in
            for (family, count) in [(Self.busy, 3_600), (Self.quiet, 13)] {
                let all = try Connection(database.settings()).query(
                    SQL(
                        unsafe: """
                            SELECT id || ' ' || at FROM app.audit_log
                            WHERE family_unit_id = '\(family)' ORDER BY at DESC, id DESC
                            """)
                ).map { (row) throws(PostgresError) in try row.read(String.self) }
                #expect(all.count == count)
                for limit in [5, 51, 307, 4_000] {
                    let paged = try connection.transaction { transaction in
                        try begin(transaction, family)
                        var paged: [String] = []
                        var last = "NULL, NULL"
                        while true {
                            let page = try page(
                                transaction, of: family, behind: last, limit: limit)
                            paged += page
                            guard page.count == limit, let entry = page.last else { return paged }
                            let parts = entry.split(separator: " ", maxSplits: 1)
                            last = "'\(parts[1])', '\(parts[0])'"
                        }
                    }
                    #expect(paged == all, "\(limit)")
                }
            }
        }
    }

    @Test("no entry is lost or repeated where a page continues in earlier months")
    func edge() throws {
        try withTrail { database, connection in
            let moment = "date_trunc('month', now()) - interval '80 days'"
            let highest = "'ffffffff-ffff-ffff-ffff-ffffffffffff'"
            let superuser = try Connection(database.settings())
            try superuser.query(
                SQL(
                    unsafe: """
                        INSERT INTO app.audit_log (id, at, family_unit_id, actor_label, action)
                        SELECT gen_random_uuid(), \(moment) - d, '\(Self.quiet)', 'job:test',
                            'family.test'
                        FROM unnest('{1 hour,31 days,31 days,32 days}'::interval[]) AS d
                        """))
            let expected = try superuser.query(
                SQL(
                    unsafe: """
                        SELECT id || ' ' || at FROM app.audit_log
                        WHERE family_unit_id = '\(Self.quiet)' AND at <= \(moment)
                        ORDER BY at DESC, id DESC
                        """)
            ).map { (row) throws(PostgresError) in try row.read(String.self) }
            #expect(expected.count > 8)
            for limit in 1...expected.count {
                let found = try connection.transaction { transaction in
                    try begin(transaction, Self.quiet)
                    return try page(
                        transaction, of: Self.quiet, behind: "\(moment), \(highest)", limit: limit)
                }
                #expect(found == Array(expected.prefix(limit)))
            }
        }
    }
}
