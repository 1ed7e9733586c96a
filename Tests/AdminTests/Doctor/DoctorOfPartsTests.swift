import JSON
import Postgres
import TestSupport
import Testing

/// Checks of the partitions of the audit log and the job history. No list names the partitions,
/// because they come and go.
@Suite("hearth-admin doctor: partitions")
struct DoctorOfPartsTests {
    let office: Office
    /// Partition of the audit log for this month, and of the job history for today.
    let month: String
    let day: String

    init() throws {
        office = try Office()
        let worker = try Connection(office.database.settings(as: "hearth_worker"))
        try worker.query("SELECT changed FROM app.upkeep_batch('audit_months', NULL, 1, NULL)")
        try worker.query("SELECT jobs.maintain_history('14 days')")
        month = try office.scalar(
            "SELECT to_char(now() AT TIME ZONE 'UTC', '\"app.audit_log_\"YYYYMM')")
        day = try office.scalar(
            "SELECT to_char(now() AT TIME ZONE 'UTC', '\"jobs.history_\"YYYYMMDD')")
    }

    private func findings(after damage: String) throws -> [JSONField] {
        try office.findings(
            after: damage.replacing("[month]", with: month).replacing("[day]", with: day))
    }

    private func told(_ findings: [JSONField]) throws -> [String] {
        try findings.map { finding in
            let message = try finding["message"].string()
            return "\(try finding["kind"].string()) \(message)"
                .replacing(month, with: "[month]").replacing(day, with: "[day]")
        }
    }

    private func entryCount(_ table: String = "app.audit_log") throws -> Int64 {
        try office.scalar("SELECT count(*) FROM \(unsafe: table)")
    }

    @Test(
        "each damage to a partition is found, and its remedy repairs it",
        arguments: [
            (
                "ALTER TABLE [month] DISABLE ROW LEVEL SECURITY",
                ["right_changed table [month] owner hearth_owner secured forced"]
            ),
            (
                """
                ALTER TABLE [month] DISABLE ROW LEVEL SECURITY;
                GRANT SELECT, INSERT, DELETE ON [month] TO hearth_api
                """,
                [
                    "right_changed table [month] owner hearth_owner secured forced",
                    "right_surplus grant DELETE on [month] to hearth_api",
                    "right_surplus grant INSERT on [month] to hearth_api",
                    "right_surplus grant SELECT on [month] to hearth_api",
                ]
            ),
            (
                "ALTER TABLE [month] NO FORCE ROW LEVEL SECURITY",
                ["right_changed table [month] owner hearth_owner secured forced"]
            ),
            (
                "GRANT SELECT ON [month] TO PUBLIC",
                ["right_surplus grant SELECT on [month] to PUBLIC"]
            ),
            (
                "GRANT SELECT (details) ON app.audit_log_other TO hearth_api WITH GRANT OPTION",
                ["right_surplus grant SELECT (details) on app.audit_log_other to hearth_api"]
            ),
            (
                "ALTER TABLE [month] OWNER TO postgres",
                ["right_changed table [month] owner hearth_owner secured forced"]
            ),
            (
                """
                CREATE FUNCTION public.swallow() RETURNS trigger LANGUAGE plpgsql
                    AS 'BEGIN RETURN NULL; END';
                CREATE TRIGGER swallow BEFORE INSERT ON [month]
                    FOR EACH ROW EXECUTE FUNCTION public.swallow()
                """, ["definition_surplus trigger swallow on [month]"]
            ),
            (
                "CREATE RULE keep AS ON DELETE TO [month] DO INSTEAD NOTHING",
                ["definition_surplus rule keep on [month]"]
            ),
            (
                "ALTER TABLE [month] ADD CONSTRAINT extra CHECK (action <> 'member.remove')",
                ["definition_surplus constraint extra on [month]"]
            ),
            (
                "ALTER TABLE [month] ALTER COLUMN target_id SET NOT NULL",
                ["definition_surplus not null target_id on [month]"]
            ),
            (
                "CREATE UNIQUE INDEX extra ON [month] (action, at)",
                ["definition_surplus index extra on [month]"]
            ),
            (
                "CREATE POLICY hole ON [month] USING (true)",
                ["definition_surplus policy hole on [month]"]
            ),
            ("ALTER TABLE [month] SET UNLOGGED", ["definition_changed table [month]"]),
            (
                """
                UPDATE pg_index SET indisvalid = false
                WHERE indrelid = '[month]'::regclass AND indisprimary
                """, ["definition_changed index audit_log_"]
            ),
            (
                "CREATE SCHEMA aside; ALTER TABLE [month] SET SCHEMA aside",
                ["part_elsewhere table aside.audit_log_"]
            ),
            (
                """
                UPDATE pg_inherits SET inhdetachpending = true
                WHERE inhrelid = '[month]'::regclass
                """, ["part_detached table [month]"]
            ),
            (
                "GRANT INSERT ON [day] TO hearth_api",
                ["right_surplus grant INSERT on [day] to hearth_api"]
            ),
            (
                "ALTER TABLE jobs.history_other ADD CONSTRAINT extra CHECK (attempt < 3)",
                ["definition_surplus constraint extra on jobs.history_other"]
            ),
            // A surplus object of the partitioned table is reported for that table alone.
            (
                """
                CREATE FUNCTION public.swallow() RETURNS trigger LANGUAGE plpgsql
                    AS 'BEGIN RETURN NULL; END';
                CREATE TRIGGER swallow BEFORE INSERT ON app.audit_log
                    FOR EACH ROW EXECUTE FUNCTION public.swallow();
                CREATE INDEX extra ON app.audit_log (action);
                ALTER TABLE app.audit_log ADD CONSTRAINT odd CHECK (action <> 'odd.action')
                """,
                [
                    "definition_surplus constraint odd on app.audit_log",
                    "definition_surplus index extra on app.audit_log",
                    "definition_surplus trigger swallow on app.audit_log",
                ]
            ),
            (
                "ALTER TABLE app.audit_log DISABLE ROW LEVEL SECURITY",
                ["right_changed table app.audit_log owner hearth_owner secured forced"]
            ),
        ])
    func damage(_ damage: String, _ expected: [String]) throws {
        let findings = try findings(after: damage)
        let told = try told(findings)
        #expect(told.count == expected.count, "\(told)")
        for (one, begin) in zip(told, expected) {
            #expect(one.hasPrefix(begin), "\(told)")
        }
        try office.follow(findings)
    }

