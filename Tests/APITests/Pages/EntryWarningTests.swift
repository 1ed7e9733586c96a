import JSON
import TestSupport
import Testing

/// Warnings that pages show before a person enters a family and loses something.
@Suite("Warnings before entering a family")
struct EntryWarningTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private func enter(_ browser: PageBrowser, _ email: String) throws -> BrowserPage {
        let page = try browser.press("code", on: browser.open("/sign-in"), ["email": email])
        return try browser.press(
            "verify", on: page, ["code": browser.site.mailed(to: email).code])
    }

    /// Returns a browser that is signed in to an account, the only member of its family.
    private func loner(_ role: String, _ family: String) throws -> (PageBrowser, String) {
        let site = try site
        let email = Site.address()
        let browser = PageBrowser(site)
        let page = try enter(browser, email)
        _ = try browser.press("name", on: page, ["name": "Sam", "role": role])
        let ticket = try site.ticket(for: email, client: browser.address)
        let client = try SessionClient(site, site.verify(ticket, site.mailed(to: email).code))
        let made = try client.send(
            "POST", "/api/family/create", #"{"familyName": "\#(family)"}"#)
        try #require(made.text("familyCode") != nil, "\(made)")
        return (browser, email)
    }

    @Test("accepting warns that the person's own family will end, and requires confirmation")
    func ownFamilyEnds() throws {
        let (browser, _) = try loner("player", "Lonely")
        let (_, token) = try site.home("Gulls").link(role: .player)
        let page = try browser.open("/join?token=\(token)")
        #expect(page.says("If you accept:") && page.says("You’ll leave <bdi>Lonely</bdi>"))
        var form = try page.form(withAction: "accept").fields
        form["sure"] = nil
        form["action"] = "accept"
        let asked = try browser.post("/join", form)
        #expect(asked.status == 303 && asked.header("Location") == "join?token=\(token)")
        #expect(try browser.open("/account").says("<bdi>Lonely</bdi>"))
        let joined = try browser.press("accept", on: page)
        #expect(joined.heading == "You’re now a member of Gulls", "\(joined)")
        #expect(try !browser.open("/account").says("<bdi>Lonely</bdi>"))
    }

    @Test("accepting warns that the account will change its role")
    func roleChanges() throws {
        let (browser, _) = try loner("parent", "Lonely")
        let (_, token) = try site.home("Gulls").link(role: .player)
        let page = try browser.open("/join?token=\(token)")
        #expect(page.says("You’ll be a player from now on") && page.says("<bdi>Lonely</bdi>"))
        let joined = try browser.press("accept", on: page)
        #expect(joined.heading == "You’re now a member of Gulls", "\(joined)")
    }

    @Test("the page of an invitation that can't be accepted says why and only offers to decline")
    func impossible() throws {
        let site = try site
        let (browser, email) = try loner("player", "Auks")
        let other = try site.home("Terns")
        _ = try browser.press("join", on: browser.open("/join?code=\(other.code)"))
        #expect(try browser.open("/account").says("<bdi>Terns</bdi>"))
        _ = try site.home("Gulls").invite(email)
        let account = try browser.open("/account")
        let refused = try browser.press("accept", on: account)
        #expect(refused.status == 409 && refused.says("for another role"), "\(refused)")
        let (_, token) = try site.home("Gulls").link(role: .player)
        let page = try browser.open("/join?token=\(token)")
        #expect(page.says("Leave <bdi>Terns</bdi> first") && !page.says("value=\"accept\""))
        #expect(page.says("value=\"decline\""))
        let (_, parents) = try site.home("Gulls").link(role: .parent)
        let mismatch = try browser.open("/join?token=\(parents)")
        #expect(mismatch.says("for another role") && !mismatch.says("value=\"accept\""))
    }

    @Test("joining with a code warns a player who is alone in a family, and refuses one who is not")
    func code() throws {
        let (browser, _) = try loner("player", "Lonely")
        let (gulls, terns) = try (site.home("Gulls"), site.home("Terns"))
        let page = try browser.open("/join?code=\(gulls.code)")
        #expect(page.says("If you join:") && page.says("You’ll leave <bdi>Lonely</bdi>"))
        let joined = try browser.press("join", on: page)
        #expect(joined.heading == "You’re now a member of Gulls", "\(joined)")
        let other = try browser.open("/join?code=\(terns.code)")
        #expect(other.says("Leave <bdi>Gulls</bdi> first") && !other.says("value=\"join\""))
    }

    @Test("the warning says that people leave their own family once the new one approves")
    func later() throws {
        let (browser, _) = try loner("player", "Lonely")
        let home = try site.home("Gulls")
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        let page = try browser.open("/join?code=\(home.code)")
        #expect(page.says("When this family lets you in, you’ll leave <bdi>Lonely</bdi>"))
    }

    @Test("a person rejected twice by a family gets no button for another request")
    func rejectedTwice() throws {
        let site = try site
        let home = try site.home("Gulls")
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        let browser = PageBrowser(site)
        _ = try browser.press(
            "name", on: enter(browser, Site.address()), ["name": "Kim", "role": "parent"])
        for _ in 0..<2 {
            let page = try browser.open("/join?code=\(home.code)")
            _ = try browser.press("join", on: page)
            let waiting = try home.admin.get("/api/family/members?status=invited")
            let member = try waiting.json["members"].elements()[0]["id"].string()
            #expect(try home.admin.post("/api/family/members/\(member)/reject").status == 200)
        }
        let page = try browser.open("/join?code=\(home.code)")
        #expect(page.status == 200 && !page.says("value=\"join\""), "\(page)")
        #expect(page.says("only come back to this family by invitation"))
    }

    @Test("an answered invitation explains to another account how to use the right one")
    func secondAccount() throws {
        let site = try site
        let (_, token) = try site.home("Gulls").link()
        let first = PageBrowser(site)
        _ = try first.press(
            "name", on: enter(first, Site.address()), ["name": "Kim", "role": "parent"])
        _ = try first.press("accept", on: first.open("/join?token=\(token)"))
        let own = try first.open("/join?token=\(token)")
        #expect(own.status == 409 && own.says("href=\"family\">Your family</a>"), "\(own)")
        first.language = "es"
        #expect(try first.open("/join?token=\(token)").says("href=\"family\">Tu familia</a>"))
        let second = PageBrowser(site)
        let email = Site.address()
        _ = try enter(second, email)
        let page = try second.open("/join?token=\(token)")
        #expect(page.status == 409 && page.says("If you used another one, sign out"))
        #expect(page.says("<bdi>\(email)</bdi>") && !page.links.contains("family"))
        let out = try second.press("sign-out", on: page)
        #expect(try out.form(withAction: "code").fields["return"] == "/join?token=\(token)")
        let stranger = try PageBrowser(site).open("/join?token=\(token)")
        #expect(stranger.says("If you accepted it, ") && stranger.says(">sign in</a>"))
        #expect(!stranger.says("sign-out"))
    }

    @Test("an invitation that gives a child an account has its own text")
    func growingUp() throws {
        let site = try site
        let home = try site.home("Gulls")
        let child = try home.child(of: home.adult, name: "Little")
        let token = try home.adult.startGraduation(of: child, as: .player, .kid)
        let browser = PageBrowser(site)
        let page = try browser.open("/join?token=\(token)")
        #expect(page.heading == "Your own account in Gulls", "\(page)")
        #expect(page.says("sign in yourself from now on"))
        _ = try browser.press(
            "name", on: enter(browser, Site.address()), ["name": "Little", "role": "player"])
        let joined = try browser.press("accept", on: browser.open("/join?token=\(token)"))
        #expect(joined.heading == "You now have your own account in Gulls", "\(joined)")
    }
}
