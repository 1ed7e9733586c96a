import Foundation
import JSON
import Postgres
import TestSupport
import Testing

@Suite("hearth-admin doctor")
struct DoctorTests {
    let office: Office

    init() throws { office = try Office() }

    private static let rights = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("sql/rights.txt").path

    private func doctor(_ more: String...) throws -> Ending {
        try run(
            "hearth-admin", ["doctor", "--json", "--rights", Self.rights] + more,
            environment: office.environment)
    }

    private func kinds(_ ending: Ending) throws -> [String] {
        try ending.json()["findings"].texts("kind")
    }

    @Test("what the migrations make, with families in it, is sound")
    func sound() throws {
        let id = try office.makeFamily()
        _ = try office.json("managed add \(id) Bo Kid")
        _ = try office.json("invite send \(id) --link")
        let ending = try doctor()
        #expect(try kinds(ending) == [], "scripts/update-schema writes sql/rights.txt")
        #expect(ending.code == 0)
        let text = try run(
            "hearth-admin", ["doctor", "--rights", Self.rights], environment: office.environment)
        #expect(text.code == 0 && text.output == "all is sound\n")
    }

    @Test(
        "a fault in the data is found, mended where it can be, and sound after that",
        arguments: [
            (
                "child_without_guardian",
                "UPDATE app.family_members SET parent_user_id = '\(Office.dee)' WHERE id = user_id"
            ),
            (
                "child_without_guardian",
                """
                UPDATE app.family_members SET status = 'removed', slot = NULL, removed_at = now()
                WHERE user_id = '\(Office.bo)'
                """
            ),
            (
                "seat_wrong",
                """
                ALTER TABLE app.family_members DROP CONSTRAINT family_members_active_has_slot;
                UPDATE app.family_members SET slot = NULL WHERE user_id = '\(Office.cy)'
                """
            ),
            (
                "seat_wrong",
                "UPDATE app.family_members SET slot = 60 WHERE user_id = '\(Office.cy)'"
            ),
            ("code_wrong", "DELETE FROM app.family_codes"),
            ("code_wrong", "UPDATE app.family_units SET family_code = NULL"),
            ("emptiness_wrong", "UPDATE app.family_units SET emptied_at = now()"),
            (
                "invitation_overdue",
                "UPDATE app.family_invitations SET expires_at = now() - interval '2 hours'"
            ),
            (
                "code_overdue",
                "UPDATE app.family_units SET code_expires_at = now() - interval '2 hours'"
            ),
        ])
    func mended(_ kind: String, _ breakage: String) throws {
        let id = try office.makeFamily()
        _ = try office.json("managed add \(id) Bo Kid")
        _ = try office.json("invite send \(id) --link")
        try office.breakingRules(breakage)
        let found = try doctor()
        #expect(found.code == 1)
        #expect(try kinds(found).contains(kind))
        #expect(
            try run("hearth-admin", ["doctor", "--fix"], environment: office.environment).code == 64
        )
        let mended = try doctor("--fix", "--yes")
        let finding = try mended.json()["findings"].elements().first {
            try $0["kind"].string() == kind
        }
        #expect(try finding?["mended"].bool() == true)
        let after = try doctor()
        #expect(try !kinds(after).contains(kind))
        let trail = try office.json("audit --action doctor.repair")
        #expect(try trail["entries"].texts("actorLabel").contains("operator:jo"))
    }

    @Test(
        "a fault that only a person can mend is told with what to do",
        arguments: [
            (
                "family_without_adult",
                """
                UPDATE app.family_members SET status = 'removed', slot = NULL, removed_at = now()
                WHERE role = 'parent'
                """
            ),
            (
                "several_parent_admins",
                """
                DROP INDEX app.family_members_one_parent_admin;
                UPDATE app.family_members SET household_role = 'parent_admin'
                WHERE role = 'parent'
                """
            ),
            (
                "member_kind_wrong",
                "UPDATE app.users SET kind = 'managed', email = NULL, "
                    + "email_verified = false, role = 'player' WHERE id = '\(Office.cy)'"
            ),
            (
                "creator_mark_wrong",
                "UPDATE app.family_members SET is_creator = NOT is_creator"
            ),
            ("invitation_without_secret", "DELETE FROM app.invitation_secrets"),
            (
                "erased_user_left_over",
                "UPDATE app.users SET deleted_at = now() WHERE id = '\(Office.bo)'"
            ),
            (
                "player_in_several_families",
                """
                DROP INDEX app.family_members_player_in_one_family;
                INSERT INTO app.family_units (id, created_by_user_id)
                    VALUES ('55555555-5555-4555-8555-555555555555', '\(Office.dee)');
                INSERT INTO app.family_members
                        (family_unit_id, user_id, user_kind, role, household_role, slot)
                    VALUES ('55555555-5555-4555-8555-555555555555', '\(Office.cy)', 'account',
                            'player', 'kid', 1)
                """
            ),
        ])
    func told(_ kind: String, _ breakage: String) throws {
        let id = try office.makeFamily()
        _ = try office.json("invite send \(id) --link")
        try office.breakingRules(breakage)
        for ending in [try doctor(), try doctor("--fix", "--yes")] {
            #expect(ending.code == 1)
            let finding = try ending.json()["findings"].elements().first {
                try $0["kind"].string() == kind
            }
            #expect(try finding?["mended"].bool() == false)
            #expect(try finding?["remedy"].string().isEmpty == false)
        }
    }

    @Test(
        "roles and rights that differ from what the migrations made are found",
        arguments: [
            ("GRANT SELECT ON app.users TO hearth_worker", "REVOKE SELECT ON app.users"),
            ("GRANT UPDATE (status) ON app.family_members TO hearth_api", "REVOKE UPDATE (status)"),
            ("REVOKE EXECUTE ON FUNCTION app.leave_family FROM hearth_api", "GRANT EXECUTE"),
            ("GRANT USAGE ON SCHEMA app TO PUBLIC", "REVOKE USAGE ON schema app FROM PUBLIC"),
            ("ALTER TABLE app.users NO FORCE ROW LEVEL SECURITY", "table app.users"),
            ("ALTER TABLE app.users OWNER TO hearth_migrator", "owner hearth_migrator"),
            ("CREATE POLICY hole ON app.users USING (true)", "policy hole on app.users"),
            (
                "ALTER POLICY users_relative_reads ON app.users USING (true)",
                "definition policy users_relative_reads"
            ),
            ("ALTER FUNCTION app.user_id() OWNER TO hearth_migrator", "function app.user_id()"),
            (
                "CREATE OR REPLACE FUNCTION app.require_allowed(p_allowed boolean) RETURNS void "
                    + "LANGUAGE plpgsql SET search_path = '' AS 'BEGIN END'",
                "function app.require_allowed(boolean)"
            ),
            (
                "CREATE OR REPLACE VIEW app.my_families WITH (security_barrier) AS "
                    + "SELECT family_unit_id FROM app.family_members", "view app.my_families"
            ),
            ("ALTER TABLE app.family_members DISABLE TRIGGER ALL", "foreign keys of"),
            ("DROP INDEX app.family_members_one_parent_admin", "family_members_one_parent_admin"),
            (
                "ALTER TABLE app.users DROP CONSTRAINT users_managed_has_only_name_and_avatar",
                "users_managed_has_only_name_and_avatar"
            ),
        ])
    func rights(_ change: String, _ told: String) throws {
        try Connection(office.database.settings()).execute(script: change)
        let ending = try doctor()
        #expect(ending.code == 1)
        #expect(ending.output.contains(told), "\(ending.output)")
        #expect(try kinds(ending).allSatisfy { $0.hasPrefix("right_") })
    }

    @Test(
        "what the doctor tells to do about rights makes all sound, one after the other",
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
        ])
    func advice(_ change: String) throws {
        let superuser = try Connection(office.database.settings())
        try superuser.execute(script: change)
        for finding in try doctor().json()["findings"].elements() {
            let remedy = try finding["remedy"].string()
            let role = remedy.prefix { $0 != ":" }.dropFirst("as ".count)
            let statements = remedy.drop { $0 != ":" }.dropFirst()
            try superuser.execute(
                script: (role == "superuser" ? "" : "SET ROLE \(role);")
                    + "\(statements); RESET ROLE")
        }
        let after = try doctor()
        #expect(after.code == 0, "\(after.output)")
    }

    @Test("row-level security that is switched off is told first, with the statement")
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

    @Test("a migration that is missing, and one that is unknown, are told")
    func migrations() throws {
        let connection = try Connection(office.database.settings())
        try connection.execute(
            script: "UPDATE migrations.ledger SET name = 'odd' WHERE version = 8")
        let ending = try doctor()
        #expect(ending.code == 1)
        #expect(try kinds(ending).sorted() == ["migration_missing", "migration_unknown"])
        #expect(ending.output.contains("0008_limits_and_issuers is not applied"))
    }

    @Test("a schema that the API's statements don't fit is told")
    func schema() throws {
        try Connection(office.database.settings()).execute(
            script: "ALTER FUNCTION app.leave_family(uuid, uuid) RENAME TO left_family")
        #expect(try kinds(try doctor()).contains("schema_unfit"))
    }

    @Test("issuers that were not applied are told, and applied by --fix")
    func issuers() throws {
        let folder = try Folder()
        try folder.write("secret", String(repeating: "s", count: 32))
        try folder.write(
            "issuers.json",
            """
            [{"issuer": "https://issuer.test", "kind": "generic", "audiences": ["hearth"],
              "hs256SecretFile": "secret"}]
            """)
        var environment = office.environment
        environment["HEARTH_ISSUERS_FILE"] = folder.path("issuers.json")
        let words = ["doctor", "--json", "--rights", Self.rights]
        let found = try run("hearth-admin", words, environment: environment)
        #expect(found.code == 1)
        #expect(try kinds(found) == ["issuers_not_applied"])
        let mended = try run("hearth-admin", words + ["--fix", "--yes"], environment: environment)
        #expect(mended.code == 0)
        #expect(try run("hearth-admin", words, environment: environment).code == 0)
        let trail = try office.json("audit --action issuer.add --by-operator operator:jo")
        let entry = try #require(try trail["entries"].elements().first)
        #expect(try entry["details"]["issuer"].string() == "https://issuer.test")
    }

    @Test("without the list of rights nothing is called sound")
    func noList() throws {
        let ending = try run(
            "hearth-admin", ["doctor", "--json", "--rights", "/nonexistent"],
            environment: office.environment)
        #expect(ending.code == 1)
        #expect(try kinds(ending) == ["rights_unchecked"])
    }
}
