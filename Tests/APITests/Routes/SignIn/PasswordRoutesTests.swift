import Domain
import Postgres
import TestSupport
import Testing

@Suite("Routes of passwords")
struct PasswordRoutesTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private static func client() -> String {
        "10.\(Int.random(in: 0...255)).\(Int.random(in: 0...255)).1"
    }

    private static let other = "terns circle the 9 grey piers"

    private func signUp(_ email: String, _ password: String = Site.password) throws -> Answer {
        try site.auth(
            "sign-up", #"{"email": "\#(email)", "password": "\#(password)", "role": "player"}"#,
            client: Self.client())
    }

    /// Creates an account with a password; returns a session of it.
    private func account(_ email: String) throws -> SessionClient {
        let ticket = try #require(try signUp(email).text("ticket"))
        return try SessionClient(site, site.verify(ticket, site.mailed(to: email).code))
    }

    private func signIn(_ email: String, _ password: String = Site.password) throws -> Answer {
        try site.signIn(email, password, client: Self.client())
    }

    @Test("a sign-up's password is stored once the code is entered, and then signs in")
    func signedUp() throws {
        let email = Site.address()
        let ticket = try #require(try signUp(email).text("ticket"))
        #expect(try signIn(email).says(401, "invalid_credentials"))
        let client = try SessionClient(site, site.verify(ticket, site.mailed(to: email).code))
        #expect(try client.get("/api/me").text("role") == "player")
        let answer = try signIn(email)
        #expect(try answer.json["session"]["method"].string() == "password")
        #expect(try SessionClient(site, answer).user == client.user)
        #expect(try signIn(email.uppercased()).status == 200)
        #expect(try signIn(email, Site.password + " ").says(401, "invalid_credentials"))
        #expect(try signIn(Site.address()).says(401, "invalid_credentials"))
    }

    @Test("a sign-up's password is not stored if only the mailed link is opened")
    func parked() throws {
        let email = Site.address()
        _ = try signUp(email)
        let link = try site.mailed(to: email).linkToken
        let client = try SessionClient(
            site, site.auth("email/verify", #"{"linkToken": "\#(link)"}"#))
        #expect(try client.get("/api/me").text("role") == "parent")
        #expect(try signIn(email).says(401, "invalid_credentials"))
        let hashes = try Connection(site.test.settings()).query(
            "SELECT count(*) FROM app.passwords WHERE user_id = \(UserID(client.user)?.rawValue ?? 0)"
        ).scalar(Int.self)
        #expect(hashes == 0)
    }

    @Test("signing up again with a known address changes nothing and gets the same response")
    func known() throws {
        let email = Site.address()
        _ = try account(email)
        let (again, fresh) = (try signUp(email, Self.other), try signUp(Site.address()))
        #expect(again.status == fresh.status && again.body.count == fresh.body.count)
        #expect(try signIn(email, Self.other).says(401, "invalid_credentials"))
        #expect(try signIn(email).status == 200)
    }

    @Test("a weak password is refused with advice")
    func weak() throws {
        for password in ["short", "password1", "aaaaaaaaaaaa", "12345678910"] {
            let answer = try signUp(Site.address(), password)
            #expect(answer.says(400, "password_too_weak"), "\(answer)")
            #expect((answer.text("message") ?? "").count > 30)
        }
        let own = try site.auth(
            "sign-up",
            #"{"email": "ada.lovelace@example.com", "password": "ada.lovelace", "fullName": "Ada"}"#,
            client: Self.client())
        #expect(own.says(400, "password_too_weak"))
        let long = String(repeating: "gull kettle ", count: 22)
        #expect(try signUp(Site.address(), long).says(400, "password_too_weak"))
    }

    @Test("ten failures block an account's password, and a mailed code still signs in")
    func limited() throws {
        let email = Site.address()
        _ = try account(email)
        for _ in 0..<10 {
            #expect(try signIn(email, "wrong password 1").says(401, "invalid_credentials"))
        }
        let stopped = try signIn(email)
        #expect(stopped.says(429, "too_many_attempts") && stopped.headers["retry-after"] != nil)
        let ticket = try site.ticket(for: email, client: Self.client())
        #expect(try site.verify(ticket, site.mailed(to: email).code).status == 200)
        // An unknown address is blocked in the same way.
        let nobody = Site.address()
        for _ in 0..<10 { _ = try signIn(nobody) }
        #expect(try signIn(nobody).says(429, "too_many_attempts"))
    }

    @Test("thirty failures block a client's address, and successes are not counted")
    func limitedByAddress() throws {
        let (email, client) = (Site.address(), Self.client())
        _ = try account(email)
        for _ in 0..<30 {
            #expect(try site.signIn(email, Site.password, client: client).status == 200)
        }
        for _ in 0..<30 {
            let answer = try site.signIn(Site.address(), "wrong password", client: client)
            #expect(answer.status == 401)
        }
        #expect(
            try site.signIn(email, Site.password, client: client).says(429, "too_many_attempts"))
        #expect(try signIn(email).status == 200)
    }

    @Test("a mailed link resets the password once and ends every session, and the owner is mailed")
    func reset() throws {
        let email = Site.address()
        let client = try account(email)
        func forgot(_ email: String) throws -> Answer {
            try site.auth(
                "password/forgot", #"{"email": "\#(email)"}"#, client: Self.client())
        }
        func reset(_ token: String, _ password: String) throws -> Answer {
            try site.auth(
                "password/reset", #"{"token": "\#(token)", "password": "\#(password)"}"#)
        }
        #expect(try forgot(email).status == 202)
        let link = try site.mailed(to: email).linkToken
        #expect(try forgot(email).status == 202)
        let later = try site.mailed(to: email).linkToken
        #expect(try reset(link, "short").says(400, "password_too_weak"))
        #expect(try reset(link, Self.other).status == 200)
        #expect(try client.get("/api/me").says(401, "session_ended"))
        #expect(try signIn(email).says(401, "invalid_credentials"))
        #expect(try signIn(email, Self.other).status == 200)
        for token in [link, later, "x", ""] {
            #expect(try reset(token, Site.password).says(410, "code_expired"))
        }
        // A reset link can't be used to sign in.
        #expect(try forgot(email).status == 202)
        let token = try site.mailed(to: email).linkToken
        let misused = try site.auth("email/verify", #"{"linkToken": "\#(token)"}"#)
        #expect(misused.says(410, "code_expired"))
        let mails = try Connection(site.test.settings()).query(
            """
            SELECT count(*) FROM jobs.live WHERE kind = 'mail.password_changed'
                AND payload ->> 'recipient' = \(client.user)
            """
        ).scalar(Int.self)
        #expect(mails == 1)
    }

    @Test("twenty concurrent resets through one link set one password")
    func resetAtOnce() throws {
        let site = try site
        let email = Site.address()
        _ = try account(email)
        _ = try site.auth("password/forgot", #"{"email": "\#(email)"}"#, client: Self.client())
        let link = try site.mailed(to: email).linkToken
        let passwords = (0..<20).map { "harbour lamp \($0) over tin roofs" }
        let answers = try onThreads(20) { index in
            try site.auth(
                "password/reset",
                #"{"token": "\#(link)", "password": "\#(passwords[index])"}"#
            ).status
        }.map { try $0.get() }
        #expect(answers.count { $0 == 200 } == 1)
        #expect(answers.allSatisfy { $0 == 200 || $0 == 410 })
        let winner = try #require(answers.firstIndex(of: 200))
        #expect(try signIn(email, passwords[winner]).status == 200)
    }

    @Test("changing a password needs the current one, setting a first one a recent sign-in")
    func change() throws {
        let email = Site.address()
        let client = try account(email)
        let other = try SessionClient(site, signIn(email))
        func change(_ body: String) throws -> Answer {
            try site.patiently { try client.send("PUT", "/api/me/password", body) }
        }
        #expect(
            try change(#"{"newPassword": "\#(Self.other)"}"#).says(401, "invalid_credentials"))
        #expect(
            try change(#"{"currentPassword": "wrong", "newPassword": "\#(Self.other)"}"#)
                .says(401, "invalid_credentials"))
        let current = #""currentPassword": "\#(Site.password)""#
        #expect(
            try change(#"{\#(current), "newPassword": "short"}"#).says(400, "password_too_weak"))
        #expect(try change(#"{\#(current), "newPassword": "\#(Self.other)"}"#).status == 200)
        #expect(try client.get("/api/me").status == 200)
        #expect(try other.get("/api/me").says(401, "session_ended"))
        #expect(try signIn(email, Self.other).status == 200)

        let newcomer = Site.address()
        let ticket = try site.ticket(for: newcomer, client: Self.client())
        let fresh = try SessionClient(site, site.verify(ticket, site.mailed(to: newcomer).code))
        let first = #"{"newPassword": "\#(Self.other)"}"#
        let session = try #require(SessionID(fresh.session)).rawValue
        let connection = try Connection(site.test.settings())
        try connection.query(
            "UPDATE app.sessions SET signed_in_at = now() - interval '16 min' WHERE id = \(session)"
        )
        let late = try SessionClient(site, site.refresh(fresh.refresh))
        #expect(try late.send("PUT", "/api/me/password", first).says(403, "sign_in_again"))
        let set = try site.patiently { try fresh.send("PUT", "/api/me/password", first) }
        #expect(set.status == 200)
        #expect(try signIn(newcomer, Self.other).status == 200)
    }

    @Test("a password is normalised, so that composed and decomposed input are the same")
    func normalised() throws {
        let email = Site.address()
        let composed = "caf\u{E9} gull kettle 88"
        let decomposed = "cafe\u{301} gull kettle 88"
        let ticket = try #require(try signUp(email, composed).text("ticket"))
        _ = try SessionClient(site, site.verify(ticket, site.mailed(to: email).code))
        #expect(try signIn(email, decomposed).status == 200)
    }

    @Test("erasing an account ends its sessions and removes its password")
    func erased() throws {
        let email = Site.address()
        let client = try account(email)
        let connection = try Connection(site.test.settings(as: "hearth_admin"))
        let id = try #require(UserID(client.user)).rawValue
        try connection.transaction { transaction in
            try transaction.query("SELECT app.begin_operation('jo')")
            try transaction.query("SELECT app.erase_user(\(id), '{}')")
        }
        #expect(try client.get("/api/me").says(401, "session_ended"))
        #expect(try site.refresh(client.refresh).says(401, "invalid_refresh_token"))
        #expect(try signIn(email).says(401, "invalid_credentials"))
    }
}
