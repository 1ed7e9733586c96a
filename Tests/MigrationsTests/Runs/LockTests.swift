@testable import Migrations
import Postgres
import TestSupport
import Testing

@Suite("Locks of a run")
struct LockTests {
    @Test("eight concurrent runners apply the files once: one works, the others wait")
    func eight() throws {
        let folder = try TestFolder([
            "0001_a.sql": "CREATE TABLE t (a int);",
            "0002_b.sql": "-- hearth: no-transaction\nCREATE INDEX CONCURRENTLY i ON t (a);",
            "0003_c.sql": "INSERT INTO t VALUES (1); SELECT pg_sleep(0.2);",
        ])
        try TestDatabase.with(.empty) { database in
            let results = onThreads(8) { _ in try folder.up(database) }
            let applied = try results.map { try $0.get() }
            #expect(applied.filter { $0.count == 3 }.count == 1)
            #expect(applied.filter(\.isEmpty).count == 7)
            #expect(try database.scalar("SELECT count(*) FROM t") == Int64(1))
        }
    }

    @Test("a runner that doesn't get the lock in time reports the holder")
    func lockNotAcquired() throws {
        let folder = try TestFolder(["0001_a.sql": "SELECT 1"])
        try TestDatabase.with(.empty) { database in
            let held = try HeldRunnerLock(database, folder)
            let events = Events()
            let error = try folder.failure(database, events: events) {
                $0.limits.lockWaitSeconds = 0.1
            }
            #expect(error?.code == .lockNotAcquired)
            let holder = "process \(held.pid), user "
            #expect(error?.details.first?.hasPrefix(holder) == true)
            let waited = events.list.contains {
                if case .waitingForLock(let text, _) = $0 { text.hasPrefix(holder) } else { false }
            }
            #expect(waited)
            #expect(try !database.hasRelation("migrations.ledger"))
        }
    }

