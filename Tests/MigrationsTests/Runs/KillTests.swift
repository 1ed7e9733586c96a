import Foundation
import Postgres
import TestSupport
import Testing

@testable import Migrations

/// Runs that SIGKILL ends. The result is the same however often and at whatever point a run is
/// killed.
@Suite("Killed runners")
struct KillTests {
    private static let files = [
        "0001_t.sql": """
        CREATE TABLE t (a int, b int);
        INSERT INTO t SELECT n, n FROM generate_series(1, 60000) AS n;
        """,
        "0002_indexes.sql": """
        -- hearth: no-transaction
        SET maintenance_work_mem = '1MB';
        CREATE INDEX CONCURRENTLY t_a ON t (a);
        CREATE UNIQUE INDEX CONCURRENTLY t_b ON t (b);
        UPDATE t SET a = a + 1 WHERE b <= 100;
        CREATE INDEX CONCURRENTLY t_expression ON t ((a + b));
        DROP INDEX CONCURRENTLY t_a;
        REINDEX INDEX CONCURRENTLY t_b;
        VACUUM t;
        UPDATE t SET a = a + 1 WHERE b <= 100;
        """,
        "0003_more.sql": "CREATE TABLE u (a int); INSERT INTO u SELECT a FROM t WHERE b <= 100;",
        "0004_partition.sql": """
        -- hearth: no-transaction
        CREATE TABLE p (a int) PARTITION BY LIST (a);
        CREATE TABLE q PARTITION OF p FOR VALUES IN (1);
        ALTER TABLE p DETACH PARTITION q CONCURRENTLY;
        CREATE INDEX CONCURRENTLY u_a ON u (a);
        """,
        "repeatable/a.sql": """
        -- hearth: after b.sql
        CREATE OR REPLACE VIEW w AS SELECT f(a) AS b FROM u;
        COMMENT ON VIEW w IS 'what u has';
        """,
        "repeatable/b.sql": """
        CREATE OR REPLACE FUNCTION f(n int) RETURNS int LANGUAGE sql AS 'SELECT g(n)';
        CREATE OR REPLACE FUNCTION g(n int) RETURNS int LANGUAGE plpgsql AS
            $$ BEGIN RETURN CASE WHEN n < 0 THEN f(-n) ELSE n END; END $$;
        """,
    ]

    /// Returns everything that the folder creates: the schema, the validity of indexes, the rows,
    /// the ledger.
    private func end(_ folder: TestFolder, _ database: TestDatabase) throws -> [String] {
        let schema = try SchemaFile.read(database.settings(), folder.read(), pgDump: nil)
        let facts = try database.column(
            """
            SELECT indexrelid::regclass || ' ' || indisvalid || ' ' || indisready
              FROM pg_index WHERE indrelid IN ('t'::regclass, 'u'::regclass)
            UNION ALL SELECT 'rows ' || count(*) || ' ' || sum(a) FROM t
            UNION ALL SELECT 'rows ' || count(*) || ' ' || sum(a) FROM u
            UNION ALL SELECT version || ' ' || name || ' ' || kind FROM migrations.ledger
            UNION ALL SELECT 'journal ' || count(*) FROM migrations.journal
            UNION ALL SELECT 'view ' || sum(b) FROM w
            UNION ALL SELECT name || ' ' || checksum || ' ' || count(*) FROM migrations.repeatable
                       GROUP BY name, checksum
            UNION ALL SELECT identity || ' ' || file || ' ' || definition
                        FROM migrations.repeatable_object
             ORDER BY 1
            """)
        return [schema.text] + facts
    }

