import Foundation
import JSON
import Postgres
import TestSupport
import Testing

@Suite("hearth-admin export and erase")
struct ErasingTests {
    let office: Office

    init() throws { office = try Office() }

    @Test("an export contains all data of a family, but no code and no secret")
    func export() throws {
        let id = try office.makeFamily()
        _ = try office.json("managed add \(id) Bo Kid")
        let link = try office.json("invite send \(id) --link")["inviteUrl"].string()
        try office.asOwner(
            """
            INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
                VALUES ('\(id)', '\(Office.cy)', '{"colour": "blue"}');
            INSERT INTO app.family_attributes (family_unit_id, attributes)
                VALUES ('\(id)', '{"crest": "tern"}');
            UPDATE app.family_units SET home_latitude = 47.5, home_longitude = 8.5,
                player_details = '{"playerName": "Cy"}';
            INSERT INTO app.audit_log (family_unit_id, action)
                SELECT '\(id)', 'test.entry' FROM generate_series(1, 1234);
            """)
        let code = try office.json("family code \(id)")["code"].string()
        let ending = try office.admin("export \(id)")
        #expect(ending.code == 0, "\(ending.errors)")
        let document = try ending.json()
        #expect(try document["format"].string() == "hearth-family-export")
        #expect(try document["family"]["homeLatitude"].number() == 47.5)
        #expect(try document["family"]["playerDetails"]["playerName"].string() == "Cy")
        #expect(try document["family"]["attributes"]["crest"].string() == "tern")
        #expect(try document["members"].elements().count == 4)
        let preferences = try document["preferences"].elements()[0]
        #expect(try preferences["preferences"]["colour"].string() == "blue")
        #expect(try document["invitations"].elements().count == 1)
        #expect(try document["codeUses"].elements().count == 1)
        let actions = try document["audit"].texts("action")
        #expect(actions.count { $0 == "test.entry" } == 1234)
        #expect(actions.last == "family.export")
        #expect(!ending.output.contains(code))
        #expect(!ending.output.contains(link.drop { $0 != "=" }.dropFirst()))
    }

