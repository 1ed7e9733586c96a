import Migrations
import Postgres
import TestSupport
import Testing

@Suite("Applying a folder")
struct UpTests {
    @Test(
        "a database whose encoding is not UTF8 is refused by name before anything runs",
        arguments: ["SQL_ASCII", "LATIN1"])
    func encoding(_ encoding: String) throws {
        let folder = try TestFolder(["0001_a.sql": "CREATE TABLE t (a text);"])
        try folder.write("hearth-migrate.json", #"{"roles": [{"name": "test_nobody"}]}"#)
        try TestDatabase.with(.empty) { database in
            try database.execute(
                """
                UPDATE pg_database SET encoding = pg_char_to_encoding('\(encoding)')
                WHERE datname = current_database()
                """)
            let settings = database.settings()
            let runs: [() throws -> Void] = [
                { _ = try Bootstrap.run(settings, folder.read(), passwords: [:]) },
                { try folder.up(database) },
                {
                    _ = try Verification.run(settings, folder.read(), allowsOutOfOrder: false)
                },
            ]
            for run in runs {
                let error = #expect(throws: MigrationError.self) { try run() }
                #expect(
                    error?.message == "the database \(database.name) has the encoding \(encoding); "
                        + "it must have UTF8")
                #expect(error?.details.contains { $0.contains("ENCODING 'UTF8'") } == true)
            }
        }
    }

    @Test("files run once and in order, and the ledger stores their text, checksum and runner")
    func applies() throws {
        let folder = try TestFolder([
            "0002_b.sql": "INSERT INTO t VALUES (2);", "0001_a.sql": "CREATE TABLE t (a int);\r\n",
            "0010_c.sql": "INSERT INTO t VALUES (10)", "README.md": "not SQL",
        ])
        try TestDatabase.with(.empty) { database in
            let names = try folder.up(database) { $0.allowsOutOfOrder = true }
            #expect(names == ["0001_a.sql", "0002_b.sql", "0010_c.sql"])
            #expect(try folder.up(database) { $0.allowsOutOfOrder = true } == [])
            #expect(try database.column("SELECT a::text FROM t ORDER BY t.a") == ["2", "10"])
            let digests = "bool_and(checksum = encode(sha256(convert_to(source, 'UTF8')), 'hex'))"
            let isSound: Bool = try database.scalar(
                "SELECT \(digests) AND bool_and(applied_by = session_user AND duration_ms > 0) "
                    + "AND min(source) FILTER (WHERE version = 1) = E'CREATE TABLE t (a int);\\n' "
                    + "FROM migrations.ledger")
            #expect(isSound)
        }
    }

    @Test("`up` applies nothing from a folder without migrations")
    func emptyFolder() throws {
        try TestDatabase.with(.empty) { database in
            let names = try TestFolder().up(database)
            #expect(names == [])
            #expect(try !database.hasRelation("migrations.ledger"))
        }
    }

    @Test("a failing file leaves nothing behind, and its line is reported")
    func failure() throws {
        let folder = try TestFolder([
            "0001_a.sql": "CREATE TABLE t (a int PRIMARY KEY);",
            "0002_b.sql":
                "CREATE TABLE u ();\nINSERT INTO t VALUES (1);\n\nINSERT INTO t\nVALUES (1);",
        ])
        try TestDatabase.with(.empty) { database in
            let error = try folder.failure(database)
            #expect(error?.code == .stoppedMidway)
            #expect(error?.message.hasPrefix("0002_b.sql:4: duplicate key") == true)
            #expect(try database.applied == ["a"])
            #expect(try !database.hasRelation("u"))
            let again = try folder.failure(database)
            #expect(again?.code == .database)
            try folder.write("0002_b.sql", "CREATE TABLE u ();")
            #expect(try folder.up(database) == ["0002_b.sql"])
        }
    }

    @Test(
        "an error with a position is reported with its line, even after multi-byte characters"
    )
    func position() throws {
        let folder = try TestFolder(["0001_a.sql": "SELECT 'ééé';\nSELECT\n  nothing;"])
        try TestDatabase.with(.empty) { database in
            let error = try folder.failure(database)
            #expect(error?.message == "0001_a.sql:3: column \"nothing\" does not exist")
        }
    }

