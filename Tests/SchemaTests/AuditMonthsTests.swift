import Postgres
import TestSupport
import Testing

/// Partitions of the audit log: one for each month, one for older entries, and one for entries
/// whose month had no partition.
@Suite("Monthly partitions of the audit log")
struct AuditMonthsTests {
    private func worker(_ house: House, _ object: String, age: String?) throws -> Int32 {
        try Connection(house.test.settings(as: "hearth_worker")).query(
            """
            SELECT changed
            FROM app.upkeep_batch(\(object), nullif(\(age ?? ""), '')::interval, 1000, NULL)
            """
        ).scalar(Int32.self)
    }

    /// The partitions, oldest first; the one for other months last.
    private func parts(_ house: House) throws -> [String] {
        try house.superuser().query(
            """
            SELECT c.relname::text FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'app.audit_log'::regclass ORDER BY c.relname
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
    }

    /// Adds a partition for a past month, with the given number of entries.
    private func addMonth(_ house: House, _ month: String, entries: Int) throws {
        let name = "audit_log_" + month.filter { $0 != "-" }
        try house.superuser().execute(
            script: """
                SET timezone = 'UTC';
                CREATE TABLE app.\(name) PARTITION OF app.audit_log
                    FOR VALUES FROM ('\(month)-01') TO (date '\(month)-01' + interval '1 month');
                ALTER TABLE app.\(name) OWNER TO hearth_owner;
                INSERT INTO app.audit_log (action, at)
                    SELECT 'test.entry', timestamptz '\(month)-01' + n * interval '1 hour'
                    FROM generate_series(1, \(entries)) AS n;
                """)
    }

    private func entries(_ house: House) throws -> Int {
        try house.count("SELECT count(*) FROM app.audit_log WHERE action = 'test.entry'")
    }

    @Test("the worker creates partitions ahead, with the privileges of the table itself")
    func ahead() throws {
        let house = try House()
        // Existing entries keep their month in the partition where they are.
        try house.superuser().query("DELETE FROM app.audit_log")
        #expect(try worker(house, "audit_months", age: nil) == 0)
        #expect(try worker(house, "audit_months", age: nil) == 0)
        #expect(try parts(house).count == 4)
        let open = try house.superuser().query(
            """
            SELECT string_agg(c.relname, ', ') FROM pg_inherits AS i
            JOIN pg_class AS c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'app.audit_log'::regclass
                AND (NOT c.relrowsecurity OR NOT c.relforcerowsecurity
                     OR c.relowner <> 'hearth_owner'::regrole
                     OR EXISTS (SELECT FROM aclexplode(c.relacl) AS g WHERE g.grantee <> c.relowner)
                     OR EXISTS (SELECT FROM pg_policy AS p WHERE p.polrelid = c.oid)
                     OR (SELECT count(*) FROM pg_index AS x WHERE x.indrelid = c.oid)
                        <> (SELECT count(*) FROM pg_index AS x WHERE x.indrelid = i.inhparent))
            """
        ).scalar(String?.self)
        #expect(open == nil)
        let person = try house.person()
        _ = try house.family(of: person)
        let partition = try house.superuser().query(
            """
            SELECT DISTINCT tableoid::regclass::text FROM app.audit_log
            WHERE action = 'family.create'
            """
        ).scalar(String.self)
        let month = try house.superuser().query(
            "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYYMM')"
        ).scalar(String.self)
        #expect(partition == "app.audit_log_\(month)")
    }

    @Test("a month with entries in the default partition stays there; later months get partitions")
    func taken() throws {
        let house = try House()
        try house.superuser().query("INSERT INTO app.audit_log (action) VALUES ('test.entry')")
        #expect(try worker(house, "audit_months", age: nil) == 0)
        #expect(try parts(house).count == 3)
        #expect(try entries(house) == 1)
    }

    @Test("no month is dropped without a retention, or before its export")
    func kept() throws {
        let house = try House()
        try addMonth(house, "2020-01", entries: 3)
        try addMonth(house, "2020-02", entries: 3)
        #expect(try worker(house, "audit_months", age: nil) == 0)
        #expect(try worker(house, "audit_months", age: "90 days") == 0)
        #expect(try worker(house, "audit_entries", age: "90 days") == 0)
        #expect(try entries(house) == 6)
        try house.superuser().query(
            """
            INSERT INTO app.audit_exports (ends_at, entry_count, exported_by)
            VALUES ('2020-02-01Z', 3, 'operator:jo')
            """)
        #expect(try worker(house, "audit_months", age: nil) == 0)
        #expect(try worker(house, "audit_months", age: "90 days") == 1)
        #expect(try entries(house) == 3)
        #expect(try parts(house).contains("audit_log_202002"))
        let noted = try house.superuser().query(
            "SELECT actor_label || ' ' || details FROM app.audit_log WHERE action = 'audit.drop'"
        ).scalar(String.self)
        #expect(noted == #"job:upkeep.purge {"part": "audit_log_202001"}"#)
        #expect(try worker(house, "unexported_audit_months", age: "90 days") == 1)
        #expect(try entries(house) == 0)
    }

    @Test(
        "entries outside monthly partitions are deleted in batches, at the age at which months are")
    func others() throws {
        let house = try House()
        try house.superuser().query(
            """
            INSERT INTO app.audit_log (action, at)
            SELECT 'test.entry', timestamptz '2020-01-31 23:59:59.5Z' + n * interval '1 second'
            FROM generate_series(-1499, 10) AS n
            """)
        #expect(try worker(house, "audit_entries", age: "90 days") == 0)
        try house.superuser().query(
            """
            INSERT INTO app.audit_exports (ends_at, entry_count, exported_by)
            VALUES ('2020-02-01Z', 1500, 'operator:jo')
            """)
        #expect(try worker(house, "audit_entries", age: nil) == 0)
        #expect(try worker(house, "audit_entries", age: "90 days") == 1000)
        #expect(try worker(house, "audit_entries", age: "90 days") == 500)
        #expect(try worker(house, "audit_entries", age: "90 days") == 0)
        #expect(try entries(house) == 10)
        #expect(try worker(house, "unexported_audit_entries", age: "90 days") == 10)
    }

    @Test("a partition in use stays until the next run, whole and attached")
    func used() throws {
        let house = try House()
        try addMonth(house, "2020-01", entries: 3)
        let reader = try house.superuser()
        try reader.transaction { transaction in
            try transaction.query("SELECT count(*) FROM app.audit_log_202001")
            #expect(try worker(house, "unexported_audit_months", age: "90 days") == 0)
            // Nor are its entries deleted one by one.
            #expect(try worker(house, "unexported_audit_entries", age: "90 days") == 0)
            #expect(try entries(house) == 3)
        }
        #expect(try worker(house, "unexported_audit_months", age: "90 days") == 1)
        #expect(try entries(house) == 0)
    }

    /// Adds the given number of past months, from January 2020 on.
    private func addMonths(_ count: Int, _ house: House) throws -> [String] {
        let months = (1...count).map { "2020-\($0 < 10 ? "0" : "")\($0)" }
        for month in months { try addMonth(house, month, entries: 1) }
        return months.map { "audit_log_" + $0.filter { $0 != "-" } }
    }

    @Test("a transaction drops one month, because it locks the whole log until its end")
    func oneByOne() throws {
        let house = try House()
        let months = try addMonths(4, house)
        // Partitions that the previous call skipped are not tried again.
        let reached = try Connection(house.test.settings(as: "hearth_worker")).query(
            """
            SELECT (reached AT TIME ZONE 'UTC')::date::text
            FROM app.upkeep_batch('unexported_audit_months', '90 days', 1000, '2020-02-01Z')
            """
        ).scalar(String.self)
        #expect(reached == "2020-03-01")
        #expect(try parts(house) == [months[0], months[2], months[3], "audit_log_other"])
        // No partition is created ahead meanwhile, because that would lock the log for longer.
        for left in [months[2...3], months[3...3], []] {
            #expect(try worker(house, "unexported_audit_months", age: "90 days") == 1)
            #expect(try parts(house) == left + ["audit_log_other"])
        }
        #expect(try worker(house, "unexported_audit_months", age: "90 days") == 0)
        #expect(try parts(house).count > 1)
    }

    @Test("partitions in use are skipped, and nobody who writes to the log waits for them")
    func passedOver() throws {
        let house = try House()
        let months = try addMonths(10, house)
        let (free, used) = ([months[0], months[9]], months[1...8])
        let reader = try house.superuser()
        try reader.execute(
            script: "BEGIN; " + used.map { "LOCK TABLE app.\($0) IN ACCESS SHARE MODE;" }.joined())
        let isDropped = Flag()
        let dropping = inBackground { [self] in
            defer { isDropped.set() }
            return try (1...3).map { _ in
                try worker(house, "unexported_audit_months", age: "90 days")
            }
        }
        let writer = try house.superuser()
        try writer.execute(script: "SET lock_timeout = '2s'")
        repeat {
            try writer.query("INSERT INTO app.audit_log (action) VALUES ('test.write')")
        } while !isDropped.isSet
        #expect(try dropping.wait() == [1, 1, 0])
        let left = try parts(house)
        #expect(used.allSatisfy(left.contains) && !free.contains(where: left.contains))
        try reader.execute(script: "ROLLBACK")
    }

    @Test("while a session reads the whole audit log, a purge tries one partition and drops none")
    func allInUse() throws {
        let house = try House()
        let months = try addMonths(10, house)
        let reader = try house.superuser()
        try reader.execute(script: "BEGIN; LOCK TABLE ONLY app.audit_log IN ACCESS SHARE MODE")
        let worker = try Connection(house.test.settings(as: "hearth_worker"))
        try worker.execute(script: "SET statement_timeout = '2s'")
        let dropped = try worker.query(
            """
            SELECT changed
            FROM app.upkeep_batch('unexported_audit_months', '90 days', 1000, NULL)
            """
        ).scalar(Int32.self)
        #expect(dropped == 0)
        #expect(try parts(house).filter { months.contains($0) } == months)
        try reader.execute(script: "ROLLBACK")
    }

    @Test("all partitions are created by the next attempt after one failed because of a reader")
    func aheadInUse() throws {
        let house = try House()
        try house.superuser().query("DELETE FROM app.audit_log")
        let reader = try house.superuser()
        try reader.execute(script: "BEGIN; LOCK TABLE app.audit_log IN ACCESS SHARE MODE")
        let before = try parts(house)
        #expect(try worker(house, "audit_months", age: nil) == 0)
        #expect(try parts(house) == before)
        try reader.execute(script: "ROLLBACK")
        #expect(try worker(house, "audit_months", age: nil) == 0)
        #expect(try parts(house).count == 4)
    }

    @Test("ids of audit entries are UUIDs of version 7, ordered by time")
    func ids() throws {
        let house = try House()
        let disorder = try house.superuser().query(
            """
            WITH made AS MATERIALIZED (
                SELECT n, app.uuid_v7() AS id FROM generate_series(1, 2000) AS n)
            SELECT count(*) FROM (
                SELECT left(id::text, 18) < lag(left(id::text, 18)) OVER (ORDER BY n) AS is_less
                FROM made) AS m WHERE is_less
            """
        ).scalar(Int.self)
        #expect(disorder == 0)
        let id = try house.superuser().query("SELECT app.uuid_v7()::text").scalar(String.self)
        #expect(
            id.contains(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/))
        let seconds = try house.superuser().query(
            """
            SELECT abs(('x' || left(replace(\(id)::text, '-', ''), 12))::bit(48)::bigint / 1000
                - extract(epoch FROM clock_timestamp())::bigint)
            """
        ).scalar(Int64.self)
        #expect(seconds <= 60)
    }
}
