import Domain
import JSON
import Postgres
import Synchronization
import TestSupport
import Testing
import UseCases

@Suite("Events in the log of sign-ins")
struct SignInLogTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private static let browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0"

    /// The rows of an account, oldest first: kind, way, browser and network.
    private func rows(_ user: String) throws -> [String] {
        let site = try site
        #expect(site.services.signInLog.flush(timeoutSeconds: 60))
        return try Connection(site.test.settings()).query(
            """
            SELECT concat_ws(' ', kind, way, browser, network) FROM app.sign_ins_log
            WHERE user_id = \(user)::uuid ORDER BY at, id
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
    }

    private func send(
        _ route: String, _ body: String, token: String? = nil, method: String = "POST",
        from client: String
    ) throws -> Answer {
        try site.patiently {
            try site.send(
                method, route, token: token, body: body,
                headers: ["X-Forwarded-For": client, "User-Agent": Self.browser])
        }
    }

    @Test("sign-ins, failed attempts, changes of the password and sign-outs are recorded")
    func events() throws {
        let site = try site
        let email = Site.address()
        let client = "10.\(Int.random(in: 0...255)).\(Int.random(in: 0...255)).7"
        let network = client.replacing(/\.7$/, with: ".0/24")
        let ticket = try site.ticket(for: email, client: client)
        let code = try site.mailed(to: email).code
        let wrong = code == "000000" ? "000001" : "000000"
        func verify(_ code: String) throws -> Answer {
            try send(
                "/api/auth/email/verify", #"{"ticket": "\#(ticket)", "code": "\#(code)"}"#,
                from: client)
        }
        // The account does not exist when this attempt is written, so it belongs to no account.
        #expect(try verify(wrong).says(400, "code_wrong"))
        #expect(site.services.signInLog.flush(timeoutSeconds: 60))
        let session = try SessionClient(site, verify(code))
        let set = try send(
            "/api/me/password", #"{"newPassword": "\#(Site.password)"}"#, token: session.access,
            method: "PUT", from: client)
        #expect(set.status == 200, "\(set)")
        func signIn(_ password: String, _ address: String) throws -> Answer {
            try send(
                "/api/auth/sign-in", #"{"email": "\#(address)", "password": "\#(password)"}"#,
                from: client)
        }
        #expect(try signIn("not the password", email).status == 401)
        #expect(try signIn("not the password", Site.address()).status == 401)
        let second = try SessionClient(site, signIn(Site.password, email))
        let out = try send(
            "/api/auth/sign-out", #"{"refresh_token": "\#(second.refresh)"}"#, from: client)
        #expect(out.status == 200)
        let end = " Firefox, Linux \(network)"
        #expect(
            try rows(session.user) == [
                "sign_in email" + end, "password_change" + end, "failed password" + end,
                "sign_in password" + end, "sign_out" + end,
            ])
        let total = try Connection(site.test.settings()).query(
            "SELECT count(*) FROM app.sign_ins_log WHERE network = \(network)"
        ).scalar(Int.self)
        #expect(total == 5)
    }

    @Test("sign-ins and their log use connections of their own, which are counted in the metrics")
    func ownConnections() throws {
        let site = try Site(signIn: SigningFile.services())
        func attempt() throws -> Answer {
            try site.patiently {
                try site.send(
                    "POST", "/api/auth/sign-in",
                    body: #"{"email": "\#(Site.address())", "password": "not the password"}"#)
            }
        }
        #expect(try attempt().status == 401)
        #expect(site.services.signInLog.flush(timeoutSeconds: 60))
        #expect(site.signInPool.statistics.opened == 1)
        try site.signInPool.withConnection { _ in
            let metrics = String(
                decoding: try site.exchange("GET", "/metrics").body, as: UTF8.self)
            let answer = try attempt()
            #expect(metrics.contains("\nhearth_pool_in_use 1\n") && answer.status == 401)
        }
    }

    @Test("exchanging another issuer's token and signing out are recorded, other requests are not")
    func exchange() throws {
        let site = try site
        let person = try site.person(.parent)
        let session = try site.session(of: person)
        _ = try person.get("/api/me")
        _ = try person.delete("/api/me/sessions")
        let kinds = try rows(session.user).map { $0.prefix { $0 != " " } }
        #expect(kinds == ["sign_in", "sign_out"])
    }

    @Test("the export contains the log, and an erasure deletes it")
    func exportAndErasure() throws {
        let site = try site
        let person = try site.person(.parent)
        let session = try site.session(of: person)
        #expect(try rows(session.user).count == 1)
        let export = try session.get("/api/me/export").json
        #expect(try export["signInLog"].elements().map { try $0["kind"].string() } == ["sign_in"])
        #expect(try session.delete("/api/me").status == 200)
        #expect(try rows(session.user) == [])
        let left = try Connection(site.test.settings()).query(
            """
            SELECT count(*) FROM app.sign_ins_log AS l
            WHERE NOT EXISTS (SELECT FROM app.users AS u WHERE u.id = l.user_id)
            """
        ).scalar(Int.self)
        #expect(left == 0)
    }

    @Test("the account page lists the events in the reader's language")
    func page() throws {
        let site = try site
        let email = Site.address()
        for (language, title, text) in [
            ("en", "Latest sign-ins", "Signed in: Code by email"),
            ("es", "Últimos inicios de sesión", "Inicio de sesión: Código por correo"),
        ] {
            let browser = PageBrowser(site)
            browser.language = language
            browser.agent = Self.browser
            let sent = try browser.press("code", on: browser.open("/sign-in"), ["email": email])
            _ = try browser.press("verify", on: sent, ["code": site.mailed(to: email).code])
            #expect(site.services.signInLog.flush(timeoutSeconds: 60))
            let page = try browser.open("/account")
            #expect(page.says(title) && page.says(text), "\(page)")
            #expect(page.says("Firefox, Linux"))
        }
    }

    @Test("events that can't be written are counted as lost, and don't delay shutdown")
    func away() throws {
        let settings = try ConnectionSettings(url: "host=127.0.0.1 port=1 user=nobody")
        let lost = LostEvents()
        let log = SignInLog(Pool(settings), onDrop: { lost.add($0) }, onFailure: { _ in })
        let client = SignInLog.Client(
            ClientAddress(address: "192.0.2.7", network: "192.0.2.0/24"), browser: nil)
        for _ in 0..<(SignInLog.limit + 3) {
            log.add(.signIn, by: .email, of: .account(.random()), from: client)
        }
        #expect(lost.counts == [1, 1, 1])
        log.stop(deadlineSeconds: 0.1)
        #expect(lost.counts.last == SignInLog.limit)
    }
}

/// Collects the numbers of lost events.
private final class LostEvents: Sendable {
    private let values = Mutex<[Int]>([])
    func add(_ count: Int) { values.withLock { $0.append(count) } }
    var counts: [Int] { values.withLock { $0 } }
}
