import Dispatch
import Domain
import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import API

@Suite("Page tickets")
struct PageTicketTests {
    static let shared = Result {
        try Site(
            public: PublicSite(
                baseURL: Site.publicURL, app: AppListing(name: "Gull's Nest", scheme: "gulls")),
            trustsLocalProxy: true)
    }
    private var site: Site { get throws { try Self.shared.get() } }

    private func ticket(
        _ app: SessionClient, _ path: String = "/family", back: String? = nil
    ) throws -> Answer {
        let back = back.map { #", "return": "\#($0)""# } ?? ""
        return try app.send("POST", "/api/auth/page-ticket", #"{"path": "\#(path)"\#(back)}"#)
    }

    /// Returns the path of the address in the response.
    private func link(_ answer: Answer) throws -> String {
        let url = try #require(answer.text("url"), "\(answer)")
        try #require(url.hasPrefix(Site.publicURL + "/continue?ticket="))
        return String(url.dropFirst(Site.publicURL.count))
    }

    private func ada(_ site: Site, device: String? = "Ada's phone") throws -> SessionClient {
        try site.session(of: site.person(.parent, name: "Ada"), device: device)
    }

    private func sessions(_ app: SessionClient) throws -> [(id: String, openedBy: String?)] {
        try app.get("/api/me/sessions").json["sessions"].elements().map {
            (try $0["id"].string(), try? $0["openedBy"].string())
        }
    }

    @Test("opening a ticket shows a question, and only its button opens the page, once")
    func opens() throws {
        let site = try site
        let app = try ada(site)
        let answer = try ticket(app, "/family/new")
        #expect(answer.status == 200 && answer.headers["cache-control"] == "no-store")
        #expect(try answer.json["expiresIn"].integer() == 60)
        let link = try link(answer)
        let browser = PageBrowser(site)
        for _ in 1...2 {
            let page = try browser.open(link)
            #expect(page.status == 200 && page.heading == "Continue as Ada?", "\(page)")
            #expect(page.header("Referrer-Policy") == "no-referrer")
            #expect(browser.cookie?.hasPrefix("v") == true)
        }
        let asked = try browser.open(link)
        let entered = try browser.pressOnly("continue", on: asked)
        #expect(entered.status == 303 && entered.header("Location") == "family/new")
        #expect(try browser.open("/account").says("<bdi>Ada</bdi>"))
        let other = PageBrowser(site)
        let again = try other.pressOnly("continue", on: asked.signed(by: other, link))
        #expect(again.status == 410 && again.heading == "This link no longer works", "\(again)")
        #expect(try other.open("/account").heading == "Sign in")
        #expect(try other.open(link).status == 410)
    }

    @Test(
        "the browser's session is listed under the app's, has its sign-in time, and ends no later"
    )
    func child() throws {
        let site = try site
        let app = try ada(site)
        let session = try #require(SessionID(app.session))
        try Connection(site.test.settings()).query(
            """
            UPDATE app.sessions SET signed_in_at = now() - interval '1 hour'
            WHERE id = \(session)
            """)
        let browser = PageBrowser(site)
        let page = try browser.open(link(ticket(app)))
        #expect(try browser.press("continue", on: page).status == 200)
        let listed = try sessions(app)
        let child = try #require(listed.first { $0.openedBy == app.session })
        #expect(listed.count == 2)
        let account = try browser.open("/account")
        #expect(account.says("opened from Gull&#39;s Nest on <bdi>Ada&#39;s phone</bdi>"))
        #expect(account.says("Firefox, Linux"))
        // The sign-in is an hour old and so not recent: no passkey can be added.
        #expect(!account.says("data-passkey=\"create\""))
        let own = try #require(SessionID(child.id))
        let isKept = try Connection(site.test.settings()).query(
            """
            SELECT s.signed_in_at = p.signed_in_at AND s.ends_at <= p.ends_at
            FROM app.sessions AS s JOIN app.sessions AS p ON p.id = s.parent_id
            WHERE s.id = \(own)
            """
        ).scalar(Bool.self)
        #expect(isKept == true)
        #expect(try site.signOut(app.refresh).status == 200)
        #expect(try browser.openOnly("/account").header("Location")?.hasPrefix("sign-in") == true)
    }

    @Test(
        "ending other sessions in a browser keeps the app's; doing so in the app ends the browser's"
    )
    func others() throws {
        let site = try site
        let app = try ada(site)
        let third = try site.session(of: site.person(.parent))
        let browser = PageBrowser(site)
        _ = try browser.press("continue", on: browser.open(link(ticket(app))))
        let ended = try browser.press("end-others", on: browser.open("/account"))
        #expect(ended.status == 200 && ended.heading == "Your account", "\(ended)")
        #expect(try app.get("/api/me").status == 200 && third.get("/api/me").status == 200)
        #expect(try app.delete("/api/me/sessions").status == 200)
        #expect(try sessions(app).map(\.id) == [app.session])
        #expect(try browser.open("/account").heading == "Sign in")
    }

    @Test("a browser with another person's session asks first and offers to stay signed in")
    func somebodyElse() throws {
        let site = try site
        let browser = PageBrowser(site)
        let ben = try site.session(of: site.person(.parent, name: "Ben"))
        _ = try browser.press("continue", on: browser.open(link(ticket(ben))))
        let app = try ada(site)
        let page = try browser.open(link(ticket(app)))
        #expect(page.heading == "Continue as Ada?")
        #expect(page.says("You’re signed in as <strong><bdi>Ben</bdi></strong>"))
        #expect(page.says("Stay signed in as <bdi>Ben</bdi>"))
        #expect(try browser.open("/account").says("<bdi>Ben</bdi>"))
        _ = try browser.press("continue", on: page)
        #expect(try browser.open("/account").says("<bdi>Ada</bdi>"))
    }

    @Test("a button of every page leads back to the app")
    func back() throws {
        let site = try site
        let app = try ada(site)
        let browser = PageBrowser(site)
        let opened = try browser.press(
            "continue", on: browser.open(link(ticket(app, back: "gulls://family?tab=2&x=1"))))
        let button = #"href="gulls://family?tab=2&amp;x=1">Back to Gull&#39;s Nest</a>"#
        #expect(opened.says(button), "\(opened)")
        #expect(try browser.open("/account").says(button))
        #expect(try browser.open("/family/new").says(button))
        #expect(!opened.says("return="), "it is in no link")
        let to = PageBrowser(site)
        _ = try to.press("continue", on: to.open(link(ticket(app, back: "/account"))))
        #expect(try to.open("/family/new").says(#"href="../account">Back</a>"#))
        // The button disappears with the session.
        _ = try browser.press("sign-out", on: browser.open("/account"))
        #expect(try !browser.open("/sign-in").says("gulls://family?"))
    }

    @Test(
        "a ticket for a path that is not a page of this site is refused",
        arguments: [
            "//evil.example", "/\\\\evil.example", "https://evil.example/family", "family", "/",
            "/api/me", "/sign-in?token=x", "/continue?ticket=x", "/family/../api/me",
            "/family?return=//evil.example\\\\", "/family#x", "/family?a=b c", "/Family", "",
        ])
    func wrongPath(_ path: String) throws {
        let answer = try ticket(ada(site), path)
        #expect(answer.says(400, "invalid_field"), "\(path): \(answer)")
    }

    @Test(
        "a return address that is neither the app's nor a page is refused",
        arguments: [
            "https://evil.example", "//evil.example", "javascript:alert(1)", "gullsx://family",
            "GULLS://family", " gulls://family", "data:text/html,x", "gulls:\\\"><script>",
            "gulls", "/api/me", "gulls:" + String(repeating: "a", count: 600),
        ])
    func wrongReturn(_ address: String) throws {
        let answer = try ticket(ada(site), back: address)
        #expect(answer.says(400, "invalid_field"), "\(address): \(answer)")
    }

    @Test("other issuers' tokens, delegation tokens and acting requests get no ticket")
    func notOneself() throws {
        let site = try site
        let person = try site.person(.parent)
        let body = #"{"path": "/family"}"#
        #expect(
            try site.send("POST", "/api/auth/page-ticket", token: person.token, body: body)
                .says(403, "session_required"))
        #expect(try site.send("POST", "/api/auth/page-ticket", body: body).status == 401)
        let home = try site.home()
        let child = try home.child(of: home.admin)
        let guardian = try site.session(of: home.admin)
        #expect(
            try guardian.send(
                "POST", "/api/auth/page-ticket", body, headers: ["X-Acting-As-Member": child]
            ).says(403, "not_while_acting"))
        let delegation = try guardian.send(
            "POST", "/api/delegations", #"{"memberId": "\#(child)", "audience": "hearth"}"#)
        let token = try #require(delegation.text("access_token"))
        #expect(
            try site.send("POST", "/api/auth/page-ticket", token: token, body: body)
                .says(403, "not_while_acting"))
    }

