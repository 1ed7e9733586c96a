import Foundation
import JSON
import Postgres
import TestSupport
import Testing

@Suite("hearth-admin doctor: migrations and rights")
struct DoctorOfRightsTests {
    private let office: Office

    init() throws { office = try Office() }

    private func doctor() throws -> Ending { try office.doctor() }

    private func kinds(_ ending: Ending) throws -> [String] {
        try ending.json()["findings"].texts("kind")
    }

    @Test(
        "roles and rights that differ from those of the migrations are reported",
        arguments: [
            ("GRANT SELECT ON app.users TO hearth_worker", "REVOKE SELECT ON app.users"),
            ("GRANT UPDATE (status) ON app.family_members TO hearth_api", "REVOKE UPDATE (status)"),
            ("REVOKE EXECUTE ON FUNCTION app.leave_family FROM hearth_api", "GRANT EXECUTE"),
            ("GRANT USAGE ON SCHEMA app TO PUBLIC", "REVOKE USAGE ON schema app FROM PUBLIC"),
            ("ALTER TABLE app.users NO FORCE ROW LEVEL SECURITY", "table app.users"),
            ("ALTER TABLE app.users OWNER TO hearth_migrator", "owner hearth_migrator"),
            ("ALTER FUNCTION app.user_id() OWNER TO hearth_migrator", "function app.user_id()"),
        ])
    func rights(_ change: String, _ told: String) throws {
        try Connection(office.database.settings()).execute(script: change)
        let ending = try doctor()
        #expect(ending.code == 1)
        #expect(ending.output.contains(told), "\(ending.output)")
        #expect(try kinds(ending).allSatisfy { $0.hasPrefix("right_") })
    }

    @Test(
        "the database is sound after all remedies about rights are followed",
        arguments: [
            "REVOKE SELECT (full_name) ON app.users FROM hearth_api",
            """
            GRANT SELECT (email) ON app.users TO hearth_api;
            REVOKE SELECT (full_name) ON app.users FROM hearth_api
            """,
            "GRANT SELECT ON app.users TO hearth_api",
            "ALTER TABLE app.family_members DISABLE ROW LEVEL SECURITY",
            """
            ALTER TABLE app.users OWNER TO hearth_migrator;
            ALTER TABLE app.users NO FORCE ROW LEVEL SECURITY
            """,
            "REVOKE EXECUTE ON FUNCTION app.leave_family FROM hearth_api",
            """
            DO $$ BEGIN EXECUTE format(
                'GRANT CREATE ON DATABASE %I TO hearth_api WITH GRANT OPTION',
                current_database()); END $$
            """,
            """
            DO $$ BEGIN EXECUTE format(
                'ALTER ROLE hearth_api IN DATABASE %I SET session_replication_role = replica',
                current_database()); END $$
            """,
            """
            DO $$ BEGIN
                EXECUTE format('ALTER DATABASE %I SET "hearth.user_id" = \'\'x to y\'\'',
                    current_database());
                EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off',
                    current_database());
            END $$
            """,
            "ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT ON TABLES TO hearth_api",
            """
            ALTER DEFAULT PRIVILEGES FOR ROLE hearth_owner IN SCHEMA app
                GRANT UPDATE ON TABLES TO hearth_api WITH GRANT OPTION
            """,
            "ALTER DEFAULT PRIVILEGES FOR ROLE hearth_owner GRANT EXECUTE ON FUNCTIONS TO PUBLIC",
            "ALTER DEFAULT PRIVILEGES FOR ROLE hearth_worker GRANT USAGE ON SCHEMAS TO hearth_api",
            // Definitions and rights that the doctor compares with can't be changed unnoticed.
            """
            GRANT USAGE ON SCHEMA migrations TO hearth_api;
            GRANT SELECT, UPDATE ON migrations.definitions TO hearth_api
            """,
            "GRANT UPDATE (statement) ON migrations.definitions TO hearth_api WITH GRANT OPTION",
            "GRANT INSERT ON ALL TABLES IN SCHEMA migrations TO PUBLIC",
            "GRANT ALL ON ALL SEQUENCES IN SCHEMA migrations TO hearth_worker",
            """
            ALTER SCHEMA migrations OWNER TO hearth_authz;
            ALTER TABLE migrations.definitions OWNER TO hearth_migrator;
            GRANT SELECT ON migrations.definitions TO PUBLIC
            """,
            "ALTER DEFAULT PRIVILEGES IN SCHEMA migrations GRANT UPDATE ON TABLES TO hearth_api",
            // Schemas in which anybody can create functions and operators.
            """
            GRANT CREATE ON SCHEMA public TO PUBLIC;
            GRANT CREATE ON SCHEMA public TO authenticated WITH GRANT OPTION
            """,
            // An event trigger, which runs as the role that changes the schema.
            """
            CREATE FUNCTION public.watch() RETURNS event_trigger LANGUAGE plpgsql
                AS 'BEGIN END';
            CREATE EVENT TRIGGER "Watch on us" ON ddl_command_end
                EXECUTE FUNCTION public.watch()
            """,
        ])
    func advice(_ change: String) throws {
        try office.follow(try office.findings(after: change))
    }

