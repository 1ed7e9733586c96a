import Crypto
import Foundation
import JSON
import PasskeySupport
import Postgres
import Testing

@Suite("Signing in to the console")
struct ConsoleSignInTests {
    let site: ConsoleSite

    init() throws { site = try ConsoleSite() }

    /// A passkey for the console, and its browser.
    struct Device {
        var passkey: SoftPasskey

        init() throws {
            passkey = try SoftPasskey(relyingParty: "console.test", origin: ConsoleSite.address)
        }

        private static func challenge(_ page: ConsolePage) throws -> (JSONField, [UInt8]) {
            let options = JSONField(try JSONValue(parsing: Array(page.options().utf8)))
            let text = try options["publicKey"]["challenge"].string()
            return (try options["publicKey"], try #require(Base64URL.decode(text)))
        }

        /// Adds the passkey to the operator of a browser.
        mutating func enrol(_ browser: ConsoleBrowser) throws -> ConsolePage {
            let page = try browser.open("/passkeys")
            let (options, challenge) = try Self.challenge(page)
            passkey.userHandle = Base64URL.decode(try options["user"]["id"].string())
            return try browser.send(
                "/passkeys", from: page,
                ["credential": passkey.registration(challenge).text(), "label": "Key"])
        }

        /// Answers the challenge of a page, and sends it to a path.
        mutating func answer(
            _ page: ConsolePage, _ path: String, _ browser: ConsoleBrowser
        ) throws -> ConsolePage {
            passkey.counter += 1
            return try browser.send(
                path, from: page,
                ["credential": passkey.assertion(Self.challenge(page).1).text()])
        }

        /// The response to the challenge of a page.
        func response(to page: ConsolePage) throws -> String {
            try passkey.assertion(Self.challenge(page).1).text()
        }

        mutating func signIn(_ browser: ConsoleBrowser) throws -> ConsolePage {
            try answer(browser.open("/sign-in"), "/sign-in", browser)
        }
    }

    @Test("a page without a session redirects to sign-in with its path, and a form changes nothing")
    func nobody() throws {
        let browser = ConsoleBrowser(site)
        let page = try browser.open("/audit?action=user.block")
        #expect(page.status == 303)
        #expect(page.location == "/sign-in?return=%2Faudit%3Faction%3Duser.block")
        let refused = try browser.post("/people/\(ConsoleSite.ann)/block", ["reason": "spam"])
        #expect(refused.status == 303 && refused.location == "/sign-in")
        #expect(try site.audit().isEmpty)
    }

    @Test("a link signs in once, and opening it alone changes nothing")
    func link() throws {
        let path = try site.link(for: "vic@example.com")
        let browser = ConsoleBrowser(site)
        for _ in 0..<3 {
            let page = try browser.open(path)
            #expect(page.status == 200 && page.says("vic@example.com"))
        }
        let page = try browser.open(path)
        let entered = try browser.send("/link", from: page)
        #expect(entered.status == 303 && entered.location == "/passkeys?new=1")
        let cookie = try #require(entered.header("Set-Cookie"))
        #expect(cookie.hasPrefix("__Host-hearth-console="))
        for word in ["HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=43200"] {
            #expect(cookie.contains(word), "\(word)")
        }
        #expect(try browser.open("/").status == 200)
        let other = ConsoleBrowser(site)
        #expect(try other.send("/link", from: page).status == 410)
        #expect(try other.open(path).status == 410)
        #expect(try site.audit() == ["operator.sign_in operator:vic@example.com"])
    }

    @Test("a console on this machine sets a cookie without the prefix __Host- and without Secure")
    func loopback() throws {
        let local = try ConsoleSite(address: "http://localhost:8090")
        let browser = ConsoleBrowser(local)
        let page = try browser.open(local.link(for: "vic@example.com"))
        let cookie = try #require(try browser.send("/link", from: page).header("Set-Cookie"))
        #expect(cookie.hasPrefix("hearth-console=") && !cookie.contains("Secure"))
    }

    @Test("a link that has expired, or whose operator was removed, does not sign in")
    func expired() throws {
        let path = try site.link(for: "vic@example.com")
        try site.asOwner("UPDATE app.console_links SET expires_at = now() - interval '1 s'")
        #expect(try ConsoleBrowser(site).open(path).status == 410)
        let other = try site.link(for: "vic@example.com")
        try site.asOperator { try $0.removeOperator($0.user("vic@example.com").id) }
        #expect(try ConsoleBrowser(site).open(other).status == 410)
    }

    @Test("a passkey that was added after signing in with a link signs in")
    func passkey() throws {
        let first = try site.browser(of: "root@example.com")
        var device = try Device()
        #expect(try device.enrol(first).status == 303)
        #expect(try first.open("/passkeys").says("Key"))
        let browser = ConsoleBrowser(site)
        let entered = try device.signIn(browser)
        #expect(entered.status == 303 && entered.location == "/", "\(entered)")
        #expect(try browser.open("/").says("root@example.com"))
        let labels = try site.audit()
        #expect(
            labels == [
                "operator.sign_in operator:root@example.com",
                "operator.passkey_add operator:root@example.com",
                "operator.sign_in operator:root@example.com",
            ])
    }