    @Test("a ticket that is used 16 times at once opens one session")
    func race() throws {
        let site = try site
        let app = try ada(site)
        let link = try link(ticket(app))
        let browsers = try (0..<16).map { _ in
            let browser = PageBrowser(site)
            return (browser, try browser.open(link))
        }
        let statuses = Mutex<[Int]>([])
        nonisolated(unsafe) let all = browsers
        DispatchQueue.concurrentPerform(iterations: all.count) { index in
            let status = (try? all[index].0.pressOnly("continue", on: all[index].1).status) ?? 0
            statuses.withLock { $0.append(status) }
        }
        #expect(statuses.withLock { $0.filter { $0 == 303 }.count } == 1)
        #expect(statuses.withLock { $0.filter { $0 == 410 }.count } == 15)
        #expect(try sessions(app).count == 2)
    }

    @Test("no browser session remains if the app's session ends while its ticket is used")
    func endedMeanwhile() throws {
        let site = try site
        for _ in 1...8 {
            let app = try ada(site)
            let browser = PageBrowser(site)
            let page = try browser.open(link(ticket(app)))
            nonisolated(unsafe) let pressing = (browser, page)
            let statuses = Mutex<[Int]>([])
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                let status =
                    index == 0
                    ? try? pressing.0.pressOnly("continue", on: pressing.1).status
                    : try? site.signOut(app.refresh).status
                statuses.withLock { $0.append(status ?? 0) }
            }
            let told = statuses.withLock { Set($0) }
            #expect(told == [200, 303] || told == [200, 410], "\(told)")
            let session = try #require(SessionID(app.session))
            let alive = try Connection(site.test.settings()).query(
                """
                SELECT count(*) FROM app.sessions
                WHERE (id = \(session) OR parent_id = \(session)) AND ended_at IS NULL
                """
            ).scalar(Int.self)
            #expect(alive == 0)
        }
    }

    @Test("a browser session beyond the limit of sessions doesn't end the app's session")
    func limitOfSessions() throws {
        let site = try site
        let app = try ada(site)
        let session = try #require(SessionID(app.session))
        let connection = try Connection(site.test.settings())
        // The app's session is the one that was not used for longest.
        try connection.query(
            """
            INSERT INTO app.sessions (id, user_id, method, last_used_at, ends_at)
            SELECT gen_random_uuid(), s.user_id, 'email', now() + n * interval '1 minute',
                now() + interval '1 day'
            FROM app.sessions AS s, generate_series(1, 99) AS n WHERE s.id = \(session)
            """)
        let browser = PageBrowser(site)
        let asked = try browser.open(link(ticket(app)))
        #expect(try browser.pressOnly("continue", on: asked).status == 303)
        let alive = try connection.query(
            """
            SELECT count(*) FROM app.sessions
            WHERE (id = \(session) OR parent_id = \(session)) AND ended_at IS NULL
            """
        ).scalar(Int.self)
        #expect(alive == 2)
    }

    @Test("a ticket that expired, or whose session or account has ended, opens nothing")
    func over() throws {
        let site = try site
        for end in ["session", "account", "minute"] {
            let app = try ada(site)
            let browser = PageBrowser(site)
            let page = try browser.open(link(ticket(app)))
            switch end {
            case "session": #expect(try site.signOut(app.refresh).status == 200)
            case "account": #expect(try app.delete("/api/me").status == 200)
            default:
                let session = try #require(SessionID(app.session))
                try Connection(site.test.settings()).query(
                    """
                    UPDATE app.page_tickets SET expires_at = now()
                    WHERE session_id = \(session)
                    """)
            }
            let pressed = try browser.pressOnly("continue", on: page)
            #expect(pressed.status == 410 && browser.cookie?.hasPrefix("v") == true, "\(end)")
        }
    }

    @Test("a form from elsewhere, without the browser's token or altered uses no ticket")
    func foreignForm() throws {
        let site = try site
        let app = try ada(site)
        let link = try link(ticket(app))
        let victim = PageBrowser(site)
        let fields = try victim.open(link).form(withAction: "continue").fields
        victim.formHeaders = ["Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"]
        #expect(try victim.post("/continue", fields).status == 403)
        victim.formHeaders = ["Sec-Fetch-Site": "same-origin", "Origin": "null"]
        #expect(try victim.post("/continue", ["ticket": fields["ticket"] ?? ""]).status == 403)
        let other = PageBrowser(site)
        _ = try other.open("/sign-in")
        #expect(try other.post("/continue", fields).status == 403)
        let altered = PageBrowser(site)
        var otherAction = try altered.open(link).form(withAction: "continue").fields
        otherAction["action"] = "stay"
        #expect(try altered.post("/continue", otherAction).status == 403)
        #expect(try sessions(app).count == 1)
        #expect(try victim.pressOnly("continue", on: victim.open(link)).status == 303)
    }

    @Test("repeated tickets leave at most five browser sessions, and one in each browser")
    func many() throws {
        let site = try site
        let app = try ada(site)
        for _ in 1...7 {
            let browser = PageBrowser(site)
            _ = try browser.press("continue", on: browser.open(link(ticket(app))))
        }
        #expect(try sessions(app).count == 6)
        let second = try ada(site)
        let browser = PageBrowser(site)
        for _ in 1...3 {
            _ = try browser.press("continue", on: browser.open(link(ticket(second))))
        }
        #expect(try sessions(second).count == 2)
    }

    @Test("the 61st ticket in 15 minutes gets 429, and no ticket is in the logs or the database")
    func limit() throws {
        let site = try site
        let app = try ada(site)
        var links: [String] = []
        for _ in 1...60 { links.append(try link(ticket(app))) }
        let answer = try ticket(app)
        #expect(answer.says(429, "too_many_attempts") && answer.headers["retry-after"] != nil)
        let value = try #require(links.last?.split(separator: "=").last)
        _ = try PageBrowser(site).open(try #require(links.last))
        #expect(!site.lines.text.contains(value))
        let session = try #require(SessionID(app.session))
        let stored = try Connection(site.test.settings()).query(
            """
            SELECT string_agg(t::text, ' ') FROM app.page_tickets AS t
            WHERE t.session_id = \(session)
            """
        ).scalar(String.self)
        #expect(!stored.isEmpty && !stored.contains(value) && !stored.contains("family"))
    }
}

extension BrowserPage {
    /// The form of another browser, which has that browser's own token.
    fileprivate func signed(by browser: PageBrowser, _ link: String) throws -> BrowserPage {
        let page = try browser.open("/sign-in")
        let token = try page.form(withAction: "code").fields["form_token"] ?? ""
        let own = try form(withAction: "continue").fields["form_token"] ?? ""
        return try BrowserPage(
            "HTTP/1.1 200 OK\r\n\r\n" + text.replacing(own, with: token), at: path)
    }
}