    @Test(
        "an extension is reported once, with the statement that moves it out of Hearth's schemas",
        .enabled(if: try isAvailable("hstore")))
    func extensions() throws {
        try isToldOnce("CREATE EXTENSION hstore SCHEMA app", "extension hstore in schema app")
    }

    @Test("default privileges are reported once, with the statement that revokes all of them")
    func defaultPrivileges() throws {
        try isToldOnce(
            "ALTER DEFAULT PRIVILEGES FOR ROLE hearth_owner GRANT ALL ON TABLES TO PUBLIC",
            "default grant DELETE, INSERT, ")
    }

    private func isToldOnce(_ change: String, _ told: String) throws {
        let findings = try office.findings(after: change)
        #expect(findings.count == 1)
        #expect(try findings.first?["message"].string().hasPrefix(told) == true)
        try office.follow(findings)
    }

    @Test("an extension that was given one of Hearth's functions is reported")
    func extensionWithFunction() throws {
        let findings = try office.findings(
            after: "ALTER EXTENSION plpgsql ADD FUNCTION app.require_allowed(boolean)")
        let extensions = try findings.filter {
            try $0["message"].string().hasPrefix("extension ")
        }
        #expect(extensions.count == 1)
        #expect(try extensions.first?["remedy"].string().contains("EXTENSION plpgsql DROP") == true)
        try Connection(office.database.settings()).execute(
            script: "ALTER EXTENSION plpgsql DROP FUNCTION app.require_allowed(boolean)")
        let after = try doctor()
        #expect(after.code == 0, "\(after.output)")
    }

    /// Whether the server has the files of an extension; some packages include only a few.
    private static func isAvailable(_ name: String) throws -> Bool {
        try Connection(TestDatabase.cluster()).query(
            "SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = \(name))"
        ).scalar()
    }

    @Test("the server is sound after the remedies about memberships and role settings are followed")
    func wholeServer() throws {
        let server = try PrivateServer()
        let office = try Office(on: server.settings)
        try office.follow(
            try office.findings(
                after: """
                    CREATE ROLE "sum of Parts";
                    GRANT hearth_api TO "sum of Parts";
                    GRANT hearth_owner TO hearth_worker;
                    GRANT pg_read_all_data TO hearth_api;
                    ALTER ROLE hearth_api SET session_replication_role = replica;
                    ALTER ROLE ALL SET default_transaction_read_only = off;
                    GRANT SET ON PARAMETER session_replication_role TO hearth_api;
                    GRANT SET, ALTER SYSTEM ON PARAMETER zero_damaged_pages TO PUBLIC;
                    GRANT SET ON PARAMETER log_statement TO hearth_worker WITH GRANT OPTION
                    """))
    }

