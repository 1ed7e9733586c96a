import Domain
import Foundation
import JSON
import Postgres
import TestSupport
import Testing

@Suite("Routes of the caller's account")
struct AccountRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    /// Returns a client for the same person, with a token issued an hour ago.
    private func stale(_ client: APIClient) throws -> APIClient {
        APIClient(
            site: client.site, person: client.person,
            token: try site.token(of: client.person, issuedSecondsAgo: 3_600))
    }

    private func code(of client: APIClient) throws -> String {
        try Site.keys().deletionCodes.code(
            for: client.id, at: client.email,
            secondsSince1970: Int64(Date().timeIntervalSince1970))
    }

    @Test("erasing an account can be repeated, with a key or without")
    func erase() throws {
        for headers in [[:], ["Idempotency-Key": "one"]] {
            let person = try site.person(.parent)
            _ = try person.get("/api/me")
            for _ in 0..<2 {
                let answer = try person.send("DELETE", "/api/me", headers: headers)
                #expect(try answer.status == 200 && answer.json["success"].bool())
            }
            let ended = try person.get("/api/me")
            #expect(ended.says(401, "invalid_token", "This account was deleted. Sign in again."))
            #expect(
                try person.post("/api/family/create", #"{"familyName": "Back"}"#)
                    .says(401, "invalid_token"))
            let preferences = "/groups/\(try site.home().id)/preferences"
            #expect(try person.get(preferences).says(401, "invalid_token"))
            #expect(try person.send("PUT", preferences, "{}").says(401, "invalid_token"))
        }
    }

    @Test("erasing with an old token requires a mailed code, and wrong codes are counted")
    func proof() throws {
        let person = try stale(try site.person(.parent))
        #expect(try person.delete("/api/me").says(403, "fresh_sign_in_required"))
        let sent = try person.post("/api/me/deletion-code")
        #expect(try sent.status == 202 && sent.json["expiresIn"].integer() == 600)
        let right = try code(of: person)
        let wrong = right == "000000" ? "000001" : "000000"
        #expect(
            try person.send("DELETE", "/api/me", headers: ["X-Confirmation-Code": wrong])
                .says(400, "code_wrong"))
        let answer = try person.send(
            "DELETE", "/api/me",
            headers: [
                "X-Confirmation-Code": "\(right.prefix(3)) \(right.suffix(3))",
                "Idempotency-Key": "k",
            ])
        #expect(answer.status == 200)
        let other = try stale(try site.person(.parent))
        for _ in 0..<5 {
            let malformed = try other.send(
                "DELETE", "/api/me", headers: ["X-Confirmation-Code": "12345"])
            #expect(malformed.says(400, "code_malformed"))
        }
        let wrongOfOther = try code(of: other) == "000000" ? "000001" : "000000"
        for _ in 0..<5 {
            let answer = try other.send(
                "DELETE", "/api/me", headers: ["X-Confirmation-Code": wrongOfOther])
            #expect(answer.says(400, "code_wrong"))
        }
        let limited = try other.send(
            "DELETE", "/api/me", headers: ["X-Confirmation-Code": try code(of: other)])
        #expect(
            limited.says(
                429, "too_many_attempts", "Too many attempts. Please wait 10 minutes."))
        #expect(limited.headers["ratelimit-policy"] == #""deletion-account";q=5;w=600"#)
    }

    @Test("a session's recent sign-in counts as fresh proof; refreshing an older session does not")
    func session() throws {
        let email = Site.address()
        let begun = try SessionClient(
            site, site.verify(site.ticket(for: email), site.mailed(to: email).code))
        let connection = try Connection(site.test.settings())
        let id = try #require(SessionID(begun.session)).rawValue
        try connection.query(
            "UPDATE app.sessions SET signed_in_at = now() - interval '1 hour' WHERE id = \(id)")
        let late = try SessionClient(site, site.refresh(begun.refresh))
        #expect(try late.delete("/api/me").says(403, "fresh_sign_in_required"))
        let fresh = try SessionClient(
            site, site.verify(site.ticket(for: email), site.mailed(to: email).code))
        #expect(fresh.user == begun.user)
        for _ in 0..<2 {
            #expect(try fresh.delete("/api/me").status == 200)
        }
        #expect(try fresh.get("/api/me").says(401, "session_ended"))
        #expect(try late.get("/api/me").says(401, "session_ended"))
        #expect(try site.refresh(fresh.refresh).says(401, "invalid_refresh_token"))
        let back = try SessionClient(
            site, site.verify(site.ticket(for: email), site.mailed(to: email).code))
        #expect(back.user != begun.user)
    }

    @Test("exchanging an old token does not make its sign-in recent")
    func exchanged() throws {
        let person = try site.person(.parent)
        let late = try site.session(of: try stale(person))
        #expect(try late.delete("/api/me").says(403, "fresh_sign_in_required"))
        #expect(try late.get("/api/me").status == 200)
        #expect(try site.refresh(late.refresh).status == 200)
        #expect(try site.session(of: person).delete("/api/me").status == 200)
    }

    @Test("an export contains sessions, addresses and passwords without their secrets")
    func copy() throws {
        let email = Site.address()
        let signedIn = try SessionClient(
            site, site.verify(site.ticket(for: email), site.mailed(to: email).code))
        _ = try site.patiently {
            try signedIn.send("PUT", "/api/me/password", #"{"newPassword": "\#(Site.password)"}"#)
        }
        let copy = try signedIn.get("/api/me/export")
        #expect(try copy.json["addresses"].elements()[0]["email"].string() == email)
        #expect(try copy.json["password"]["setAt"].string().isEmpty == false)
        #expect(try copy.json["sessions"].elements()[0]["id"].string() == signedIn.session)
        #expect(try copy.json["mailedCodes"].elements()[0]["purpose"].string() == "sign_in")
        let limits = try copy.json["limits"].elements().map { try $0["limit"].string() }
        #expect(limits.contains("mailed-code"))
        let text = String(decoding: copy.body, as: UTF8.self)
        #expect(!text.contains("argon2id") && !text.contains("\\x"))
    }

    @Test("deletion codes are mailed only to verified addresses, at most five an hour")
    func codes() throws {
        let person = try site.person(.parent)
        for _ in 0..<5 { #expect(try person.post("/api/me/deletion-code").status == 202) }
        let limited = try person.post("/api/me/deletion-code")
        #expect(
            limited.says(429, "too_many_attempts", "Too many attempts. Please wait an hour."))
        let nobody = try site.nobody()
        #expect(try nobody.post("/api/me/deletion-code").says(403, "account_required"))
        #expect(try nobody.delete("/api/me").says(403, "account_required"))
        let unverified = try site.actor(Person(email: "not an address"))
        #expect(
            try unverified.post("/api/me/deletion-code").says(409, "no_verified_address"))
    }

    @Test("an operator's account is not erased by its owner until the role is removed")
    func operatorErasure() throws {
        let person = try site.person(.parent)
        _ = try person.get("/api/me")
        try site.execute(
            """
            INSERT INTO app.operators (user_id, role, added_by)
                VALUES ('\(person.id)', 'viewer', 'operator:jo')
            """)
        for headers in [[:], ["Idempotency-Key": "one"]] {
            let refused = try person.send("DELETE", "/api/me", headers: headers)
            #expect(refused.says(409, "operator_role_stands"))
        }
        func mailedCodes() throws -> Int {
            try Connection(site.test.settings()).query(
                """
                SELECT count(*) FROM jobs.live WHERE kind = 'mail.deletion_code'
                    AND payload ->> 'recipient' = \(person.id.description)
                """
            ).scalar(Int.self)
        }
        // No code is mailed or counted.
        for _ in 0..<6 {
            let refused = try person.post("/api/me/deletion-code")
            #expect(refused.says(409, "operator_role_stands"), "\(refused)")
        }
        #expect(try mailedCodes() == 0)
        #expect(try person.get("/api/me/export").json["operator"]["role"].string() == "viewer")
        try site.execute("DELETE FROM app.operators WHERE user_id = '\(person.id)'")
        #expect(try person.post("/api/me/deletion-code").status == 202)
        #expect(try mailedCodes() == 1)
        let erased = try person.send("DELETE", "/api/me", headers: ["Idempotency-Key": "one"])
        #expect(erased.status == 200)
    }

    @Test("obstacles to an erasure are listed, and the request can resolve them")
    func blockers() throws {
        let home = try site.home()
        let child = try home.child(of: home.admin)
        let told = try home.admin.delete("/api/me")
        #expect(
            told.says(
                409, "erasure_blocked", "Somebody else has to take over first; see blockers."))
        let blockers = try told.json["blockers"].elements()
        #expect(
            try blockers.map { try $0["kind"].string() } == [
                "guardian_has_managed_members", "transfer_admin_first",
            ])
        #expect(
            try blockers.map { try $0["memberId"].string() } == [
                child, try home.member(home.admin),
            ])
        #expect(try blockers.allSatisfy { try $0["familyId"].string() == home.id })
        let heir = try home.member(home.adult)
        #expect(
            try home.admin.delete("/api/me?reassignManagedTo=\(heir)")
                .says(409, "erasure_blocked"))
        let settled = try home.admin.delete(
            "/api/me?reassignManagedTo=\(heir)&transferAdminTo=\(heir)")
        #expect(settled.status == 200)
        let members = try home.adult.get("/api/family/members").json["members"].elements()
        let guardian = try members.first { try $0["id"].string() == child }
        #expect(try guardian?["parent_user_id"].string() == home.adult.id.description)
        let erased = try home.adult.delete("/api/me?eraseManaged=true")
        #expect(erased.status == 200)
        let many = (0..<21).map { _ in "reassignManagedTo=\(heir)" }.joined(separator: "&")
        #expect(try home.player.delete("/api/me?\(many)").says(400, "invalid_field"))
    }

    @Test("an account is exported at most three times a day, and not while acting for a child")
    func export() throws {
        let home = try site.home()
        let first = try home.admin.get("/api/me/export")
        #expect(first.status == 200 && first.headers["content-encoding"] == nil)
        #expect(
            first.headers["content-disposition"]
                == #"attachment; filename="hearth-account.json""#)
        #expect(try first.json["account"]["email"].string() == home.admin.email)
        for _ in 0..<2 { #expect(try home.admin.get("/api/me/export").status == 200) }
        #expect(
            try home.admin.get("/api/me/export").says(
                429, "too_many_attempts", "Too many attempts. Please wait a day."))
        let child = try home.child(of: home.adult)
        #expect(
            try home.adult.acting(for: child).get("/api/me/export")
                .says(403, "not_while_acting"))
    }
}
