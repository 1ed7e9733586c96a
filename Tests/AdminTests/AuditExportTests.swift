import Foundation
import JSON
import Postgres
import TestSupport
import Testing

@Suite("hearth-admin audit export and drop")
struct AuditExportTests {
    let office: Office
    let folder: Folder

    init() throws {
        office = try Office()
        folder = try Folder()
    }

    /// Adds two past months, each with its own partition, and earlier entries.
    private func fill() throws {
        try Connection(office.database.settings()).execute(
            script: """
                SET timezone = 'UTC';
                CREATE TABLE app.audit_log_202001 PARTITION OF app.audit_log
                    FOR VALUES FROM ('2020-01-01') TO ('2020-02-01');
                CREATE TABLE app.audit_log_202002 PARTITION OF app.audit_log
                    FOR VALUES FROM ('2020-02-01') TO ('2020-03-01');
                ALTER TABLE app.audit_log_202001 OWNER TO hearth_owner;
                ALTER TABLE app.audit_log_202002 OWNER TO hearth_owner;
                INSERT INTO app.audit_log (action, at)
                    SELECT 'test.entry', timestamptz '2019-12-31 23:00Z' + n * interval '1 minute'
                    FROM generate_series(1, 80000, 30) AS n;
                """)
    }

    private func count(_ condition: String) throws -> Int {
        try office.scalar(
            SQL(unsafe: "SELECT count(*) FROM app.audit_log AS a WHERE \(condition)"))
    }

    private func left() throws -> Int { try count("a.action = 'test.entry'") }

    private func export(_ month: String, _ name: String) throws -> Ending {
        try office.admin("audit export --before \(month) --output \(folder.path(name))")
    }

    @Test("an export contains all entries before the month, which can be dropped only afterwards")
    func whole() throws {
        try fill()
        let all = try left()
        let early = try office.admin("audit drop --before 2020-02 --yes")
        #expect(early.code == 1 && early.errors.contains("[audit_not_exported]"))
        let ending = try export("2020-02", "january.json")
        #expect(ending.code == 0, "\(ending.errors)")
        let document = JSONField(
            try JSONValue(parsing: Array(try folder.read("january.json").utf8)))
        #expect(try document["format"].string() == "hearth-audit-export")
        #expect(try document["before"].string() == "2020-02")
        let january = try count("a.at < '2020-02-01Z'")
        #expect(try document["entries"].elements().count == january)
        #expect(try document["entryCount"].number() == Double(january))
        let times = try document["entries"].texts("at")
        #expect(times == times.sorted())
        #expect(Set(try document["entries"].texts("id")).count == january)
        #expect(try left() == all)
        let again = try export("2020-02", "january.json")
        #expect(again.code == 1, "it must not write over a file")
        #expect(try office.admin("audit drop --before 2020-03 --yes").code == 1)
        #expect(try office.admin("audit drop --before 2020-02").code == 64)
        let dropped = try office.json("audit drop --before 2020-02 --yes")
        #expect(try dropped["parts"].number() == 1)
        #expect(try dropped["entries"].number() == Double(2), "those of 2019")
        #expect(try left() == all - january && january > 0)
        let trail = try office.json("audit --by-operator jo")["entries"].texts("action")
        #expect(trail == ["audit.drop", "audit.drop", "audit.export"])
        let rest = try office.json("audit drop --before 2020-03 --unexported --yes")
        #expect(try rest["parts"].number() == 1)
        #expect(try left() == 0)
    }

    @Test(
        "a month that is not over, or a text that is not a month, is refused",
        arguments: [("2999-01", 1), ("2020-13", 64), ("2020", 64), ("20-01", 64), ("", 64)])
    func refused(month: String, code: Int32) throws {
        let ending = try export(month.isEmpty ? "''" : month, "file.json")
        #expect(ending.code == code, "\(ending.errors)")
        #expect(try folder.names().isEmpty)
    }

    @Test("an open transaction from the month prevents the export")
    func open() throws {
        let month: String = try office.scalar("SELECT to_char(now(), 'YYYY-MM')")
        let hours: Double = try office.scalar(
            "SELECT extract(epoch FROM now() - date_trunc('month', now()))::float8 / 3600")
        // In the first hour of a month, the export is refused anyway.
        let ending = try export(month, "file.json")
        #expect(ending.code == (hours < 1 ? 1 : 0), "\(ending.errors)")
        let refusal = try refusal(ofOldestSince: hours * 3600 + 3600)
        #expect(refusal.contains("audit_month_open"))
    }