    @Test("refusals of all files are reported before anything runs")
    func refusals() throws {
        let folder = try TestFolder([
            "0001_a.sql": "CREATE TABLE t ();", "0002_b.sql": "SELECT 1;\nCOMMIT;",
            "0003_c.sql": "\\i x",
        ])
        try TestDatabase.with(.empty) { database in
            let error = try folder.failure(database)
            #expect(error?.code == .refused)
            #expect(error?.details.count == 2)
            #expect(error?.details.first?.hasPrefix("0002_b.sql:2: COMMIT") == true)
            #expect(try !database.hasRelation("t"))
        }
    }

    @Test("a run stops at its target, and an unknown target is refused")
    func target() throws {
        let folder = try TestFolder([
            "0001_a.sql": "SELECT 1", "0002_b.sql": "SELECT 1", "0003_c.sql": "SELECT 1",
        ])
        try TestDatabase.with(.empty) { database in
            #expect(try folder.up(database) { $0.target = MigrationVersion(2) }.count == 2)
            #expect(try folder.up(database) { $0.target = MigrationVersion(1) } == [])
            let error = try folder.failure(database) { $0.target = MigrationVersion(9) }
            #expect(error?.code == .usage)
            #expect(try folder.verify(database) == .pending)
        }
    }

    @Test("a gap, or a file older than an applied one, is refused unless allowed")
    func order() throws {
        let folder = try TestFolder(["0001_a.sql": "SELECT 1", "0003_c.sql": "SELECT 1"])
        try TestDatabase.with(.empty) { database in
            #expect(try folder.failure(database)?.message == "the folder has gaps: 0002")
            try folder.up(database) { $0.allowsOutOfOrder = true }
            try folder.write("0002_b.sql", "SELECT 1")
            let error = try folder.failure(database)
            #expect(error?.code == .folder)
            #expect(error?.details.first == "0002_b.sql")
            #expect(try folder.up(database) { $0.allowsOutOfOrder = true } == ["0002_b.sql"])
        }
    }

    @Test("a file starts in a clean session, whatever the file before it did")
    func sessionReset() throws {
        let folder = try TestFolder([
            "0001_a.sql": """
            CREATE SCHEMA s; CREATE ROLE \(RoleName.one) ;
            SET search_path = s; SET lock_timeout = '1h'; SET ROLE \(RoleName.one);
            SET statement_timeout = '1h'; CREATE TEMP TABLE temporary ();
            PREPARE p AS SELECT 1; SELECT pg_advisory_lock(42);
            """,
            "0002_b.sql": """
            CREATE TABLE t AS SELECT current_setting('lock_timeout') AS a, current_user::text AS b;
            SELECT 1 / (to_regclass('temporary') IS NULL)::int;
            PREPARE p AS SELECT 1; DROP ROLE \(RoleName.one);
            """,
        ])
        try TestDatabase.with(.empty) { database in
            try folder.up(database)
            #expect(try database.scalar("SELECT a FROM public.t") == "2s")
            #expect(try database.scalar("SELECT b = session_user FROM public.t") == true)
        }
    }