    private func cutSessions(_ database: TestDatabase) throws {
        try database.execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND application_name LIKE 'hearth-migrate%'
            """)
    }

    /// Applies the whole folder, and kills the run at most 20 times before it ends.
    private func runKilled(_ folder: TestFolder, _ database: TestDatabase) throws {
        var kills = 0
        while true {
            let program = try start(folder, database)
            if kills >= 20 || program.ends(within: Double.random(in: 0.02...0.3)) {
                let result = try program.result()
                #expect(result.code == 0, "\(result.text)")
                return
            }
            program.kill()
            kills += 1
            // Every other time the server also ends the session, wherever it is.
            if Bool.random() { try cutSessions(database) }
        }
    }

    /// Adds a numbered file that drops an object of a repeatable file, and an edit.
    private func change(_ folder: TestFolder) throws {
        try folder.write("0005_type.sql", "DROP VIEW w; ALTER TABLE u ALTER COLUMN a TYPE bigint;")
        try folder.write(
            "repeatable/c.sql", "CREATE OR REPLACE VIEW x AS SELECT h(a::int) AS c FROM u;")
        try folder.write(
            "repeatable/b.sql",
            """
            CREATE OR REPLACE FUNCTION f(n int) RETURNS int LANGUAGE sql AS 'SELECT h(n)';
            CREATE OR REPLACE FUNCTION h(n int) RETURNS int LANGUAGE plpgsql AS
                $$ BEGIN RETURN CASE WHEN n < 0 THEN f(-n) ELSE n END; END $$;
            DROP FUNCTION IF EXISTS g(int);
            """)
        try folder.write(
            "repeatable/a.sql",
            "-- hearth: after b.sql\nCREATE OR REPLACE VIEW w AS SELECT f(a::int) AS b FROM u;")
    }

    private func start(_ folder: TestFolder, _ database: TestDatabase) throws -> Program {
        try Program(["up", "--dir", folder.path, "--database-url", database.url()])
    }

    @Test(
        "a runner killed at random instants, again and again, reaches the same result",
        arguments: 0..<(Int(ProcessInfo.processInfo.environment["HEARTH_TEST_KILLS"] ?? "") ?? 3))
    func random(round: Int) throws {
        let folder = try TestFolder(Self.files)
        let later = try TestFolder(Self.files)
        try change(later)
        let (first, second) = try TestDatabase.with(.empty) { database in
            try folder.up(database)
            let first = try end(folder, database)
            try later.up(database)
            return (first, try end(later, database))
        }
        try TestDatabase.with(.empty) { database in
            try runKilled(folder, database)
            #expect(try end(folder, database) == first)
            try runKilled(later, database)
            #expect(try end(later, database) == second)
        }
    }

    @Test("a run killed during an index build is resumed by dropping its remains and rebuilding")
    func duringIndex() throws {
        let folder = try TestFolder([
            "0001_t.sql": "CREATE TABLE t (a int);",
            "0002_i.sql": "-- hearth: no-transaction\nCREATE INDEX CONCURRENTLY i ON t (a);",
        ])
        try TestDatabase.with(.empty) { database in
            try folder.up(database) { $0.target = MigrationVersion(1) }
            // The index can't be finished while this transaction is open.
            let blocker = try Connection(database.settings())
            try blocker.execute(script: "BEGIN; INSERT INTO t VALUES (1)")
            let program = try start(folder, database)
            let waiting = """
                SELECT pid::text FROM pg_stat_activity
                 WHERE datname = current_database() AND query LIKE 'CREATE INDEX%'
                   AND wait_event_type = 'Lock'
                """
            try eventually { try !database.column(waiting).isEmpty }
            program.kill()
            // The server doesn't notice the kill and keeps the lock, so a second runner can't
            // start.
            let early = try folder.failure(database) { $0.limits.lockWaitSeconds = 0.1 }
            #expect(early?.code == .lockNotAcquired)
            let orphan = try #require(try database.column(waiting).first)
            try database.execute("SELECT pg_terminate_backend(\(orphan))")
            try blocker.execute(script: "COMMIT")
            let events = Events()
            #expect(try folder.up(database, events: events) == ["0002_i.sql"])
            #expect(
                events.findings == [
                    "had been interrupted: dropped the invalid index public.i, runs again"
                ])
        }
    }

    @Test("an index that the server finished after the runner was killed is kept")
    func finishedByOrphan() throws {
        let folder = try TestFolder([
            "0001_t.sql": "CREATE TABLE t (a int);",
            "0002_i.sql": "-- hearth: no-transaction\nCREATE INDEX CONCURRENTLY i ON t (a);",
        ])
        try TestDatabase.with(.empty) { database in
            try folder.up(database) { $0.target = MigrationVersion(1) }
            let blocker = try Connection(database.settings())
            try blocker.execute(script: "BEGIN; INSERT INTO t VALUES (1)")
            let program = try start(folder, database)
            try eventually {
                try database.scalar(
                    "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                        + "AND datname = current_database() AND query LIKE 'CREATE INDEX%'")
            }
            program.kill()
            try blocker.execute(script: "COMMIT")
            let events = Events()
            #expect(try folder.up(database, events: events) == ["0002_i.sql"])
            #expect(events.findings == ["had been completed"])
        }
    }

    @Test(
        "eight concurrent processes apply the files once: one works, the others find nothing to do")
    func eight() throws {
        let folder = try TestFolder(Self.files)
        try TestDatabase.with(.empty) { database in
            let programs = try (0..<8).map { _ in try start(folder, database) }
            let results = try programs.map { try $0.result() }
            #expect(results.allSatisfy { $0.code == 0 }, "\(results)")
            #expect(results.filter { $0.text.contains("6 applied in") }.count == 1)
            #expect(results.filter { $0.text.contains("nothing to do") }.count == 7)
        }
    }
}
