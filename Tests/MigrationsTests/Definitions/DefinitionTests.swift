import Definitions
import Postgres
import TestSupport
import Testing

@testable import Migrations

@Suite("Recorded definitions")
struct DefinitionTests {
    private static let files = [
        "0001_a.sql": """
        CREATE TABLE t (a int NOT NULL DEFAULT 1, b text CONSTRAINT t_b CHECK (b <> ''));
        CREATE UNIQUE INDEX t_a ON t (a) WHERE b IS NOT NULL;
        CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';
        CREATE VIEW v AS SELECT a FROM t;
        CREATE TYPE pair AS (a int, b text);
        """,
        "0002_b.sql": "CREATE TABLE u (c int);\n",
    ]

    private func applied(_ body: (TestFolder, TestDatabase) throws -> Void) throws {
        let folder = try TestFolder(Self.files)
        try TestDatabase.with(.empty) { database in
            try folder.up(database)
            #expect(try folder.verify(database) == nil)
            try body(folder, database)
        }
    }

    private func drift(
        _ folder: TestFolder, _ database: TestDatabase, rebuild: Bool = false
    ) throws -> MigrationError? {
        do {
            _ = try Verification.run(
                database.settings(), folder.read(), allowsOutOfOrder: false,
                rebuild: rebuild ? database.settings() : nil)
            return nil
        } catch let error as MigrationError {
            return error
        }
    }

    @Test(
        "an object that differs from what migrations created is reported as drift, with a remedy",
        arguments: [
            ("DROP INDEX t_a; CREATE INDEX t_a ON t (a)", "index t_a on public.t"),
            (
                "ALTER TABLE t DROP CONSTRAINT t_b, ADD CONSTRAINT t_b CHECK (true)",
                "constraint t_b on public.t"
            ),
            ("ALTER TABLE t ALTER a DROP NOT NULL", "not null a on public.t"),
            ("ALTER TABLE t ALTER a SET DEFAULT 2", "default a on public.t"),
            (
                "CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 2'",
                "function public.f()"
            ),
            ("CREATE OR REPLACE VIEW v AS SELECT a + 0 AS a FROM t", "view public.v"),
            ("DROP VIEW v", "view public.v"),
            ("DROP TYPE pair", "type public.pair"),
            ("CREATE TYPE triple AS (a int)", "type public.triple"),
            ("CREATE TABLE x (id int PRIMARY KEY)", "table public.x"),
        ], [false, true])
    func found(_ damage: (statement: String, told: String), rebuild: Bool) throws {
        try applied { folder, database in
            try database.execute(damage.statement)
            let error = try drift(folder, database, rebuild: rebuild)
            #expect(error?.code == .drift)
            #expect(error?.message == "1 object differs from what the migrations made")
            #expect(error?.details.first?.hasPrefix(damage.told) == true, "\(error?.details ?? [])")
            let remedy = try #require(error?.details.dropFirst().first)
            let statements = remedy.replacing("  as the owner: ", with: "")
                .replacing(" (then set its owner and grants again)", with: "")
            try database.execute(statements)
            // The schema for objects that were set aside is not part of what the migrations
            // created.
            try database.execute("DROP SCHEMA IF EXISTS set_aside CASCADE")
            #expect(try drift(folder, database, rebuild: rebuild) == nil)
        }
    }

    @Test(
        "an object of a numbered file with another owner is reported as drift, with a remedy",
        arguments: [
            ("TABLE t", "owner of table public.t"), ("VIEW v", "owner of view public.v"),
            ("FUNCTION f()", "owner of function public.f()"),
        ], [false, true])
    func owner(_ object: (sql: String, told: String), rebuild: Bool) throws {
        let role = "test_owner_\(UInt64.random(in: 0...UInt64.max))"
        try applied { folder, database in
            try database.execute("CREATE ROLE \(role); GRANT CREATE ON SCHEMA public TO \(role)")
            defer { try? database.execute("DROP OWNED BY \(role); DROP ROLE \(role)") }
            let before = try database.scalar("SELECT current_user::text") as String
            try database.execute("ALTER \(object.sql) OWNER TO \(role)")
            let error = try drift(folder, database, rebuild: rebuild)
            #expect(error?.code == .drift)
            #expect(error?.details.count == 2)
            #expect(error?.details.first?.hasPrefix(object.told) == true, "\(error?.details ?? [])")
            let remedy = try #require(error?.details.last)
            try database.execute(remedy.replacing("  as superuser: ", with: ""))
            #expect(remedy.hasSuffix("OWNER TO \(before)"))
            #expect(try drift(folder, database) == nil)
        }
    }

    @Test("the next run adds owners to a record that was made before owners were recorded")
    func ownersLater() throws {
        try applied { folder, database in
            try database.execute("DELETE FROM migrations.definitions WHERE kind = 'owner'")
            #expect(try drift(folder, database) == nil)
            try folder.write("0003_c.sql", "CREATE TABLE w (d int);")
            try folder.up(database)
            #expect(try drift(folder, database) == nil)
            let owners: Int64 = try database.scalar(
                "SELECT count(*) FROM migrations.definitions WHERE kind = 'owner'")
            #expect(owners == 7)
        }
    }

