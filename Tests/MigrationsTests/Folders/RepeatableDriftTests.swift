import Foundation
import TestSupport
import Testing

@testable import Migrations

/// Differences between a database and its repeatable files: changes by hand, by a numbered file, or
/// by edits.
@Suite("Repeatable files and the state of the database")
struct RepeatableDriftTests {
    @Test("a database that is restored from a dump has no drift")
    func restored() throws {
        let folder = try TestFolder(["0001_t.sql": RepeatableSample.table])
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
            // As in a dump, each object is created again from the server's own text.
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
            // A change of meaning is drift all the same.
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
        "a change by hand is reported as drift, and kept until --reapply overwrites it",
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
        try RepeatableSample.applied { folder, database in
            try database.execute(statement)
            #expect(try folder.verify(database) == .drift)
            let status = try Status.read(database.settings(), folder.read())
            #expect(status.exitCode == 4 && status.repeatable.altered.count == 1)
            let error = try folder.failure(database)
            #expect(error?.code == .drift)
            #expect(error?.details.last?.contains("--reapply") == true)
            let names = try folder.up(database) { $0.reapplies = true }
            #expect(names.count == 1)
            #expect(try RepeatableSample.callDouble(database) == 42)
            // The statements of these files set no privileges and owners.
            if !statement.contains("pg_monitor"), !statement.hasPrefix("COMMENT") {
                #expect(try !names.isEmpty && folder.verify(database) == nil)
            }
        }
    }

    @Test("an object that a numbered file changes or drops is created again in the same run")
    func outdated() throws {
        try RepeatableSample.applied { folder, database in
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

    @Test("a run that stopped between a numbered file and the repeatable ones is continued")
    func between() throws {
        try RepeatableSample.applied { folder, database in
            try folder.write("0002_drop.sql", "DROP VIEW app.v;")
            try folder.write("repeatable/functions.sql", RepeatableSample.double + "SELECT 1 / 0;")
            #expect(try folder.failure(database)?.code == .refused)
            let broken = RepeatableSample.double.replacing("n * 2", with: "no")
            try folder.write("repeatable/functions.sql", broken)
            #expect(try folder.failure(database)?.code == .stoppedMidway)
            #expect(try !database.hasRelation("app.v"))
            #expect(try folder.verify(database) == .pending)
            try folder.write("repeatable/functions.sql", RepeatableSample.double)
            #expect(try folder.up(database) == ["repeatable/views.sql"])
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test(
        "a change that PostgreSQL can't make in place is explained, and a numbered file enables it")
    func irreplaceable() throws {
        try RepeatableSample.applied { folder, database in
            let changes = [
                (
                    "repeatable/functions.sql",
                    RepeatableSample.double.replacing("RETURNS int", with: "RETURNS text")
                        .replacing("n * 2", with: "n::text")
                ),
                (
                    "repeatable/functions.sql",
                    RepeatableSample.double.replacing("n int", with: "m int")
                        .replacing("n * 2", with: "m * 2")
                ),
                (
                    "repeatable/views.sql",
                    RepeatableSample.view.replacing("SELECT a", with: "SELECT 1 AS b, a")
                ),
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

    @Test("an object that is no longer in any file is reported until a numbered file drops it")
    func abandoned() throws {
        try RepeatableSample.applied { folder, database in
            try folder.write(
                "repeatable/functions.sql",
                RepeatableSample.double.replacing("n int", with: "n bigint"))
            let events = Events()
            #expect(
                try folder.up(database, events: events) == ["repeatable/functions.sql"])
            let line =
                "app.double(integer) is in the database, but no longer in a repeatable file: once "
                + "no program uses it, drop it in one, `DROP FUNCTION IF EXISTS "
                + "app.double(integer);`"
            #expect(events.warnings == [line])
            #expect(try folder.verify(database) == .drift)
            #expect(try RepeatableSample.plan(folder, database).contains(line))
            try folder.write("0002_drop.sql", "DROP FUNCTION app.double(integer);")
            #expect(try folder.up(database) == ["0002_drop.sql"])
            #expect(try folder.verify(database) == nil)
            try folder.remove("repeatable/views.sql")
            #expect(try folder.verify(database) == .drift)
            #expect(try folder.up(database) == [])
            let dropped = try RepeatableSample.state(folder, database).abandoned.map(\.drop)
            #expect(dropped == ["DROP VIEW IF EXISTS app.v;"])
            try folder.write("0003_drop.sql", "DROP VIEW app.v;")
            try folder.up(database)
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test("plan reports objects that an edited file will no longer create")
    func ending() throws {
        try RepeatableSample.applied { folder, database in
            try folder.write("repeatable/functions.sql", "")
            let lines = try RepeatableSample.plan(folder, database)
            #expect(
                lines.contains { $0.hasPrefix("app.double(integer) is no longer in") }, "\(lines)")
        }
    }

    @Test("plan and status report nothing about objects that moved to another file")
    func moved() throws {
        try RepeatableSample.applied { folder, database in
            try folder.write("repeatable/functions.sql", "")
            try folder.remove("repeatable/views.sql")
            try folder.write(
                "repeatable/more.sql", RepeatableSample.double + "\n" + RepeatableSample.view)
            let lines = try RepeatableSample.plan(folder, database)
            #expect(!lines.contains { $0.contains("drop it in") }, "\(lines)")
            let events = Events()
            #expect(
                try folder.up(database, events: events)
                    == ["repeatable/functions.sql", "repeatable/more.sql"])
            #expect(events.warnings == [])
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test("plan reports an overload that no file creates any more, wherever other overloads are")
    func endingOverload() throws {
        try RepeatableSample.applied { folder, database in
            let other = RepeatableSample.double.replacing("n int", with: "n bigint")
            try folder.write("repeatable/functions.sql", RepeatableSample.double + "\n" + other)
            try folder.up(database)
            try folder.write("repeatable/functions.sql", "")
            try folder.write("repeatable/more.sql", other)
            let lines = try RepeatableSample.plan(folder, database)
            #expect(
                lines.contains {
                    $0.hasPrefix("app.double(integer): of 2 with that name, 1 are in the repea")
                }, "\(lines)")
        }
    }
}