    @Test("an audit log of four hundred months is sound, and a fault in any month is found")
    func many() throws {
        try office.asOwner(
            """
            DO $$ BEGIN FOR n IN 1..400 LOOP
                EXECUTE format('CREATE TABLE app.audit_log_%s PARTITION OF app.audit_log
                        FOR VALUES FROM (%L) TO (%L)',
                    to_char(date '1980-01-01' + n * interval '1 month', 'YYYYMM'),
                    (timestamp '1980-01-01' + n * interval '1 month') AT TIME ZONE 'UTC',
                    (timestamp '1980-01-01' + (n + 1) * interval '1 month') AT TIME ZONE 'UTC');
                EXECUTE format('ALTER TABLE app.audit_log_%s ENABLE ROW LEVEL SECURITY,
                        FORCE ROW LEVEL SECURITY',
                    to_char(date '1980-01-01' + n * interval '1 month', 'YYYYMM'));
            END LOOP; END $$
            """)
        let sound = try office.doctor()
        #expect(sound.code == 0, "\(sound.output)")
        try office.follow(
            try findings(after: "GRANT DELETE ON app.audit_log_199911 TO authenticated"))
    }

    @Test("a detached month is reported, and attached again with entries written in the meantime")
    func detachedMonth() throws {
        let family = try office.makeFamily()
        let before = try entryCount(month)
        #expect(before > 0)
        try office.asOwner("ALTER TABLE app.audit_log DETACH PARTITION \(month)")
        _ = try office.json("family rename \(family) Other")
        let meanwhile = try entryCount("app.audit_log_other")
        #expect(meanwhile > 0)
        let findings = try findings(after: "SELECT 1")
        #expect(try told(findings).count == 1)
        #expect(try told(findings).first?.hasPrefix("part_detached table [month]") == true)
        #expect(try told(findings).first?.contains("DROP TABLE [month]") == true)
        let remedy = try #require(try findings.first?["remedy"].string())
        #expect(!remedy.contains("SET SCHEMA") && !remedy.contains("DROP"), "\(remedy)")
        try office.follow(findings)
        #expect(try entryCount(month) == before + meanwhile)
        #expect(try entryCount() == before + meanwhile)
    }

    @Test("a detached day of the job history and the default partition are attached again")
    func otherDetached() throws {
        try office.follow(
            try findings(
                after: """
                    ALTER TABLE jobs.history DETACH PARTITION [day];
                    ALTER TABLE app.audit_log DETACH PARTITION app.audit_log_other
                    """))
        let parts: Int64 = try office.scalar(
            """
            SELECT count(*) FROM pg_inherits AS i
            WHERE i.inhrelid IN ('app.audit_log_other'::regclass,
                to_regclass(\(day)))
            """)
        #expect(parts == 2)
    }
}
