import Foundation
import JSON
import Postgres
import TestSupport
import Testing

@Suite("hearth-admin doctor")
struct DoctorTests {
    let office: Office

    init() throws { office = try Office() }

    static let rights = SourceTree.root.appendingPathComponent("sql/rights.txt").path

    private func doctor(_ more: String...) throws -> Ending {
        try run(
            "hearth-admin", ["doctor", "--json", "--rights", Self.rights] + more,
            environment: office.environment)
    }

    private func kinds(_ ending: Ending) throws -> [String] {
        try ending.json()["findings"].texts("kind")
    }

    @Test("a migrated database with families is sound")
    func sound() throws {
        let id = try office.makeFamily()
        _ = try office.json("managed add \(id) Bo Kid")
        _ = try office.json("invite send \(id) --link")
        let ending = try doctor()
        #expect(try kinds(ending) == [], "scripts/update-schema writes sql/rights.txt")
        #expect(ending.code == 0)
        let text = try run(
            "hearth-admin", ["doctor", "--rights", Self.rights], environment: office.environment)
        #expect(text.code == 0 && text.output == "no faults found\n")
    }

    @Test("doctor stores the number of unrepaired findings of each area that it examined")
    func results() throws {
        _ = try office.makeFamily()
        let stored: SQL = """
            SELECT string_agg(area || '=' || findings, ' ' ORDER BY area) FROM app.doctor_results
            WHERE area NOT IN ('issuers', 'schema')
            """
        try office.breakingRules(
            "UPDATE app.family_members SET slot = 60 WHERE user_id = '\(Office.cy)'")
        #expect(try kinds(doctor()) == ["slot_wrong"])
        let before: String = try office.scalar(stored)
        #expect(before == "addresses=0 audit_log=0 data=1 rights=0 timestamps=0")
        try Connection(office.database.settings()).execute(
            script: "UPDATE app.doctor_results SET findings = 7 WHERE area = 'rights'")
        let mended = try run(
            "hearth-admin", ["doctor", "--fix", "--yes", "--json", "--rights", "/none/rights.txt"],
            environment: office.environment)
        #expect(try kinds(mended).sorted() == ["rights_unchecked", "slot_wrong"])
        let after: String = try office.scalar(stored)
        #expect(after == "addresses=0 audit_log=0 data=0 rights=7 timestamps=0")
    }

    @Test(
        "addresses of a domain without an A-label are reported and labelled; duplicates are reported"
    )
    func twins() throws {
        let damage = """
            INSERT INTO app.users (id, email, email_verified)
            SELECT ('00000000-0000-4000-8000-00000000000' || n)::uuid, e, true
            FROM unnest(ARRAY['gast@münchen.example', 'gast@mÜnchen.example',
                'gast@xn--mnchen-3ya.example']) WITH ORDINALITY AS a (e, n);
            INSERT INTO app.email_sign_ins (user_id, email)
            SELECT u.id, u.email FROM app.users AS u WHERE u.email LIKE 'gast@%';
            INSERT INTO app.suppressed_addresses (email, reason)
            VALUES ('x@münchen.example', 'no')
            """
        try Connection(office.database.settings()).execute(script: damage)
        #expect(try kinds(doctor()) == ["domain_unknown"])
        let mended = try doctor("--fix", "--yes")
        let told = try kinds(mended).sorted()
        #expect(told == ["domain_unknown", "mailbox_of_two", "mailbox_of_two"])
        #expect(try kinds(doctor()) == ["mailbox_of_two", "mailbox_of_two"])
        let mailbox: String = try Connection(office.database.settings()).query(
            "SELECT mailbox FROM app.suppressed_addresses WHERE email = 'x@münchen.example'"
        ).scalar(String.self)
        #expect(mailbox == "x@xn--mnchen-3ya.example")
    }

