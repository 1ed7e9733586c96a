import Basics
import Domain
import Postgres
import Telemetry
import TestSupport
import Testing

@Suite("The page of invitations")
struct InvitePageTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private func browser(_ person: APIClient) throws -> PageBrowser {
        let browser = PageBrowser(try site)
        try browser.enter(as: person)
        return browser
    }

    /// The link that a page shows.
    private func link(_ page: BrowserPage) -> String? {
        page.text.firstMatch(of: /class="shared-link">([^<]*)</).map { String($0.1) }
    }

    @Test("an invitation by email is sent once, and revoked after a question")
    func email() throws {
        let home = try site.home()
        let browser = try browser(home.admin)
        let page = try browser.open("/family/invite")
        #expect(page.heading == "Invitations")
        // A select cuts a long text off on a phone.
        #expect(page.says("<option value=\"\">The usual one</option>"))
        #expect(page.says("The usual one is Adult for parents and Kid for players.</p>"))
        for side in ["player", "parent"] {
            let sentence = "<q><bdi>Ada</bdi> invites you to join this family as a \(side).</q>"
            let preview = "If you invite a \(side), the invitation says:</p>\n<p>\(sentence)"
            #expect(page.says(preview), "\(page)")
        }
        let email = Site.address()
        let values = ["email": email, "role": "parent", "household_role": "kid"]
        let sent = try browser.press("send", on: page, values)
        #expect(sent.notice == "The invitation is on its way." && sent.says("<bdi>\(email)</bdi>"))
        #expect(sent.says("expires in ") && link(sent) == nil)
        #expect(try browser.press("send", on: page, values).status == 200, "the same form")
        let mails = try Connection(site.test.settings()).query(
            "SELECT count(*) FROM app.family_invitations WHERE invited_email = \(email)"
        ).scalar(Int.self)
        #expect(mails == 1)
        let soon = try browser.press("resend", on: sent)
        #expect(soon.status == 429 && soon.alert?.contains("just sent") == true)
        let question = try browser.follow("ask=revoke", on: sent)
        #expect(question.heading == "Withdraw this invitation?" && question.says(email))
        let revoked = try browser.press("revoke", on: question)
        #expect(revoked.notice == "The invitation was withdrawn." && !revoked.says(email))
        let late = try browser.press(
            "revoke", on: question, ["key": String(repeating: "Q", count: 22)])
        #expect(late.status == 404 && late.alert?.contains("isn’t pending") == true)
    }

    @Test("a family with pending invitations offers to invite further people, and to manage these")
    func further() throws {
        let home = try site.home()
        let browser = try browser(home.admin)
        let empty = try browser.open("/family")
        #expect(empty.says(">Invite someone</a>") && !empty.says(">Manage invitations</a>"))
        _ = try home.invite(Site.address())
        let page = try browser.open("/family")
        #expect(page.says(">Invite someone</a>"), "\(page)")
        #expect(page.links.contains("family/invite?family=\(home.id)#pending"), "\(page)")
        browser.language = "es"
        let spanish = try browser.open("/family")
        #expect(spanish.says(">Invitar a alguien</a>"), "\(spanish)")
        #expect(spanish.says(">Gestionar las invitaciones</a>"), "\(spanish)")
    }

    @Test("an invalid address is reported at its field, which keeps the typed text")
    func wrongAddress() throws {
        let home = try site.home()
        let browser = try browser(home.admin)
        let page = try browser.open("/family/invite")
        for email in ["nobody", "a@"] {
            let wrong = try browser.press("send", on: page, ["email": email, "role": "player"])
            #expect(wrong.status == 400 && wrong.alert == "That’s not an email address.")
            #expect(wrong.says("aria-invalid") && wrong.says("value=\"player\" required checked"))
            #expect(wrong.says("value=\"\(email)\""), "\(wrong)")
        }
    }

    @Test("an invitation without an address says so at the field, and keeps what was chosen")
    func missingAddress() throws {
        let home = try site.home()
        let browser = try browser(home.admin)
        let page = try browser.open("/family/invite")
        for email in ["", "   "] {
            let refused = try browser.press(
                "send", on: page, ["email": email, "role": "player", "household_role": "visitor"])
            #expect(refused.status == 400 && refused.heading == "Invitations", "\(refused)")
            let advice = "Enter the email address, or make a link that you share yourself."
            #expect(refused.alert == advice, "\(refused)")
            let alert = try #require(refused.text.firstRange(of: "role=\"alert\""))
            let role = try #require(refused.text.firstRange(of: "id=\"household_role\""))
            let field = try #require(refused.text.firstRange(of: "id=\"email\""))
            #expect(role.lowerBound < alert.lowerBound && alert.lowerBound < field.lowerBound)
            #expect(refused.text.contains(/<input id="email" [^>]*aria-invalid="true"/))
            #expect(refused.says("value=\"player\" required checked"))
            #expect(refused.says("<option value=\"visitor\" selected>"))
        }
    }

    @Test("a link is shown to the session that made it, and to no other")
    func sharedLink() throws {
        let home = try site.home()
        let browser = try browser(home.admin)
        let page = try browser.open("/family/invite")
        let made = try browser.press("link", on: page, ["role": "parent"])
        let shown = try #require(link(made))
        #expect(made.notice == "Your link is ready.", "\(made)")
        #expect(shown.hasPrefix(Site.publicURL + "/join?token="))
        #expect(try link(browser.open(made.path)) == shown, "loading it again")
        #expect(try link(browser.open("/family/invite")) == nil)
        #expect(try link(self.browser(home.admin).open(made.path)) == nil, "another session")
        let changed = made.path.replacing("shown=", with: "shown=A")
        #expect(try link(browser.open(changed)) == nil)
        let token = try #require(shown.split(separator: "=").last)
        #expect(try PageBrowser(site).open("/join?token=\(token)").status == 200)
        let soon = try browser.press("resend", on: browser.open("/family/invite"))
        #expect(soon.status == 429 && link(soon) == nil)
        try site.execute(
            "UPDATE app.family_invitations SET last_sent_at = last_sent_at - interval '2 minutes'")
        let renewed = try browser.press("resend", on: browser.open("/family/invite"))
        let next = try #require(link(renewed))
        #expect(next != shown)
    }

    @Test("a link is not shown again ten minutes after it was made")
    func shownLinkExpires() throws {
        let aheadMilliseconds = Lock(0)
        let site = try Site(
            trustsLocalProxy: true,
            clock: WallClock { WallClock.system.now() + aheadMilliseconds.withLock { $0 } })
        let home = try site.home()
        let browser = PageBrowser(site)
        try browser.enter(as: home.admin)
        let made = try browser.press(
            "link", on: browser.open("/family/invite"), ["role": "parent"])
        let shown = try #require(link(made))
        aheadMilliseconds.withLock { $0 = 300_000 }
        #expect(try link(browser.open(made.path)) == shown)
        aheadMilliseconds.withLock { $0 = 600_000 }
        let late = try browser.open(made.path)
        #expect(late.status == 200 && late.heading == "Invitations" && link(late) == nil)
        #expect(late.notice == nil, "no link is ready: \(late)")
    }

    @Test("a player can invite only parents")
    func player() throws {
        let home = try site.home()
        let browser = try browser(home.player)
        let page = try browser.open("/family/invite")
        #expect(page.says("value=\"parent\"") && !page.says("value=\"player\""))
        #expect(page.says("If you invite a parent,") && !page.says("If you invite a player,"))
        let forged = try browser.press(
            "send", on: page, ["email": Site.address(), "role": "player"])
        #expect(forged.status == 403 && forged.alert != nil)
    }
}
