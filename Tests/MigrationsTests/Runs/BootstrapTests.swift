import Foundation
import Postgres
import TestSupport
import Testing

@testable import Migrations

@Suite("Bootstrap of roles")
struct BootstrapTests {
    /// The roles of one test. Roles belong to the cluster, so each test drops its own.
    private struct Roles {
        let owner = "test_owner_\(UInt64.random(in: 0...UInt64.max))"
        let migrator = "test_migrator_\(UInt64.random(in: 0...UInt64.max))"
        let api = "test_api_\(UInt64.random(in: 0...UInt64.max))"

        var json: String {
            """
            {"ownerRole": "\(owner)", "tenantSchemas": ["app"], "privateSchemas": ["app"],
             "roles": [
               {"name": "\(owner)"},
               {"name": "\(migrator)", "login": true, "memberOf": ["\(owner)"]},
               {"name": "\(api)", "login": true, "inherit": false,
                "passwordSetting": "TEST_API_PASSWORD"}]}
            """
        }

        func drop() throws {
            let connection = try Connection(TestDatabase.cluster())
            for role in [owner, migrator, api] {
                try connection.execute(script: "DROP ROLE IF EXISTS \(role)")
            }
        }
    }

    private func with(
        _ files: [String: String], _ body: (TestFolder, TestDatabase, Roles) throws -> Void
    ) throws {
        let roles = Roles()
        let folder = try TestFolder(files)
        try folder.write("hearth-migrate.json", roles.json)
        let result = Result {
            try TestDatabase.with(.empty) { database in try body(folder, database, roles) }
        }
        try roles.drop()
        try result.get()
    }

    private func bootstrap(
        _ folder: TestFolder, _ database: TestDatabase, _ passwords: [String: String] = [:]
    ) throws -> [String] {
        try Bootstrap.run(database.settings(), folder.read(), passwords: passwords).changes
    }

    @Test("roles are created once, and a second run finds nothing to do")
    func idempotent() throws {
        try with([:]) { folder, database, roles in
            let changes = try bootstrap(folder, database)
            #expect(changes.contains("\(roles.api): created (LOGIN, NOINHERIT)"))
            #expect(changes.contains("\(roles.migrator): member of \(roles.owner)"))
            #expect(changes.contains("schema migrations: created, owned by \(roles.owner)"))
            #expect(try bootstrap(folder, database) == [])
        }
    }

    @Test("a role can be a member of PostgreSQL's own roles, which need no configuration")
    func predefined() throws {
        try with([:]) { folder, database, roles in
            let json = roles.json.replacing(
                "{\"name\": \"\(roles.owner)\"}",
                with: "{\"name\": \"\(roles.owner)\", \"memberOf\": [\"pg_read_all_stats\"]}")
            try folder.write("hearth-migrate.json", json)
            let made = try Bootstrap.run(database.settings(), folder.read(), passwords: [:])
            #expect(made.changes.contains("\(roles.owner): member of pg_read_all_stats"))
            let again = try Bootstrap.run(database.settings(), folder.read(), passwords: [:])
            #expect(again.changes == [])
            #expect(!again.remarks.contains { $0.contains("pg_read_all_stats") })
        }
    }

