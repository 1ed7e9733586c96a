import Foundation
import Postgres
import TestSupport
import Testing

@testable import Migrations

@Suite("schema.sql")
struct SchemaFileTests {
    private let files = [
        "0001_a.sql": """
        CREATE TABLE t (a int);
        CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$
        BEGIN
        SET row_security = off;
        -- Name: not a comment of pg_dump's; Type: X; Schema: -; Owner: me
        RETURN 1;
        END $$;
        GRANT SELECT ON t TO pg_monitor;
        ALTER TABLE t ENABLE ROW LEVEL SECURITY;
        CREATE POLICY p ON t TO pg_monitor USING (true);
        """
    ]

    @Test("schema.sql has the schema without versions, keys and settings, identical in every run")
    func stable() throws {
        let folder = try TestFolder(files)
        let texts = try (0..<2).map { _ in
            try TestDatabase.with(.empty) { database in
                try folder.up(database)
                return try SchemaFile.read(database.settings(), folder.read(), pgDump: nil).text
            }
        }
        #expect(texts[0] == texts[1])
        for kept in [
            "CREATE TABLE public.t (",
            "\nSET row_security = off;\n-- Name: not a comment of pg_dump's",
            "GRANT SELECT ON TABLE public.t TO pg_monitor;", "CREATE POLICY p ON public.t",
            "-- Name: t; Type: TABLE; Schema: public\n", "OWNER TO",
        ] {
            #expect(texts[0].contains(kept), "\(kept)")
        }
        for dropped in [
            "version", "restrict", "SET statement_timeout", "SCHEMA migrations", "Owner: p",
        ] {
            #expect(!texts[0].contains(dropped), "\(dropped)")
        }
    }

    @Test("schema.sql can be loaded into another database, which then has the same schema.sql")
    func loads() throws {
        let folder = try TestFolder(files)
        try TestDatabase.with(.empty) { database in
            try folder.up(database)
            let text = try SchemaFile.read(database.settings(), folder.read(), pgDump: nil).text
            try TestDatabase.with(.empty) { other in
                try other.execute(text)
                let empty = try TestFolder()
                let again = try SchemaFile.read(other.settings(), empty.read(), pgDump: nil).text
                #expect(again == text)
            }
        }
    }

    @Test("schema.sql is written beside the folder, and `--check` finds a missing or stale one")
    func check() throws {
        let parent = try TestFolder()
        let path = parent.path + "/migrations"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try parent.write("migrations/0001_a.sql", "CREATE TABLE t (a int);")
        try TestDatabase.with(.empty) { database in
            func run(_ command: String...) throws -> (code: Int32, text: String) {
                try Program(command + ["--dir", path, "--database-url", database.url()]).result()
            }
            #expect(try run("schema").code == 3)
            #expect(try run("up").code == 0)
            #expect(try run("schema", "--check").code == 4)
            #expect(try run("schema").code == 0)
            #expect(try parent.names().contains("schema.sql"))
            #expect(try run("schema", "--check").code == 0)
            try parent.write("migrations/0002_b.sql", "ALTER TABLE t ADD b int;")
            #expect(try run("up").code == 0)
            let stale = try run("schema", "--check")
            #expect(stale.code == 4)
            #expect(stale.text.contains("+    b integer"))
        }
    }

