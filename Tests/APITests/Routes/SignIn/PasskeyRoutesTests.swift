import API
import Crypto
import Domain
import JSON
import PasskeySupport
import Postgres
import TestSupport
import Testing
import UseCases
import Credentials

@Suite("Routes of passkeys")
struct PasskeyRoutesTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private func person(_ email: String = Site.address()) throws -> SessionClient {
        let ticket = try site.ticket(for: email, client: PasskeyClient.address())
        return try SessionClient(site, site.verify(ticket, site.mailed(to: email).code))
    }

    /// Creates a person with a passkey.
    private func owner(
        _ algorithm: CredentialKey.Algorithm = .es256
    ) throws -> (SessionClient, PasskeyClient) {
        let person = try person()
        var passkey = try PasskeyClient(site, algorithm)
        let answer = try passkey.register(for: person)
        try #require(answer.status == 200, "\(answer)")
        return (person, passkey)
    }

    private func ids(_ person: SessionClient) throws -> [String] {
        try person.get("/api/me/passkeys").json["passkeys"].elements().map {
            try $0["id"].string()
        }
    }

    @Test(
        "a passkey of each algorithm is added and signs in",
        arguments: [
            CredentialKey.Algorithm.es256, .edDSA, .rs256,
        ])
    func wholeWay(_ algorithm: CredentialKey.Algorithm) throws {
        let email = Site.address()
        let person = try person(email)
        var passkey = try PasskeyClient(site, algorithm)
        let (options, _) = try PasskeyClient.options(site, "register", of: person)
        #expect(try options["rp"]["id"].string() == "family.test")
        #expect(try options["user"]["name"].string() == email)
        #expect(try options["authenticatorSelection"]["residentKey"].string() == "required")
        let added = try passkey.register(for: person, label: "Ada's phone")
        let listed = try #require(try added.json["passkeys"].elements().first)
        #expect(try listed["label"].string() == "Ada's phone")
        #expect(try listed["lastUsedAt"].ifPresent == nil)
        let signedIn = try passkey.signIn()
        #expect(try signedIn.json["session"]["method"].string() == "passkey")
        let client = try SessionClient(site, signedIn)
        #expect(client.user == person.user)
        let payload = client.access.split(separator: ".")[1]
        let claims = try JSONValue(parsing: #require(Base64URL.decode(String(payload))))
        #expect(try JSONField(claims)["amr"].elements().map { try $0.string() } == ["pop"])
        let identities = try client.get("/api/me/identities").json["identities"].elements()
        let identity = try #require(try identities.first { try $0["kind"].string() == "passkey" })
        #expect(try identity["id"].string() == listed["id"].string())
        let after = try client.get("/api/me/passkeys").json["passkeys"].elements()[0]
        #expect(try after["lastUsedAt"].ifPresent != nil)
        let (again, _) = try PasskeyClient.options(site, "register", of: client)
        let excluded = try again["excludeCredentials"].elements()
        #expect(
            try excluded.map { try $0["id"].string() } == [Base64URL.text(passkey.passkey.id)])
        let mails = try Connection(site.test.settings()).query(
            """
            SELECT count(*) FROM jobs.live WHERE kind = 'mail.passkey_added'
                AND payload ->> 'recipient' = \(client.user)
            """
        ).scalar(Int.self)
        #expect(mails == 1)
    }

    @Test("an Android app named by its certificate's fingerprint can use passkeys")
    func android() throws {
        let print = Array(repeating: "0A", count: 32).joined(separator: ":")
        let origin = "android:apk-key-hash:CgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgo"
        let apps = AndroidApp.all(of: ["test.family:\(print)"])
        #expect(apps.flatMap(\.passkeyOrigins) == [origin])
        let standard = try SigningFile.services()
        let site = try Site(
            signIn: SignInSetup(
                tokens: standard.tokens, keys: try SignInKeys([[UInt8](repeating: 9, count: 32)]),
                party: RelyingParty(
                    baseURL: Site.publicURL, origins: apps.flatMap(\.passkeyOrigins))),
            trustsLocalProxy: true)
        let email = Site.address()
        let ticket = try site.ticket(for: email, client: PasskeyClient.address())
        let person = try SessionClient(site, site.verify(ticket, site.mailed(to: email).code))
        var passkey = try PasskeyClient(site)
        passkey.passkey.origin = origin
        #expect(try passkey.register(for: person).status == 200)
        #expect(try passkey.signIn().status == 200)
        passkey.passkey.origin = origin.replacing("Cgo", with: "Cgp")
        #expect(try passkey.signIn().says(400, "passkey_invalid"))
    }

    @Test("a passkey that begins to be backed up still signs in, and its owner is mailed once")
    func backupTurnedOn() throws {
        let (person, made) = try owner()
        var passkey = made
        func mails() throws -> Int {
            try Connection(site.test.settings()).query(
                """
                SELECT count(*) FROM jobs.live WHERE kind = 'mail.passkey_synced'
                    AND payload ->> 'recipient' = \(person.user)
                """
            ).scalar(Int.self)
        }
        #expect(try passkey.signIn().status == 200)
        #expect(try mails() == 0)
        passkey.passkey.flags = 0x1D
        for _ in 0..<2 {
            #expect(try passkey.signIn().status == 200)
            #expect(try mails() == 1)
        }
        let listed = try person.get("/api/me/passkeys").json["passkeys"].elements()[0]
        #expect(try listed["isBackedUp"].bool())
        passkey.passkey.flags = 0x05
        #expect(try passkey.signIn().says(400, "passkey_invalid"))
    }

    @Test("a response with an empty user handle and unrequested extensions signs in")
    func emptyHandleAndExtensions() throws {
        let (person, made) = try owner()
        var passkey = made
        passkey.passkey.userHandle = []
        passkey.passkey.flags = 0x85
        passkey.passkey.extensions =
            CBORWriter.map([
                (.text("hmac-secret"), .bytes([UInt8](repeating: 7, count: 48)))
            ]).encoded
        let answer = try passkey.signIn()
        #expect(try SessionClient(site, answer).user == person.user)
    }

    @Test("a challenge is valid once, briefly, and for its own purpose and person")
    func challenges() throws {
        var (person, passkey) = try owner()
        passkey.passkey.counter = 2
        let (_, challenge) = try PasskeyClient.options(site, "assert")
        #expect(try passkey.answer(to: challenge).status == 200)
        #expect(try passkey.answer(to: challenge).says(410, "challenge_expired"))
        passkey.passkey.counter = 3
        #expect(try passkey.answer(to: challenge).says(410, "challenge_expired"))
        let (_, toRegister) = try PasskeyClient.options(site, "register", of: person)
        let passkeys = PasskeyService(
            try site.services.database, try SignInKeys([[UInt8](repeating: 9, count: 32)]),
            RelyingParty(baseURL: Site.publicURL)
        ) {}
        let old = try passkeys.assertion(now: 1_700_000_000).bytes
        var forged = try PasskeyClient.options(site, "assert").challenge
        forged[20] ^= 1
        let madeUp = [try [UInt8].random(count: 56), try [UInt8].random(count: 32)]
        for wrong in [toRegister, old, forged] + madeUp {
            #expect(try passkey.answer(to: wrong).says(410, "challenge_expired"))
        }
        let new = try PasskeyClient(site)
        let stranger = try self.person()
        let (_, toAssert) = try PasskeyClient.options(site, "assert")
        for wrong in [toAssert, old] {
            let answer = try new.send(new.passkey.registration(wrong), as: person)
            #expect(answer.says(410, "challenge_expired"))
        }
        #expect(
            try new.send(new.passkey.registration(toRegister), as: stranger)
                .says(410, "challenge_expired"))
        #expect(try new.send(new.passkey.registration(toRegister), as: person).status == 200)
        let other = try PasskeyClient(site)
        #expect(
            try other.send(other.passkey.registration(toRegister), as: person)
                .says(410, "challenge_expired"))
    }

    @Test("thirty concurrent responses to one challenge open one session")
    func atOnce() throws {
        let (_, passkey) = try owner()
        let (_, challenge) = try PasskeyClient.options(site, "assert")
        let answers = try onThreads(30) { index in
            var mine = passkey
            mine.passkey.counter = UInt32(index + 2)
            return try mine.answer(to: challenge).status
        }.map { try $0.get() }
        #expect(answers.count { $0 == 200 } == 1)
        #expect(answers.allSatisfy { $0 == 200 || $0 == 410 || $0 == 401 })
        let counter = try Connection(site.test.settings()).query(
            "SELECT counter FROM app.passkeys WHERE credential_id = \(PostgresBytes(passkey.passkey.id))"
        ).scalar(Int64.self)
        let winner = try #require(answers.firstIndex(of: 200))
        #expect(counter == Int64(winner + 2))
    }

    @Test("a counter that does not increase is refused and counted; the owner can still sign in")
    func counter() throws {
        var (_, passkey) = try owner()
        passkey.passkey.counter = 9
        #expect(try passkey.signIn().status == 200)
        var copy = passkey
        for counter in [UInt32(10), 4, 0] {
            copy.passkey.counter = counter
            let (_, challenge) = try PasskeyClient.options(site, "assert")
            #expect(try copy.answer(to: challenge).says(401, "passkey_refused"))
        }
        let metrics = try site.exchange("GET", "/metrics")
        #expect(
            String(decoding: metrics.body, as: UTF8.self)
                .contains(/hearth_passkeys_copied_total [2-9]/))
        passkey.passkey.counter = 20
        #expect(try passkey.signIn().status == 200)
    }

    @Test("a foreign or malformed response is refused with the reason")
    func foreign() throws {
        let (person, passkey) = try owner()
        func expect(
            _ message: String, _ change: (inout SoftPasskey) -> Void
        ) throws {
            var other = passkey
            other.passkey.counter = 50
            change(&other.passkey)
            let answer = try other.signIn()
            #expect(answer.says(400, "passkey_invalid"), "\(answer)")
            #expect(answer.text("message")?.contains(message) == true, "\(answer)")
            var new = try PasskeyClient(site)
            change(&new.passkey)
            let registered = try new.register(for: person)
            #expect(registered.says(400, "passkey_invalid"), "\(registered)")
            #expect(registered.text("message")?.contains(message) == true, "\(registered)")
        }
        try expect("origin") { $0.origin = "https://family.test.evil.example" }
        try expect("origin") { $0.origin = "https://evil.example" }
        try expect("frame") { $0.clientData = ["crossOrigin": true] }
        try expect("relying party") { $0.relyingParty = "evil.example" }
        try expect("presence") { $0.flags = 0x04 }
        try expect("clientDataJSON.type") { $0.type = "payment.get" }
        try expect("authenticatorData") { $0.extensions = [1, 2, 3] }
        for body in [
            #"{}"#, #"{"credential": 1}"#, #"{"credential": {}}"#,
            #"{"credential": {"type": "public-key", "id": "AA", "response": {}}}"#,
        ] {
            let answer = try site.send("POST", "/api/auth/passkeys/assert", body: body)
            #expect(answer.status == 400, "\(answer)")
        }
        #expect(try ids(person).count == 1)
    }

    @Test("unknown passkeys and wrong signatures get the same refusal")
    func refused() throws {
        let (_, passkey) = try owner()
        var stranger = try PasskeyClient(site)
        let unknown = try stranger.signIn()
        stranger.passkey.id = passkey.passkey.id
        let wrong = try stranger.signIn()
        var (_, other) = try owner()
        other.passkey.userHandle = passkey.passkey.userHandle
        let mixed = try other.signIn()
        for answer in [unknown, wrong, mixed] {
            #expect(answer.says(401, "passkey_refused"))
            #expect(answer.text("message") == unknown.text("message"))
        }
    }

    @Test("a passkey can be added only once, and an account has at most twenty")
    func limits() throws {
        var (person, passkey) = try owner()
        #expect(try passkey.register(for: person).says(409, "passkey_exists"))
        #expect(try passkey.register(for: self.person()).says(409, "passkey_exists"))
        for _ in 0..<19 {
            var more = try PasskeyClient(site)
            #expect(try more.register(for: person).status == 200)
        }
        var last = try PasskeyClient(site)
        #expect(try last.register(for: person).says(409, "too_many_passkeys"))
        #expect(try ids(person).count == 20)
    }

    @Test("adding a passkey requires a recent sign-in")
    func fresh() throws {
        let body = #"{"purpose": "register"}"#
        #expect(
            try site.send("POST", "/api/auth/passkeys/options", body: body)
                .says(401, "not_signed_in"))
        let person = try person()
        let (_, challenge) = try PasskeyClient.options(site, "register", of: person)
        let session = try #require(SessionID(person.session)).rawValue
        try Connection(site.test.settings()).query(
            "UPDATE app.sessions SET signed_in_at = now() - interval '16 min' WHERE id = \(session)"
        )
        let later = try SessionClient(site, site.refresh(person.refresh))
        #expect(
            try later.send("POST", "/api/auth/passkeys/options", body)
                .says(403, "sign_in_again"))
        let passkey = try PasskeyClient(site)
        #expect(
            try passkey.send(passkey.passkey.registration(challenge), as: later)
                .says(403, "sign_in_again"))
    }

    @Test("a passkey can't be removed if it is the last sign-in method or another's")
    func removed() throws {
        var (person, passkey) = try owner()
        let id = try ids(person)[0]
        #expect(
            try self.person().delete("/api/me/passkeys/\(id)").says(404, "passkey_not_found"))
        #expect(
            try person.delete("/api/me/passkeys/\(UserID.random())")
                .says(404, "passkey_not_found"))
        let identities = try person.get("/api/me/identities").json["identities"].elements()
        let email = try #require(try identities.first { try $0["kind"].string() == "email" })
        #expect(
            try person.delete("/api/me/identities/\(email["id"].string())").status == 200)
        #expect(try person.delete("/api/me/passkeys/\(id)").says(409, "last_identity"))
        #expect(try person.delete("/api/me/identities/\(id)").says(409, "last_identity"))
        #expect(try passkey.signIn().status == 200)
        var second = try PasskeyClient(site)
        #expect(try second.register(for: person).status == 200)
        #expect(try person.delete("/api/me/passkeys/\(id)").status == 200)
        #expect(try passkey.signIn().says(401, "passkey_refused"))
        #expect(try second.signIn().status == 200)
    }

    @Test("concurrent removals of an account's two passkeys leave one")
    func removedAtOnce() throws {
        let (person, _) = try owner()
        var second = try PasskeyClient(site)
        _ = try second.register(for: person)
        let identities = try person.get("/api/me/identities").json["identities"].elements()
        let email = try #require(try identities.first { try $0["kind"].string() == "email" })
        _ = try person.delete("/api/me/identities/\(email["id"].string())")
        let passkeys = try ids(person)
        let answers = try onThreads(10) { index in
            try person.delete("/api/me/passkeys/\(passkeys[index % 2])").status
        }.map { try $0.get() }
        #expect(answers.count { $0 == 200 } == 1)
        #expect(try ids(person).count == 1)
    }

    @Test("thirty wrong responses block an address; right ones are not counted")
    func limited() throws {
        var (_, passkey) = try owner()
        let client = PasskeyClient.address()
        for _ in 0..<31 { #expect(try passkey.signIn(client: client).status == 200) }
        var stranger = try PasskeyClient(site)
        for _ in 0..<30 {
            #expect(try stranger.signIn(client: client).says(401, "passkey_refused"))
        }
        let stopped = try passkey.signIn(client: client)
        #expect(stopped.says(429, "too_many_attempts") && stopped.headers["retry-after"] != nil)
        #expect(try passkey.signIn().status == 200)
    }

    @Test("a password reset keeps passkeys, an export has them, an erasure removes them")
    func account() throws {
        let email = Site.address()
        let person = try person(email)
        var passkey = try PasskeyClient(site)
        _ = try passkey.register(for: person, label: "Gull")
        _ = try site.auth(
            "password/forgot", #"{"email": "\#(email)"}"#, client: PasskeyClient.address())
        let link = try site.mailed(to: email).linkToken
        let reset = try site.auth(
            "password/reset", #"{"token": "\#(link)", "password": "\#(Site.password)"}"#)
        #expect(reset.status == 200)
        #expect(try person.get("/api/me").says(401, "session_ended"))
        let client = try SessionClient(site, passkey.signIn())
        let copy = try client.get("/api/me/export").json["passkeys"].elements()
        #expect(try copy.map { try $0["label"].string() } == ["Gull"])
        let connection = try Connection(site.test.settings(as: "hearth_admin"))
        let id = try #require(UserID(client.user)).rawValue
        try connection.transaction { transaction in
            try transaction.query("SELECT app.begin_operation('jo')")
            try transaction.query("SELECT app.erase_user(\(id), '{}')")
        }
        #expect(try passkey.signIn().says(401, "passkey_refused"))
    }

    @Test("a sign-in of an account with a passkey can't be moved to another account")
    func inUse() throws {
        let other = try site.person(.parent)
        var passkey = try PasskeyClient(site)
        #expect(try passkey.register(for: site.session(of: other)).status == 200)
        let client = try person()
        let answer = try client.send(
            "POST", "/api/me/identities", #"{"token": "\#(other.token)"}"#)
        #expect(answer.says(409, "identity_in_use"))
    }

    @Test("routes of passkeys answer 404 if passkeys are disabled, and the script is served if not")
    func switchedOff() throws {
        let ways = Set(SignInSetup.Way.allCases).subtracting([.passkey])
        let without = try Site(signIn: SigningFile.services(ways))
        for route in ["options", "assert"] {
            let answer = try without.send(
                "POST", "/api/auth/passkeys/\(route)",
                body: #"{"purpose": "assert", "credential": {}}"#)
            #expect(answer.says(404, "not_found"))
        }
        let script = try site.send("GET", "/passkeys.js")
        #expect(script.status == 200)
        #expect(script.headers["content-type"] == "text/javascript; charset=utf-8")
    }
}
