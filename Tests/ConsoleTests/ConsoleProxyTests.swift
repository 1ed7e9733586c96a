import Foundation
import MailSupport
import Postgres
import TestSupport
import Testing

@Suite("Signing in to the console through a trusted proxy")
struct ConsoleProxyTests {
    let site: ConsoleSite

    init() throws { site = try ConsoleSite(hasProxy: true) }

    private static let nameHeader = ConsoleSite.proxyHeader
    private static let secretHeader = "X-Hearth-Proxy-Secret"
    private static let timeHeader = "X-Hearth-Proxy-Auth-Time"

    /// Lets the proxy send its headers with each request of a browser.
    private func send(
        _ name: String?, signedIn: Int64? = nil, secret: String? = ConsoleSite.proxySecret,
        with browser: ConsoleBrowser
    ) {
        browser.peer = ConsoleSite.proxyAddress
        let headers = [
            (Self.nameHeader, name), (Self.secretHeader, secret),
            (Self.timeHeader, signedIn.map { "\($0)" }),
        ]
        browser.proxyHeaders = headers.compactMap { name, value in
            value.map { (name: name, value: $0) }
        }
    }

    /// A browser behind the proxy, in which nobody has signed in to the console.
    private func browser(
        named name: String?, signedIn: Int64? = nil, secret: String? = ConsoleSite.proxySecret
    ) -> ConsoleBrowser {
        let browser = ConsoleBrowser(site)
        send(name, signedIn: signedIn, secret: secret, with: browser)
        return browser
    }

