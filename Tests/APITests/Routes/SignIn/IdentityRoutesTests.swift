import Domain
import JSON
import Postgres
import TestSupport
import Testing

@Suite("Routes of identities and delegations")
struct IdentityRoutesTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private func byMail(_ email: String) throws -> SessionClient {
        let network = "10.\(Int.random(in: 0...255)).\(Int.random(in: 0...255)).1"
        let ticket = try site.ticket(for: email, client: network)
        return try SessionClient(site, site.verify(ticket, site.mailed(to: email).code))
    }

    private func identities(_ client: SessionClient) throws -> [(kind: String, id: String)] {
        try client.get("/api/me/identities").json["identities"].elements().map {
            (try $0["kind"].string(), try $0["id"].string())
        }
    }

    private func add(_ token: String, to client: SessionClient) throws -> Answer {
        try client.send("POST", "/api/me/identities", #"{"token": "\#(token)"}"#)
    }

    @Test(
        "an added sign-in of another issuer leads to the account, and the account's address stays")
    func added() throws {
        let email = Site.address()
        let client = try byMail(email)
        let person = try site.person(.parent)
        #expect(try add(person.token, to: client).status == 200)
        #expect(try identities(client).map(\.kind).sorted() == ["email", "issuer"])
        // The subject is the account's id from now on.
        #expect(try person.get("/api/me").text("id") == person.person.subject)
        #expect(try client.get("/api/me").text("id") == person.person.subject)
        let renamed = Person(id: person.person.id, email: Site.address())
        _ = try site.actor(renamed).get("/api/me")
        #expect(try client.get("/api/me").text("email") == email)
        #expect(try add(person.token, to: client).status == 200)
        #expect(try add(client.access, to: client).says(401, "invalid_token"))
        #expect(try add(site.anonymousToken(), to: client).says(403, "account_required"))
    }

    @Test("a sign-in moves from an unused account, whose sessions end")
    func moved() throws {
        let client = try byMail(Site.address())
        let person = try site.person(.parent)
        let before = try site.session(of: person)
        #expect(try add(person.token, to: client).status == 200)
        #expect(try before.get("/api/me").says(401, "session_ended"))
        #expect(try client.get("/api/me").text("id") == person.person.subject)
        #expect(try site.session(of: person).user == person.person.subject)
    }

    @Test("an old token can neither add nor move a sign-in")
    func oldToken() throws {
        let client = try byMail(Site.address())
        for isKnown in [false, true] {
            let person = Person()
            if isKnown { _ = try site.session(of: site.actor(person)) }
            let old = try site.token(of: person, issuedSecondsAgo: 700)
            #expect(try add(old, to: client).says(403, "sign_in_again"))
            #expect(try site.actor(person).get("/api/me").text("id") == person.subject)
        }
        #expect(try identities(client).map(\.kind) == ["email"])
    }

    @Test("an account keeps its last address when another account with a family verifies it")
    func lastAddress() throws {
        let email = Site.address()
        let person = try site.actor(Person(email: email))
        let client = try site.session(of: person)
        let issuer = try #require(try identities(client).first { $0.kind == "issuer" })
        #expect(try client.delete("/api/me/identities/\(issuer.id)").status == 200)
        // The provider's token creates a separate account, with a family.
        #expect(try person.post("/api/family/create").status == 200)
        #expect(try identities(client).map(\.kind) == ["email"])
        #expect(try byMail(email).user == client.user)
    }

    @Test("a password can be set only if the account has an address to sign in with")
    func passwordWithoutAddress() throws {
        let client = try site.session(of: site.actor(Person(email: "")))
        let answer = try site.patiently {
            try client.send("PUT", "/api/me/password", #"{"newPassword": "\#(Site.password)"}"#)
        }
        #expect(answer.says(409, "no_verified_address"))
        #expect(try identities(client).map(\.kind) == ["issuer"])
    }

    @Test("a sign-up's password is stored only for the account that the sign-up creates")
    func signUpMeanwhile() throws {
        let email = Site.address()
        let opened = try site.patiently {
            try site.send(
                "POST", "/api/auth/sign-up",
                body: #"{"email": "\#(email)", "password": "\#(Site.password)"}"#)
        }
        let ticket = try #require(opened.text("ticket"))
        let first = try site.session(of: site.actor(Person(email: email)))
        let client = try SessionClient(site, site.verify(ticket, site.mailed(to: email).code))
        #expect(client.user == first.user)
        #expect(try identities(client).map(\.kind).sorted() == ["email", "issuer"])
    }

    @Test("a sign-in of an account in a family can't be moved to another account")
    func inUse() throws {
        let home = try site.home()
        let client = try byMail(Site.address())
        for person in [home.admin, home.adult, home.player] {
            #expect(try add(person.token, to: client).says(409, "identity_in_use"))
        }
        let left = try home.adult.delete("/api/family/members/me?familyId=\(home.id)")
        #expect(left.status == 200)
        #expect(try add(home.adult.token, to: client).status == 200)
    }

    @Test("a sign-in can neither be added to an operator's account nor moved away from it")
    func operatorAccount() throws {
        let client = try byMail(Site.address())
        let other = try byMail(Site.address())
        let person = try site.person(.parent)
        let id = try person.get("/api/me").text("id") ?? ""
        for account in [client.user, id] {
            try site.execute(
                """
                INSERT INTO app.operators (user_id, role, added_by)
                    VALUES ('\(account)', 'viewer', 'operator:jo')
                """)
        }
        let fresh = try site.person(.parent)
        #expect(try add(fresh.token, to: client).says(409, "operator_role_stands"))
        #expect(try add(person.token, to: other).says(409, "identity_in_use"))
        #expect(try add(fresh.token, to: other).status == 200)
    }

    @Test("sign-in methods can be removed, except the last one")
    func removed() throws {
        let email = Site.address()
        let client = try byMail(email)
        let only = try #require(try identities(client).first)
        func remove(_ id: String) throws -> Answer {
            try client.delete("/api/me/identities/\(id)")
        }
        #expect(try remove(only.id).says(409, "last_identity"))
        #expect(try remove("\(UserID.random())").says(404, "identity_not_found"))
        let set = try site.patiently {
            try client.send("PUT", "/api/me/password", #"{"newPassword": "\#(Site.password)"}"#)
        }
        #expect(set.status == 200)
        // A password is useful only with an address.
        #expect(try remove(only.id).says(409, "last_identity"))
        _ = try add(site.person(.parent).token, to: client)
        let address = try #require(try identities(client).first { $0.kind == "email" })
        #expect(try remove(address.id).status == 200)
        #expect(try identities(client).map(\.kind) == ["issuer"], "the password went with it")
        // The address signs in to another account from now on.
        #expect(try byMail(email).user != client.user)
        let issuer = try #require(try identities(client).first { $0.kind == "issuer" })
        #expect(try remove(issuer.id).says(409, "last_identity"))
        let other = try byMail(Site.address())
        #expect(
            try other.delete("/api/me/identities/\(issuer.id)").says(404, "identity_not_found"))
    }

    /// Dates the session's sign-in back by sixteen minutes, and returns the refreshed session.
    private func aged(_ client: SessionClient) throws -> SessionClient {
        let session = try #require(SessionID(client.session)).rawValue
        try Connection(site.test.settings()).query(
            "UPDATE app.sessions SET signed_in_at = now() - interval '16 min' WHERE id = \(session)"
        )
        return try SessionClient(site, site.refresh(client.refresh))
    }

    /// The value `identity` of each enqueued e-mail of a kind to an account.
    private func mails(_ kind: String, to user: String) throws -> [String?] {
        try Connection(site.test.settings()).query(
            """
            SELECT payload ->> 'identity' FROM jobs.live
            WHERE kind = \(kind) AND payload ->> 'recipient' = \(user) ORDER BY id
            """
        ).map { (row) throws(PostgresError) in try row.read(String?.self) }
    }

    @Test("every change of sign-in methods requires a sign-in within the last ten minutes")
    func recentSignIn() throws {
        var client = try byMail(Site.address())
        #expect(try add(site.person(.parent).token, to: client).status == 200)
        let set = try site.patiently {
            try client.send("PUT", "/api/me/password", #"{"newPassword": "\#(Site.password)"}"#)
        }
        #expect(set.status == 200)
        var passkey = try PasskeyClient(site)
        #expect(try passkey.register(for: client).status == 200)
        let before = try identities(client)
        #expect(before.map(\.kind).sorted() == ["email", "issuer", "passkey", "password"])
        client = try aged(client)
        for identity in before {
            #expect(
                try client.delete("/api/me/identities/\(identity.id)").says(403, "sign_in_again"),
                "\(identity.kind)")
            if identity.kind == "passkey" {
                #expect(
                    try client.delete("/api/me/passkeys/\(identity.id)")
                        .says(403, "sign_in_again"))
            }
        }
        #expect(try add(site.person(.parent).token, to: client).says(403, "sign_in_again"))
        #expect(try identities(client).map(\.id) == before.map(\.id))
        // Another issuer's token counts from the time of its issue.
        let person = try site.person(.parent)
        let old = try site.token(of: person.person, issuedSecondsAgo: 601)
        _ = try person.get("/api/me")
        let other = try site.person(.parent).token
        let body = #"{"token": "\#(other)"}"#
        #expect(
            try site.send("POST", "/api/me/identities", token: old, body: body)
                .says(403, "sign_in_again"))
        #expect(
            try site.send("POST", "/api/me/identities", token: person.token, body: body)
                .says(409, "identity_of_issuer_exists"))
    }

    @Test("a refusal because of an old sign-in is not replayed with its key")
    func keyedRefusal() throws {
        let client = try byMail(Site.address())
        _ = try add(site.person(.parent).token, to: client)
        let issuer = try #require(try identities(client).first { $0.kind == "issuer" })
        let key = ["Idempotency-Key": "\(UserID.random())"]
        let path = "/api/me/identities/\(issuer.id)"
        let session = try #require(SessionID(client.session)).rawValue
        let late = try aged(client)
        #expect(try late.send("DELETE", path, headers: key).says(403, "sign_in_again"))
        try Connection(site.test.settings()).query(
            "UPDATE app.sessions SET signed_in_at = now() WHERE id = \(session)")
        let again = try SessionClient(site, site.refresh(late.refresh))
        #expect(try again.send("DELETE", path, headers: key).status == 200)
    }

    @Test("every change of sign-in methods is mailed to the account")
    func told() throws {
        let client = try byMail(Site.address())
        let person = try site.person(.parent)
        // The account's id once the sign-in is added.
        let user = person.person.subject
        #expect(try add(person.token, to: client).status == 200)
        #expect(try add(person.token, to: client).status == 200)
        #expect(try mails("mail.identity_added", to: user).count == 1)
        _ = try site.patiently {
            try client.send("PUT", "/api/me/password", #"{"newPassword": "\#(Site.password)"}"#)
        }
        #expect(try mails("mail.password_set", to: user).count == 1)
        var passkeys = [try PasskeyClient(site), try PasskeyClient(site)]
        for index in passkeys.indices {
            #expect(try passkeys[index].register(for: client).status == 200)
        }
        #expect(try mails("mail.passkey_added", to: user).count == 2)
        for kind in ["password", "passkey", "issuer", "email"] {
            let way = try #require(try identities(client).first { $0.kind == kind })
            #expect(try client.delete("/api/me/identities/\(way.id)").status == 200)
        }
        #expect(
            try mails("mail.identity_removed", to: user)
                == ["password", "passkey", "issuer", "email"])
        let added = try PasskeyClient(site)
        var another = added
        #expect(try another.register(for: client).status == 200)
        let last = try #require(try identities(client).first)
        #expect(try client.delete("/api/me/passkeys/\(last.id)").status == 200)
        #expect(try mails("mail.identity_removed", to: user).count == 5)
    }

    @Test("a disabled sign-in method does not count as a remaining one")
    func switchedOff() throws {
        let site = try Site(signIn: SigningFile.services([.exchange, .passkey]))
        let client = try site.session(of: try site.person(.parent))
        let ways = try identities(client)
        #expect(ways.map(\.kind).sorted() == ["email", "issuer"])
        let issuer = try #require(ways.first { $0.kind == "issuer" })
        #expect(try client.delete("/api/me/identities/\(issuer.id)").says(409, "last_identity"))
        var passkey = try PasskeyClient(site)
        #expect(try passkey.register(for: client).status == 200)
        #expect(try client.delete("/api/me/identities/\(issuer.id)").status == 200)
    }

    @Test("each guardian of a child can delegate until the guardianship ends")
    func secondGuardian() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let admin = try home.member(home.admin)
        let guardians = "/api/family/managed/\(child)/guardians"
        let second = try site.session(of: home.admin)
        let body = #"{"memberId": "\#(child)", "audience": "hearth"}"#
        func delegate() throws -> Answer { try second.send("POST", "/api/delegations", body) }
        #expect(try delegate().says(403, "acting_refused"))
        #expect(
            try home.adult.post(guardians, #"{"memberId": "\#(admin)"}"#).status == 200)
        let token = try #require(try delegate().text("access_token"))
        let me = try site.send("GET", "/api/me", token: token)
        #expect(try me.text("id") == child && me.json["actor"]["id"].string() == second.user)
        #expect(try home.adult.delete("\(guardians)/\(admin)").status == 200)
        #expect(try site.send("GET", "/api/me", token: token).says(403, "acting_refused"))
        #expect(try delegate().says(403, "acting_refused"))
    }

    @Test("a delegation is for one child, names its guardian, ends with guardianship or session")
    func delegation() throws {
        let home = try site.home()
        let child = try home.child(of: home.admin)
        let guardian = try site.session(of: home.admin)
        func delegate(_ client: SessionClient, _ audience: String = "hearth") throws -> Answer {
            try client.send(
                "POST", "/api/delegations",
                #"{"memberId": "\#(child)", "audience": "\#(audience)"}"#)
        }
        let answer = try delegate(guardian)
        #expect(answer.status == 200 && answer.text("token_type") == "Bearer")
        let token = try #require(answer.text("access_token"))
        let me = try site.send("GET", "/api/me", token: token)
        #expect(me.text("id") == child)
        #expect(try me.json["actor"]["id"].string() == guardian.user)
        // The delegation is for this child only.
        let other = try home.child(of: home.admin, name: "Wren")
        let profiles = try site.send("GET", "/api/me/profiles", token: token)
        #expect(
            try profiles.json["profiles"].elements().map { try $0["memberId"].string() } == [child])
        let crossed = try site.send(
            "GET", "/api/me", token: token, headers: ["X-Acting-As-Member": other])
        #expect(crossed.says(403, "acting_refused"))
        let managing = try site.send("GET", "/api/me/sessions", token: token)
        #expect(managing.says(403, "not_while_acting"))
        let again = try site.send(
            "POST", "/api/delegations", token: token,
            body: #"{"memberId": "\#(child)", "audience": "hearth"}"#)
        #expect(again.says(403, "not_while_acting"))
        let elsewhere = try #require(try delegate(guardian, "votes").text("access_token"))
        #expect(try site.send("GET", "/api/me", token: elsewhere).says(401, "invalid_token"))
        let stranger = try site.session(of: home.adult)
        #expect(try delegate(stranger).says(403, "acting_refused"))
        let byIssuer = try home.admin.post(
            "/api/delegations", #"{"memberId": "\#(child)", "audience": "hearth"}"#)
        #expect(byIssuer.says(403, "session_required"))
        // The delegation ends with the session or the guardianship.
        let handed = try home.admin.post(
            "/api/family/managed/\(child)/guardian",
            #"{"memberId": "\#(home.member(home.adult))"}"#)
        #expect(handed.status == 200, "\(handed)")
        #expect(
            try site.send("GET", "/api/me", token: token).says(403, "acting_refused"))
        let mine = try #require(try delegate(stranger).text("access_token"))
        #expect(try site.send("GET", "/api/me", token: mine).status == 200)
        _ = try site.signOut(stranger.refresh)
        #expect(try site.send("GET", "/api/me", token: mine).says(401, "session_ended"))
    }
}
