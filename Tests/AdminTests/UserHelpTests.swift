import Foundation
import JSON
import Postgres
import TestSupport
import Testing

/// Help for people who can't sign in, such as the owners of blocked accounts.
@Suite("hearth-admin user send-reset and user export")
struct UserHelpTests {
    let office: Office

    init() throws { office = try Office() }

    private func mails() throws -> Int {
        try office.scalar("SELECT count(*) FROM jobs.live WHERE kind = 'mail.ticket'")
    }

    private func block(_ address: String) throws {
        _ = try office.json("user block \(address) --reason 'sends spam' --yes")
    }

    // MARK: A link to reset the password

    @Test("a reset is mailed to the account's verified address, and recorded")
    func reset() throws {
        let told = try office.json("user send-reset \(Office.ann)")
        #expect(try told["email"].string() == "ann@example.com")
        #expect(try told["userId"].string() == Office.ann)
        let tokens: Int = try office.scalar(
            """
            SELECT count(*) FROM app.email_tokens
            WHERE purpose = 'reset' AND email = 'ann@example.com' AND ticket_hash IS NULL
                AND used_at IS NULL AND expires_at > now() + interval '29 minutes'
            """)
        #expect(tokens == 1)
        #expect(try mails() == 1)
        let entry = try office.json("audit --action user.send_reset")["entries"].elements()[0]
        #expect(try entry["subjectUserId"].string() == Office.ann)
        #expect(try entry["actorLabel"].string() == "operator:jo")
    }

    @Test("a reset goes to a proved address of the account, never to one of another account")
    func otherAddress() throws {
        // Both have the address; Bo has proved it. Ann has proved another one.
        try office.asOwner(
            """
            UPDATE app.users SET email = 'shared@example.com' WHERE id IN
                ('\(Office.ann)', '\(Office.bo)');
            INSERT INTO app.email_sign_ins (user_id, email) VALUES
                ('\(Office.bo)', 'shared@example.com'), ('\(Office.ann)', 'own@example.com');
            INSERT INTO app.email_sign_ins (user_id, email, removed_at)
                VALUES ('\(Office.ann)', 'former@example.com', now());
            """)
        let told = try office.json("user send-reset \(Office.ann)")
        #expect(try told["email"].string() == "own@example.com")
        try office.asOwner("UPDATE app.email_sign_ins SET removed_at = now()")
        try office.asOwner("UPDATE app.users SET email_verified = false")
        let refused = try office.admin("user send-reset \(Office.ann)")
        #expect(refused.code == 1 && refused.errors.contains("[no_verified_address]"))
        #expect(refused.errors.contains("user set-address"))
        #expect(try mails() == 1)
    }

    @Test("blocked accounts, operators, suppressed addresses and unknown people get no reset")
    func refused() throws {
        try block("ann@example.com")
        let blocked = try office.admin("user send-reset ann@example.com")
        #expect(blocked.code == 1 && blocked.errors.contains("[account_blocked]"))
        _ = try office.json("operator add bo@example.com --role viewer")
        let colleague = try office.admin("user send-reset bo@example.com")
        #expect(colleague.code == 1 && colleague.errors.contains("[operator_role_stands]"))
        _ = try office.admin("mail suppress dee@example.com")
        let suppressed = try office.admin("user send-reset dee@example.com")
        #expect(suppressed.code == 1 && suppressed.errors.contains("[address_suppressed]"))
        let unknown = try office.admin("user send-reset nobody@example.com")
        #expect(unknown.code == 1 && unknown.errors.contains("[user_not_found]"))
        #expect(try office.admin("user send-reset").code == 64)
        #expect(try mails() == 0)
        let tokens: Int = try office.scalar("SELECT count(*) FROM app.email_tokens")
        #expect(tokens == 0)
    }

    @Test("a reset without the key of links is reported as a wrong setting, and nothing is stored")
    func withoutKey() throws {
        var environment = office.environment
        environment["HEARTH_SECRET_KEY"] = nil
        let ending = try run(
            "hearth-admin", ["user", "send-reset", "ann@example.com"], environment: environment)
        #expect(ending.code == 78 && ending.errors.contains("HEARTH_SECRET_KEY"))
        #expect(try mails() == 0)
    }