    /// Creates a folder `migrations` inside another one, so that schema.sql is beside it.
    private func checking(
        _ body: (_ parent: TestFolder, _ database: TestDatabase, _ run: Schema) throws -> Void
    ) throws {
        let parent = try TestFolder()
        let path = parent.path + "/migrations"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try parent.write(
            "migrations/0001_a.sql",
            """
            CREATE TABLE t (a int, b int);
            CREATE FUNCTION f() RETURNS void LANGUAGE sql
                BEGIN ATOMIC UPDATE t AS m SET a = 1 WHERE m.b = 2; END;
            CREATE VIEW v AS SELECT a FROM t;
            """)
        try TestDatabase.with(.empty) { database in
            let run: Schema = { role, more in
                try Program(
                    ["schema", "--dir", path, "--database-url", database.url(as: role)] + more
                ).result()
            }
            #expect(
                try Program(["up", "--dir", path, "--database-url", database.url()]).result().code
                    == 0)
            #expect(try run(nil, []).code == 0)
            try body(parent, database, run)
            #expect(
                try database.column(
                    "SELECT datname::text FROM pg_database "
                        + "WHERE datname LIKE left(current_database(), 20) || '%\\_schema\\_%'")
                    == [])
        }
    }

    private typealias Schema = (
        _ role: String?, _ more: [String]
    ) throws -> (code: Int32, text: String)

    @Test("a schema.sql printed by another version of PostgreSQL is compared by its meaning")
    func otherWords() throws {
        try checking { parent, _, run in
            let path = parent.path + "/schema.sql"
            let written = try String(contentsOfFile: path, encoding: .utf8)
            // The wording that this server did not print.
            let words = ["UPDATE public.t AS m", "UPDATE public.t m"]
            let (own, other) =
                written.contains(words[0]) ? (words[0], words[1]) : (words[1], words[0])
            let otherwise = written.replacing(own, with: other)
                .replacing("-- As worded by PostgreSQL ", with: "-- As worded by PostgreSQL 1")
            try #require(otherwise != written)
            try parent.write("schema.sql", otherwise)
            let same = try run(nil, ["--check"])
            #expect(same.code == 0, "\(same.text)")
            try parent.write("schema.sql", otherwise.replacing("SET a = 1", with: "SET a = 3"))
            let stale = try run(nil, ["--check"])
            #expect(stale.code == 4)
            #expect(stale.text.contains("as this server prints it"))
            #expect(stale.text.contains("+") && !stale.text.contains("-- As worded"))
        }
    }

    @Test("a role that can't create databases needs an administrator's URL, which then works")
    func administrator() throws {
        let role = RoleName.one + "_schema"
        try checking { parent, database, run in
            try database.execute(
                "CREATE ROLE \(role) LOGIN; GRANT pg_read_all_data TO \(role); "
                    + "GRANT USAGE ON SCHEMA migrations TO \(role)")
            let path = parent.path + "/schema.sql"
            let written = try String(contentsOfFile: path, encoding: .utf8)
            try parent.write("schema.sql", written.replacing("\n", with: "\n\n"))
            let refused = try run(role, ["--check"])
            #expect(refused.code == 1)
            #expect(refused.text.contains("--admin-url"))
            let allowed = try run(role, ["--check", "--admin-url", database.url()])
            #expect(allowed.code == 0, "\(allowed.text)")
            try database.execute("DROP OWNED BY \(role); DROP ROLE \(role)")
        }
    }

    @Test("a schema.sql that can't be loaded is stale, reported with the line and a diff")
    func unloadable() throws {
        try checking { parent, _, run in
            let path = parent.path + "/schema.sql"
            let written = try String(contentsOfFile: path, encoding: .utf8)
            try parent.write(
                "schema.sql", written.replacing("    b integer", with: "    b no_such_type"))
            let stale = try run(nil, ["--check"])
            #expect(stale.code == 4)
            #expect(stale.text.contains("schema.sql:"))
            #expect(stale.text.contains("type \"no_such_type\" does not exist"))
            #expect(stale.text.contains("+    b integer"))
        }
    }

    @Test("a missing or outdated pg_dump is reported with the searched paths")
    func noPgDump() throws {
        let error = #expect(throws: MigrationError.self) {
            try PostgresProgram.find("pg_dump", serverMajorVersion: 99, explicitPath: nil)
        }
        #expect(error?.code == .system)
        #expect(error?.details.last?.contains("postgresql-client-99") == true)
        #expect(throws: MigrationError.self) {
            try PostgresProgram.find(
                "pg_dump", serverMajorVersion: 15, explicitPath: "/no/such/pg_dump")
        }
    }

    @Test(
        "a program's major version is parsed from its version output",
        arguments: [
            ("pg_dump (PostgreSQL) 15.4 (Debian 15.4-1)", 15), ("pg_dump (PostgreSQL) 18beta1", 18),
            ("something else", nil),
        ])
    func version(_ text: String, _ version: Int?) {
        #expect(PostgresProgram.majorVersion(in: text) == version)
    }

    @Test("the roles of a policy are sorted by name, whatever pg_dump's order")
    func policyRoles() throws {
        func normalized(_ roles: String, _ rest: String) throws -> String {
            try DumpText.normalized(
                SourceText("CREATE POLICY p ON s.t FOR SELECT TO \(roles)\(rest);"))
        }
        for rest in [" USING ((a = b))", " WITH CHECK (true)", ""] {
            #expect(
                try normalized("b, \"A\", a", rest)
                    == "CREATE POLICY p ON s.t FOR SELECT TO \"A\", a, b\(rest);\n")
        }
    }

    @Test("the names of NOT NULL constraints, which older versions don't store, can be omitted")
    func notNullNames() throws {
        let dump = """
            CREATE TABLE s.t (
                a integer CONSTRAINT "was b" NOT NULL,
                b text DEFAULT 'CONSTRAINT x NOT NULL'::text NOT NULL,
                CONSTRAINT c CHECK ((NOT (a IS NULL)))
            );

            CREATE FUNCTION s.f() RETURNS void LANGUAGE sql AS $$ CONSTRAINT x NOT NULL $$;

            """
        #expect(try DumpText.normalized(SourceText(dump)) == dump)
        #expect(
            try DumpText.normalized(SourceText(dump), namesNotNull: false)
                == dump.replacing("CONSTRAINT \"was b\" ", with: ""))
    }

    @Test("psql commands and settings of newer versions are left out")
    func newerVersions() throws {
        let dump = """
            --
            -- PostgreSQL database dump
            --

            \\restrict a1B2

            -- Dumped from database version 18.1
            SET transaction_timeout = 0;
            SELECT pg_catalog.set_config('search_path', '', false);

            --
            -- Name: t; Type: TABLE; Schema: s; Owner: o
            --

            CREATE TABLE s.t ();

            \\unrestrict a1B2
            """
        let text = try DumpText.normalized(SourceText(dump))
        #expect(text == "-- Name: t; Type: TABLE; Schema: s\nCREATE TABLE s.t ();\n")
    }
}
