import Foundation
import Postgres
import TestSupport
import Testing

@testable import Migrations

/// Functions and views in files that are edited in place.
@Suite("Repeatable files")
struct RepeatableTests {
    private static let table = "CREATE SCHEMA app; CREATE TABLE app.t (a int);"
    private static let double = """
        CREATE OR REPLACE FUNCTION app.double(n int) RETURNS int LANGUAGE sql
            AS 'SELECT n * 2';
        """
    private static let view = "CREATE OR REPLACE VIEW app.v AS SELECT a FROM app.t;"

    /// A folder that was applied: a numbered file, a function and a view.
    private func applied(
        _ body: (TestFolder, TestDatabase) throws -> Void
    ) throws {
        let folder = try TestFolder(["0001_t.sql": Self.table])
        try folder.write("repeatable/functions.sql", Self.double)
        try folder.write("repeatable/views.sql", Self.view)
        try TestDatabase.with(.empty) { database in
            let names = try folder.up(database)
            #expect(
                names == ["0001_t.sql", "repeatable/functions.sql", "repeatable/views.sql"])
            #expect(try folder.verify(database) == nil)
            try body(folder, database)
        }
    }

    private func double(_ database: TestDatabase) throws -> Int32 {
        try database.scalar("SELECT app.double(21)")
    }

    private func state(
        _ folder: TestFolder, _ database: TestDatabase
    ) throws -> RepeatableState {
        try Status.read(database.settings(), folder.read()).repeatable
    }

    private func plan(_ folder: TestFolder, _ database: TestDatabase) throws -> [String] {
        try Plan.read(
            database.settings(), folder.read(), target: nil, allowsOutOfOrder: false
        ).lines
    }

    @Test("are applied after the numbered ones, and again when their text changed, each time told")
    func edited() throws {
        try applied { folder, database in
            #expect(try double(database) == 42)
            #expect(try folder.up(database) == [])
            try folder.write(
                "repeatable/functions.sql", Self.double.replacing("n * 2", with: "n + n + 0"))
            #expect(try folder.verify(database) == .pending)
            #expect(try Status.read(database.settings(), folder.read()).exitCode == 3)
            let lines = try plan(folder, database)
            #expect(lines.contains("repeatable/functions.sql  repeatable: edited"))
            #expect(try folder.up(database) == ["repeatable/functions.sql"])
            #expect(try folder.verify(database) == nil)
            let history = try database.column(
                "SELECT name || ' ' || (applied_by = session_user)::text "
                    + "FROM migrations.repeatable ORDER BY id")
            #expect(
                history == ["functions.sql true", "views.sql true", "functions.sql true"])
            let isSound: Bool = try database.scalar(
                "SELECT bool_and(checksum = encode(sha256(convert_to(source, 'UTF8')), 'hex')) "
                    + "FROM migrations.repeatable")
            #expect(isSound)
        }
    }

    @Test("the folder is the one that the configuration names; one that is not there is told")
    func configured() throws {
        let folder = try TestFolder([
            "hearth-migrate.json": "{\"repeatable\": \"functions\"}", "0001_t.sql": Self.table,
        ])
        #expect(throws: MigrationError.self) { try folder.read() }
        try folder.write("functions/a.sql", Self.double)
        #expect(try folder.read().repeatable?.files.map(\.path) == ["functions/a.sql"])
        try folder.write("functions/b c.sql", "")
        #expect(throws: MigrationError.self) { try folder.read() }
    }

    @Test("functions may name one another in any order; their bodies are checked all the same")
    func bodies() throws {
        let folder = try TestFolder(["0001_t.sql": Self.table])
        try folder.write(
            "repeatable/a.sql",
            """
            CREATE OR REPLACE FUNCTION app.first() RETURNS int LANGUAGE sql
                AS 'SELECT app.second()';
            CREATE OR REPLACE FUNCTION app.second() RETURNS int LANGUAGE sql
                SET search_path = app AS 'SELECT count(*)::int FROM t';
            """)
        try TestDatabase.with(.empty) { database in
            try folder.up(database)
            #expect(try database.scalar("SELECT app.first()") == Int32(0))
            try folder.write(
                "repeatable/b.sql",
                """
                -- a comment
                CREATE OR REPLACE FUNCTION app.third() RETURNS int LANGUAGE sql
                    AS 'SELECT nothing FROM app.t';
                """)
            let error = try folder.failure(database)
            #expect(error?.message.hasPrefix("repeatable/b.sql:3: column") == true, "\(error!)")
            #expect(try database.scalar("SELECT to_regproc('app.third') IS NULL") == true)
            #expect(try state(folder, database).due.map(\.file.name) == ["b.sql"])
        }
    }

    @Test("what must be there first stands above, or in a file that says what it comes after")
    func order() throws {
        let folder = try TestFolder(["0001_t.sql": Self.table])
        try folder.write(
            "repeatable/a.sql", "CREATE OR REPLACE VIEW app.v AS SELECT app.double(a) FROM app.t;")
        try folder.write("repeatable/z.sql", Self.double)
        try TestDatabase.with(.empty) { database in
            let error = try folder.failure(database)
            #expect(error?.message.hasPrefix("repeatable/a.sql:1: function app.double") == true)
            #expect(error?.details.contains { $0.contains("-- hearth: after FILE") } == true)
            try folder.write(
                "repeatable/a.sql",
                "-- hearth: after z.sql\n"
                    + "CREATE OR REPLACE VIEW app.v AS SELECT app.double(a) FROM app.t;")
            #expect(try folder.up(database) == ["repeatable/z.sql", "repeatable/a.sql"])
        }
        try folder.write("repeatable/z.sql", "-- hearth: after a.sql\n" + Self.double)
        #expect(try problem(folder)?.message.contains("each come after the other") == true)
        try folder.write("repeatable/z.sql", "-- hearth: after b.sql\n" + Self.double)
        #expect(try problem(folder)?.details.first?.hasPrefix("repeatable/z.sql:1:") == true)
    }

    private func problem(_ folder: TestFolder) throws -> MigrationError? {
        do {
            _ = try Plan.offline(folder.read())
            return nil
        } catch let error as MigrationError {
            return error
        }
    }

    @Test(
        "all that may stand there runs",
        arguments: [
            "CREATE OR REPLACE PROCEDURE app.p() LANGUAGE sql AS 'SELECT 1'; "
                + "GRANT EXECUTE ON PROCEDURE app.p TO PUBLIC; "
                + "COMMENT ON PROCEDURE app.p() IS 'x'; ALTER PROCEDURE app.p() OWNER TO postgres",
            "CREATE OR REPLACE FUNCTION app.f(a int DEFAULT 1, VARIADIC b text[] DEFAULT '{}') "
                + "RETURNS TABLE (c int) LANGUAGE sql BEGIN ATOMIC SELECT 1; END; "
                + "REVOKE ALL ON FUNCTION app.f(int, text[]) FROM PUBLIC",
            "CREATE OR REPLACE VIEW app.w WITH (security_barrier) AS SELECT a FROM app.t; "
                + "GRANT SELECT (a), INSERT ON app.w TO PUBLIC; COMMENT ON VIEW app.w IS 'x'; "
                + "COMMENT ON COLUMN app.w.a IS 'y'; ALTER VIEW app.w OWNER TO CURRENT_USER",
            "CREATE OR REPLACE FUNCTION app.g() RETURNS trigger LANGUAGE plpgsql AS "
                + "$$ BEGIN RETURN NEW; END $$; CREATE OR REPLACE TRIGGER g BEFORE UPDATE OF a "
                + "ON app.t FOR EACH ROW EXECUTE FUNCTION app.g(); "
                + "COMMENT ON TRIGGER g ON app.t IS 'z'",
            "CREATE OR REPLACE RECURSIVE VIEW app.r (n) AS "
                + "SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3",
        ])
    func allowed(_ sql: String) throws {
        let folder = try TestFolder(["0001_t.sql": Self.table])
        try folder.write("repeatable/x.sql", sql)
        try TestDatabase.with(.empty) { database in
            try folder.up(database)
            #expect(try folder.verify(database) == nil)
            try folder.write("repeatable/x.sql", sql + ";\n-- again")
            #expect(try folder.up(database) == ["repeatable/x.sql"])
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test(
        "all else is refused by file and line before anything runs",
        arguments: [
            "CREATE FUNCTION app.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "CREATE VIEW app.v AS SELECT 1", "CREATE TABLE app.u ()", "DROP FUNCTION app.f()",
            "CREATE OR REPLACE TEMP VIEW v AS SELECT 1", "CREATE TRIGGER x AFTER INSERT ON app.t",
            "CREATE OR REPLACE AGGREGATE app.s(int) (SFUNC = int4pl, STYPE = int)",
            "CREATE MATERIALIZED VIEW app.m AS SELECT 1", "INSERT INTO app.t VALUES (1)",
            "ALTER TABLE app.t OWNER TO x", "ALTER FUNCTION app.double(int) COST 5",
            "GRANT SELECT ON app.t TO PUBLIC", "GRANT USAGE ON SCHEMA app TO PUBLIC",
            "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA app TO PUBLIC", "GRANT a TO b",
            "COMMENT ON TABLE app.t IS 'x'", "COMMENT ON FUNCTION app.other() IS 'x'",
            "GRANT EXECUTE ON FUNCTION app.double(int), app.other(int) TO PUBLIC",
            "SET search_path = app", "DO $$ BEGIN END $$", "SELECT 1", "COMMIT",
            "CREATE POLICY p ON app.t USING (true)", "-- +goose Down",
        ])
    func refused(_ statement: String) throws {
        let folder = try TestFolder(["0001_t.sql": Self.table])
        try folder.write("repeatable/x.sql", Self.double + "\n" + statement)
        let error = try #require(try problem(folder))
        #expect(error.code == .refused)
        #expect(error.details.allSatisfy { $0.hasPrefix("repeatable/x.sql:3:") }, "\(error)")
        try TestDatabase.with(.empty) { database in
            let failure = try folder.failure(database)
            #expect(failure?.code == .refused)
            #expect(try !database.hasRelation("app.t"))
        }
    }

    @Test("a database that was restored from a dump is as its files say")
    func restored() throws {
        let folder = try TestFolder(["0001_t.sql": Self.table])
        try folder.write(
            "repeatable/a.sql",
            """
            CREATE OR REPLACE FUNCTION app.between(n int) RETURNS bool
                RETURN n BETWEEN 1 AND 9 AND n <> 5;
            CREATE OR REPLACE VIEW app.few WITH (security_barrier) AS
                SELECT a FROM app.t WHERE a BETWEEN 1 AND 9 AND a <> 5;
            COMMENT ON COLUMN app.few.a IS 'the owner''s';
            CREATE OR REPLACE FUNCTION app.note() RETURNS trigger LANGUAGE plpgsql
                AS 'BEGIN RETURN NEW; END';
            CREATE OR REPLACE TRIGGER note BEFORE UPDATE ON app.t FOR EACH ROW
                WHEN (NEW.a BETWEEN 1 AND 9 AND NEW.a <> 5) EXECUTE FUNCTION app.note();
            """)
        try TestDatabase.with(.empty) { database in
            _ = try folder.up(database)
            // As a dump does: each is made again from the server's own words.
            let words = try database.column(
                """
                SELECT pg_get_functiondef('app.between'::regproc)
                UNION ALL SELECT 'CREATE OR REPLACE VIEW app.few WITH (security_barrier) AS '
                    || pg_get_viewdef('app.few'::regclass)
                UNION ALL SELECT replace(pg_get_triggerdef(oid), 'TRIGGER', 'OR REPLACE TRIGGER')
                    FROM pg_trigger WHERE tgname = 'note'
                """)
            let before = try Self.triggers(database)
            for statement in words { try database.execute(statement) }
            #expect(try Self.triggers(database) != before)
            #expect(try folder.verify(database) == nil)
            #expect(try folder.up(database) == [])
            // What decides something is drift all the same.
            try database.execute(
                """
                CREATE OR REPLACE FUNCTION app.between(n int) RETURNS bool
                    RETURN n >= 1 AND (n <= 9 OR n <> 5);
                """)
            #expect(try folder.verify(database) == .drift)
        }
    }

    private static func triggers(_ database: TestDatabase) throws -> [String] {
        try database.column("SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal")
    }

    @Test(
        "what was changed by hand is drift, told with the difference, and kept until told otherwise",
        arguments: [
            "CREATE OR REPLACE FUNCTION app.double(n int) RETURNS int LANGUAGE sql AS 'SELECT 7'",
            "ALTER FUNCTION app.double(int) SECURITY DEFINER",
            "GRANT EXECUTE ON FUNCTION app.double(int) TO pg_monitor",
            "ALTER FUNCTION app.double(int) OWNER TO pg_monitor",
            "COMMENT ON FUNCTION app.double(int) IS 'x'", "DROP FUNCTION app.double(int)",
            "CREATE OR REPLACE VIEW app.v AS SELECT a + 1 AS a FROM app.t",
            "ALTER VIEW app.v SET (security_invoker = on)", "DROP VIEW app.v",
        ])
    func altered(_ statement: String) throws {
        try applied { folder, database in
            try database.execute(statement)
            #expect(try folder.verify(database) == .drift)
            let status = try Status.read(database.settings(), folder.read())
            #expect(status.exitCode == 4 && status.repeatable.altered.count == 1)
            let error = try folder.failure(database)
            #expect(error?.code == .drift)
            #expect(error?.details.last?.contains("--reapply") == true)
            let names = try folder.up(database) { $0.reapplies = true }
            #expect(names.count == 1)
            #expect(try double(database) == 42)
            // Rights and owners are given by no statement of these files.
            if !statement.contains("pg_monitor"), !statement.hasPrefix("COMMENT") {
                #expect(try !names.isEmpty && folder.verify(database) == nil)
            }
        }
    }

    @Test("what a numbered file changes or drops is made again after it, in the same run")
    func outdated() throws {
        try applied { folder, database in
            try folder.write(
                "0002_type.sql",
                "DROP VIEW app.v; ALTER TABLE app.t ALTER COLUMN a TYPE bigint USING a;")
            #expect(try folder.up(database) == ["0002_type.sql", "repeatable/views.sql"])
            #expect(
                try database.scalar("SELECT pg_typeof(a)::text FROM app.v UNION SELECT 'bigint'")
                    == "bigint")
            #expect(try folder.verify(database) == nil)
            try folder.write(
                "0003_alone.sql",
                "-- hearth: no-transaction\nDROP VIEW app.v;\nVACUUM app.t;")
            #expect(try folder.up(database) == ["0003_alone.sql", "repeatable/views.sql"])
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test("a run that stopped between a numbered file and the repeatable ones is taken up again")
    func between() throws {
        try applied { folder, database in
            try folder.write("0002_drop.sql", "DROP VIEW app.v;")
            try folder.write("repeatable/functions.sql", Self.double + "SELECT 1 / 0;")
            #expect(try folder.failure(database)?.code == .refused)
            let broken = Self.double.replacing("n * 2", with: "no")
            try folder.write("repeatable/functions.sql", broken)
            #expect(try folder.failure(database)?.code == .stoppedMidway)
            #expect(try !database.hasRelation("app.v"))
            #expect(try folder.verify(database) == .pending)
            try folder.write("repeatable/functions.sql", Self.double)
            #expect(try folder.up(database) == ["repeatable/views.sql"])
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test(
        "a change that PostgreSQL can't make in place is explained, and a numbered file makes way")
    func irreplaceable() throws {
        try applied { folder, database in
            let changes = [
                (
                    "repeatable/functions.sql",
                    Self.double.replacing("RETURNS int", with: "RETURNS text")
                        .replacing("n * 2", with: "n::text")
                ),
                (
                    "repeatable/functions.sql",
                    Self.double.replacing("n int", with: "m int")
                        .replacing("n * 2", with: "m * 2")
                ),
                ("repeatable/views.sql", Self.view.replacing("SELECT a", with: "SELECT 1 AS b, a")),
            ]
            for (name, text) in changes {
                let before = try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
                try folder.write(name, text)
                let error = try folder.failure(database)
                #expect(error?.message.hasPrefix("\(name):1: cannot change") == true, "\(error!)")
                #expect(error?.details.last?.contains("in a numbered file") == true)
                try folder.write(name, before)
            }
            try folder.write(changes[0].0, changes[0].1)
            try folder.write("0002_drop.sql", "DROP FUNCTION app.double(int);")
            #expect(try folder.up(database) == ["0002_drop.sql", "repeatable/functions.sql"])
            #expect(try database.scalar("SELECT app.double(4)") == "4")
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test("what stands in no file any more is told until a numbered file drops it")
    func abandoned() throws {
        try applied { folder, database in
            try folder.write(
                "repeatable/functions.sql", Self.double.replacing("n int", with: "n bigint"))
            let events = Events()
            #expect(
                try folder.up(database, events: events) == ["repeatable/functions.sql"])
            let line =
                "app.double(integer) is in the database, but no longer in a repeatable file: drop "
                + "it in a numbered file, `DROP FUNCTION app.double(integer);`"
            #expect(events.warnings == [line])
            #expect(try folder.verify(database) == .drift)
            #expect(try plan(folder, database).contains(line))
            try folder.write("0002_drop.sql", "DROP FUNCTION app.double(integer);")
            #expect(try folder.up(database) == ["0002_drop.sql"])
            #expect(try folder.verify(database) == nil)
            try folder.remove("repeatable/views.sql")
            #expect(try folder.verify(database) == .drift)
            #expect(try folder.up(database) == [])
            let dropped = try state(folder, database).abandoned.map(\.drop)
            #expect(dropped == ["DROP VIEW app.v;"])
            try folder.write("0003_drop.sql", "DROP VIEW app.v;")
            try folder.up(database)
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test("plan tells beforehand what an edited file no longer makes")
    func ending() throws {
        try applied { folder, database in
            try folder.write("repeatable/functions.sql", "")
            let lines = try plan(folder, database)
            #expect(
                lines.contains { $0.hasPrefix("app.double(integer) is no longer in") }, "\(lines)")
        }
    }

    @Test("a function stands in one file: moving it is fine, having it twice is refused")
    func twice() throws {
        try applied { folder, database in
            try folder.write("repeatable/more.sql", Self.double)
            let error = try folder.failure(database)
            #expect(
                error?.details == [
                    "repeatable/more.sql:1: app.double(integer) is also defined in "
                        + "repeatable/functions.sql"
                ])
            try folder.remove("repeatable/functions.sql")
            #expect(try folder.up(database) == ["repeatable/more.sql"])
            #expect(try folder.verify(database) == nil)
            #expect(try state(folder, database).abandoned.isEmpty)
        }
    }

    @Test("they wait until every numbered file is applied")
    func target() throws {
        let folder = try TestFolder(["0001_t.sql": Self.table, "0002_u.sql": "CREATE TABLE u ()"])
        try folder.write("repeatable/v.sql", Self.view)
        try TestDatabase.with(.empty) { database in
            let events = Events()
            let names = try folder.up(database, events: events) {
                $0.target = MigrationVersion(1)
            }
            #expect(names == ["0001_t.sql"])
            #expect(events.warnings.count == 1)
            #expect(try folder.up(database) == ["0002_u.sql", "repeatable/v.sql"])
        }
    }

    @Test("a rehearsal tells what they lock, on a copy")
    func rehearsed() throws {
        try applied { folder, database in
            try folder.write(
                "repeatable/views.sql", Self.view.replacing("a FROM", with: "a FROM ONLY"))
            let rehearsal = try Rehearsal.run(
                database.settings(), folder.read(), target: nil, allowsOutOfOrder: false,
                administrator: nil, pgDump: nil)
            #expect(rehearsal.steps.map(\.file) == ["repeatable/views.sql"])
            #expect(rehearsal.steps.first?.locks.map(\.object) == ["app.v"])
            #expect(try folder.verify(database) == .pending)
        }
    }

    @Test("plan's rules look at them")
    func linted() throws {
        let folder = try TestFolder(["0001_t.sql": Self.table])
        try folder.write(
            "repeatable/a.sql", Self.double.replacing("AS", with: "SECURITY DEFINER AS"))
        let plan = try Plan.offline(folder.read())
        #expect(plan.findings.map(\.rule) == ["definer-search-path"])
        #expect(plan.findings.map(\.file) == ["repeatable/a.sql"])
    }

    @Test("schema.sql is neither written nor checked while one is to be applied")
    func schema() throws {
        try applied { folder, database in
            let text = try SchemaFile.read(database.settings(), folder.read(), pgDump: nil).text
            #expect(text.contains("CREATE FUNCTION app.double"))
            try folder.write("repeatable/views.sql", Self.view + "\n")
            let error = #expect(throws: MigrationError.self) {
                try SchemaFile.read(database.settings(), folder.read(), pgDump: nil)
            }
            #expect(error?.code == .pending)
        }
    }

    @Test("a program can ask whether the file that it needs was applied, by checksum alone")
    func asked() throws {
        try applied { folder, database in
            let role = RoleName.one
            try database.execute(
                """
                CREATE ROLE \(role); GRANT USAGE ON SCHEMA migrations TO \(role);
                GRANT SELECT (name, checksum) ON migrations.repeatable TO \(role);
                """)
            let result = try Program(["checksums", "--dir", folder.path]).result()
            #expect(result.code == 0)
            for line in result.text.split(separator: "\n") {
                let parts = line.split(separator: " ")
                let connection = try Connection(database.settings())
                try connection.execute(script: "SET ROLE \(role)")
                let isThere = try connection.query(
                    """
                    SELECT EXISTS (SELECT FROM migrations.repeatable
                                    WHERE name = \(String(parts[1]))
                                      AND checksum = \(String(parts[0])))
                    """
                ).scalar(Bool.self)
                #expect(isThere)
            }
            try database.execute("DROP OWNED BY \(role); DROP ROLE \(role)")
        }
    }

    @Test("a database whose ledger is older than repeatable files gets what they need")
    func olderLedger() throws {
        let folder = try TestFolder(["0001_t.sql": Self.table])
        try TestDatabase.with(.empty) { database in
            try folder.up(database)
            try database.execute(
                "DROP TABLE migrations.repeatable, migrations.repeatable_object")
            #expect(try folder.verify(database) == nil)
            try folder.write("repeatable/functions.sql", Self.double)
            #expect(try folder.up(database) == ["repeatable/functions.sql"])
        }
    }
}
