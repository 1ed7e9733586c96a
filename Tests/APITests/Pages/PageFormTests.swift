import Postgres
import TestSupport
import Testing

@testable import API

@Suite("Forms and cookie of pages")
struct PageFormTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    /// Signs in with a mailed code; returns the account page.
    private func member(of site: Site, _ browser: PageBrowser) throws -> BrowserPage {
        let email = Site.address()
        let page = try browser.press("code", on: browser.open("/sign-in"), ["email": email])
        return try browser.press("verify", on: page, ["code": site.mailed(to: email).code])
    }

    @Test("the cookie is HttpOnly, Secure and limited to this site")
    func cookie() throws {
        let page = try PageBrowser(site).openOnly("/sign-in")
        let visitor = try #require(page.header("Set-Cookie"))
        #expect(visitor.hasPrefix("__Host-hearth=v"))
        #expect(visitor.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure"))
        let local = try Site(
            public: .init(baseURL: "http://127.0.0.1:8080"), trustsLocalProxy: true)
        let plain = try PageBrowser(local).openOnly("/sign-in").header("Set-Cookie")
        #expect(plain?.hasPrefix("hearth=v") == true && plain?.contains("Secure") == false)
    }

    @Test("pages with forms post only to this site, allow no inline code and are not stored")
    func headers() throws {
        let site = try site
        let browser = PageBrowser(site)
        _ = try member(of: site, browser)
        for path in ["/account", "/reset-password", "/sign-in?token=x", "/sign-in?new"] {
            let page = try browser.open(path)
            let policy = try #require(page.header("Content-Security-Policy"))
            #expect(policy == BrowserPage.policy)
            #expect(page.header("Cache-Control") == "no-store")
            #expect(page.header("Referrer-Policy") == "no-referrer")
            for part in ["style=", "<style", "onclick", "javascript:"] {
                #expect(!page.says(part), "\(path): \(part)")
            }
        }
    }

    @Test("all forms of a page share an idempotency key, and no two pages share one")
    func keys() throws {
        let site = try site
        let home = try site.home()
        let child = try home.child(of: home.admin).replacing("managed_", with: "")
        let browser = PageBrowser(site)
        var keys: Set<String> = []
        func check(_ path: String, in other: PageBrowser? = nil) throws {
            let page = try (other ?? browser).open(path)
            let forms = page.text.matches(of: /<form method="post".*?<\/form>/.dotMatchesNewlines())
            let found = forms.compactMap {
                $0.output.firstMatch(of: /name="key" value="([^"]{22})"/).map { String($0.1) }
            }
            #expect(!forms.isEmpty && found.count == forms.count, "\(path)")
            #expect(Set(found).count == 1 && keys.insert(found.first ?? "").inserted, "\(path)")
        }
        for path in ["/sign-in", "/sign-in?new", "/reset-password"] { try check(path) }
        try browser.enter(as: home.admin)
        for path in [
            "/account", "/family/new", "/family/invite", "/family/settings",
            "/family/child", "/family/child?id=\(child)",
            "/family/child?id=\(child)&ask=preferences", "/family?ask=renew",
        ] { try check(path) }
        let member = PageBrowser(site)
        try member.enter(as: home.adult)
        try check("/family?id=\(home.id)&ask=leave", in: member)
        let guest = PageBrowser(site)
        try guest.enter(Site.address())
        #expect(try guest.open("/join?code=\(home.code)").says("name=\"key\""))
    }

    @Test("signing in replaces the cookie and invalidates the previous one")
    func fixation() throws {
        let site = try site
        let browser = PageBrowser(site)
        _ = try browser.open("/sign-in")
        let before = try #require(browser.cookie)
        _ = try member(of: site, browser)
        let after = try #require(browser.cookie)
        #expect(before != after && after.hasPrefix("s"))
        let attacker = PageBrowser(site)
        attacker.set(before)
        #expect(try attacker.openOnly("/account").status == 303)
        // The attacker's cookie, given to a victim, does not become a session of the victim.
        let thief = PageBrowser(site)
        _ = try member(of: site, thief)
        let victim = PageBrowser(site)
        victim.set(try #require(thief.cookie))
        #expect(try victim.open("/sign-in?token=abc").status == 410)
        #expect(victim.cookie == thief.cookie)
    }

    @Test("a form sent after signing out has no effect and leads to sign-in, then to its page")
    func sentAfterSigningOut() throws {
        let site = try site
        let home = try site.home("Terns")
        let browser = PageBrowser(site)
        try browser.enter(as: home.admin)
        let settings = try browser.open("/family/settings?family=\(home.id)")
        let account = try browser.open("/account")
        let (_, token) = try home.link()
        let invitation = try browser.open("/join?token=\(token)")
        _ = try browser.press("sign-out", on: account)
        for (page, action, place) in [
            (account, "export", "sign-in?return=/account"),
            (invitation, "sign-out", "sign-in"),
            (settings, "save", "../sign-in?return=/family/settings%3Ffamily%3D\(home.id)"),
        ] {
            let refused = try browser.press(action, on: page, ["name": "Renamed"])
            #expect(refused.status == 403, "\(action): \(refused)")
            #expect(refused.heading == "You were signed out", "\(action): \(refused)")
            #expect(refused.links.contains { $0.hasPrefix(place) }, "\(action): \(refused)")
        }
        browser.language = "es"
        let spanish = try browser.press("save", on: settings, ["name": "Renamed"])
        #expect(spanish.heading == "Se ha cerrado tu sesión", "\(spanish)")
        browser.language = "en"
        let elsewhere = PageBrowser(site)
        elsewhere.formHeaders = ["Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"]
        let foreign = try elsewhere.press("save", on: settings, ["name": "Renamed"])
        #expect(foreign.heading == "This form can’t be used anymore", "\(foreign)")
        let refused = try browser.press("save", on: settings, ["name": "Renamed"])
        let signIn = try browser.follow("sign-in?return=", on: refused)
        let code = try browser.press("code", on: signIn, ["email": home.admin.email])
        let back = try browser.press(
            "verify", on: code, ["code": site.mailed(to: home.admin.email).code])
        #expect(back.heading == "Family settings", "\(back)")
        #expect(back.says("value=\"Terns\"") && !back.says("Renamed"))
        let open = try PageBrowser(site).post("/continue", ["ticket": "x"])
        #expect(open.status == 403 && !open.links.contains { $0.contains("sign-in") })
    }

    @Test("a form with an absent, foreign or changed token is refused without effect")
    func tokens() throws {
        let site = try site
        let (browser, other) = (PageBrowser(site), PageBrowser(site))
        let email = Site.address()
        let mine = try browser.open("/sign-in").form(withAction: "code").fields
        let theirs = try other.open("/sign-in").form(withAction: "code").fields
        let token = try #require(mine["form_token"])
        let tokens: [String?] = [
            nil, "", theirs["form_token"], String(token.dropLast()), token + "A", token + "\u{0}",
            String(repeating: "A", count: 5_000),
        ]
        for forged in tokens {
            var fields = mine
            fields["form_token"] = forged
            fields["email"] = email
            fields["action"] = "code"
            let answer = try browser.post("/sign-in", fields)
            #expect(answer.status == 403 && answer.says("This form can’t be used anymore"))
        }
        let stored = try Connection(site.test.settings()).query(
            "SELECT count(*) FROM app.email_tokens WHERE email = \(email)"
        ).scalar(Int.self)
        #expect(stored == 0)
    }

    @Test(
        "a form from another site is refused, whatever its other headers are",
        arguments: [
            ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
            ["Sec-Fetch-Site": "cross-site", "Origin": "https://family.test"],
            ["Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"],
            ["Sec-Fetch-Site": "none", "Origin": "null"], ["Origin": "null"],
            ["Origin": "https://evil.example"], ["Origin": "http://family.test"],
            ["Origin": "https://family.test.evil.example"], ["Origin": "https://family.test:444"],
            ["Sec-Fetch-Site": "same-origin", "Origin": "http://127.0.0.1:8080"],
            ["Sec-Fetch-Site": "same-origin", "Content-Type": "text/plain"],
        ])
    func elsewhere(headers: [String: String]) throws {
        let site = try site
        let browser = PageBrowser(site)
        let account = try member(of: site, browser)
        browser.formHeaders = headers
        let answer = try browser.pressOnly("name", on: account, ["name": "Mallory"])
        #expect([403, 415].contains(answer.status), "\(answer)")
        #expect(try !browser.open("/account").says("Mallory"))
    }

    @Test("a loopback address belongs to this machine on every port")
    func oneMachine() {
        for url in [
            "http://localhost:8080", "http://127.0.0.1", "http://[::1]:80", "https://localhost",
        ] {
            #expect(PublicSite(baseURL: url).isOnThisMachine, "\(url)")
        }
        for url in [
            "http://localhost:8080.evil.example", "http://localhost:8080@evil.example",
            "http://localhost:80801", "http://localhost:", "http://localhost.evil.example",
            "http://127.0.0.1.evil.example", "null",
        ] {
            #expect(!PublicSite(baseURL: url).isOnThisMachine, "\(url)")
        }
    }

    @Test(
        "a form from the site itself is accepted with the headers of old and new browsers",
        arguments: [
            ["Sec-Fetch-Site": "same-origin", "Origin": "null"],
            ["Sec-Fetch-Site": "same-origin", "Origin": "https://family.test"],
            ["Origin": "https://family.test"], [:],
        ])
    func own(headers: [String: String]) throws {
        let site = try site
        let browser = PageBrowser(site)
        let account = try member(of: site, browser)
        browser.formHeaders = headers
        #expect(try browser.press("name", on: account, ["name": "Ada"]).says("<bdi>Ada</bdi>"))
    }

    @Test("a forged, truncated or foreign cookie is ignored, and so are two cookies")
    func forged() throws {
        let site = try site
        let browser = PageBrowser(site)
        _ = try member(of: site, browser)
        let cookie = try #require(browser.cookie)
        let changed =
            cookie.prefix(10) + (cookie.dropFirst(10).first == "A" ? "B" : "A")
            + cookie.dropFirst(11)
        let forged = [
            String(changed), String(cookie.dropLast()), "s", "v", "", "s" + cookie, cookie + "A",
            "v" + cookie.dropFirst(), String(repeating: "s", count: 9_000),
        ]
        for value in forged {
            let other = PageBrowser(site)
            other.set(value)
            #expect(try other.openOnly("/account").status == 303, "\(value)")
        }
        let twice = PageBrowser(site)
        twice.set("\(cookie); __Host-hearth=\(cookie)x")
        #expect(try twice.openOnly("/account").status == 303)
    }

    @Test("the API never accepts the pages' session cookie, under either of its names")
    func notForTheAPI() throws {
        let site = try site
        let browser = PageBrowser(site)
        _ = try member(of: site, browser)
        let cookie = try #require(browser.cookie)
        for name in ["__Host-hearth", "hearth"] {
            let answer = try site.send("GET", "/api/me", headers: ["Cookie": "\(name)=\(cookie)"])
            #expect(answer.says(401, "not_signed_in"))
        }
        #expect(try site.send("GET", "/api/me", token: cookie).status == 401)
        let refreshed = try site.send(
            "POST", "/api/auth/refresh", body: #"{"refresh_token": "\#(cookie)"}"#)
        #expect(refreshed.says(401, "invalid_refresh_token"))
    }

    @Test("a session ended elsewhere signs its browser out at the next request")
    func ended() throws {
        let site = try Site(trustsLocalProxy: true)
        let browser = PageBrowser(site)
        _ = try member(of: site, browser)
        try site.execute("UPDATE app.sessions SET ended_at = now(), end_reason = 'revoked'")
        let page = try browser.openOnly("/account")
        #expect(page.status == 303 && page.header("Location") == "sign-in?return=/account&ended")
        #expect(page.header("Set-Cookie")?.contains("Max-Age=0") == true)
        #expect(browser.cookie == nil)
        let signIn = try browser.open("/sign-in?return=/account&ended")
        #expect(signIn.says("You were signed out."), "\(signIn)")
        #expect(try !browser.open("/sign-in?return=/account").says("You were signed out."))
        browser.language = "es"
        #expect(try browser.open("/sign-in?ended").says("Se ha cerrado tu sesión."))
    }
}