    // MARK: Passkeys

    @Test("passkeys are listed and removed, except the last sign-in method and those of operators")
    func passkeys() throws {
        let (one, two) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
        try office.asOwner(
            """
            INSERT INTO app.passkeys (id, user_id, credential_id, public_key, counter, label,
                    model, transports, is_backup_eligible, is_backed_up)
                SELECT k.id, k.user_id, sha256(k.id::text::bytea), 'key', 0, k.label, k.id, '{}',
                    true, true
                FROM (VALUES ('\(one)'::uuid, '\(Office.ann)'::uuid, 'Phone'),
                    ('\(two)'::uuid, '\(Office.bo)'::uuid, NULL)) AS k (id, user_id, label)
            """)
        let listed = try office.json("user passkeys ann@example.com")["passkeys"]
        #expect(try listed.texts("id") == [one] && listed.texts("label") == ["Phone"])
        let other = try office.admin("user remove-passkey ann@example.com \(two) --yes")
        #expect(other.code == 1 && other.errors.contains("[passkey_not_found]"))
        _ = try office.json("user remove-passkey ann@example.com \(one) --yes")
        #expect(try office.json("user passkeys \(Office.ann)")["passkeys"].elements().isEmpty)
        let entry = try office.json("audit --user \(Office.ann)")["entries"].elements()[0]
        #expect(try entry["action"].string() == "identity.remove")
        let mails: Int = try office.scalar(
            "SELECT count(*) FROM jobs.live WHERE kind = 'mail.identity_removed'")
        #expect(mails == 1)
        _ = try office.json("operator add bo@example.com --role viewer")
        let colleague = try office.admin("user remove-passkey \(Office.bo) \(two) --yes")
        #expect(colleague.code == 1 && colleague.errors.contains("[operator_role_stands]"))
        _ = try office.json("operator remove bo@example.com --yes")
        try office.asOwner(
            """
            DELETE FROM app.user_identities;
            UPDATE app.users SET email_verified = false;
            """)
        let last = try office.admin("user remove-passkey \(Office.bo) \(two) --yes")
        #expect(last.code == 1 && last.errors.contains("[last_identity]"))
    }

    // MARK: Copy of data, erasure

    @Test("an operator exports a blocked person's data, and the person's export shows it")
    func export() throws {
        let family = try office.makeFamily()
        _ = try office.json("managed add \(family) ann@example.com Kid")
        try office.asOwner(
            """
            INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
                VALUES ('\(family)', '\(Office.ann)', '{"colour": "blue"}');
            INSERT INTO app.passwords (user_id, hash) VALUES ('\(Office.ann)', '$argon2id$secret');
            """)
        try block("ann@example.com")
        let ending = try office.admin("user export ann@example.com")
        #expect(ending.code == 0, "\(ending.errors)")
        let document = try ending.json()
        #expect(try document["format"].string() == "hearth-account-export")
        let account = try document["account"]
        #expect(try account["id"].string() == Office.ann)
        #expect(try account["blockedReason"].string() == "sends spam")
        #expect(try account["blockedAt"].ifPresent != nil)
        let preferences = try account["preferences"].elements()[0]["preferences"]
        #expect(try preferences["colour"].string() == "blue")
        #expect(try document["children"].texts("fullName") == ["Kid"])
        #expect(try account["audit"].texts("action").contains("user.block"))
        #expect(!ending.output.contains("argon2id"))
        let labels = try office.json("audit --action user.export")["entries"].texts("actorLabel")
        #expect(labels == ["operator:jo"])
        let again = try office.admin("user export ann@example.com").json()
        #expect(try again["account"]["audit"].texts("action").count { $0 == "user.export" } == 2)
    }