    @Test("a response that was used, made for the app or given without user verification gets 403")
    func refusedAnswers() throws {
        let first = try site.browser(of: "root@example.com")
        var device = try Device()
        #expect(try device.enrol(first).status == 303)
        let browser = ConsoleBrowser(site)
        let page = try browser.open("/sign-in")
        #expect(try device.answer(page, "/sign-in", browser).status == 303)
        let again = try device.answer(page, "/sign-in", ConsoleBrowser(site))
        #expect(again.status == 403 && again.alert?.contains("sent before") == true)
        device.passkey.flags = 0x01
        #expect(try device.signIn(ConsoleBrowser(site)).status == 403)
        device.passkey.flags = 0x05
        device.passkey.origin = "https://family.test"
        #expect(try device.signIn(ConsoleBrowser(site)).status == 403)
        device.passkey.origin = ConsoleSite.address
        #expect(try device.signIn(ConsoleBrowser(site)).status == 303)
        var stranger = try Device()
        #expect(try stranger.signIn(ConsoleBrowser(site)).status == 403)
    }

    @Test("a session ends at once on sign-out, on expiry, and when the operator role is revoked")
    func ends() throws {
        let browser = try site.browser(of: "sue@example.com")
        let stolen = ConsoleBrowser(site)
        stolen.cookies = browser.cookies
        #expect(try stolen.open("/").status == 200)
        let page = try browser.open("/")
        #expect(try browser.send("/sign-out", from: page).status == 303)
        #expect(browser.cookies.isEmpty)
        #expect(try stolen.open("/").status == 303)
        let second = try site.browser(of: "sue@example.com")
        try site.asOwner("UPDATE app.console_sessions SET ends_at = now()")
        #expect(try second.open("/").status == 303)
        let third = try site.browser(of: "sue@example.com")
        #expect(try third.open("/").status == 200)
        try site.asOperator { try $0.removeOperator($0.user("sue@example.com").id) }
        #expect(try third.open("/").status == 303)
    }

    @Test("a session's token is stored as its hash")
    func hashes() throws {
        let browser = try site.browser(of: "sue@example.com")
        let token = try #require(browser.cookies.values.first)
        let hash = SHA256Digest(of: token).hex
        let count: Int = try site.scalar(
            "SELECT count(*) FROM app.console_sessions WHERE encode(token_hash, 'hex') = \(hash)")
        #expect(count == 1)
    }

    @Test("adding or removing a passkey requires a fresh sign-in or re-authentication")
    func staleProof() throws {
        let browser = try site.browser(of: "root@example.com")
        var device = try Device()
        #expect(try device.enrol(browser).status == 303)
        let page = try browser.open("/passkeys")
        try site.asOwner(
            "UPDATE app.console_sessions SET proved_at = now() - interval '11 minutes'")
        let stale = try browser.open("/passkeys")
        #expect(stale.says("confirm that it is you") && !stale.says("data-passkey=\"create\""))
        let path = try #require(page.targets.first { $0.hasSuffix("/remove") })
        let removed = try browser.send(path, from: page)
        #expect(removed.status == 409 && removed.says("sign_in_again"))
        let question = try browser.open("/confirm?return=%2Fpasskeys")
        let confirmed = try device.answer(question, "/confirm", browser)
        #expect(confirmed.status == 303 && confirmed.location == "/passkeys", "\(confirmed)")
        #expect(try browser.open("/passkeys").says("data-passkey=\"create\""))
        #expect(try browser.send(path, from: page).status == 303)
    }

    @Test("re-authentication with the passkey of another operator gets 403")
    func othersProof() throws {
        let sue = try site.browser(of: "sue@example.com")
        let root = try site.browser(of: "root@example.com")
        var (devices, others) = (try Device(), try Device())
        #expect(try devices.enrol(sue).status == 303)
        #expect(try others.enrol(root).status == 303)
        let question = try sue.open("/confirm")
        #expect(try others.answer(question, "/confirm", sue).status == 403)
    }

    @Test("too many passkey attempts from one client are refused")
    func limits() throws {
        let browser = ConsoleBrowser(site)
        var stranger = try Device()
        var statuses: [String] = []
        for _ in 0..<40 {
            let page = try stranger.signIn(browser)
            #expect(page.status == 403)
            statuses.append(page.alert ?? "")
        }
        #expect(statuses.first?.contains("not known") == true)
        #expect(statuses.last?.contains("Too many attempts") == true)
    }

    @Test("a page can't be framed, loads content only from the console itself, and is not cached")
    func headers() throws {
        let page = try site.browser(of: "vic@example.com").open("/")
        #expect(page.header("Cache-Control") == "no-store")
        #expect(page.header("Referrer-Policy") == "no-referrer")
        let policy = try #require(page.header("Content-Security-Policy"))
        for rule in [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "form-action 'self'",
            "frame-ancestors 'none'", "base-uri 'none'",
        ] {
            #expect(policy.contains(rule), "\(rule)")
        }
        #expect(!page.says(" style=") && !page.says("onclick"))
    }
}
