import API
import Domain
import TestSupport
import Testing

@Suite("Answering an invitation on its page")
struct JoinAnswerTests {
    static let shared = Result {
        try Site(
            public: PublicSite(
                baseURL: Site.publicURL,
                app: AppListing(
                    name: "Die Möwen", appStoreURL: "https://apps.example.org/gulls",
                    supportEmail: "help@example.org")), trustsLocalProxy: true)
    }
    private var site: Site { get throws { try Self.shared.get() } }

    /// Signs in right on the page of an invitation.
    private func enter(
        _ browser: PageBrowser, _ path: String, _ email: String
    ) throws -> BrowserPage {
        let sent = try browser.press("code", on: browser.open(path), ["email": email])
        return try browser.press(
            "verify", on: sent, ["code": browser.site.mailed(to: email).code])
    }

    @Test("a newcomer signs in right there, says a name, accepts, and is told what comes next")
    func accepting() throws {
        let site = try site
        let home = try site.home("Gulls")
        let email = Site.address()
        let token = try site.token(ofInvitation: home.invite(email))
        let browser = PageBrowser(site)
        let page = try enter(browser, "/join?token=\(token)", email)
        #expect(page.heading == "Join Gulls" && page.says("<bdi>Ada</bdi> invites you"))
        #expect(page.says("<bdi>\(email)</bdi>") && page.says("name=\"name\""))
        let joined = try browser.press("accept", on: page, ["name": "Newcomer"])
        #expect(joined.status == 200 && joined.heading == "You are now a member of Gulls")
        #expect(joined.says("https://apps.example.org/gulls") && joined.says("help@example.org"))
        #expect(joined.says("<strong>Die Möwen</strong>") && joined.says(email))
        let members = try home.admin.get("/api/family/members?familyId=\(home.id)")
        #expect("\(members)".contains("Newcomer"))
        let again = try browser.press("accept", on: page)
        #expect(again.heading == "You are now a member of Gulls")
    }

    @Test("declining changes nothing for the one who declines, and the invitation is over")
    func declining() throws {
        let site = try site
        let home = try site.home()
        let email = Site.address()
        let token = try site.token(ofInvitation: home.invite(email))
        let browser = PageBrowser(site)
        let page = try enter(browser, "/join?token=\(token)", email)
        let declined = try browser.press("decline", on: page)
        #expect(declined.status == 200 && declined.heading == "You have declined the invitation")
        #expect(try browser.open("/join?token=\(token)").status == 409)
        #expect(try browser.open("/account").says("You belong to no family yet"))
    }

    @Test("an invitation to another address is refused with what to do, and stays open")
    func elsewhere() throws {
        let site = try site
        let token = try site.token(ofInvitation: site.home().invite(Site.address()))
        let browser = PageBrowser(site)
        let page = try enter(browser, "/join?token=\(token)", Site.address())
        let refused = try browser.press("accept", on: page)
        #expect(refused.status == 403 && refused.says("sent to another e-mail address"))
        #expect(refused.says("join?token=\(token)"))
        let signedOut = try browser.press("sign-out", on: page)
        #expect(signedOut.heading == "Sign in")
        #expect(try signedOut.form(withAction: "code").fields["return"] == "/join?token=\(token)")
        #expect(try browser.open("/join?token=\(token)").status == 200)
    }

    @Test("a family's code leads to the family, once somebody is signed in")
    func code() throws {
        let site = try site
        let home = try site.home("Terns")
        let browser = PageBrowser(site)
        #expect(try !browser.open("/join?code=\(home.code)").says("Terns"))
        let page = try enter(browser, "/join?code=\(home.code)", Site.address())
        #expect(page.heading == "Join Terns" && page.says(" members."))
        let joined = try browser.press("join", on: page, ["name": "Guest"])
        #expect(joined.heading == "You are now a member of Terns")
        let again = try browser.press("join", on: page)
        #expect(again.status == 400 && again.says("already a member"))
        let unknown = try browser.open("/join?code=FAM-ZZZZZZ")
        #expect(unknown.status == 404 && unknown.says("no family with this code"))
    }

    @Test("where a family approves who joins, the page says that somebody will")
    func waiting() throws {
        let site = try site
        let home = try site.home("Auks")
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        let browser = PageBrowser(site)
        let page = try enter(browser, "/join?code=\(home.code)", Site.address())
        #expect(page.says("Ask to join this family") && page.says("decides who joins"))
        let waiting = try browser.press("join", on: page)
        #expect(waiting.heading == "Auks knows that you want to join", "\(waiting)")
    }

    @Test("a link's preview in a messenger names who invites to what, and no address")
    func preview() throws {
        let site = try site
        let home = try site.home("Gulls & <Terns>")
        let token = try site.token(ofInvitation: home.invite("guest@example.com"))
        let page = try PageBrowser(site).open("/join?token=\(token)")
        let title = "Join Gulls &amp; &lt;Terns&gt;"
        #expect(page.says("<meta property=\"og:title\" content=\"\(title)\">"))
        #expect(page.says("<meta property=\"og:site_name\" content=\"Die Möwen\">"))
        #expect(page.says("content=\"Ada invites you to join this family as a parent.\""))
        #expect(!page.says("guest@example.com"))
    }

    @Test("a browser whose session has ended sees the page as somebody not signed in")
    func ended() throws {
        let site = try Site(trustsLocalProxy: true)
        let (_, token) = try site.home().link()
        let browser = PageBrowser(site)
        _ = try enter(browser, "/join?token=\(token)", Site.address())
        try site.execute("UPDATE app.sessions SET ended_at = now(), end_reason = 'revoked'")
        let page = try browser.open("/join?token=\(token)")
        #expect(page.status == 200 && page.says("Sign in to answer"))
    }

    @Test("where nobody can sign in here, the page leads to the app")
    func noSignIn() throws {
        let site = try Site(signIn: nil)
        let (_, token) = try site.home().link()
        let page = try PageBrowser(site).open("/join?token=\(token)")
        #expect(page.says("How to go on") && !page.says("<form"))
        #expect(page.header("Content-Security-Policy")?.contains("form-action 'none'") == true)
    }
}