    @Test("a file that doesn't get its locks is retried, and its blockers are reported")
    func lockTimeout() throws {
        let folder = try TestFolder(["0001_a.sql": "CREATE TABLE t ();"])
        try TestDatabase.with(.empty) { database in
            try folder.up(database)
            try folder.write("0002_b.sql", "CREATE TABLE u ();\nALTER TABLE t ADD a int;")
            let blocker = try Connection(database.settings())
            try blocker.execute(script: "BEGIN; SELECT * FROM t")
            let events = Events()
            let error = try folder.failure(database, events: events) {
                $0.limits.lockTimeoutSeconds = 3
                $0.limits.lockRetries = 1
            }
            #expect(error?.code == .database)
            #expect(
                error?.message.hasPrefix("0002_b.sql:2: canceling statement due to lock") == true)
            let holder = "held by process \(blocker.backendProcessID), "
            #expect(error?.details.contains { $0.hasPrefix(holder) } == true)
            let retries = events.list.filter { if case .retries = $0 { true } else { false } }
            #expect(retries.count == 1)
            #expect(try !database.hasRelation("u"))
        }
    }

    @Test("a file gets its locks once the blocker is gone")
    func blockerGoes() throws {
        let folder = try TestFolder(["0001_a.sql": "CREATE TABLE t ();"])
        try TestDatabase.with(.empty) { database in
            try folder.up(database)
            try folder.write("0002_b.sql", "ALTER TABLE t ADD a int;")
            let blocker = try Connection(database.settings())
            try blocker.execute(script: "BEGIN; SELECT * FROM t")
            let events = Events()
            let run = inBackground {
                try folder.up(database, events: events) { $0.limits.lockTimeoutSeconds = 0.2 }
            }
            try eventually {
                events.list.contains { if case .retries = $0 { true } else { false } }
            }
            try blocker.execute(script: "ROLLBACK")
            #expect(try run.wait() == ["0002_b.sql"])
        }
    }

    @Test("an index created concurrently waits longer than the lock timeout of other statements")
    func concurrentPatience() throws {
        let folder = try TestFolder(["0001_a.sql": "CREATE TABLE t (a int);"])
        try TestDatabase.with(.empty) { database in
            try folder.up(database)
            try folder.write(
                "0002_b.sql", "-- hearth: no-transaction\nCREATE INDEX CONCURRENTLY i ON t (a)")
            let blocker = try Connection(database.settings())
            try blocker.execute(script: "BEGIN; INSERT INTO t VALUES (1)")
            let run = inBackground { try folder.up(database) }
            let waits = """
                SELECT count(*) > 0 FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'
                    AND query LIKE 'CREATE INDEX%'
                """
            try eventually {
                try database.scalar(waits + " AND now() - query_start > interval '2.5 s'")
            }
            try blocker.execute(script: "COMMIT")
            #expect(try run.wait() == ["0002_b.sql"])
        }
    }

    @Test("advisory locks of a file are released before the next one, but not the runner's lock")
    func locksOfFiles() throws {
        let take = """
            SELECT pg_advisory_lock(5), pg_advisory_lock(5), pg_advisory_lock(-7),
                   pg_advisory_lock_shared(5), pg_advisory_lock(-1, 2147483647),
                   pg_advisory_lock_shared(1, -2), pg_advisory_xact_lock(6);
            """
        let look = """
            CREATE TABLE seen AS SELECT count(*) FROM pg_locks
             WHERE locktype = 'advisory' AND pid = pg_backend_pid();
            """
        let folder = try TestFolder([
            "0001_a.sql": take, "0002_b.sql": look, "0003_c.sql": "DROP TABLE seen;",
            "0004_d.sql": "-- hearth: no-transaction\n" + take, "0005_e.sql": look,
        ])
        try TestDatabase.with(.empty) { database in
            let events = Events()
            let applied = try folder.up(database, events: events) {
                $0.target = MigrationVersion(2)
            }
            #expect(applied == ["0001_a.sql", "0002_b.sql"])
            #expect(try database.scalar("SELECT count FROM seen") == Int64(1))
            #expect(try folder.up(database, events: events).count == 3)
            #expect(try database.scalar("SELECT count FROM seen") == Int64(1))
            #expect(!events.list.contains { if case .notice = $0 { true } else { false } })
        }
    }

    @Test(
        "a file that releases the runner's lock stops the run and is named",
        arguments: [
            ("", "0002_b.sql released"), ("-- hearth: no-transaction\n", "0002_b.sql:2 released"),
        ])
    func lockReleased(_ directive: String, _ message: String) throws {
        let release = """
            DO $$ BEGIN EXECUTE 'SELECT pg_advisory_' || 'unlock_all()'; END $$;
            """
        let folder = try TestFolder([
            "0001_a.sql": "CREATE TABLE a ();", "0002_b.sql": directive + release,
            "0003_c.sql": "CREATE TABLE c ();",
        ])
        try TestDatabase.with(.empty) { database in
            let error = try folder.failure(database)
            #expect(error?.code == .stoppedMidway)
            #expect(error?.message.hasPrefix(message) == true)
            #expect(try !database.hasRelation("c"))
            #expect(try folder.up(database).last == "0003_c.sql")
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test("a last file that releases the lock stops the run, and the next run records its changes")
    func lockReleasedLast() throws {
        let release = "DO $$ BEGIN EXECUTE 'SELECT pg_advisory_' || 'unlock_all()'; END $$;"
        let folder = try TestFolder(["0001_a.sql": "CREATE TABLE a ();" + release])
        try TestDatabase.with(.empty) { database in
            let error = try folder.failure(database)
            #expect(error?.code == .stoppedMidway)
            #expect(try folder.up(database) == [])
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test("a request to stop cancels the statement, and the next run continues")
    func interruption() throws {
        let folder = try TestFolder(["0001_a.sql": "CREATE TABLE t (); SELECT pg_sleep(60);"])
        try TestDatabase.with(.empty) { database in
            let interruption = Interruption()
            let run = inBackground {
                try MigrationRunner(
                    database.settings(), folder.read(), interruption: interruption,
                    report: { _ in }
                ).up().applied
            }
            try eventually {
                try database.scalar(
                    "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep' "
                        + "AND datname = current_database()")
            }
            interruption.request()
            #expect(throws: MigrationError.self) { try run.wait() }
            #expect(try !database.hasRelation("t"))
            try folder.write("0001_a.sql", "CREATE TABLE t ();")
            #expect(try folder.up(database) == ["0001_a.sql"])
        }
    }
}

/// A session that holds the runner's lock, in place of another runner.
final class HeldRunnerLock {
    private let connection: Connection

    init(_ database: TestDatabase, _ folder: TestFolder) throws {
        connection = try Connection(database.settings())
        let key = RunnerLock.key(ofLedgerIn: try folder.read().configuration.ledgerSchema)
        _ = try connection.query("SELECT pg_advisory_lock(\(key))")
    }

    var pid: Int32 { connection.backendProcessID }
}