    @Test("the operator's own settings and rights are not reported")
    func ownSettings() throws {
        try Connection(office.database.settings()).execute(
            script: """
                DO $$ BEGIN
                    EXECUTE format('ALTER DATABASE %I SET work_mem = \'\'64MB\'\'',
                        current_database());
                    EXECUTE format('ALTER DATABASE %I SET synchronous_commit = remote_apply',
                        current_database());
                    EXECUTE format('ALTER ROLE hearth_api IN DATABASE %I SET statement_timeout = 1e6',
                        current_database());
                    EXECUTE format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO hearth_api',
                        current_database());
                END $$;
                CREATE SCHEMA elsewhere;
                CREATE TABLE migrations.of_another_tool (name text);
                GRANT SELECT ON migrations.of_another_tool TO PUBLIC;
                GRANT USAGE ON SCHEMA public TO hearth_api;
                CREATE FUNCTION public.watch() RETURNS event_trigger LANGUAGE plpgsql
                    AS 'BEGIN END';
                CREATE EVENT TRIGGER watch ON sql_drop EXECUTE FUNCTION public.watch();
                ALTER EXTENSION plpgsql ADD EVENT TRIGGER watch;
                ALTER DEFAULT PRIVILEGES IN SCHEMA elsewhere GRANT SELECT ON TABLES TO hearth_api
                """)
        let ending = try doctor()
        #expect(ending.code == 0, "\(ending.output)")
    }

    @Test("disabled row-level security is reported first, with the statement that enables it")
    func unsecured() throws {
        try Connection(office.database.settings()).execute(
            script: """
                GRANT SELECT ON app.family_members TO hearth_worker;
                ALTER TABLE app.audit_log NO FORCE ROW LEVEL SECURITY;
                ALTER TABLE app.family_members DISABLE ROW LEVEL SECURITY
                """)
        let findings = try doctor().json()["findings"].elements()
        #expect(findings.count == 3)
        #expect(
            try findings[0]["remedy"].string()
                == "as hearth_migrator: ALTER TABLE app.family_members ENABLE ROW LEVEL SECURITY")
        #expect(try findings[0]["message"].string().contains("but it is: owner hearth_owner"))
    }

    @Test("while migrations are missing or unknown, wrong rights are not reported")
    func migrations() throws {
        let connection = try Connection(office.database.settings())
        try connection.execute(
            script: """
                UPDATE migrations.ledger SET name = 'odd' WHERE version = 8;
                GRANT SELECT ON app.users TO hearth_worker;
                REVOKE EXECUTE ON FUNCTION app.leave_family FROM hearth_api
                """)
        let ending = try doctor()
        #expect(ending.code == 1)
        #expect(try kinds(ending).sorted() == ["migration_missing", "migration_unknown"])
        #expect(ending.output.contains("0008_consents is not applied"))
        #expect(!ending.output.contains("REVOKE") && !ending.output.contains("GRANT"))
    }

    @Test(
        "a list of rights from another release is the only finding, because its rights don't apply")
    func olderList() throws {
        let lines = try String(contentsOfFile: DoctorTests.rights, encoding: .utf8)
            .split(separator: "\n")
        let last = try #require(lines.last { $0.hasPrefix("migration ") })
        let folder = try Folder()
        try folder.write(
            "rights.txt",
            lines.filter { $0 != last && !$0.contains("jobs.") }.joined(separator: "\n"))
        let ending = try office.doctor(folder.path("rights.txt"))
        #expect(ending.code == 1)
        #expect(try kinds(ending) == ["migration_unknown"])
        #expect(ending.output.contains("the list belongs to another release"))
    }

    @Test(
        "without a list of rights, doctor reports rights_unchecked and exits with 1",
        arguments: ["/nonexistent", "/dev/null"])
    func noList(_ path: String) throws {
        let ending = try office.doctor(path)
        #expect(ending.code == 1)
        #expect(try kinds(ending) == ["rights_unchecked"])
    }
}
