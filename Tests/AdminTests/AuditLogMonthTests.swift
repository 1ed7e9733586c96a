import JSON
import Postgres
import TestSupport
import Testing

/// Months of the audit log in `hearth-admin doctor` and `hearth-admin purge`.
@Suite("hearth-admin: months of the audit log")
struct TrailMonthTests {
    let office: Office

    init() throws { office = try Office() }

    private func doctor(_ more: String...) throws -> Ending {
        try run(
            "hearth-admin", ["doctor", "--json", "--rights", DoctorTests.rights] + more,
            environment: office.environment)
    }

    private func kinds(_ ending: Ending) throws -> [String] {
        try ending.json()["findings"].texts("kind")
    }

    private func partCount() throws -> Int64 {
        try office.scalar(
            """
            SELECT count(*) FROM pg_inherits AS i WHERE i.inhparent = 'app.audit_log'::regclass
            """)
    }

    /// Lets the worker make the partitions, and drops that of the next month.
    private func dropNextMonth() throws {
        try Connection(office.database.settings(as: "hearth_worker")).query(
            "SELECT changed FROM app.upkeep_batch('audit_months', NULL, 1, NULL)")
        try office.asOwner(
            """
            DO $$ BEGIN
                EXECUTE to_char((now() AT TIME ZONE 'UTC') + interval '1 month',
                    '"DROP TABLE app.audit_log_"YYYYMM');
            END $$
            """)
    }

    @Test("a missing partition of a coming month is reported, and created by --fix")
    func missing() throws {
        try dropNextMonth()
        let before = try partCount()
        let found = try doctor()
        #expect(found.code == 1)
        let finding = try #require(try found.json()["findings"].elements().first)
        #expect(try kinds(found) == ["audit_month_missing"])
        let month: String = try office.scalar(
            "SELECT to_char((now() AT TIME ZONE 'UTC') + interval '1 month', 'YYYY-MM')")
        #expect(try finding["message"].string().contains("no partition for \(month)"))
        #expect(try finding["remedy"].string() == "hearth-admin doctor --fix")
        #expect(try partCount() == before)

        let mended = try doctor("--fix", "--yes")
        #expect(mended.code == 0)
        #expect(try kinds(mended) == ["audit_month_missing"])
        #expect(try partCount() == before + 1)
        #expect(try doctor().code == 0)
        let trail = try office.json("audit --action doctor.repair")["entries"].elements()
        #expect(try trail.map { try $0["details"]["months"].elements().count } == [1])
    }

    @Test(
        "a partition that can't be created because the audit log is in use is reported after --fix")
    func used() throws {
        try dropNextMonth()
        try Connection(office.database.settings()).transaction { transaction in
            try transaction.query("SELECT count(*) FROM app.audit_log")
            let tried = try doctor("--fix", "--yes")
            #expect(tried.code == 1)
            #expect(try kinds(tried) == ["audit_month_missing"])
        }
        #expect(try doctor("--fix", "--yes").code == 0)
    }

    @Test("an audit log without partitions is reported once it is a day old")
    func none() throws {
        #expect(try doctor().code == 0)
        try office.asOwner(
            """
            INSERT INTO app.audit_log (action, at)
                VALUES ('test.entry', now() - interval '25 hours')
            """)
        #expect(try kinds(doctor()).contains("audit_month_missing"))
        // A month that already has entries in the default partition can't be repaired.
        try office.asOwner(
            """
            INSERT INTO app.audit_log (action, at)
                SELECT 'test.entry', date_trunc('month', now(), 'UTC') + n * interval '31 days'
                FROM generate_series(0, 2) AS n
            """)
        #expect(try doctor().code == 0)
    }

    @Test("a dry run counts the months and entries of the audit log and the job history")
    func counted() throws {
        try office.asOwner(
            """
            SET timezone = 'UTC';
            CREATE TABLE app.audit_log_202001 PARTITION OF app.audit_log
                FOR VALUES FROM ('2020-01-01') TO ('2020-02-01');
            INSERT INTO app.audit_log (action, at)
                SELECT 'test.entry', timestamptz '2020-01-20' + n * interval '1 day'
                FROM generate_series(1, 15) AS n;
            CREATE TABLE jobs.history_20200101 PARTITION OF jobs.history
                FOR VALUES FROM ('2020-01-01') TO ('2020-01-02');
            """)
        let objects = ["audit_months", "audit_entries"]
        let kept = try office.json("purge --dry-run")
        #expect(try objects.map { try kept[$0].integer() } == [0, 0])
        #expect(try kept["job_history_days"].integer() == 1)

        // A month that was exported is dropped whole; no export contains the later entries yet.
        try office.asOwner(
            """
            INSERT INTO app.audit_exports (ends_at, entry_count, exported_by)
                VALUES ('2020-02-01Z', 11, 'operator:jo')
            """)
        var environment = office.environment
        environment["HEARTH_KEEP_AUDIT_DAYS"] = "90"
        let counted = try run(
            "hearth-admin", ["purge", "--dry-run", "--json"], environment: environment)
        #expect(try objects.map { try counted.json()[$0].integer() } == [1, 0])

        environment["HEARTH_KEEP_UNEXPORTED_AUDIT"] = "off"
        for words in [["--dry-run"], ["--dry-run"], ["--yes"]] {
            let told = try run(
                "hearth-admin", ["purge", "--json"] + words, environment: environment
            ).json()
            #expect(
                try objects.map { try told["unexported_" + $0].integer() } == [1, 4], "\(words)")
            #expect(try told["job_history_days"].integer() == 1)
        }
        let after = try run(
            "hearth-admin", ["purge", "--dry-run", "--json"], environment: environment
        ).json()
        #expect(try objects.map { try after["unexported_" + $0].integer() } == [0, 0])
        #expect(try after["job_history_days"].integer() == 0)
    }
}
