import Postgres
import TestSupport
import Testing

@testable import Migrations

/// Files with functions and views that are edited in place.
@Suite("Repeatable files")
struct RepeatableTests {
    @Test("repeatable files run after the numbered ones and again when edited, with an event")
    func edited() throws {
        try RepeatableSample.applied { folder, database in
            #expect(try RepeatableSample.callDouble(database) == 42)
            #expect(try folder.up(database) == [])
            try folder.write(
                "repeatable/functions.sql",
                RepeatableSample.double.replacing("n * 2", with: "n + n + 0"))
            #expect(try folder.verify(database) == .pending)
            #expect(try Status.read(database.settings(), folder.read()).exitCode == 3)
            let lines = try RepeatableSample.plan(folder, database)
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

    @Test("the configuration can name the folder of repeatable files, which must exist")
    func configured() throws {
        let folder = try TestFolder([
            "hearth-migrate.json": "{\"repeatable\": \"functions\"}",
            "0001_t.sql": RepeatableSample.table,
        ])
        #expect(throws: MigrationError.self) { try folder.read() }
        try folder.write("functions/a.sql", RepeatableSample.double)
        #expect(try folder.read().repeatable?.files.map(\.path) == ["functions/a.sql"])
        try folder.write("functions/b c.sql", "")
        #expect(throws: MigrationError.self) { try folder.read() }
    }

    @Test("functions can refer to each other in any order, and their bodies are still checked")
    func bodies() throws {
        let folder = try TestFolder(["0001_t.sql": RepeatableSample.table])
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
            #expect(try RepeatableSample.state(folder, database).due.map(\.file.name) == ["b.sql"])
        }
    }

    @Test("an object must come after what it needs, in the file or with `-- hearth: after`")
    func order() throws {
        let folder = try TestFolder(["0001_t.sql": RepeatableSample.table])
        try folder.write(
            "repeatable/a.sql", "CREATE OR REPLACE VIEW app.v AS SELECT app.double(a) FROM app.t;")
        try folder.write("repeatable/z.sql", RepeatableSample.double)
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
        try folder.write("repeatable/z.sql", "-- hearth: after a.sql\n" + RepeatableSample.double)
        #expect(
            try RepeatableSample.problem(folder)?.message.contains("each other in a cycle")
                == true)
        try folder.write("repeatable/z.sql", "-- hearth: after b.sql\n" + RepeatableSample.double)
        #expect(
            try RepeatableSample.problem(folder)?.details.first?.hasPrefix("repeatable/z.sql:1:")
                == true)
    }

    @Test(
        "all allowed statements run",
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
        let folder = try TestFolder(["0001_t.sql": RepeatableSample.table])
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
        "all other statements are refused with file and line before anything runs",
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
        let folder = try TestFolder(["0001_t.sql": RepeatableSample.table])
        try folder.write("repeatable/x.sql", RepeatableSample.double + "\n" + statement)
        let error = try #require(try RepeatableSample.problem(folder))
        #expect(error.code == .refused)
        #expect(error.details.allSatisfy { $0.hasPrefix("repeatable/x.sql:3:") }, "\(error)")
        try TestDatabase.with(.empty) { database in
            let failure = try folder.failure(database)
            #expect(failure?.code == .refused)
            #expect(try !database.hasRelation("app.t"))
        }
    }

    @Test("a function can move to another file, but can't be in two")
    func twice() throws {
        try RepeatableSample.applied { folder, database in
            // `integer` is another name of `int`. Only the database knows that both are one type.
            try folder.write(
                "repeatable/more.sql", RepeatableSample.double.replacing("n int", with: "n integer")
            )
            #expect(try RepeatableSample.problem(folder) == nil)
            let error = try folder.failure(database)
            #expect(
                error?.details == [
                    "repeatable/more.sql:1: app.double(integer) is also defined in "
                        + "repeatable/functions.sql"
                ])
            try folder.write("repeatable/more.sql", RepeatableSample.double)
            try folder.remove("repeatable/functions.sql")
            #expect(try folder.up(database) == ["repeatable/more.sql"])
            #expect(try folder.verify(database) == nil)
            #expect(try RepeatableSample.state(folder, database).abandoned.isEmpty)
        }
    }

    @Test(
        "two files with the same object are refused before anything runs, even by plan",
        arguments: [
            (RepeatableSample.double, "app.double"), (RepeatableSample.view, "app.v"),
            (
                "CREATE OR REPLACE FUNCTION app.f(a numeric(9, 2) DEFAULT (1 + 2)) RETURNS int "
                    + "LANGUAGE sql AS 'SELECT 1'", "app.f"
            ),
            (
                "CREATE OR REPLACE TRIGGER g AFTER UPDATE ON app.t FOR EACH ROW "
                    + "EXECUTE FUNCTION app.g()", "g"
            ),
        ])
    func alike(_ statement: String, _ name: String) throws {
        let folder = try TestFolder(["0001_t.sql": RepeatableSample.table])
        try folder.write("repeatable/a.sql", statement)
        try folder.write(
            "repeatable/b.sql", "-- as it was\n" + statement.replacing(" ", with: "  "))
        let error = try #require(try RepeatableSample.problem(folder))
        #expect(error.code == .refused)
        #expect(
            error.details.first?.hasPrefix(
                "repeatable/b.sql:2: \(name) is also defined in repeatable/a.sql;") == true,
            "\(error)")
        try TestDatabase.with(.empty) { database in
            let failure = try folder.failure(database)
            #expect(failure?.code == .refused)
            #expect(try !database.hasRelation("app.t"))
        }
    }

    @Test(
        "overloads with other arguments, and triggers on other tables, are different objects",
        arguments: [
            (
                "CREATE OR REPLACE FUNCTION app.f(a int) RETURNS int LANGUAGE sql AS 'SELECT 1'",
                "CREATE OR REPLACE FUNCTION app.f(a text) RETURNS int LANGUAGE sql AS 'SELECT 1'"
            ),
            (
                "CREATE OR REPLACE TRIGGER g BEFORE INSERT OR UPDATE ON app.t FOR EACH ROW "
                    + "EXECUTE FUNCTION suppress_redundant_updates_trigger()",
                "CREATE OR REPLACE TRIGGER g BEFORE INSERT OR UPDATE ON app.u FOR EACH ROW "
                    + "EXECUTE FUNCTION suppress_redundant_updates_trigger()"
            ),
        ])
    func unlike(_ one: String, _ other: String) throws {
        let folder = try TestFolder([
            "0001_t.sql": RepeatableSample.table + " CREATE TABLE app.u (a int);"
        ])
        try folder.write("repeatable/a.sql", one)
        try folder.write("repeatable/b.sql", other)
        #expect(try RepeatableSample.problem(folder) == nil)
    }

    @Test("repeatable files wait until every numbered file is applied")
    func target() throws {
        let folder = try TestFolder([
            "0001_t.sql": RepeatableSample.table, "0002_u.sql": "CREATE TABLE u ()",
        ])
        try folder.write("repeatable/v.sql", RepeatableSample.view)
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

    @Test("a rehearsal on a copy reports the locks of repeatable files")
    func rehearsed() throws {
        try RepeatableSample.applied { folder, database in
            try folder.write(
                "repeatable/views.sql",
                RepeatableSample.view.replacing("a FROM", with: "a FROM ONLY"))
            let rehearsal = try Rehearsal.run(
                database.settings(), folder.read(), target: nil, allowsOutOfOrder: false,
                administrator: nil, pgDump: nil)
            #expect(rehearsal.steps.map(\.file) == ["repeatable/views.sql"])
            #expect(rehearsal.steps.first?.locks.map(\.object) == ["app.v"])
            #expect(try folder.verify(database) == .pending)
        }
    }

    @Test("plan checks repeatable files too")
    func linted() throws {
        let folder = try TestFolder(["0001_t.sql": RepeatableSample.table])
        try folder.write(
            "repeatable/a.sql", RepeatableSample.double.replacing("AS", with: "SECURITY DEFINER AS")
        )
        let plan = try Plan.offline(folder.read())
        #expect(plan.findings.map(\.rule) == ["definer-search-path"])
        #expect(plan.findings.map(\.file) == ["repeatable/a.sql"])
    }

    @Test("schema.sql is neither written nor checked while a repeatable file is pending")
    func schema() throws {
        try RepeatableSample.applied { folder, database in
            let text = try SchemaFile.read(database.settings(), folder.read(), pgDump: nil).text
            #expect(text.contains("CREATE FUNCTION app.double"))
            try folder.write("repeatable/views.sql", RepeatableSample.view + "\n")
            let error = #expect(throws: MigrationError.self) {
                try SchemaFile.read(database.settings(), folder.read(), pgDump: nil)
            }
            #expect(error?.code == .pending)
        }
    }

    @Test("a program can find out by checksum whether the file that it needs was applied")
    func asked() throws {
        try RepeatableSample.applied { folder, database in
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

    @Test("a ledger from before repeatable files gets the missing tables")
    func olderLedger() throws {
        let folder = try TestFolder(["0001_t.sql": RepeatableSample.table])
        try TestDatabase.with(.empty) { database in
            try folder.up(database)
            try database.execute(
                "DROP TABLE migrations.repeatable, migrations.repeatable_object")
            #expect(try folder.verify(database) == nil)
            try folder.write("repeatable/functions.sql", RepeatableSample.double)
            #expect(try folder.up(database) == ["repeatable/functions.sql"])
        }
    }
}