    @Test("the remedy for a table that may be a detached partition is to attach it again")
    func detached() throws {
        try applied { folder, database in
            try folder.write(
                "0003_c.sql", "CREATE TABLE trail (at date) PARTITION BY RANGE (at);")
            try folder.up(database)
            try database.execute(
                """
                CREATE TABLE trail_1 PARTITION OF trail
                    FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
                ALTER TABLE trail DETACH PARTITION trail_1
                """)
            let details = try #require(try drift(folder, database)?.details)
            #expect(details.count == 2)
            #expect(details.first?.hasPrefix("table public.trail_1") == true, "\(details)")
            let advice = try #require(details.last)
            #expect(advice.contains("ATTACH PARTITION public.trail_1"), "\(advice)")
            #expect(!advice.contains("set_aside"), "\(advice)")
        }
    }

    @Test("a run records its own changes, but not changes that others made before it")
    func damagedBefore() throws {
        try applied { folder, database in
            try database.execute("DROP INDEX t_a; ALTER TABLE u ADD d int; DROP FUNCTION f()")
            try folder.write("0003_c.sql", "ALTER TABLE t ALTER b SET NOT NULL;")
            try folder.up(database)
            let error = try drift(folder, database)
            #expect(error?.message == "3 objects differ from what the migrations made")
            // An object that a migration creates again is recorded as its own from then on.
            try folder.write("0004_d.sql", "CREATE UNIQUE INDEX t_a ON t (a);")
            try folder.up(database)
            #expect(
                try drift(folder, database)?.message
                    == "2 objects differ from what the migrations made")
        }
    }

    @Test("a failing run records what it did before the failure, and nothing of the failed file")
    func failed() throws {
        try applied { folder, database in
            try database.execute("DROP INDEX t_a")
            try folder.write("0003_c.sql", "CREATE TABLE w (x int);")
            try folder.write("0004_d.sql", "CREATE TABLE y (z int); SELECT 1 / 0;")
            #expect(try folder.failure(database)?.code == .stoppedMidway)
            try folder.remove("0004_d.sql")
            #expect(
                try drift(folder, database)?.message
                    == "1 object differs from what the migrations made")
        }
    }

    @Test("the next run records the changes of a killed run, and nothing else")
    func killed() throws {
        try applied { folder, database in
            try database.execute("DROP INDEX t_a")
            try folder.write("0003_c.sql", "CREATE TABLE w (x int);")
            try folder.write("0004_d.sql", "SELECT pg_advisory_xact_lock(4711);")
            let keeper = try Connection(database.settings())
            try keeper.execute(script: "SELECT pg_advisory_lock(4711)")
            let program = try Program(
                ["up", "--lock-timeout", "600", "--dir", folder.path]
                    + ["--database-url", database.url()])
            try eventually { try database.applied.contains("c") }
            let waiting =
                "FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 4711"
            try eventually { try database.scalar("SELECT count(*) > 0 \(waiting)") }
            program.kill()
            // The server would continue with the statement that it was sent.
            try database.execute("SELECT pg_terminate_backend(pid) \(waiting)")
            try eventually { try database.scalar("SELECT count(*) = 0 \(waiting)") }
            #expect(try drift(folder, database)?.code == .pending)
            try folder.remove("0004_d.sql")
            #expect(
                try drift(folder, database)?.message
                    == "a run was interrupted before it recorded its changes")
            // Without anything to apply, only the record is completed.
            try folder.up(database)
            #expect(
                try drift(folder, database)?.message
                    == "1 object differs from what the migrations made")
        }
    }

    @Test("a rebuild finds drift that the record does not show, and `record` restores the record")
    func rebuilt() throws {
        try applied { folder, database in
            try database.execute(
                """
                DROP INDEX t_a;
                DELETE FROM migrations.definitions WHERE name = 't_a';
                UPDATE migrations.definitions SET server_version = 140001
                """)
            #expect(try drift(folder, database) == nil)
            #expect(try drift(folder, database, rebuild: true)?.code == .drift)
            let count = try FolderDefinitions.record(
                database.settings(), folder.read(), administrator: nil, lockWaitSeconds: 5,
                report: { _ in })
            #expect(
                try database.scalar("SELECT count(*) FROM migrations.definitions") == Int64(count))
            #expect(
                try database.scalar(
                    "SELECT min(server_version) > 140001 FROM migrations.definitions"))
            #expect(try drift(folder, database)?.code == .drift)
            try database.execute("CREATE UNIQUE INDEX t_a ON t (a) WHERE b IS NOT NULL")
            #expect(try drift(folder, database) == nil)
            #expect(try drift(folder, database, rebuild: true) == nil)
        }
    }

    @Test("a record from another server version is reported as such, since the wording may differ")
    func reworded() throws {
        try applied { folder, database in
            try database.execute(
                "UPDATE migrations.definitions SET server_version = 140001, "
                    + "statement = replace(statement, 'SELECT', 'SELECT ')")
            let error = try drift(folder, database)
            #expect(error?.code == .drift)
            #expect(error?.details.last?.contains("hearth-migrate record") == true)
        }
    }

    @Test("a folder that is not fully applied can't be recorded")
    func pending() throws {
        try applied { folder, database in
            try folder.write("0003_c.sql", "SELECT 1;")
            let error = #expect(throws: MigrationError.self) {
                try FolderDefinitions.record(
                    database.settings(), folder.read(), administrator: nil, lockWaitSeconds: 5,
                    report: { _ in })
            }
            #expect(error?.code == .pending)
        }
    }
}
