import TestSupport
import Testing

@testable import Migrations

/// Drops in repeatable files.
@Suite("Drops in repeatable files")
struct RepeatableDropTests {
    private static let twice = RepeatableSample.double.replacing("double", with: "twice")

    @Test("renaming a function and its uses in one run leaves nothing to report")
    func renamed() throws {
        try RepeatableSample.applied { folder, database in
            let drop = "DROP FUNCTION IF EXISTS app.double(int);"
            try folder.write(
                "repeatable/views.sql",
                "CREATE OR REPLACE VIEW app.v AS SELECT app.double(a) AS a FROM app.t;")
            try folder.up(database)
            // The view of a later file uses the function until then.
            try folder.write("repeatable/functions.sql", Self.twice + "\n" + drop)
            try folder.write(
                "repeatable/views.sql",
                "CREATE OR REPLACE VIEW app.v AS SELECT app.twice(a) AS a FROM app.t;")
            let lines = try RepeatableSample.plan(folder, database)
            #expect(lines.contains { $0.contains("DROP FUNCTION IF EXISTS app") }, "\(lines)")
            #expect(!lines.contains { $0.contains("stays in the database") }, "\(lines)")
            let events = Events()
            try folder.up(database, events: events)
            #expect(events.warnings == [])
            #expect(try folder.verify(database) == nil)
            #expect(try database.scalar("SELECT to_regproc('app.double') IS NULL") == true)
            #expect(try database.scalar("SELECT app.twice(21)") == Int32(42))
            // The drop can be deleted once every database has run it.
            try folder.write("repeatable/functions.sql", Self.twice)
            #expect(try folder.up(database) == ["repeatable/functions.sql"])
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test("dropping objects that don't exist produces no warning")
    func absent() throws {
        let folder = try TestFolder(["0001_t.sql": RepeatableSample.table])
        try folder.write(
            "repeatable/a.sql",
            """
            DROP FUNCTION IF EXISTS app.f(int, text), app.g();
            DROP PROCEDURE IF EXISTS app.p(app.none);
            DROP VIEW IF EXISTS app.v, app.w RESTRICT;
            DROP TRIGGER IF EXISTS x ON app.t;
            """)
        try TestDatabase.with(.empty) { database in
            let events = Events()
            try folder.up(database, events: events)
            #expect(events.warnings == [] && events.notices == [])
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test("a single overload can be dropped, and so can a trigger and a view")
    func others() throws {
        let folder = try TestFolder(["0001_t.sql": RepeatableSample.table])
        let trigger = """
            CREATE OR REPLACE FUNCTION app.g() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RETURN NEW; END $$;
            """
        try folder.write(
            "repeatable/a.sql",
            """
            \(RepeatableSample.double)
            \(RepeatableSample.double.replacing("n int", with: "n bigint"))
            \(RepeatableSample.view)
            \(trigger)
            CREATE OR REPLACE TRIGGER g BEFORE UPDATE ON app.t
                FOR EACH ROW EXECUTE FUNCTION app.g();
            """)
        try TestDatabase.with(.empty) { database in
            try folder.up(database)
            try folder.write(
                "repeatable/a.sql",
                """
                \(RepeatableSample.double)
                \(trigger)
                DROP FUNCTION IF EXISTS app.double(bigint);
                DROP TRIGGER IF EXISTS g ON app.t;
                """)
            try folder.write("repeatable/b.sql", "DROP VIEW IF EXISTS app.v;")
            let events = Events()
            try folder.up(database, events: events)
            #expect(events.warnings == [])
            #expect(try folder.verify(database) == nil)
            let names = try database.column(
                "SELECT identity FROM migrations.repeatable_object ORDER BY 1")
            #expect(names == ["app.double(integer)", "app.g()"])
        }
    }

    @Test("an object that a file creates can be dropped neither by that file nor by another")
    func made() throws {
        try RepeatableSample.applied { folder, database in
            try folder.write("repeatable/z.sql", "\nDROP FUNCTION IF EXISTS app.double;")
            let error = try #require(try folder.failure(database))
            #expect(error.code == .refused)
            #expect(
                error.details == [
                    "repeatable/z.sql:2: drops app.double(integer), which "
                        + "repeatable/functions.sql makes"
                ])
            try folder.write(
                "repeatable/functions.sql",
                RepeatableSample.double + "\nDROP FUNCTION IF EXISTS app.double(int);")
            try folder.remove("repeatable/z.sql")
            #expect(try folder.failure(database)?.code == .refused)
            #expect(try RepeatableSample.callDouble(database) == 42)
        }
    }

    @Test("a drop of an object in use fails, and the whole run is rolled back")
    func used() throws {
        try RepeatableSample.applied { folder, database in
            try database.execute("CREATE VIEW app.mine AS SELECT app.double(a) FROM app.t")
            try folder.write(
                "repeatable/functions.sql",
                Self.twice + "\nDROP FUNCTION IF EXISTS app.double(int);")
            let error = try #require(try folder.failure(database))
            #expect(error.message.hasPrefix("repeatable/functions.sql:3: cannot drop"), "\(error)")
            #expect(error.details.contains { $0.contains("app.mine") }, "\(error)")
            #expect(error.details.last?.hasPrefix("Change or drop what depends on it") == true)
            #expect(try database.scalar("SELECT to_regproc('app.twice') IS NULL") == true)
            #expect(try RepeatableSample.callDouble(database) == 42)
        }
    }

    @Test(
        "a drop that could fail when repeated, or drop more than it names, is refused",
        arguments: [
            ("DROP FUNCTION app.f(int)", "IF EXISTS"),
            ("DROP VIEW IF EXISTS app.w CASCADE", "CASCADE"),
            ("DROP VIEW IF EXISTS app.w, app.v", "app.v is created in this file"),
            ("DROP TABLE IF EXISTS app.t", "numbered file"),
            ("DROP MATERIALIZED VIEW IF EXISTS app.m", "numbered file"),
        ])
    func refused(_ statement: String, _ reason: String) throws {
        let folder = try TestFolder(["0001_t.sql": RepeatableSample.table])
        try folder.write("repeatable/x.sql", RepeatableSample.view + "\n" + statement)
        let error = try #require(try RepeatableSample.problem(folder))
        #expect(error.code == .refused)
        #expect(error.details.contains { $0.contains(reason) }, "\(error)")
    }
}
