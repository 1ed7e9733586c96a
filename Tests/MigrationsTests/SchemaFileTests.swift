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

    @Test("holds the schema without versions, keys and settings, the same from run to run")
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

    @Test("can be loaded into another database, and gives the same again")
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

    @Test("is written beside the folder, and checked: a stale or missing file is drift")
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

    @Test("a pg_dump older than the server, or none, is told with where it was looked for")
    func noPgDump() throws {
        let error = #expect(throws: MigrationError.self) {
            try PostgresProgram.find("pg_dump", serverMajorVersion: 99, given: nil)
        }
        #expect(error?.code == .system)
        #expect(error?.details.last?.contains("postgresql-client-99") == true)
        #expect(throws: MigrationError.self) {
            try PostgresProgram.find("pg_dump", serverMajorVersion: 15, given: "/no/such/pg_dump")
        }
    }

    @Test(
        "a program's version is read from what it says of itself",
        arguments: [
            ("pg_dump (PostgreSQL) 15.4 (Debian 15.4-1)", 15), ("pg_dump (PostgreSQL) 18beta1", 18),
            ("something else", nil),
        ])
    func version(_ text: String, _ version: Int?) {
        #expect(PostgresProgram.majorVersion(in: text) == version)
    }

    @Test("the roles of a policy are in the order of their names, whatever pg_dump's order")
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