    @Test("the migrator applies files as the owner, and owns nothing itself")
    func asOwner() throws {
        let files = ["0001_a.sql": "CREATE SCHEMA s; CREATE TABLE s.t (); CREATE TEMP TABLE x ();"]
        try with(files) { folder, database, roles in
            _ = try bootstrap(folder, database)
            let applied = try MigrationRunner(
                database.settings(as: roles.migrator), folder.read(), report: { _ in }
            ).up().applied
            #expect(applied == ["0001_a.sql"])
            let owners = try database.column(
                """
                SELECT DISTINCT relowner::regrole::text FROM pg_class
                 WHERE relnamespace IN ('s'::regnamespace, 'migrations'::regnamespace)
                """)
            #expect(owners == [roles.owner])
            #expect(
                try database.scalar("SELECT applied_by FROM migrations.ledger") == roles.migrator)
        }
    }

    @Test("a migrator without the owner role is asked to run bootstrap")
    func notBootstrapped() throws {
        try with(["0001_a.sql": "SELECT 1"]) { folder, database, roles in
            let error = try folder.failure(database)
            #expect(error?.message.contains("can't act as \(roles.owner)") == true)
            #expect(error?.details.first?.contains("bootstrap") == true)
        }
    }

    @Test("bootstrap repairs differences, and changes nothing else")
    func repairs() throws {
        try with([:]) { folder, database, roles in
            _ = try bootstrap(folder, database)
            let name = try database.scalar("SELECT current_database()::text", String.self)
            try database.execute(
                """
                ALTER ROLE \(roles.api) BYPASSRLS CREATEDB NOLOGIN INHERIT;
                GRANT \(roles.owner) TO \(roles.api); REVOKE \(roles.owner) FROM \(roles.migrator);
                GRANT TEMPORARY ON DATABASE \(name) TO PUBLIC;
                GRANT CREATE ON SCHEMA public TO PUBLIC;
                ALTER SCHEMA migrations OWNER TO \(roles.api);
                """)
            #expect(
                try bootstrap(folder, database) == [
                    "\(roles.api): LOGIN, NOINHERIT, NOCREATEDB, NOBYPASSRLS",
                    "\(roles.migrator): member of \(roles.owner)",
                    "\(roles.api): no longer member of \(roles.owner)",
                    "PUBLIC: no longer TEMPORARY on database \(name)",
                    "PUBLIC: no longer CREATE on schema public",
                    "schema migrations: now owned by \(roles.owner)",
                ])
            #expect(try bootstrap(folder, database) == [])
        }
    }

    @Test("bootstrap makes the owner role the owner of every table of the ledger")
    func ledgerOwners() throws {
        let files = [
            "0001_a.sql": "CREATE SCHEMA s",
            "repeatable/f.sql": "CREATE OR REPLACE FUNCTION s.f() RETURNS int RETURN 1;",
        ]
        try with(files) { folder, database, roles in
            _ = try bootstrap(folder, database)
            _ = try MigrationRunner(
                database.settings(as: roles.migrator), folder.read(), report: { _ in }
            ).up()
            let tables = try database.column(
                """
                SELECT relname::text FROM pg_class
                 WHERE relnamespace = 'migrations'::regnamespace AND relkind = 'r' ORDER BY 1
                """)
            #expect(tables.contains("ledger") && tables.contains("repeatable_object"))
            for table in tables {
                try database.execute("ALTER TABLE migrations.\(table) OWNER TO \(roles.api)")
            }
            #expect(
                try bootstrap(folder, database)
                    == tables.map { "table migrations.\($0): now owned by \(roles.owner)" })
            #expect(try bootstrap(folder, database) == [])
        }
    }

    @Test("a membership in a role that isn't configured is reported and kept")
    func otherMembership() throws {
        try with([:]) { folder, database, roles in
            _ = try bootstrap(folder, database)
            try database.execute("GRANT pg_monitor TO \(roles.api)")
            let outcome = try Bootstrap.run(database.settings(), folder.read(), passwords: [:])
            #expect(outcome.changes == [])
            #expect(
                outcome.remarks.contains(
                    "\(roles.api) is a member of pg_monitor, which is not configured"))
        }
    }

    @Test("a password is stored as a verifier, set once, and replaced when it changes")
    func passwords() throws {
        try with([:]) { folder, database, roles in
            #expect(
                try bootstrap(folder, database, [roles.api: "first"])
                    .contains("\(roles.api): password set"))
            let query = "SELECT rolpassword FROM pg_authid WHERE rolname = '\(roles.api)'"
            let first: String = try database.scalar(query)
            #expect(first.hasPrefix("SCRAM-SHA-256$4096:"))
            #expect(try bootstrap(folder, database, [roles.api: "first"]) == [])
            #expect(
                try bootstrap(folder, database, [roles.api: "second"])
                    == ["\(roles.api): password set"])
            #expect(throws: MigrationError.self) {
                _ = try bootstrap(folder, database, [roles.api: "pässword"])
            }
        }
    }

    @Test("passwords come from the settings that the configuration names, or from their files")
    func settings() throws {
        try with([:]) { folder, database, roles in
            let words = ["bootstrap", "--dir", folder.path, "--database-url", database.url()]
            let first = try Program(words, environment: ["TEST_API_PASSWORD": "from a setting"])
                .result()
            #expect(first.code == 0)
            #expect(first.text.contains("\(roles.api): password set"))
            #expect(!first.text.contains("from a setting"))
            try folder.write("password", "from a file\n")
            let path = folder.path + "/password"
            let second = try Program(words, environment: ["TEST_API_PASSWORD_FILE": path]).result()
            #expect(second.text.contains("\(roles.api): password set"))
            let stored: String = try database.scalar(
                "SELECT rolpassword FROM pg_authid WHERE rolname = '\(roles.api)'")
            #expect(try ScramVerifier.matches(stored, password: "from a file"))
        }
    }

    @Test("bootstrap creates a missing database")
    func missingDatabase() throws {
        try with([:]) { folder, database, _ in
            let name = RoleName.one + "_made"
            var settings = database.settings()
            settings.set("dbname", name)
            let outcome = try Bootstrap.run(settings, folder.read(), passwords: [:])
            #expect(outcome.changes.first == "database \(name): created")
            try database.execute("DROP DATABASE \(name)")
        }
    }

    @Test("concurrent bootstraps for two databases of one cluster both succeed")
    func atOnce() throws {
        try with([:]) { folder, database, _ in
            try TestDatabase.with(.empty) { other in
                let results = onThreads(6) { index in
                    try bootstrap(folder, index % 2 == 0 ? database : other)
                }
                for result in results { _ = try result.get() }
                #expect(try bootstrap(folder, database) == [])
                #expect(try bootstrap(folder, other) == [])
            }
        }
    }

    @Test("bootstrap needs a superuser, and does nothing for a folder without roles")
    func refusals() throws {
        try with([:]) { folder, database, roles in
            try database.execute("CREATE ROLE \(roles.api) LOGIN")
            let error = #expect(throws: MigrationError.self) {
                try Bootstrap.run(
                    database.settings(as: roles.api), folder.read(), passwords: [:])
            }
            #expect(error?.details.first?.contains("superuser") == true)
            let plain = try TestFolder()
            let usage = #expect(throws: MigrationError.self) {
                try Bootstrap.run(database.settings(), plain.read(), passwords: [:])
            }
            #expect(usage?.code == .usage)
        }
    }
}