    @Test(
        "no setting of a file affects the next file or how it is sent",
        arguments: [
            "SET client_encoding = 'LATIN1'", "SET NAMES 'SJIS'",
            "SET default_transaction_read_only = on", "SET standard_conforming_strings = on",
            "DO 'BEGIN PERFORM set_config(''standard_conforming_strings'', ''off'', false); END'",
            "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY",
            "SET default_transaction_deferrable = on", "SET search_path = s",
            "SET session_replication_role = replica", "SET my.own = 'x'",
            "SET TIME ZONE 'Asia/Tokyo'", "SET DateStyle = 'German'", "SELECT setseed(0.5)",
            "SET check_function_bodies = off", "SET row_security = off",
        ])
    func noLeak(_ statement: String) throws {
        let folder = try TestFolder([
            "0001_a.sql": "CREATE SCHEMA s; CREATE TABLE t (a text, b text);",
            "0002_b.sql": statement,
            "0003_c.sql": """
            INSERT INTO t VALUES ('é ' || E'\\u00e9' || '\\', current_setting('client_encoding')
                || current_setting('transaction_read_only')
                || current_setting('transaction_isolation')
                || current_setting('transaction_deferrable') || current_setting('search_path')
                || current_setting('session_replication_role')
                || coalesce(current_setting('my.own', true), '') || current_setting('DateStyle')
                || current_setting('check_function_bodies') || current_setting('row_security')
                || (current_setting('TimeZone') = 'Asia/Tokyo'));
            """,
        ])
        try TestDatabase.with(.empty) { database in
            #expect(try folder.up(database).count == 3)
            #expect(try database.scalar("SELECT a FROM t") == "é é\\")
            let settings: String = try database.scalar("SELECT b FROM t")
            #expect(
                settings == "UTF8offread committedoff\"$user\", publicoriginISO, MDYononfalse")
        }
    }

    @Test("a no-transaction file can't change how its later statements are parsed")
    func encodingWithin() throws {
        let alone = "-- hearth: no-transaction\n"
        for setting in [
            "SET client_encoding = 'LATIN1'", "SET NAMES 'LATIN1'",
            "SELECT set_config('client_encoding', 'LATIN1', false)",
            "DO $$ BEGIN PERFORM set_config('client_encoding', 'LATIN1', false); END $$",
            "SELECT set_config('standard_conforming_strings', 'off', false)",
        ] {
            let folder = try TestFolder([
                "0001_t.sql": "CREATE TABLE t (a text);",
                "0002_a.sql": "\(alone)\(setting);\nINSERT INTO t VALUES ('é');",
            ])
            try TestDatabase.with(.empty) { database in
                try folder.up(database) { $0.target = MigrationVersion(1) }
                let error = try folder.failure(database)
                let told = [error?.message ?? ""] + (error?.details ?? [])
                #expect(told.contains { $0.hasPrefix("0002_a.sql:2:") }, "\(setting): \(told)")
                #expect(try database.scalar("SELECT count(*) FROM t") == Int64(0))
            }
        }
    }

    @Test("deferred constraints are checked with the file's settings, before it is recorded")
    func deferred() throws {
        let folder = try TestFolder([
            "0001_a.sql": """
            CREATE SCHEMA s; SET search_path = s; CREATE TABLE log (a int);
            CREATE TABLE t (a int PRIMARY KEY, b int REFERENCES t DEFERRABLE INITIALLY DEFERRED);
            CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN INSERT INTO log VALUES (NEW.a); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER c AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION f();
            INSERT INTO t VALUES (1, 2), (2, 1);
            """,
            "0002_b.sql": "INSERT INTO s.t VALUES (3, 1);",
        ])
        try TestDatabase.with(.empty) { database in
            let error = try folder.failure(database)
            #expect(error?.code == .stoppedMidway)
            #expect(error?.message.contains("0002_b.sql: relation \"log\"") == true)
            #expect(try database.scalar("SELECT count(*) FROM s.log") == Int64(2))
            #expect(try database.applied == ["a"])
        }
    }

    @Test("a warning that a file raises is reported and is not a failure")
    func warnings() throws {
        let folder = try TestFolder([
            "0001_a.sql": "DO $$ BEGIN RAISE WARNING 'mind this'; END $$; CREATE TABLE t ();"
        ])
        try TestDatabase.with(.empty) { database in
            let events = Events()
            try folder.up(database, events: events)
            let notice = RunEvent.notice(
                file: "0001_a.sql", severity: "WARNING", message: "mind this")
            #expect(events.list.contains(notice))
        }
    }

    @Test("a run is refused if another table has the ledger's name")
    func notALedger() throws {
        let folder = try TestFolder(["0001_a.sql": "SELECT 1"])
        try TestDatabase.with(.empty) { database in
            try database.execute("CREATE SCHEMA migrations; CREATE TABLE migrations.ledger (x int)")
            let error = try folder.failure(database)
            #expect(error?.message.contains("is not a ledger") == true)
        }
    }
}

/// Names of roles that no other test uses at the same time, in this process or another. Roles
/// belong to the cluster. No name begins like the roles that `hearth-admin doctor` examines.
enum RoleName {
    static let one = "test_\(UInt64.random(in: 0...UInt64.max))"
}