    /// A browser that the proxy has signed in.
    private func signedIn(_ name: String, at time: Int64? = nil) throws -> ConsoleBrowser {
        let browser = browser(named: name, signedIn: time)
        let entered = try browser.open("/sign-in")
        try #require(entered.status == 303, "\(entered)")
        let kept = try browser.open(try #require(entered.location))
        try #require(kept.status == 303 && kept.location == "/", "\(kept)")
        return browser
    }

    private var now: Int64 { Int64(Date().timeIntervalSince1970) }

    private func sessions() throws -> Int {
        try site.scalar("SELECT count(*)::integer FROM app.console_sessions")
    }

    @Test("the operator whom the proxy names is signed in, and led back to the requested page")
    func enters() throws {
        let browser = browser(named: " Sue@Example.COM ")
        let first = try browser.open("/audit?action=user.block")
        #expect(first.status == 303)
        let entered = try browser.open(try #require(first.location))
        #expect(entered.status == 303)
        let kept = try browser.open(try #require(entered.location))
        #expect(kept.status == 303 && kept.location == "/audit?action=user.block")
        let cookie = try #require(entered.header("Set-Cookie"))
        #expect(cookie.hasPrefix("__Host-hearth-console="))
        for word in ["HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=43200"] {
            #expect(cookie.contains(word), "\(word)")
        }
        let page = try browser.open("/")
        #expect(page.status == 200 && page.says("sue@example.com") && page.says("support"))
        #expect(try site.audit() == ["operator.sign_in operator:sue@example.com"])
        let method: String = try site.scalar(
            "SELECT details ->> 'method' FROM app.audit_log WHERE action = 'operator.sign_in'")
        #expect(method == "proxy")
    }

    @Test("a name without the secret, or from another address, is ignored, and few are logged")
    func spoofed() throws {
        let wrong = [
            nil, "", "x", String(ConsoleSite.proxySecret.dropLast()),
            ConsoleSite.proxySecret + "s", String(repeating: "t", count: 40),
        ]
        for secret in wrong {
            let browser = browser(named: "root@example.com", secret: secret)
            let page = try browser.open("/sign-in")
            #expect(page.status == 200 && page.alert == nil && browser.cookies.isEmpty)
            #expect(try browser.open("/people").status == 303)
        }
        let twice = browser(named: "root@example.com")
        twice.proxyHeaders.append((Self.secretHeader, ConsoleSite.proxySecret))
        #expect(try twice.open("/sign-in").status == 200)
        for peer in ["127.0.0.1", "127.0.0.3"] {
            let browser = browser(named: "root@example.com", signedIn: now)
            browser.peer = peer
            #expect(try browser.open("/sign-in").status == 200)
            #expect(browser.cookies.isEmpty)
        }
        #expect(try sessions() == 0 && site.audit().isEmpty)
        let lines = site.logged.all
        // At most one a minute; on a busy machine the test may take longer than that.
        #expect((1...2).contains(lines.count), "\(lines)")
        #expect(lines.allSatisfy { $0.contains("was ignored") && !$0.contains("root@") })
        #expect(lines.allSatisfy { !$0.contains(ConsoleSite.proxySecret) })
    }

    @Test("headers that contradict themselves or are malformed are refused with the reason")
    func malformed() throws {
        let twice = browser(named: "root@example.com")
        twice.proxyHeaders.append((Self.nameHeader, "sue@example.com"))
        let same = browser(named: "root@example.com")
        same.proxyHeaders.append((Self.nameHeader, "root@example.com"))
        let times = browser(named: "root@example.com", signedIn: now)
        times.proxyHeaders.append((Self.timeHeader, "\(now)"))
        let word = browser(named: "root@example.com")
        word.proxyHeaders.append((Self.timeHeader, "yesterday"))
        let cases = [
            (twice, "\(Self.nameHeader) more than once"),
            (same, "\(Self.nameHeader) more than once"),
            (browser(named: "root@example.com, sue@example.com"), "contains no e-mail address"),
            (browser(named: "root"), "contains no e-mail address"),
            (times, "\(Self.timeHeader) more than once"), (word, "no seconds since 1970"),
        ]
        for (browser, sentence) in cases {
            let page = try browser.open("/sign-in")
            #expect(page.status == 403, "\(sentence)")
            #expect(page.alert?.contains(sentence) == true, "\(page)")
            #expect(browser.cookies.isEmpty)
        }
        #expect(try sessions() == 0)
    }

    @Test("a person who is no longer an operator, never was one, or is blocked is not signed in")
    func strangers() throws {
        try site.asOperator { try $0.removeOperator($0.user("vic@example.com").id) }
        try site.block(ConsoleSite.sue)
        let names = [
            "ann.fisher@example.com", "no@example.com", "vic@example.com", "sue@example.com",
        ]
        for name in names {
            let browser = browser(named: name)
            let page = try browser.open("/sign-in")
            #expect(page.status == 403 && browser.cookies.isEmpty, "\(name)")
            #expect(page.alert?.contains("not the address of an operator") == true, "\(page)")
        }
        #expect(try sessions() == 0 && site.audit().isEmpty)
    }

    @Test("a session is valid only while the proxy names its operator")
    func followed() throws {
        let browser = try signedIn("root@example.com")
        #expect(try browser.open("/").says("root@example.com"))
        send(nil, with: browser)
        #expect(try browser.open("/").status == 303)
        send("root@example.com", secret: "x", with: browser)
        #expect(try browser.open("/").status == 303)
        send("root@example.com", with: browser)
        browser.peer = "127.0.0.1"
        #expect(try browser.open("/").status == 303)
        send("root@example.com", with: browser)
        #expect(try browser.open("/").status == 200)
        #expect(try sessions() == 1)
        // The proxy names another operator: the session ends, and the other one gets a new one.
        let cookies = browser.cookies
        send("sue@example.com", with: browser)
        #expect(try browser.open("/").status == 303)
        #expect(try sessions() == 0)
        #expect(try browser.open("/sign-in").status == 303)
        #expect(try browser.open("/").says("sue@example.com"))
        let former = self.browser(named: "root@example.com")
        former.cookies = cookies
        #expect(try former.open("/").status == 303)
    }

    @Test("a session opened with a link stays valid if the proxy names somebody else or nobody")
    func otherWays() throws {
        let browser = try site.browser(of: "vic@example.com")
        for name in ["root@example.com", "no@example.com", nil] {
            send(name, with: browser)
            #expect(try browser.open("/").says("vic@example.com"))
        }
    }

    @Test("signing out of a link's session does not sign in the operator whom the proxy names")
    func signOutOfOtherWays() throws {
        for name in ["root@example.com", "no@example.com", "nobody"] {
            let browser = try site.browser(of: "vic@example.com")
            send(name, with: browser)
            let left = try browser.send("/sign-out", from: browser.open("/"))
            #expect(left.status == 303 && browser.cookies.isEmpty)
            let last = try browser.open(try #require(left.location))
            #expect(last.status == (name == "nobody" ? 403 : 200), "\(last)")
            #expect(browser.cookies.isEmpty, "\(name)")
        }
        #expect(try sessions() == 0)
    }

    @Test("only a navigation signs in at once; any other request gets a button that signs in")
    func button() throws {
        for headers in [
            [:], ["Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"],
            ["Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"],
            ["Sec-Fetch-Mode": "navigate"],
        ] as [[String: String]] {
            let browser = browser(named: "sue@example.com")
            browser.pageHeaders = headers
            let page = try browser.open("/sign-in?return=%2Fpeople")
            #expect(page.status == 200 && browser.cookies.isEmpty, "\(headers): \(page)")
            #expect(try sessions() == 0)
            browser.formHeaders = ["Sec-Fetch-Site": "cross-site", "Origin": "https://evil.test"]
            #expect(try browser.send("/sign-in/proxy", from: page).status == 403)
            browser.formHeaders = ["Sec-Fetch-Site": "same-origin", "Origin": "null"]
            let entered = try browser.send("/sign-in/proxy", from: page)
            #expect(entered.status == 303, "\(entered)")
            let kept = try browser.open(try #require(entered.location))
            #expect(kept.location == "/people", "\(kept)")
            #expect(try browser.open("/people").status == 200)
            try site.asOwner("DELETE FROM app.console_sessions")
        }
        let nobody = browser(named: nil)
        #expect(try nobody.post("/sign-in/proxy", [:]).location == "/sign-in")
        #expect(try sessions() == 0)
    }

    @Test("a browser that drops the cookie gets a page that says so, instead of a redirect loop")
    func droppedCookie() throws {
        let browser = browser(named: "sue@example.com")
        var page = try browser.open("/people")
        var redirects = 0
        while let next = page.location, redirects < 10 {
            browser.cookies = [:]
            page = try browser.open(next)
            redirects += 1
        }
        #expect(page.status == 403 && page.alert?.contains("not sent its cookie back") == true)
        #expect(redirects <= 2)
        #expect(try sessions() == 1)
    }

    @Test("an operator has at most 20 sessions through the proxy, and the oldest ends first")
    func bound() throws {
        let first = try signedIn("sue@example.com")
        let other = try signedIn("root@example.com")
        var last = first
        for _ in 0..<20 { last = try signedIn("sue@example.com") }
        let count: Int = try site.scalar(
            """
            SELECT count(*)::integer FROM app.console_sessions
            WHERE user_id = \(ConsoleSite.sue)::uuid
            """)
        #expect(count == 20)
        #expect(try first.open("/").status == 303)
        #expect(try last.open("/").status == 200 && other.open("/").status == 200)
    }

    @Test("successful sign-ins count as attempts too")
    func countedSuccesses() throws {
        let browser = browser(named: "sue@example.com")
        var last: ConsolePage?
        for _ in 0..<40 {
            browser.cookies = [:]
            last = try browser.open("/sign-in")
        }
        #expect(last?.status == 403 && last?.alert?.contains("Too many attempts") == true)
        #expect(try sessions() <= 20)
    }

    @Test("a session ends when its operator is removed or blocked, and the proxy opens no other")
    func ends() throws {
        let sue = try signedIn("sue@example.com")
        #expect(try sue.open("/").status == 200)
        try site.block(ConsoleSite.sue)
        #expect(try sue.open("/").status == 303)
        #expect(try sue.open("/sign-in").status == 403)
        let vic = try signedIn("vic@example.com")
        try site.asOperator { try $0.removeOperator($0.user("vic@example.com").id) }
        #expect(try vic.open("/").status == 303)
        #expect(try vic.open("/sign-in").status == 403)
    }

    @Test("erasing needs a time from the proxy that shows a sign-in within the last ten minutes")
    func freshSignIn() throws {
        let browser = try signedIn("root@example.com", at: now - 30)
        let path = "/people/\(ConsoleSite.bo)/erase"
        #expect(try browser.open(path).status == 200)
        let fields = ["form_token": try browser.formToken(), "id": ConsoleSite.bo]
        for time in [nil, now - 601, now - 86_400, now + 60, 0, Int64.max] as [Int64?] {
            send("root@example.com", signedIn: time, with: browser)
            for page in [try browser.open(path), try browser.post(path, fields)] {
                #expect(page.status == 403, "\(String(describing: time))")
                #expect(page.alert?.contains("a sign-in of the last ten minutes") == true)
            }
            // Operations that need no fresh sign-in stay possible.
            #expect(try browser.open("/people/\(ConsoleSite.bo)").status == 200)
            #expect(try !browser.open("/passkeys").says("data-passkey=\"create\""))
            let confirmation = try browser.open("/confirm?return=%2Fpasskeys")
            #expect(confirmation.status == 403 && confirmation.says(Self.timeHeader))
        }
        send("root@example.com", signedIn: now - 300, with: browser)
        #expect(try browser.open("/passkeys").says("data-passkey=\"create\""))
        let done = try browser.perform(path, ["id": ConsoleSite.bo])
        #expect(done.status == 303 && done.location == "/people?done=erase", "\(done)")
        #expect(try site.audit().contains("user.erase operator:root@example.com"))
    }

    @Test("a passkey proves nothing in a session that the proxy opened")
    func passkey() throws {
        let browser = try signedIn("root@example.com", at: now)
        var device = try ConsoleSignInTests.Device()
        #expect(try device.enrol(browser).status == 303)
        let own = ConsoleBrowser(site)
        #expect(try device.signIn(own).status == 303)
        let question = try own.open("/confirm")
        send("root@example.com", with: browser)
        let token = try browser.formToken()
        device.passkey.counter += 1
        let answered = try device.response(to: question)
        let page = try browser.post("/confirm", ["form_token": token, "credential": answered])
        #expect(page.status == 403 && page.says(Self.timeHeader), "\(page)")
        #expect(try browser.open("/people/\(ConsoleSite.bo)/erase").status == 403)
    }

    @Test("signing out does not sign in again before the operator asks for it")
    func signOut() throws {
        let browser = try signedIn("sue@example.com")
        let page = try browser.open("/")
        let left = try browser.send("/sign-out", from: page)
        #expect(left.status == 303 && browser.cookies.isEmpty)
        let place = try #require(left.location)
        let last = try browser.open(place)
        #expect(last.status == 200 && last.says("signed out") && last.targets.contains("/sign-in"))
        #expect(try sessions() == 0)
        #expect(try browser.open("/sign-in").status == 303)
        #expect(try sessions() == 1)
    }

    @Test("a form without a session is not signed in by the proxy's name")
    func forms() throws {
        let browser = browser(named: "root@example.com", signedIn: now)
        let page = try browser.post("/people/\(ConsoleSite.ann)/block", ["reason": "spam"])
        #expect(page.status == 303 && page.location == "/sign-in")
        #expect(try sessions() == 0 && site.audit().isEmpty)
    }

    @Test("a network with too many attempts is refused")
    func limits() throws {
        let browser = browser(named: "ann.fisher@example.com")
        var last: ConsolePage?
        for _ in 0..<40 { last = try browser.open("/sign-in") }
        #expect(last?.status == 403 && last?.alert?.contains("Too many attempts") == true)
        send("root@example.com", with: browser)
        #expect(try browser.open("/sign-in").alert?.contains("Too many attempts") == true)
    }

    @Test("a proxy's headers mean nothing if no proxy is configured")
    func off() throws {
        let plain = try ConsoleSite()
        let browser = ConsoleBrowser(plain)
        send("root@example.com", signedIn: now, with: browser)
        #expect(try browser.open("/sign-in").status == 200)
        #expect(browser.cookies.isEmpty)
    }

    @Test("the settings of a proxy are given together or not at all")
    func settings() throws {
        let all = [
            "HEARTH_CONSOLE_PROXY_HEADER": "X-Auth-Request-Email",
            "HEARTH_CONSOLE_PROXY_SECRET": ConsoleSite.proxySecret,
            "HEARTH_CONSOLE_PROXY_ADDRESSES": "10.0.0.0/8,192.0.2.7",
        ]
        #expect(try check(all).exitCode == 0)
        #expect(try check([:]).exitCode == 0)
        for name in all.keys {
            let without = try check(all.filter { $0.key != name })
            #expect(without.exitCode == 78, "\(name)")
            let lone = try check(all.filter { $0.key == name })
            #expect(lone.exitCode == 78 && lone.errors.contains("HEARTH_CONSOLE_PROXY_"))
        }
        for (name, value) in [
            ("HEARTH_CONSOLE_PROXY_HEADER", "X Auth"), ("HEARTH_CONSOLE_PROXY_HEADER", "Cookie"),
            ("HEARTH_CONSOLE_PROXY_HEADER", "X-Hearth-Proxy-Secret"),
            ("HEARTH_CONSOLE_PROXY_HEADER", "Sec-Fetch-Mode"),
            ("HEARTH_CONSOLE_PROXY_SECRET", "short"),
            ("HEARTH_CONSOLE_PROXY_ADDRESSES", "10.0.0.1/8"),
        ] {
            let wrong = try check(all.merging([name: value]) { $1 })
            #expect(wrong.exitCode == 78 && wrong.errors.contains(name), "\(wrong.errors)")
        }
    }

    /// Checks settings with `hearth-console --check-config`.
    private func check(_ more: [String: String]) throws -> (exitCode: Int32, errors: String) {
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("errors")
        try Data().write(to: file)
        let environment = [
            "HEARTH_ADMIN_DATABASE_URL": "postgresql://hearth_admin@localhost/hearth",
            "HEARTH_VIEWER_DATABASE_URL": "postgresql://hearth_viewer@localhost/hearth",
            "HEARTH_SECRET_KEY": ConsoleSite.secret,
        ]
        let program = try ChildProgram(
            ConsoleSite.program("hearth-console"), ["--check-config"],
            environment: environment.merging(more) { $1 },
            errors: try FileHandle(forWritingTo: file))
        let output = String(decoding: try program.wholeOutput(), as: UTF8.self)
        return (program.exitCode, output + (try String(contentsOf: file, encoding: .utf8)))
    }
}