@Suite("Password verifiers")
struct ScramVerifierTests {
    @Test("a verifier that PostgreSQL itself has stored matches its password and no other")
    func asPostgres() throws {
        try TestDatabase.with(.empty) { database in
            let role = RoleName.one + "_scram"
            try database.execute(
                "SET password_encryption = 'scram-sha-256'; CREATE ROLE \(role) PASSWORD 'it''s me'"
            )
            let stored: String = try database.scalar(
                "SELECT rolpassword FROM pg_authid WHERE rolname = '\(role)'")
            try database.execute("DROP ROLE \(role)")
            #expect(try ScramVerifier.matches(stored, password: "it's me"))
            #expect(try !ScramVerifier.matches(stored, password: "it's you"))
        }
    }

    @Test(
        "a stored password that is not a SCRAM verifier matches no password",
        arguments: ["", "md5abc", "SCRAM-SHA-256$x"])
    func otherKinds(_ stored: String) throws {
        #expect(try !ScramVerifier.matches(stored, password: "x"))
    }
}

struct RoleRepairTests {
    @Test("a membership has its own inherit option and grantor from version 16 on")
    func inheritOption() {
        var wanted = FolderConfiguration.Role("member")
        wanted.memberOf = ["group"]
        var found = ExistingRoles()
        found.roles = ["member": .init(), "group": .init(), "other": .init()]
        found.memberships = [
            .init(role: "group", member: "member", grantor: "g", inherits: false),
            .init(role: "group", member: "other", grantor: "g", inherits: true),
        ]
        let changes = RoleRepair.changes(
            from: found,
            to: [.init("group"), wanted, .init("other")], serverMajorVersion: 16)
        #expect(
            changes.map(\.statement) == [
                "GRANT \"group\" TO \"member\" WITH INHERIT TRUE, SET TRUE",
                "REVOKE \"group\" FROM \"other\" GRANTED BY \"g\"",
            ])
    }
}