    @Test("killing an export leaves its audit entry and no file")
    func cutOff() throws {
        let id = try office.makeFamily()
        let folder = try Folder()
        let holder = try Connection(office.database.settings())
        try holder.transaction { transaction in
            // The export waits here, with half of the document written.
            try transaction.query("LOCK TABLE app.family_code_usage_log IN ACCESS EXCLUSIVE MODE")
            let process = try Subprocess(
                programPath("hearth-admin"),
                ["export", id, "--output", folder.path("family.json")],
                environment: programEnvironment(office.environment))
            try eventually {
                let waiting: Int = try office.scalar(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND usename = 'hearth_admin'
                        AND wait_event_type = 'Lock'
                    """)
                return waiting == 1
            }
            try process.kill()
            #expect(process.result == .signal(SIGKILL))
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("family.json")))
        #expect(try folder.names().isEmpty)
        let trail = try office.json("audit --family \(id) --action family.export")
        #expect(try trail["entries"].texts("actorLabel") == ["operator:jo"])
    }

    @Test("preferences are exported only after the export's audit entry is committed")
    func unrecorded() throws {
        let id = try office.makeFamily()
        let connection = try Connection(office.database.settings(as: "hearth_admin"))
        let error = #expect(throws: PostgresError.self) {
            try connection.transaction { transaction in
                try transaction.query("SELECT app.begin_operation('jo')")
                try transaction.query("SELECT app.begin_export(\(id)::uuid)")
                try transaction.query("SELECT FROM app.export_preferences(\(id)::uuid)")
            }
        }
        #expect(error?.constraint == "export_not_begun")
    }

    @Test("an export creates a file that only its owner can read, and never overwrites a file")
    func exportFile() throws {
        let id = try office.makeFamily()
        let folder = try Folder()
        let path = folder.path("family.json")
        #expect(try office.admin("export \(id) --output '\(path)'").code == 0)
        _ = try JSONValue(parsing: Array(try folder.read("family.json").utf8))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let again = try office.admin("export \(id) --output '\(path)'")
        #expect(again.code == 1 && again.errors.contains("File exists"))
        #expect(try office.admin("export nowhere").code == 1)
    }

    @Test("erasing a person leaves no identifying data anywhere")
    func erase() throws {
        let id = try office.makeFamily()
        _ = try office.json("invite send \(id) --email dee@example.com --from Bo")
        _ = try office.json("managed add \(id) Bo Kid")
        try office.asOwner(
            """
            UPDATE app.users SET full_name = 'Unmistakable', avatar_key = 'unmistakable',
                email = 'unmistakable@example.com' WHERE id = '\(Office.bo)';
            UPDATE app.family_units SET player_details = '{"playerName": "Unmistakable"}';
            INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
                VALUES ('\(id)', '\(Office.bo)', '{"nick": "unmistakable"}');
            INSERT INTO app.family_invitations (family_unit_id, invited_by, invited_email, role,
                    household_role, delivery, status, accepted_at, accepted_by, closed_at)
                VALUES ('\(id)', '\(Office.ann)', 'unmistakable@example.com', 'parent', 'adult',
                        'email', 'accepted', now(), '\(Office.bo)', now()),
                       ('\(id)', '\(Office.ann)', 'unmistakable@example.com', 'parent', 'adult',
                        'email', 'pending', NULL, NULL, NULL);
            INSERT INTO app.suppressed_addresses (email, reason)
                VALUES ('unmistakable@example.com', 'no such box: unmistakable@example.com');
            INSERT INTO jobs.live (queue, kind, last_error)
                VALUES ('mail', 'mail.invitation', '550 <Unmistakable@example.com> unknown');
            INSERT INTO app.idempotency_keys (actor_id, subject_id, route, key, request_digest,
                    status, answer)
                VALUES ('\(Office.bo)', '\(Office.bo)', 'x', 'x', sha256(''), 200, 'Unmistakable');
            """)
        #expect(try office.admin("erase \(Office.bo)").code == 64)
        let blocked = try office.admin("erase \(Office.bo) --yes")
        #expect(blocked.code == 1 && blocked.errors.contains("--reassign-managed-to"))
        #expect(try dump().contains("nmistakable"))
        let erased = try office.json("erase \(Office.bo) --yes --reassign-managed-to Ann")
        #expect(try erased["memberships"].integer() == 1)
        #expect(try erased["signIns"].integer() == 1)
        #expect(try !dump().lowercased().contains("unmistakable"))
        // The id is free for a new account with the same sign-in.
        #expect(try !dump().contains(Office.bo))
        let trail = try office.json("audit --action user.erase")
        #expect(try trail["entries"].texts("actorLabel") == ["operator:jo"])
        let pending = try office.json("invite list --all")["invitations"].texts("status")
        #expect(!pending.contains("pending"))
        let again = try office.admin("erase \(Office.bo) --yes")
        #expect(again.code == 1 && again.errors.contains("[user_not_found]"))
        #expect(try office.admin("member add \(id) \(Office.bo)").code == 1)
    }

    @Test(
        "an erasure keeps the suppression of an unverified address, which may be another person's")
    func unverified() throws {
        try office.asOwner(
            """
            UPDATE app.users SET email = 'other@example.com', email_verified = false
                WHERE id = '\(Office.bo)';
            INSERT INTO app.suppressed_addresses (email, reason)
                VALUES ('other@example.com', '550');
            """)
        _ = try office.json("erase \(Office.bo) --yes")
        let held: Int = try office.scalar("SELECT count(*) FROM app.suppressed_addresses")
        #expect(held == 1)
    }

    @Test("an erased person who signs in again gets the same id, and earlier tokens are refused")
    func newPerson() throws {
        let signIn = "sha256(convert_to('\(Office.bo)', 'UTF8'))"
        _ = try office.json("erase \(Office.bo) --yes")
        // The second of the erasure, whatever the time is by now.
        let erasedAt: Int64 = try office.scalar(
            "SELECT floor(extract(epoch FROM max(e.erased_at)))::int8 FROM app.erasures AS e")
        func seen(issuedAt: String) throws -> String {
            try office.scalar(
                """
                SELECT coalesce(user_id::text, outcome) FROM app.upsert_user('https://issuer.test',
                    \(unsafe: signIn), \(unsafe: "'\(Office.bo)'")::uuid,
                    'bo@example.com', true, 'Bo', 'parent', NULL, \(unsafe: issuedAt))
                """)
        }
        #expect(try seen(issuedAt: "NULL") == "unknown")
        #expect(try seen(issuedAt: "\(erasedAt)") == "unknown")
        #expect(try seen(issuedAt: "\(erasedAt + 1)") == Office.bo)
    }

    @Test("a child is erased too, and an erased admin leaves the seat vacant")
    func childAndAdmin() throws {
        let id = try office.makeFamily()
        let kid = try office.json("managed add \(id) Bo Unmistakable")["member"]["id"].string()
        _ = try office.json("erase managed_\(kid) --yes")
        #expect(try !dump().contains("Unmistakable"))
        _ = try office.json("erase ann@example.com --yes")
        let roles = try office.json("family members \(id)")["members"].texts("householdRole")
        #expect(roles == ["adult", "kid"])
    }

    @Test("a refused erasure changes nothing")
    func refused() throws {
        let id = try office.makeFamily()
        _ = try office.json("managed add \(id) Bo Kid")
        let before = try dump()
        #expect(try office.admin("erase \(Office.bo) --yes").code == 1)
        #expect(try office.admin("erase \(Office.bo) --yes --reassign-managed-to Cy").code == 1)
        #expect(try office.admin("erase \(Office.bo) --yes --reassign-managed-to Nobody").code == 1)
        #expect(try dump() == before)
    }

    /// The rows of all tables as text.
    private func dump() throws -> String {
        let connection = try Connection(office.database.settings())
        let tables = try connection.query(
            """
            SELECT c.oid::regclass::text FROM pg_class AS c
            WHERE c.relkind = 'r' AND c.relnamespace::regnamespace::text IN ('app', 'jobs')
            ORDER BY 1
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        return try tables.map { table in
            try connection.query(
                """
                SELECT coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')
                FROM \(unsafe: table) AS t
                """
            ).scalar(String.self)
        }.joined(separator: "\n")
    }
}
