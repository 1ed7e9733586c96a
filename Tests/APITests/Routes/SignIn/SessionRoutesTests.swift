import API
import Domain
import Identity
import Postgres
import TestSupport
import Testing

@Suite("Routes of sessions")
struct SessionRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test("a token of another issuer is exchanged for a session with valid tokens")
    func exchange() throws {
        let person = try site.person(.parent, name: "Ada")
        let answer = try site.send(
            "POST", "/api/auth/exchange",
            body: #"{"subject_token": "\#(person.token)", "device": "Ada's phone"}"#)
        #expect(answer.status == 200 && answer.text("token_type") == "Bearer")
        #expect(try answer.json["expires_in"].integer() == 600)
        #expect(try answer.json["refresh_expires_in"].integer() == 60 * 86_400)
        #expect(try answer.json["isNew"].bool())
        #expect(try answer.json["session"]["method"].string() == "exchange")
        #expect(try answer.json["user"]["email"].string() == person.email)
        let client = try SessionClient(site, answer)
        let me = try client.get("/api/me")
        #expect(me.status == 200 && me.text("fullName") == "Ada")
        #expect(try me.text("id") == person.get("/api/me").text("id"))
        let again = try site.session(of: person)
        #expect(again.user == client.user && again.session != client.session)
        let second = try site.send(
            "POST", "/api/auth/exchange", body: #"{"token": "\#(person.token)"}"#)
        #expect(try !second.json["isNew"].bool())
    }

    @Test("malformed tokens, Hearth's own tokens and tokens without an account are not exchanged")
    func notExchanged() throws {
        let client = try site.session(of: site.person(.parent))
        func exchange(_ token: String) throws -> Answer {
            try site.send("POST", "/api/auth/exchange", body: #"{"token": "\#(token)"}"#)
        }
        for token in ["", "x", "a.b.c", client.access, client.refresh] {
            let answer = try exchange(token)
            #expect(
                answer.says(401, "invalid_token") && answer.headers["www-authenticate"] != nil,
                "\(answer)")
        }
        #expect(try exchange(site.anonymousToken()).says(403, "account_required"))
        let service = try site.anonymousToken(role: "service_role", isAnonymous: false)
        #expect(try exchange(service).says(403, "account_required"))
        let missing = try site.send("POST", "/api/auth/exchange", body: "{}")
        #expect(missing.says(400, "missing_field"))
    }

    @Test("a refresh token returns the next one, and the same one again when repeated")
    func refresh() throws {
        let client = try site.session(of: site.person(.parent))
        let first = try SessionClient(site, site.refresh(client.refresh))
        #expect(first.refresh != client.refresh && first.session == client.session)
        let repeated = try SessionClient(site, site.refresh(client.refresh))
        #expect(repeated.refresh == first.refresh)
        let second = try SessionClient(site, site.refresh(first.refresh))
        #expect(second.refresh != first.refresh)
        #expect(try second.get("/api/me").status == 200)
        // Earlier access tokens are valid until they expire.
        #expect(try client.get("/api/me").status == 200)
    }

    @Test(
        "a refresh token whose successor was just used returns the newest one, for overlapping tabs"
    )
    func threeTabs() throws {
        let client = try site.session(of: site.person(.parent))
        let first = try SessionClient(site, site.refresh(client.refresh))
        let second = try SessionClient(site, site.refresh(first.refresh))
        #expect(try SessionClient(site, site.refresh(client.refresh)).refresh == second.refresh)
        #expect(try SessionClient(site, site.refresh(first.refresh)).refresh == second.refresh)
        #expect(try SessionClient(site, site.refresh(second.refresh)).get("/api/me").status == 200)
    }

    @Test("using a refresh token three generations old ends the session, and its owner is mailed")
    func reuse() throws {
        let client = try site.session(of: site.person(.parent))
        let first = try SessionClient(site, site.refresh(client.refresh))
        let second = try SessionClient(site, site.refresh(first.refresh))
        let third = try SessionClient(site, site.refresh(second.refresh))
        #expect(try site.refresh(client.refresh).says(401, "session_ended"))
        for old in [client, first, second, third] {
            #expect(try old.get("/api/me").says(401, "session_ended"))
            #expect(try site.refresh(old.refresh).says(401, "session_ended"))
        }
        let mails = try Connection(site.test.settings()).query(
            """
            SELECT count(*) FROM jobs.live
            WHERE kind = 'mail.session_reused' AND payload ->> 'recipient' = \(client.user)
            """
        ).scalar(Int.self)
        #expect(mails == 1)
        let metrics = try site.exchange("GET", "/metrics")
        #expect(
            String(decoding: metrics.body, as: UTF8.self)
                .contains(/hearth_refresh_tokens_reused_total [1-9]/))
    }

    /// Dates all rotations of a session back by the given seconds.
    private func age(_ client: SessionClient, seconds: Int) throws {
        let session = try #require(SessionID(client.session)).rawValue
        try Connection(site.test.settings()).query(
            """
            UPDATE app.refresh_tokens SET issued_at = issued_at - \(seconds) * interval '1 second',
                previous_issued_at = previous_issued_at - \(seconds) * interval '1 second'
            WHERE session_id = \(session)
            """)
    }

    @Test("an unused successor is returned again during the access token's lifetime")
    func unusedSuccessor() throws {
        let client = try site.session(of: site.person(.parent))
        let next = try SessionClient(site, site.refresh(client.refresh))
        let seconds = Int(AccessTokens.lifetimeSeconds)
        try age(client, seconds: seconds - 60)
        #expect(try SessionClient(site, site.refresh(client.refresh)).refresh == next.refresh)
        try age(client, seconds: 61)
        #expect(try site.refresh(client.refresh).says(401, "session_ended"))
    }

    @Test(
        "reusing a refresh token 31 s after rotation, with its successor used, ends the session")
    func late() throws {
        let client = try site.session(of: site.person(.parent))
        let first = try SessionClient(site, site.refresh(client.refresh))
        try age(client, seconds: 31)
        _ = try SessionClient(site, site.refresh(first.refresh))
        #expect(try site.refresh(client.refresh).says(401, "session_ended"))
    }

    @Test("a forged refresh token ends no session")
    func forgedRefreshTokens() throws {
        let client = try site.session(of: site.person(.parent))
        let other = try site.session(of: site.person(.parent))
        var flipped = Array(client.refresh)
        flipped[40] = flipped[40] == "A" ? "B" : "A"
        let crossed = other.refresh.prefix(22) + client.refresh.dropFirst(22)
        for token in ["", "x", String(flipped), String(crossed), client.access] {
            #expect(try site.refresh(token).says(401, "invalid_refresh_token"), "\(token)")
            #expect(try site.signOut(token).says(401, "invalid_refresh_token"), "\(token)")
        }
        #expect(try client.get("/api/me").status == 200)
        #expect(try site.refresh(client.refresh).status == 200)
    }

    @Test("a session's tokens are refused from the next request after signing out")
    func signOut() throws {
        let person = try site.person(.parent)
        let client = try site.session(of: person)
        let other = try site.session(of: person)
        #expect(try site.signOut(client.refresh).status == 200)
        let refused = try client.get("/api/me")
        #expect(refused.says(401, "session_ended") && refused.headers["www-authenticate"] != nil)
        #expect(try site.refresh(client.refresh).says(401, "session_ended"))
        #expect(try site.signOut(client.refresh).status == 200)
        #expect(try other.get("/api/me").status == 200)
        #expect(try person.get("/api/me").status == 200)
    }

    @Test("sessions are listed; one session, or all but the current one, can be ended")
    func list() throws {
        let person = try site.person(.parent)
        let (phone, laptop) = (
            try site.session(of: person, device: "Phone"), try site.session(of: person)
        )
        let stranger = try site.session(of: site.person(.parent))
        let listed = try phone.get("/api/me/sessions").json["sessions"].elements()
        let ids = try listed.map { try $0["id"].string() }
        #expect(Set(ids) == [phone.session, laptop.session])
        for entry in listed {
            let isPhone = try entry["id"].string() == phone.session
            #expect(try entry["isCurrent"].bool() == isPhone)
            let device = try entry["device"].ifPresent?.string()
            #expect(device == (isPhone ? "Phone" : nil))
            #expect(try entry["issuer"].string() == Person.issuer)
        }
        #expect(
            try phone.delete("/api/me/sessions/\(stranger.session)").says(404, "session_not_found"))
        #expect(try phone.delete("/api/me/sessions/\(laptop.session)").status == 200)
        #expect(try laptop.get("/api/me").says(401, "session_ended"))
        #expect(
            try phone.delete("/api/me/sessions/\(laptop.session)").says(404, "session_not_found"))
        let tablet = try site.session(of: person)
        #expect(try tablet.delete("/api/me/sessions").status == 200)
        #expect(try phone.get("/api/me").says(401, "session_ended"))
        #expect(try tablet.get("/api/me").status == 200)
        #expect(try stranger.get("/api/me").status == 200)
        // Another issuer's token belongs to no session, so all of them end.
        #expect(try person.delete("/api/me/sessions").status == 200)
        #expect(try tablet.get("/api/me").says(401, "session_ended"))
    }

    @Test("a session can act for its account's own child, and for no other child")
    func acting() throws {
        let home = try site.home()
        let child = try home.child(of: home.admin)
        let client = try site.session(of: home.admin)
        let own = try client.send(
            "GET", "/api/me", headers: ["X-Acting-As-Member": child])
        #expect(own.status == 200 && own.text("id") == child)
        let stranger = try site.session(of: home.adult)
        let refused = try stranger.send(
            "GET", "/api/me", headers: ["X-Acting-As-Member": child])
        #expect(refused.says(403, "acting_refused"))
        let managing = try client.send(
            "DELETE", "/api/me/sessions", headers: ["X-Acting-As-Member": child])
        #expect(managing.says(403, "not_while_acting"))
    }

    @Test("an account's sessions beyond a hundred end, those unused for longest first")
    func many() throws {
        let person = try site.person(.parent)
        let first = try site.session(of: person)
        let user = try #require(UserID(first.user)).rawValue
        try Connection(site.test.settings()).query(
            """
            INSERT INTO app.sessions (id, user_id, method, last_used_at, ends_at)
            SELECT gen_random_uuid(), \(user), 'email', now() + interval '1 second',
                now() + interval '1 day' FROM generate_series(1, 99)
            """)
        #expect(try first.get("/api/me").status == 200)
        let newest = try site.session(of: person)
        #expect(try first.get("/api/me").says(401, "session_ended"))
        let listed = try newest.get("/api/me/sessions").json["sessions"].elements()
        #expect(listed.count == 100)
    }

    @Test("public keys and issuer metadata are served")
    func metadata() throws {
        let keys = try site.send("GET", "/.well-known/jwks.json")
        #expect(try JSONWebKeySet(parsing: keys.body).keys.count == 1)
        let metadata = try site.send("GET", "/.well-known/oauth-authorization-server")
        #expect(metadata.text("issuer") == Site.publicURL)
        #expect(metadata.text("jwks_uri") == Site.publicURL + "/.well-known/jwks.json")
    }

    @Test("the routes answer 404 without signing keys, or if their sign-in method is disabled")
    func off() throws {
        let plain = try Site(signIn: nil)
        let person = try plain.person(.parent)
        let bodies = [
            "exchange": #"{"token": "\#(person.token)"}"#,
            "refresh": #"{"refresh_token": "x"}"#, "sign-out": #"{"refresh_token": "x"}"#,
        ]
        for (path, body) in bodies {
            #expect(
                try plain.send("POST", "/api/auth/\(path)", body: body).says(404, "not_found"))
        }
        #expect(try plain.send("GET", "/.well-known/jwks.json").says(404, "not_found"))
        let signIn = try SigningFile.services([.email])
        let partly = try Site(signIn: signIn)
        let body = #"{"token": "\#(try partly.person(.parent).token)"}"#
        #expect(
            try partly.send("POST", "/api/auth/exchange", body: body).says(404, "not_found"))
        #expect(try partly.refresh("x").says(401, "invalid_refresh_token"))
    }
}
