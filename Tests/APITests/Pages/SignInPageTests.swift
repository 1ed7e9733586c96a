import Domain
import Postgres
import TestSupport
import Testing

@testable import API

@Suite("The sign-in page")
struct SignInPageTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test("a mailed code signs in and creates the account, which then asks for a name")
    func code() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        let sent = try browser.press("code", on: browser.open("/sign-in"), ["email": email])
        #expect(sent.status == 200 && sent.heading == "Enter the code")
        #expect(sent.says("<bdi>\(email)</bdi>"))
        let account = try browser.press(
            "verify", on: sent,
            [
                "code":
                    " \(site.mailed(to: email).code.prefix(3))-\(site.mailed(to: email).code.suffix(3)) "
            ])
        #expect(account.status == 200 && account.heading == "Your account", "\(account)")
        #expect(account.says("Who are you?") && !account.says(" checked"))
        let named = try browser.press("name", on: account, ["name": "Ada Gull"])
        #expect(named.says("<bdi>Ada Gull</bdi>") && named.says("Saved."))
        #expect(named.says("Who are you?"), "the role is still to be said")
        let said = try browser.press("name", on: named, ["role": "player"])
        #expect(!said.says("Who are you?") && !said.says("What’s your name?"))
        #expect(named.says("Firefox, Linux"))
        #expect(try browser.openOnly("/sign-in").header("Location") == "account")
    }

    @Test("a wrong code can be corrected while attempts are left")
    func wrongCode() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        var page = try browser.press("code", on: browser.open("/sign-in"), ["email": email])
        let code = try site.mailed(to: email).code
        let wrong = code == "000000" ? "000001" : "000000"
        page = try browser.press("verify", on: page, ["code": "12345"])
        #expect(page.status == 400 && page.alert?.contains("six digits") == true, "\(page)")
        for left in ["4 tries", "3 tries", "2 tries", "one try"] {
            page = try browser.press("verify", on: page, ["code": wrong])
            #expect(page.status == 400 && page.alert?.contains("\(left) left") == true, "\(page)")
        }
        page = try browser.press("verify", on: page, ["code": wrong])
        #expect(page.status == 400 && page.heading == "Sign in", "no try is left")
        #expect(page.alert?.contains("doesn’t work anymore") == true)
        page = try browser.post(
            "/sign-in",
            [
                "action": "verify", "code": code, "email": email,
                "ticket": try #require(browser.ticket),
                "form_token": try page.form(withAction: "code").fields["form_token"] ?? "",
            ])
        #expect(page.status == 410 && page.heading == "Sign in")
        #expect(page.alert?.contains("doesn’t work anymore") == true)
        #expect(try page.form(withAction: "code").fields["email"] == email)
    }

    @Test("an account with a password is created, confirmed with a code and signed in to")
    func password() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        var page = try browser.open("/sign-in?new")
        page = try browser.press(
            "sign-up", on: page, ["email": email, "name": "Bea", "password": Site.password])
        #expect(page.status == 400 && page.alert == "Choose who you are in the family.")
        page = try browser.press("sign-up", on: page, ["password": "password1", "role": "player"])
        #expect(page.status == 400 && page.heading == "Create an account")
        #expect(try page.form(withAction: "sign-up").fields["role"] == "player")
        #expect(page.alert?.contains("common password") == true, "\(page)")
        let draft = try page.form(withAction: "sign-up").fields
        #expect(draft["email"] == email && draft["name"] == "Bea" && draft["password"] == "")
        page = try browser.press(
            "sign-up", on: page, ["password": Site.password, "role": "player"])
        page = try browser.press("verify", on: page, ["code": site.mailed(to: email).code])
        #expect(page.says("<bdi>Bea</bdi>"), "\(page)")
        page = try browser.press("sign-out", on: page)
        #expect(page.heading == "Sign in" && browser.cookie?.hasPrefix("v") == true)

        page = try browser.press(
            "password", on: page, ["email": email, "password": "another kettle 77"])
        #expect(page.status == 401 && page.alert == "That email address or password isn’t right.")
        let again = try page.form(withAction: "password").fields
        #expect(again["email"] == email && again["password"] == "")
        page = try browser.press("password", on: page, ["password": Site.password])
        #expect(page.heading == "Your account" && page.says("<bdi>Bea</bdi>"))
    }

    @Test("opening a mailed link has no effect; the button on its page signs in once")
    func link() throws {
        let site = try site
        let email = Site.address()
        _ = try site.ticket(for: email, client: PageBrowser(site).address)
        let token = try site.mailed(to: email).linkToken
        let scanner = PageBrowser(site)
        let browser = PageBrowser(site)
        for visitor in [scanner, browser, browser] {
            let page = try visitor.open("/sign-in?token=\(token)")
            #expect(page.status == 200 && page.says("Press the button"))
            #expect(page.says("<bdi>\(email)</bdi>"), "whose account it opens")
        }
        let page = try browser.open("/sign-in?token=\(token)")
        let scanned = try scanner.open("/sign-in?token=\(token)")
        #expect(try browser.press("link", on: page).heading == "Your account")
        let late = try scanner.press("link", on: scanned)
        #expect(late.status == 410 && late.alert?.contains("doesn’t work anymore") == true)
        let opened = try scanner.open("/sign-in?token=\(token)")
        #expect(opened.status == 410 && opened.alert?.contains("doesn’t work anymore") == true)
    }

    /// Signs in with a mailed code.
    private func enter(_ browser: PageBrowser, _ email: String) throws -> BrowserPage {
        let page = try browser.press("code", on: browser.open("/sign-in"), ["email": email])
        return try browser.press("verify", on: page, ["code": site.mailed(to: email).code])
    }

    @Test("the page of a link mailed to another account asks which account to use")
    func linkOfAnother() throws {
        let site = try site
        let (mine, theirs) = (Site.address(), Site.address())
        let browser = PageBrowser(site)
        _ = try enter(browser, mine)
        _ = try site.ticket(for: theirs, client: browser.address)
        let token = try site.mailed(to: theirs).linkToken
        let page = try browser.open("/sign-in?token=\(token)")
        #expect(page.says("You’re signed in as <strong><bdi>\(mine)</bdi>"))
        #expect(page.says("Sign in as <bdi>\(theirs)</bdi>"))
        #expect(page.says("Stay signed in as <bdi>\(mine)</bdi>"))
        #expect(try browser.open("/account").says("<bdi>\(mine)</bdi>"))
        #expect(try browser.press("link", on: page).says("<bdi>\(theirs)</bdi>"))
        _ = try site.ticket(for: theirs, client: browser.address)
        let own = try browser.open("/sign-in?token=\(site.mailed(to: theirs).linkToken)")
        #expect(own.status == 200 && own.says("href=\"account\"") && !own.says("<form"))
    }

    @Test("reloading the page of a mailed code sends no second e-mail")
    func reloading() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        let sent = try browser.pressOnly(
            "code", on: browser.open("/sign-in?return=/join%3Ftoken%3Dabc"), ["email": email])
        #expect(
            sent.status == 303
                && sent.header("Location") == "sign-in?code&return=/join%3Ftoken%3Dabc")
        for _ in 0..<2 {
            let page = try browser.open("/sign-in?code&return=/join%3Ftoken%3Dabc")
            #expect(page.heading == "Enter the code" && page.says("<bdi>\(email)</bdi>"))
        }
        let code = try site.mailed(to: email).code
        let page = try browser.open("/sign-in?code&return=/join%3Ftoken%3Dabc")
        let entered = try browser.pressOnly("verify", on: page, ["code": code])
        #expect(entered.header("Location") == "join?token=abc")
        let other = try PageBrowser(site).open("/sign-in?code")
        #expect(other.heading == "Sign in", "another browser knows nothing of it")
    }

    @Test("a second code is mailed on request and replaces the first")
    func resending() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        let sent = try browser.press(
            "code", on: browser.open("/sign-in?return=/join%3Ftoken%3Dabc"), ["email": email])
        let first = try site.mailed(to: email).code
        let again = try browser.press("resend", on: sent)
        #expect(again.heading == "Enter the code" && again.says("We emailed you a new code."))
        #expect(again.says("<bdi>\(email)</bdi>"))
        let second = try site.mailed(to: email).code
        if first != second {
            #expect(try browser.press("verify", on: again, ["code": first]).status == 400)
        }
        let entered = try browser.pressOnly("verify", on: again, ["code": second])
        #expect(entered.header("Location") == "join?token=abc")
    }

    @Test("too many requests for a code show the code's page again, with the time to wait")
    func resendingTooOften() throws {
        let browser = try PageBrowser(site)
        let email = Site.address()
        var page = try browser.press("code", on: browser.open("/sign-in"), ["email": email])
        for _ in 0..<5 { page = try browser.press("resend", on: page) }
        #expect(page.status == 429 && page.heading == "Enter the code", "\(page)")
        #expect(page.alert?.contains("Please wait") == true && page.says("<bdi>\(email)</bdi>"))
        #expect(try page.form(withAction: "verify").fields["ticket"] == browser.ticket)
    }

    @Test("starting over keeps the address, even for a new account")
    func startingOver() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        let sent = try browser.press("code", on: browser.open("/sign-in"), ["email": email])
        let start = try browser.follow("sign-in?again", on: sent)
        #expect(try start.form(withAction: "code").fields["email"] == email)
        let other = Site.address()
        let signedUp = try browser.press(
            "sign-up", on: browser.open("/sign-in?new"),
            ["email": other, "name": "Bea", "password": Site.password, "role": "parent"])
        #expect(signedUp.heading == "Enter the code" && !signedUp.says("value=\"resend\""))
        let anew = try browser.follow("sign-in?new", on: signedUp)
        #expect(try anew.form(withAction: "sign-up").fields["email"] == other)
    }

    @Test("fields for passwords have a button that the script shows")
    func showingPasswords() throws {
        let site = try site
        for path in ["/sign-in", "/sign-in?new"] {
            let page = try PageBrowser(site).open(path)
            #expect(page.says("data-reveal=\"password\"") && page.says("src=\"pages.js\""))
            #expect(page.header("Content-Security-Policy") == BrowserPage.policy)
        }
        let script = try site.exchange("GET", "/pages.js")
        #expect(script.headers["content-type"] == "text/javascript; charset=utf-8")
        #expect(script.body.count < PageScript.sizeLimit)
    }

    @Test("an unknown path answers browsers with a page, and programs with JSON")
    func unknownAddress() throws {
        let site = try site
        for path in ["/nothing", "/deep/down/here", "/api/nothing"] {
            let page = try PageBrowser(site).open(path)
            #expect(page.status == 404 && page.heading == "There’s nothing here")
            #expect(page.header("Vary")?.contains("Accept,") == true)
            let up = String(repeating: "../", count: path.count { $0 == "/" } - 1)
            #expect(page.says("href=\"\(up)pages.css\"") && page.says("href=\"\(up)account\""))
            for accept in ["*/*", "application/json", "text/*", "text/html;q=0"] {
                let answer = try site.send("GET", path, headers: ["Accept": accept])
                #expect(answer.says(404, "not_found"), "\(path) \(accept)")
                #expect(answer.headers["vary"]?.contains("Accept") == true)
            }
        }
        for (method, path, status) in [("POST", "/nothing", 404), ("POST", "/family/join", 405)] {
            let page = try site.exchange(method, path, body: "{}", headers: ["Accept": "text/html"])
            #expect(page.status == status)
            #expect(page.headers["content-type"] == "text/html; charset=utf-8", "\(path)")
            let answer = try site.send(method, path, body: "{}")
            #expect(answer.headers["content-type"] == "application/problem+json", "\(path)")
        }
    }

    @Test("a request that the server refuses answers browsers with a page, and programs with JSON")
    func refusedByServer() throws {
        let site = try site
        let large = "Content-Length: 70000\r\n\r\n" + String(repeating: "x", count: 70_000)
        let cookies = "Cookie: a=" + String(repeating: "x", count: 40_000) + "\r\n\r\n"
        let many = (0..<120).map { "X-\($0): x\r\n" }.joined() + "\r\n"
        let up = "\(Site.publicURL)/"
        for (line, rest, status, words, root) in [
            ("POST /family/child", large, 413, ["Shorten it", "Acórtalo"], "../"),
            ("GET /family/child?id=x", cookies, 431, ["cookies", "cookies"], "../"),
            ("GET /account", many, 431, ["cookies", "cookies"], ""),
            ("GET /join?code=%ZZ", "\r\n", 400, ["copied all of it", "enlace"], up),
        ] {
            for (language, said) in zip(["en", "es"], words) {
                let text =
                    "\(line) HTTP/1.1\r\nHost: family.test\r\nConnection: close\r\n"
                    + "Accept: text/html,*/*;q=0.8\r\nAccept-Language: \(language)\r\n" + rest
                let page = try BrowserPage(site.raw(text), at: "/family/child")
                #expect(page.status == status, "\(line)")
                #expect(page.header("Content-Type") == "text/html; charset=utf-8", "\(line)")
                #expect(page.says(said) && page.says("lang=\"\(language)\""), "\(page)")
                #expect(page.says("href=\"\(root)pages.css\""), "\(line)")
                #expect(page.header("Set-Cookie") == nil, "the page has no form")
                let program = try BrowserPage(
                    site.raw(text.replacing("text/html,", with: "")), at: "/family/child")
                #expect(program.status == status, "\(line)")
                #expect(program.header("Content-Type") == "application/problem+json", "\(line)")
            }
        }
    }

    @Test("the icon exists, and pages may load it")
    func icon() throws {
        let site = try site
        let icon = try site.exchange("GET", "/favicon.ico")
        #expect(icon.status == 200 && icon.headers["content-type"] == "image/x-icon")
        #expect(icon.body.starts(with: [0, 0, 1, 0]))
        let page = try PageBrowser(site).open("/sign-in")
        #expect(page.says("<link rel=\"icon\" href=\"favicon.ico\">"))
        #expect(page.header("Content-Security-Policy")?.contains("img-src 'self'") == true)
    }

    @Test(
        "signing in with an invalid return path leads to the account page",
        arguments: [
            "https://evil.example/", "//evil.example", "/\\evil.example", "/join/../evil",
            "javascript:alert(1)", "/api/me", "/account#x", "/join?a=<b>", "/join?a=%0d%0a b",
            "account", "", "/accounts",
        ])
    func returning(path: String) throws {
        let browser = try PageBrowser(site)
        let email = Site.address()
        let page = try browser.press(
            "code", on: browser.open("/sign-in"), ["email": email, "return": path])
        let entered = try browser.pressOnly(
            "verify", on: page, ["code": site.mailed(to: email).code, "return": path])
        #expect(entered.status == 303 && entered.header("Location") == "account")
    }

    @Test("signing in from an invitation leads back to it")
    func back() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        let page = try browser.open("/sign-in?return=/join%3Ftoken%3Dabc_-9")
        let sent = try browser.press("code", on: page, ["email": email])
        let entered = try browser.pressOnly(
            "verify", on: sent, ["code": site.mailed(to: email).code])
        #expect(entered.header("Location") == "join?token=abc_-9")
    }

    @Test("a mailed link leads back to a path that the database stores only encrypted")
    func linkBack() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        let secret = "Secret-of-an-invitation_9"
        let page = try browser.open("/sign-in?return=/join%3Ftoken%3D\(secret)")
        _ = try browser.press("code", on: page, ["email": email])
        let path = try #require(try site.returnPath(mailedTo: email))
        #expect(path == "/join?token=\(secret)")
        let known = try Connection(site.test.settings()).query(
            """
            SELECT count(*) FROM app.email_tokens AS t
            WHERE position(\(PostgresBytes(Array(secret.utf8))) IN t.return_path) > 0
                OR t::text LIKE \("%" + secret + "%")
            """
        ).scalar(Int.self)
        #expect(known == 0)
        let other = PageBrowser(site)
        let token = try site.mailed(to: email).linkToken
        let opened = try other.open(
            "/sign-in?token=\(token)&return=/join%3Ftoken%3D\(secret)")
        let entered = try other.pressOnly("link", on: opened)
        #expect(entered.header("Location") == "join?token=\(secret)")
    }

    @Test("a link requested with an invalid return path is mailed without it")
    func linkElsewhere() throws {
        let site = try site
        let browser = PageBrowser(site)
        for path in ["https://evil.example/", "//evil.example", "/api/me", "/join?a=<b>"] {
            let email = Site.address()
            let page = try browser.open("/sign-in")
            let sent = try browser.press("code", on: page, ["email": email, "return": path])
            #expect(sent.status == 200)
            #expect(try site.returnPath(mailedTo: email) == nil)
        }
    }

    @Test("an invalid address is reported beside the typed value")
    func wrongAddress() throws {
        let browser = try PageBrowser(site)
        let page = try browser.press(
            "code", on: browser.open("/sign-in"), ["email": "\"><b>nobody"])
        #expect(page.status == 400 && page.alert == "That’s not an email address.")
        #expect(page.says("value=\"&quot;&gt;&lt;b&gt;nobody\""))
        #expect(page.says("aria-invalid=\"true\""))
        let empty = try browser.press("code", on: page, ["email": " "])
        #expect(empty.status == 400 && empty.alert == "Enter your email address.")
    }

    @Test("a request for an e-mail beyond the limit is refused with the time to wait")
    func flood() throws {
        let browser = try PageBrowser(site)
        let email = Site.address()
        let page = try browser.open("/sign-in")
        var last = page
        for _ in 0..<6 { last = try browser.press("code", on: page, ["email": email]) }
        #expect(last.status == 429 && last.header("Retry-After") != nil)
        #expect(last.alert?.contains("Please wait") == true)
    }

    @Test("a disabled sign-in method is hidden on the page, and requests for it are refused")
    func switchedOff() throws {
        let site = try Site(signIn: SigningFile.services([.email]), trustsLocalProxy: true)
        let browser = PageBrowser(site)
        let page = try browser.open("/sign-in")
        #expect(!page.says("type=\"password\"") && page.says("Email me a code"))
        let token = try page.form(withAction: "code").fields["form_token"] ?? ""
        let refused = try browser.post(
            "/sign-in", ["form_token": token, "action": "password", "email": Site.address()])
        #expect(refused.status == 404)
        let off = try Site(
            public: .init(
                baseURL: Site.publicURL,
                app: .init(name: "Die Möwen", appStoreURL: "https://apps.example.org/gulls")),
            signIn: SigningFile.services([.exchange]))
        let empty = try PageBrowser(off).open("/sign-in")
        #expect(empty.status == 200 && empty.says("open the app <strong>Die Möwen</strong>"))
        #expect(empty.says("https://apps.example.org/gulls") && !empty.says("<form"))
        let none = try Site(signIn: nil)
        for path in ["/sign-in", "/account", "/reset-password", "/family/invite"] {
            #expect(try PageBrowser(none).open(path).status == 404)
        }
    }

    @Test("without sign-in, the page of a family, to which e-mails link, leads to the app")
    func familyInApp() throws {
        let site = try Site(
            public: .init(
                baseURL: Site.publicURL,
                app: .init(name: "Die Möwen", appStoreURL: "https://apps.example.org/gulls")),
            signIn: nil)
        let page = try PageBrowser(site).open("/family?id=x")
        #expect(page.status == 200 && page.heading == "Your family", "\(page)")
        #expect(page.says("open the app <strong>Die Möwen</strong>"))
        #expect(page.says("https://apps.example.org/gulls") && !page.says("<form"))
        #expect(try PageBrowser(site).post("/family", ["action": "leave"]).status == 404)
        let spanish = PageBrowser(site)
        spanish.language = "es"
        #expect(try spanish.open("/family").says("abre la app <strong>Die Möwen</strong>"))
    }

    @Test(
        "pages are in the browser's language", arguments: ["es", "es-MX, en;q=0.5", "de, es;q=0.1"])
    func spanish(language: String) throws {
        let browser = try PageBrowser(site)
        browser.language = language
        let page = try browser.open("/sign-in")
        #expect(page.says("<html lang=\"es\">") && page.heading == "Iniciar sesión")
        #expect(page.header("Content-Language") == "es")
    }
}