    @Test("an export goes to a new file that only its owner can read; an existing one is refused")
    func file() throws {
        let folder = try Folder()
        let path = folder.path("ann.json")
        try block("ann@example.com")
        let written = try office.admin("user export ann@example.com --output \(path)")
        #expect(written.code == 0 && written.output.isEmpty, "\(written.errors)")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let document = JSONField(try JSONValue(parsing: bytes))
        #expect(try document["account"]["id"].string() == Office.ann)
        let again = try office.admin("user export ann@example.com --output \(path)")
        #expect(again.code == 1 && again.errors.contains("File exists"))
        let exports: Int = try office.scalar(
            "SELECT count(*) FROM app.audit_log WHERE action = 'user.export'")
        #expect(exports == 1)
    }

    @Test("an account's data are read only after the operator's audit entry is committed")
    func recorded() throws {
        func asOperator(_ name: String, _ sql: SQL) throws {
            let connection = try Connection(office.database.settings(as: "hearth_admin"))
            try connection.transaction { transaction in
                try transaction.query("SELECT app.begin_operation(\(name))")
                try transaction.query(sql)
            }
        }
        func refusal(_ work: () throws -> Void) -> String? {
            do {
                try work()
                return nil
            } catch { return (error as? PostgresError)?.constraint }
        }
        let export: SQL = "SELECT app.operator_export_user(\(Office.ann)::uuid)"
        let begin: SQL = "SELECT app.operator_begin_user_export(\(Office.ann)::uuid)"
        #expect(refusal { try asOperator("jo", export) } == "export_not_begun")
        try asOperator("ann", begin)
        #expect(refusal { try asOperator("jo", export) } == "export_not_begun")
        #expect(refusal { try asOperator("ann", export) } == nil)
        let other: SQL = "SELECT app.operator_export_user(\(Office.bo)::uuid)"
        #expect(refusal { try asOperator("ann", other) } == "export_not_begun")
        #expect(
            refusal {
                try Connection(office.database.settings(as: "hearth_admin")).query(export)
            } == "not_an_operator")
    }

    @Test("a child can't be exported by an operator")
    func noAccount() throws {
        let family = try office.makeFamily()
        let made = try office.json("managed add \(family) ann@example.com Kid")
        let child = try made["member"]["userId"].string()
        let refused = try office.admin("user export \(child)")
        #expect(refused.code == 1 && refused.errors.contains("[user_not_found]"))
        #expect(refused.output.isEmpty)
    }

    @Test("an operator can erase a blocked person's account, and the sign-in is free again")
    func erasure() throws {
        let family = try office.makeFamily()
        _ = try office.json("managed add \(family) ann@example.com Kid")
        try office.asOwner(
            """
            INSERT INTO app.sign_ins_log (user_id, kind, way, at)
                VALUES ('\(Office.ann)', 'failed', 'password', now())
            """)
        try block("ann@example.com")
        let children = try office.admin("erase ann@example.com --yes")
        #expect(children.code == 1 && children.errors.contains("[guardian_has_managed_members]"))
        let erased = try office.json(
            "erase ann@example.com --reassign-managed-to bo@example.com --yes")
        #expect(try erased["memberships"].integer() == 1 && erased["signIns"].integer() == 1)
        #expect(try office.admin("user show ann@example.com").code == 1)
        for table in ["app.user_identities", "app.sign_ins_log", "app.sessions"] {
            let rows: Int = try office.scalar(
                "SELECT count(*) FROM \(unsafe: table) WHERE user_id = '\(unsafe: Office.ann)'")
            #expect(rows == 0, "\(table)")
        }
        let blocked: Int = try office.scalar(
            "SELECT count(*) FROM app.users WHERE blocked_at IS NOT NULL")
        #expect(blocked == 0)
        // The same person is a new account, which is not blocked.
        let fresh: String = try office.scalar(
            """
            SELECT outcome::text FROM app.upsert_user('https://issuer.test',
                sha256(convert_to(\(Office.ann), 'UTF8')), \(Office.ann)::uuid, 'ann@example.com',
                true, 'Ann', 'parent', NULL, 2000000000, true) AS outcome
            """)
        #expect(!fresh.contains("blocked"))
    }
}