    @Test(
        "a fault in the data is reported and repaired, and then no longer reported",
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
            ("guardianship_wrong", "DELETE FROM app.guardianships"),
            (
                "guardianship_wrong",
                "UPDATE app.guardianships SET guardian_user_id = '\(Office.dee)'"
            ),
            (
                "slot_wrong",
                """
                ALTER TABLE app.family_members DROP CONSTRAINT family_members_active_has_slot;
                UPDATE app.family_members SET slot = NULL WHERE user_id = '\(Office.cy)'
                """
            ),
            (
                "slot_wrong",
                "UPDATE app.family_members SET slot = 60 WHERE user_id = '\(Office.cy)'"
            ),
            ("code_wrong", "DELETE FROM app.family_codes"),
            ("code_wrong", "UPDATE app.family_units SET family_code = NULL"),
            ("emptiness_wrong", "UPDATE app.family_units SET emptied_at = now()"),
            (
                "stand_in_wrong",
                "UPDATE app.family_members SET stands_in = true WHERE user_id = '\(Office.bo)'"
            ),
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

    @Test("connections that are nearly used up are reported with their number and the limit")
    func connections() throws {
        let open = try (0..<16).map { _ in try Connection(office.database.settings()) }
        let findings = try office.findings(
            after: """
                DO $$ BEGIN
                    EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT 20', current_database());
                END $$
                """)
        try withExtendedLifetime(open) {
            let found = try findings.filter {
                try $0["kind"].string() == "connections_scarce"
            }
            #expect(found.count == 1, "\(findings)")
            let message = try found.first?["message"].string() ?? ""
            #expect(message.contains(" of 20 connections"), "\(message)")
        }
    }

    @Test(
        "a fault that only a person can repair is reported with a remedy",
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
                "UPDATE app.family_members SET is_creator = NOT is_creator, "
                    + "vouched = (user_kind = 'account')"
            ),
            ("invitation_without_secret", "DELETE FROM app.invitation_secrets"),
            (
                "standbys_away",
                "INSERT INTO app.standby_readers VALUES (gen_random_uuid(), 1, '{}', now())"
            ),
            (
                "standbys_apart",
                """
                INSERT INTO app.standby_readers
                VALUES (gen_random_uuid(), 1, '{}', now()), (gen_random_uuid(), 1, '{7}', now())
                """
            ),
            (
                "id_not_of_sign_in",
                """
                INSERT INTO app.trusted_issuers (issuer, kind, is_primary, audiences)
                VALUES ('https://issuer.test', 'generic', true, '{hearth}')
                """
            ),
            (
                "erased_user_left_over",
                "UPDATE app.users SET deleted_at = now() WHERE id = '\(Office.bo)'"
            ),
            (
                "role_differs",
                """
                INSERT INTO app.family_units (id, created_by_user_id)
                    VALUES ('66666666-6666-4666-8666-666666666666', '\(Office.dee)');
                INSERT INTO app.family_members
                        (family_unit_id, user_id, user_kind, role, household_role, slot)
                    VALUES ('66666666-6666-4666-8666-666666666666', '\(Office.bo)', 'account',
                            'player', 'kid', 1)
                """
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

    @Test("a schema that doesn't fit the API's statements is reported")
    func schema() throws {
        try Connection(office.database.settings()).execute(
            script: "ALTER FUNCTION app.leave_family(uuid, uuid) RENAME TO left_family")
        #expect(try kinds(try doctor()).contains("schema_unfit"))
    }

    /// Writes an issuers file, `issuers.json`, with one issuer.
    private func writeIssuer(to folder: Folder) throws {
        try folder.write("secret", String(repeating: "s", count: 32))
        try folder.write(
            "issuers.json",
            """
            [{"issuer": "https://issuer.test", "kind": "generic", "audiences": ["hearth"],
              "hs256SecretFile": "secret"}]
            """)
    }

    @Test("issuers that were not applied are reported, and applied by --fix")
    func issuers() throws {
        let folder = try Folder()
        try writeIssuer(to: folder)
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

    @Test("without signing keys in the settings, Hearth stays a trusted issuer until it is removed")
    func ownIssuer() throws {
        let folder = try Folder()
        try writeIssuer(to: folder)
        var environment = office.environment
        environment["HEARTH_PUBLIC_URL"] = "https://hearth.test"
        environment["HEARTH_ISSUERS_FILE"] = folder.path("issuers.json")
        func admin(_ words: String...) throws -> Ending {
            try run("hearth-admin", words, environment: environment)
        }
        func trusted() throws -> [String] {
            try Connection(office.database.settings())
                .query("SELECT issuer FROM app.trusted_issuers ORDER BY 1")
                .map { (row) throws(PostgresError) in try row.read(String.self) }
        }
        let keys = folder.path("keys.pem")
        #expect(try admin("keys", "create", keys).code == 0)
        environment["HEARTH_SIGNING_KEYS_FILE"] = keys
        #expect(try admin("issuers", "apply").code == 0)
        #expect(try trusted() == ["https://hearth.test", "https://issuer.test"])

        environment["HEARTH_SIGNING_KEYS_FILE"] = nil
        let words = ["doctor", "--json", "--rights", Self.rights]
        let sound = try run("hearth-admin", words + ["--fix", "--yes"], environment: environment)
        #expect(sound.code == 0)
        #expect(try kinds(sound) == [])
        #expect(try admin("issuers", "apply").code == 0)
        #expect(try trusted() == ["https://hearth.test", "https://issuer.test"])
        // Likewise, the providers stay trusted where only Hearth's own setting is given.
        environment["HEARTH_SIGNING_KEYS_FILE"] = keys
        environment["HEARTH_ISSUERS_FILE"] = nil
        #expect(try admin("issuers", "apply").code == 0)
        #expect(try trusted() == ["https://hearth.test", "https://issuer.test"])

        environment["HEARTH_SIGNING_KEYS_FILE"] = nil
        environment["HEARTH_ISSUERS_FILE"] = folder.path("issuers.json")
        let withdrawn = try admin("issuers", "apply", "--only-these", "--json")
        #expect(withdrawn.code == 0 && withdrawn.output.contains(#""https://hearth.test""#))
        #expect(try trusted() == ["https://issuer.test"])
    }

    @Test("a code length that hearth-api has not stored is reported")
    func codeLength() throws {
        let words = ["doctor", "--json", "--rights", Self.rights]
        var environment = office.environment
        environment["HEARTH_CODE_LENGTH"] = "6"
        #expect(try run("hearth-admin", words, environment: environment).code == 0)
        environment["HEARTH_CODE_LENGTH"] = "7"
        let found = try run("hearth-admin", words, environment: environment)
        #expect(found.code == 1)
        #expect(try kinds(found) == ["code_settings_not_applied"])
        try Connection(office.database.settings(as: "hearth_api"))
            .query("SELECT app.apply_code_settings(7, 60)")
        #expect(try run("hearth-admin", words, environment: environment).code == 0)
        let id = try office.makeFamily()
        let renewed = try office.json("family code \(id) --regenerate --yes")
        #expect(try renewed["code"].string().count == 11)
    }

    @Test(
        "times from a clock that was ahead are reported and repaired, and then no longer reported")
    func moments() throws {
        try office.asOwner(
            """
            INSERT INTO app.rate_limits (bucket, window_start, hits)
                VALUES ('x', now() + interval '40 days', 9), ('y', now(), 9);
            INSERT INTO jobs.live (queue, kind, run_at)
                VALUES ('mail', 'test.far', now() + interval '40 days');
            """)
        let found = try doctor()
        #expect(found.code == 1)
        #expect(try kinds(found) == ["moment_ahead", "moment_ahead"])
        let messages = try found.json()["findings"].texts("message")
        #expect(messages[0].hasPrefix("1 row of app.rate_limits has a window_start in the future"))
        #expect(messages[1].hasPrefix("1 row of jobs.live has a run_at in the future"))
        let mended = try doctor("--fix", "--yes")
        #expect(mended.code == 0)
        #expect(try kinds(mended) == ["moment_ahead", "moment_ahead"])
        #expect(try doctor().code == 0)
        let left: Int = try office.scalar(
            "SELECT count(*) FROM app.rate_limits WHERE window_start > now() OR hits <> 9")
        #expect(left == 0)
    }

    @Test("approval required because of wrong codes is reported with the number of wrong codes")
    func automaticApproval() throws {
        try office.asOwner(
            """
            INSERT INTO app.wrong_codes (minute, shard, codes)
                VALUES (date_trunc('minute', now(), 'UTC'), 0, 75);
            INSERT INTO app.automatic_approval (began_at, lasts_until)
                VALUES (now(), now() + interval '4 minutes')
            """)
        var environment = office.environment
        environment["HEARTH_WRONG_CODES_A_MINUTE"] = "60"
        let words = ["doctor", "--json", "--rights", Self.rights]
        let found = try run("hearth-admin", words, environment: environment)
        #expect(found.code == 1)
        #expect(try kinds(found) == ["approval_automatic"])
        environment["HEARTH_WRONG_CODES_A_MINUTE"] = "61"
        #expect(
            try kinds(run("hearth-admin", words, environment: environment))
                == ["code_settings_not_applied", "approval_automatic"])
        try office.asOwner(
            """
            UPDATE app.automatic_approval
                SET began_at = now() - interval '1 hour', lasts_until = now() - interval '1 s'
            """)
        #expect(try doctor().code == 0)
    }
}