    /// The refusal of an export while the oldest transaction has the given age, which the test
    /// simulates.
    private func refusal(ofOldestSince seconds: Double) throws -> String {
        try Connection(office.database.settings()).execute(
            script: """
                CREATE OR REPLACE FUNCTION app.oldest_transaction_seconds()
                RETURNS double precision LANGUAGE sql STABLE SECURITY DEFINER
                SET search_path = '' AS 'SELECT \(seconds)::double precision'
                """)
        let month: String = try office.scalar("SELECT to_char(now(), 'YYYY-MM')")
        return try export(month, "other.json").errors
    }

    @Test("a partition in use is reported and kept until the next drop, while others are dropped")
    func used() throws {
        try fill()
        let reader = try Connection(office.database.settings())
        try reader.execute(
            script: "BEGIN; LOCK TABLE app.audit_log_202001 IN ACCESS SHARE MODE")
        let drop = "audit drop --before 2020-03 --unexported --yes"
        var ending = try office.admin(drop)
        // The command waits for the lock of the whole log for a tenth of a second, which is not
        // always enough on a busy machine; it then asks to be run again.
        for _ in 1...20 where ending.errors.contains("audit_log_202002") {
            ending = try office.admin(drop)
        }
        #expect(ending.code == 1 && ending.errors.contains("audit_log_202001"))
        #expect(!ending.errors.contains("audit_log_202002"), "\(ending.errors)")
        #expect(try count("a.at >= '2020-02-01Z' AND a.action = 'test.entry'") == 0)
        #expect(try count("a.at < '2020-02-01Z'") > 2)
        try reader.execute(script: "ROLLBACK")
        let rest = try office.json(drop)
        #expect(try rest["parts"].number() == 1)
        #expect(try rest["entries"].number() == 2)
    }

    // MARK: Killed at each step

    /// Starts an export or a drop, waits until it waits for a lock, and kills it.
    private func kill(_ words: [String], holding lock: SQL) throws {
        let holder = try Connection(office.database.settings())
        try holder.transaction { transaction in
            try transaction.query(lock)
            let process = try Subprocess(
                programPath("hearth-admin"), words,
                environment: programEnvironment(office.environment))
            try eventually { try waits("wait_event_type = 'Lock'") }
            try process.kill()
            // The server goes on working for a client that is gone until its session is terminated.
            _ = try Connection(office.database.settings()).query(
                """
                SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                WHERE datname = current_database() AND usename = 'hearth_admin'
                """)
        }
    }

    private func waits(_ condition: String) throws -> Bool {
        let waiting: Int = try office.scalar(
            SQL(
                unsafe: """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND usename = 'hearth_admin'
                        AND \(condition)
                    """))
        return waiting == 1
    }

    @Test("an export killed while it reads leaves no file, and nothing can be dropped")
    func killedReading() throws {
        try fill()
        let all = try left()
        try kill(
            ["audit", "export", "--before", "2020-02", "--output", folder.path("a.json")],
            holding: "LOCK TABLE app.users IN ACCESS EXCLUSIVE MODE")
        #expect(try folder.names().isEmpty)
        #expect(try office.admin("audit drop --before 2020-02 --yes").code == 1)
        #expect(try left() == all)
        #expect(try export("2020-02", "a.json").code == 0)
    }

    @Test("an export killed before it is recorded leaves a whole file, and nothing can be dropped")
    func killedBeforeRecord() throws {
        try fill()
        let all = try left()
        try kill(
            ["audit", "export", "--before", "2020-02", "--output", folder.path("a.json")],
            holding: "LOCK TABLE app.audit_exports IN ACCESS EXCLUSIVE MODE")
        let document = JSONField(try JSONValue(parsing: Array(try folder.read("a.json").utf8)))
        #expect(
            try document["entryCount"].number() == Double(try count("a.at < '2020-02-01Z'")))
        #expect(try office.admin("audit drop --before 2020-02 --yes").code == 1)
        #expect(try left() == all)
    }

    @Test(
        "a drop killed at any step has dropped only whole months, and can be repeated",
        arguments: [
            // First while the first partition is detached and dropped, then while its row is
            // written.
            ("AFTER INSERT ON app.audit_log", 1), ("AFTER DELETE ON app.audit_log", 2),
        ])
    func killedDropping(event: String, step: Int) throws {
        try fill()
        #expect(try export("2020-03", "a.json").code == 0)
        let all = try left()
        let gate = try StatementGate(office.database, event)
        let process = try Subprocess(
            programPath("hearth-admin"), ["audit", "drop", "--before", "2020-03", "--yes"],
            environment: programEnvironment(office.environment))
        try gate.awaitArrival()
        try process.kill()
        _ = try Connection(office.database.settings()).query(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE datname = current_database() AND usename = 'hearth_admin'
            """)
        try gate.open()
        let kept = step == 1 ? all : 2
        #expect(try left() == kept)
        // A partition that is in use just then, such as by autovacuum, is reported as in use.
        try eventually { try office.admin("audit drop --before 2020-03 --yes").code == 0 }
        #expect(try left() == 0)
    }
}
