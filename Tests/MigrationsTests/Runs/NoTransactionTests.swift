@testable import Migrations
import Postgres
import TestSupport
import Testing

/// Interrupted runs of no-transaction files. The tests create the state after an interruption
/// themselves: the journal's entries, and the objects that PostgreSQL leaves behind. `KillTests`
/// shows that a real kill leaves this state.
@Suite("Files without a transaction")
struct NoTransactionTests {
    private static let head = "-- hearth: no-transaction\n"

    private func folder(_ statements: String...) throws -> TestFolder {
        try TestFolder([
            "0001_t.sql": "CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2);",
            "0002_x.sql": Self.head + statements.joined(separator: ";\n"),
        ])
    }

    /// Runs the folder up to the failing statement, which must be `SELECT 1 / 0`, then replaces it.
    private func cutOff(
        _ folder: TestFolder, _ database: TestDatabase, thenRun statements: String...
    ) throws {
        let error = try folder.failure(database)
        #expect(error?.code == .stoppedMidway)
        try folder.write("0002_x.sql", Self.head + statements.joined(separator: ";\n"))
    }

    @Test("statements of a no-transaction file run one by one, and the journal is then empty")
    func runs() throws {
        let folder = try folder(
            "CREATE INDEX CONCURRENTLY i ON t (a)", "UPDATE t SET a = a + 1", "VACUUM t")
        try TestDatabase.with(.empty) { database in
            #expect(try folder.up(database) == ["0001_t.sql", "0002_x.sql"])
            let isValid: Bool = try database.scalar(
                "SELECT indisvalid FROM pg_index WHERE indexrelid = 'i'::regclass")
            #expect(isValid)
            #expect(try database.scalar("SELECT count(*) FROM migrations.journal") == Int64(0))
            #expect(
                try database.scalar("SELECT kind FROM migrations.ledger WHERE version = 2")
                    == "statements")
        }
    }

    @Test(
        "a file that makes its session read-only is named, with advice",
        arguments: [
            head + "SET default_transaction_read_only = on;\n",
            head
                + "SET default_transaction_read_only = on;\nCREATE INDEX CONCURRENTLY i ON t (a);\n",
            "SET TRANSACTION READ ONLY;\n",
        ])
    func readOnly(_ text: String) throws {
        let folder = try folder("SELECT 1")
        try folder.write("0003_read.sql", text)
        try TestDatabase.with(.empty) { database in
            let error = try folder.failure(database)
            #expect(
                error?.message.contains("0003_read.sql") == true, "\(String(describing: error))")
            let details = error?.details.joined(separator: "\n") ?? ""
            let message = "\(error?.message ?? "")\n\(details)"
            #expect(message.contains("read-only, so that the file can't be recorded"), "\(message)")
        }
    }

    @Test("completed statements don't run again, and only those that have not run may change")
    func resumes() throws {
        let folder = try folder("UPDATE t SET a = a + 10", "SELECT 1 / 0")
        try TestDatabase.with(.empty) { database in
            try cutOff(folder, database, thenRun: "UPDATE t SET a = a + 20", "SELECT 1")
            let changed = try folder.failure(database)
            #expect(changed?.code == .drift)
            #expect(changed?.details.first == "was: UPDATE t SET a = a + 10")
            #expect(try folder.verify(database) == .drift)
            try folder.write(
                "0002_x.sql", Self.head + "update t set a=a+10; -- done\nUPDATE t SET a = a + 100")
            #expect(try folder.verify(database) == .pending)
            #expect(try folder.up(database) == ["0002_x.sql"])
            #expect(try database.column("SELECT a::text FROM t ORDER BY t.a") == ["111", "112"])
        }
    }

    @Test("a file that has been started can't become transactional")
    func directiveRemoved() throws {
        let folder = try folder("SELECT 1", "SELECT 1 / 0")
        try TestDatabase.with(.empty) { database in
            try cutOff(folder, database, thenRun: "SELECT 1")
            try folder.write("0002_x.sql", "SELECT 1")
            #expect(try folder.failure(database)?.code == .drift)
        }
    }

    @Test("settings of the session are in effect again after an interruption")
    func sessionStatements() throws {
        let folder = try folder(
            "CREATE SCHEMA s", "SET search_path = s", "SELECT 1 / 0", "CREATE TABLE made ()")
        try TestDatabase.with(.empty) { database in
            try cutOff(
                folder, database,
                thenRun: "CREATE SCHEMA s", "SET search_path = s", "CREATE TABLE made ()")
            try folder.up(database)
            #expect(try database.hasRelation("s.made"))
        }
    }

    @Test("a unique index that failed is dropped and created again")
    func failedIndex() throws {
        let index = "CREATE UNIQUE INDEX CONCURRENTLY i ON t (b)"
        let folder = try TestFolder([
            "0001_t.sql": "CREATE TABLE t (b int); INSERT INTO t VALUES (1), (1);",
            "0002_x.sql": Self.head + index,
        ])
        try TestDatabase.with(.empty) { database in
            #expect(try folder.failure(database)?.code == .stoppedMidway)
            try database.execute("DELETE FROM t WHERE ctid = '(0,1)'")
            let events = Events()
            try folder.up(database, events: events)
            #expect(
                events.findings == [
                    "had been interrupted: dropped the invalid index public.i, runs again"
                ])
            #expect(
                try database.scalar(
                    "SELECT indisvalid AND indisunique FROM pg_index "
                        + "WHERE indexrelid = 'i'::regclass") == true)
        }
    }

    /// Writes the journal of a run that was killed while the file's only statement ran.
    private func journal(_ found: String, _ folder: TestFolder, _ database: TestDatabase) throws {
        let script = try #require(try folder.read().files.last).script()
        let statement = try #require(script.statements.first)
        let checksum = Journal.checksum(of: statement)
        try Connection(database.settings()).query(
            """
            INSERT INTO migrations.journal
            VALUES (2, 1, \(checksum), \(statement.text), 'started', \(found), 1, now(), NULL)
            """)
    }

    private func begun(
        _ statement: String, found: String, before: String = "", after: String = "",
        _ check: (TestDatabase, Events) throws -> Void
    ) throws {
        let folder = try folder(statement)
        try TestDatabase.with(.empty) { database in
            try folder.up(database) { $0.target = MigrationVersion(1) }
            for text in before.split(separator: "|") { try database.execute(String(text)) }
            try journal(found, folder, database)
            for text in after.split(separator: "|") { try database.execute(String(text)) }
            let events = Events()
            try folder.up(database, events: events)
            try check(database, events)
        }
    }

    @Test("an index that was finished before the interruption is kept")
    func finishedIndex() throws {
        try begun(
            "CREATE INDEX CONCURRENTLY i ON t (a)", found: "nothing",
            after: "CREATE INDEX CONCURRENTLY i ON t (a)"
        ) { _, events in
            #expect(events.findings == ["had been completed"])
        }
    }

    @Test("an existing index is not mistaken for the statement's result")
    func foreignIndex() throws {
        let folder = try folder("CREATE INDEX CONCURRENTLY i ON t (a)")
        try TestDatabase.with(.empty) { database in
            try folder.up(database) { $0.target = MigrationVersion(1) }
            try database.execute("CREATE INDEX i ON t ((a + 1))")
            for _ in 1...2 {
                let error = try folder.failure(database)
                #expect(error?.message.contains("relation \"i\" already exists") == true)
            }
        }
    }

    @Test("CREATE INDEX IF NOT EXISTS doesn't accept an invalid index")
    func invalidForeignIndex() throws {
        let folder = try TestFolder([
            "0001_t.sql": "CREATE TABLE t (b int); INSERT INTO t VALUES (1), (1);",
            "0002_x.sql": Self.head + "CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON t (b)",
        ])
        try TestDatabase.with(.empty) { database in
            try folder.up(database) { $0.target = MigrationVersion(1) }
            #expect(throws: PostgresError.self) {
                try database.execute("CREATE UNIQUE INDEX CONCURRENTLY i ON t (b)")
            }
            let error = try folder.failure(database)
            #expect(error?.message.contains("exists but is invalid") == true)
        }
    }

    @Test("an index that was dropped before the interruption counts as dropped")
    func droppedIndex() throws {
        try begun(
            "DROP INDEX CONCURRENTLY i", found: "index 1", before: "CREATE INDEX i ON t (a)",
            after: "DROP INDEX i"
        ) { _, events in
            #expect(events.findings == ["had been completed"])
        }
    }

    @Test("an index that was not dropped before the interruption is dropped by the next run")
    func undroppedIndex() throws {
        try begun(
            "DROP INDEX CONCURRENTLY i", found: "index 1", before: "CREATE INDEX i ON t (a)"
        ) { database, _ in
            let isThere = try database.hasRelation("i")
            #expect(!isThere)
        }
    }

    @Test("a pending detachment of a partition is completed")
    func pendingDetachment() throws {
        let tables = """
            CREATE TABLE p (a int) PARTITION BY LIST (a)|\
            CREATE TABLE q PARTITION OF p FOR VALUES IN (1)
            """
        // State after an interruption: only PostgreSQL itself can mark a detachment as pending, and
        // an older snapshot keeps it from being finished.
        let folder = try folder("ALTER TABLE p DETACH PARTITION q CONCURRENTLY")
        try TestDatabase.with(.empty) { database in
            try folder.up(database) { $0.target = MigrationVersion(1) }
            for text in tables.split(separator: "|") { try database.execute(String(text)) }
            let blocker = try Connection(database.settings())
            try blocker.execute(script: "BEGIN; SELECT * FROM p")
            let error = try folder.failure(database) {
                $0.limits.lockTimeoutSeconds = 0.1
                $0.limits.lockRetries = 0
            }
            #expect(error?.code == .stoppedMidway)
            let isPending: Bool = try database.scalar("SELECT inhdetachpending FROM pg_inherits")
            #expect(isPending)
            try blocker.execute(script: "COMMIT")
            let events = Events()
            try folder.up(database, events: events)
            #expect(events.findings == ["had been completed"])
            #expect(try database.scalar("SELECT count(*) FROM pg_inherits") == Int64(0))
        }
    }

    @Test("half-made indexes of REINDEX CONCURRENTLY are dropped, and those of others are kept")
    func leftovers() throws {
        let folder = try TestFolder([
            "0001_t.sql": "CREATE TABLE t (b int); CREATE INDEX i ON t (b);",
            "0002_x.sql": Self.head + "REINDEX INDEX CONCURRENTLY i",
        ])
        try TestDatabase.with(.empty) { database in
            try folder.up(database) { $0.target = MigrationVersion(1) }
            // A leftover of REINDEX is identified by its name and by being invalid.
            func leave(_ name: String) throws {
                try database.execute("INSERT INTO t VALUES (7), (7)")
                #expect(throws: PostgresError.self) {
                    try database.execute("CREATE UNIQUE INDEX CONCURRENTLY \(name) ON t (b)")
                }
            }
            try leave("other_ccnew")
            let known: Int64 = try database.scalar("SELECT 'other_ccnew'::regclass::oid::int8")
            try leave("i_ccnew")
            try journal("\(known)", folder, database)
            let events = Events()
            try folder.up(database, events: events)
            #expect(
                events.findings == [
                    "had been interrupted: dropped the invalid public.i_ccnew, runs again"
                ])
            let isLeft = try database.hasRelation("other_ccnew")
            #expect(isLeft)
            let isGone = try !database.hasRelation("i_ccnew")
            #expect(isGone)
        }
    }

    @Test("a database that was created before the interruption is not created again")
    func databases() throws {
        let name = RoleName.one
        try begun("CREATE DATABASE \(name)", found: "nothing", after: "CREATE DATABASE \(name)") {
            database, events in
            #expect(events.findings == ["had been completed"])
            try database.execute("DROP DATABASE \(name)")
        }
    }
}
