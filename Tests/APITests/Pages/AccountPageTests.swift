import Crypto
import Domain
import Foundation
import Postgres
import TestSupport
import Testing
import UseCases

@testable import API

@Suite("The account page")
struct AccountPageTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    /// Signs in with a mailed code.
    private func enter(_ browser: PageBrowser, _ email: String) throws -> BrowserPage {
        let page = try browser.press("code", on: browser.open("/sign-in"), ["email": email])
        return try browser.press(
            "verify", on: page, ["code": browser.site.mailed(to: email).code])
    }

    /// Returns the HTML of one of the page's sections.
    private func section(_ id: String, of page: BrowserPage) throws -> String {
        return try #require(
            page.text.components(separatedBy: "<section").first { $0.contains(" id=\"\(id)\"") })
    }

    @Test("a browser that is not signed in is redirected to sign in and back")
    func stranger() throws {
        let browser = try PageBrowser(site)
        let page = try browser.openOnly("/account")
        #expect(page.status == 303 && page.header("Location") == "sign-in?return=/account")
        let form = try browser.open("/sign-in").form(withAction: "code")
        let refused = try browser.post(
            "/account", ["form_token": form.fields["form_token"] ?? "", "action": "end-others"])
        #expect(refused.status == 303)
    }

    @Test("sessions are listed; one session, or all but the current one, can be ended")
    func sessions() throws {
        let site = try site
        let email = Site.address()
        let (here, phone, tablet) = (PageBrowser(site), PageBrowser(site), PageBrowser(site))
        phone.agent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1"
        _ = try enter(phone, email)
        _ = try enter(tablet, email)
        var page = try enter(here, email)
        #expect(page.says("Safari, iPhone") && page.says("this device"))
        #expect(page.says("sign out there.") && !page.says("change your password"))
        #expect(page.text.matches(of: /value="end-session"/).count == 2)
        page = try here.press("end-session", on: page)
        #expect(page.says("You were signed out there"))
        #expect(page.text.matches(of: /value="end-session"/).count == 1)
        page = try here.press("end-others", on: page)
        #expect(page.text.matches(of: /value="end-session"/).isEmpty)
        for other in [phone, tablet] {
            #expect(try other.open("/account").heading == "Sign in")
        }
        #expect(try here.open("/account").heading == "Your account")
    }

    @Test("a session in use is extended until a year after its start; an ended one is not")
    func prolonged() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        _ = try enter(browser, email)
        let connection = try Connection(site.test.settings())
        func change(started: Int32 = 3, used: Int32 = 2, ends hours: Int32) throws {
            _ = try connection.query(
                """
                UPDATE app.sessions SET started_at = now() - make_interval(days => \(started)),
                    last_used_at = now() - make_interval(days => \(used)),
                    ends_at = now() + make_interval(hours => \(hours))
                WHERE user_id = (SELECT id FROM app.users WHERE email = \(email))
                """)
        }
        func daysLeft() throws -> Int {
            try connection.query(
                """
                SELECT ceil(extract(epoch FROM max(s.ends_at) - now()) / 86400)::int8
                FROM app.sessions AS s JOIN app.users AS u ON u.id = s.user_id
                WHERE u.email = \(email)
                """
            ).scalar(Int.self)
        }
        func lifetime(_ path: String) throws -> Int? {
            let cookie = try browser.openOnly(path).header("Set-Cookie")
            return cookie?.firstMatch(of: /Max-Age=([0-9]+)/).flatMap { Int($0.1) }
        }
        #expect(try lifetime("/account") == nil, "it has just begun")
        try change(ends: 24)
        #expect(try lifetime("/account") == 60 * 86_400)
        #expect(try daysLeft() == 60)
        #expect(try lifetime("/account") == nil, "once a day is enough")
        try change(started: 364, ends: 2)
        let left = try #require(try lifetime("/account"))
        #expect((86_000...86_400).contains(left))
        #expect(try daysLeft() == 1)
        try change(ends: -1)
        #expect(try browser.open("/account").heading == "Sign in")
        #expect(try daysLeft() <= 0)
    }

    @Test("another account's session can't be ended")
    func foreign() throws {
        let site = try site
        let (mine, theirs) = (PageBrowser(site), PageBrowser(site))
        let email = Site.address()
        _ = try enter(theirs, email)
        let other = try enter(PageBrowser(site), email)
        let session = try #require(try other.form(withAction: "end-session").fields["session"])
        let own = Site.address()
        _ = try enter(PageBrowser(site), own)
        let page = try enter(mine, own)
        let refused = try mine.press("end-session", on: page, ["session": session])
        #expect(refused.says("That session was already over."))
        #expect(try theirs.open("/account").heading == "Your account")
    }

    @Test(
        "a first password is set after a fresh sign-in, and changing it requires the old password")
    func password() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        var page = try enter(browser, email)
        #expect(page.says("Set a password") && !page.says("name=\"current\""))
        page = try browser.press("password", on: page, ["password": "12345678"])
        #expect(page.status == 400 && page.alert != nil)
        page = try browser.press("password", on: page, ["password": Site.password])
        #expect(page.says("Your password is set.") && page.says("name=\"current\""))
        let other = "terns circle the 9 grey piers"
        page = try browser.press("password", on: page, ["current": "x", "password": other])
        #expect(page.status == 401 && page.alert == "That’s not your current password.")
        #expect(try section("ways", of: page).contains("role=\"alert\""))
        #expect(page.says("<details open>"), "the form is at hand")
        page = try browser.press(
            "password", on: page, ["current": Site.password, "password": other])
        #expect(page.status == 200 && page.alert == nil)
        #expect(try site.signIn(email, other).status == 200)
    }

    @Test("a sign-in method is removed unless it is the last one")
    func ways() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        var page = try enter(browser, email)
        #expect(!page.says("account?remove="))
        page = try browser.press("password", on: page, ["password": Site.password])
        #expect(page.text.matches(of: /account\?remove=/).count == 1)
        page = try browser.follow("account?remove=", on: page)
        var form = try page.form(withAction: "remove-way").fields
        #expect(page.heading == "Remove this way to sign in?" && page.says("Password"))
        #expect(!page.says("password will be removed too"))
        page = try browser.press("remove-way", on: page)
        #expect(page.says("That way to sign in was removed."))
        #expect(!page.says("account?remove="))
        form["identity"] = try Connection(site.test.settings()).query(
            """
            SELECT i.id::text FROM app.users AS u, app.identities_of(u.id) AS i
            WHERE u.email = \(email) AND i.kind = 'email'
            """
        ).scalar(String.self)
        form["sure"] = "yes"
        let last = try browser.post("/account", form)
        #expect(last.status == 409 && last.alert?.contains("only way") == true, "\(last)")
    }

    @Test("removing a sign-in method a second time shows the current page")
    func removingTwice() throws {
        let site = try site
        let browser = PageBrowser(site)
        var page = try enter(browser, Site.address())
        page = try browser.press("password", on: page, ["password": Site.password])
        let question = try browser.follow("account?remove=", on: page)
        _ = try browser.press("remove-way", on: question)
        let again = try browser.press("remove-way", on: question)
        #expect(again.status == 200 && again.heading == "Your account", "\(again)")
        #expect(again.says("That way to sign in was removed."), "the same form has one effect")
        var fields = try question.form(withAction: "remove-way").fields
        fields["key"] = String(repeating: "A", count: 22)
        #expect(try browser.open("/account").status == 200)
        #expect(try browser.post("/account", fields).header("Location") == "account?done=way-gone")
        let link = try #require(page.text.firstMatch(of: /account\?remove=[^"]*/))
        let late = try browser.open("/" + link.output)
        #expect(late.status == 200 && late.says("That was already removed."))
    }

    @Test("a removal without confirmation shows the question and changes nothing")
    func removingUnasked() throws {
        let site = try site
        let browser = PageBrowser(site)
        var page = try enter(browser, Site.address())
        page = try browser.press("password", on: page, ["password": Site.password])
        var form = try browser.follow("account?remove=", on: page)
            .form(withAction: "remove-way").fields
        form["sure"] = nil
        form["action"] = "remove-way"
        let asked = try browser.post("/account", form)
        #expect(asked.status == 303)
        #expect(asked.header("Location")?.hasPrefix("account?remove=") == true)
        #expect(try browser.open("/account").says("account?remove="))
    }

    @Test("the form for leaving a family can be sent twice, and the account no longer lists it")
    func leaving() throws {
        let site = try site
        let home = try site.home("Terns")
        let (father, _) = try home.joiner()
        let browser = PageBrowser(site)
        let page = try enter(browser, father.email)
        let question = try browser.follow("ask=leave", on: page)
        #expect(question.heading == "Leave Terns?" && question.says("You lose access at once."))
        #expect(try browser.open("/account").says("<bdi>Terns</bdi>"), "nothing has happened yet")
        for _ in 0..<2 {
            let left = try browser.press("leave", on: question)
            #expect(left.status == 200 && left.heading == "You’re not in a family", "\(left)")
        }
        #expect(try !browser.open("/account").says("<bdi>Terns</bdi>"))
        let gone = try browser.open("/account?leave=\(home.id)")
        #expect(gone.heading == "Your account" && !gone.says("value=\"leave\""))
    }

    @Test("an account without a family is led to the pages that create and join one")
    func firstFamily() throws {
        let site = try site
        let browser = PageBrowser(site)
        let page = try enter(browser, Site.address())
        #expect(try browser.follow("family/new", on: page).heading == "Create a family")
        #expect(try browser.follow("family/join", on: page).heading == "Join a family")
        _ = try browser.press(
            "create", on: browser.open("/family/new"),
            ["name": "Ada", "role": "parent", "family_name": "Terns"])
        let account = try browser.open("/account")
        #expect(account.says("<bdi>Terns</bdi>"))
        #expect(!account.links.contains("family/new") && !account.links.contains("family/join"))
    }

    @Test("a newcomer's wrong name is reported at its field, and what was entered is kept")
    func newcomersName() throws {
        let browser = PageBrowser(try site)
        let page = try enter(browser, Site.address())
        let long = String(repeating: "x", count: 81)
        let refused = try browser.press("name", on: page, ["name": long, "role": "player"])
        #expect(refused.status == 400 && refused.says("aria-invalid=\"true\""), "\(refused)")
        #expect(refused.says("value=\"\(long)\""))
        #expect(refused.says("value=\"player\" required checked"))
        #expect(try section("your-name", of: refused).contains("role=\"alert\""))
        #expect(refused.text.matches(of: /role="alert"/).count == 1)
        let named = try browser.press("name", on: refused, ["name": "Ada"])
        #expect(named.says("<bdi>Ada</bdi>") && named.says("You’re a player."))
    }

    @Test("a change made with a form is audited under the request id that the log shows")
    func requestOfForm() throws {
        let site = try site
        let browser = PageBrowser(site)
        let page = try enter(browser, Site.address())
        _ = try browser.press("name", on: page, ["name": "Ada", "role": "parent"])
        let family = try browser.press(
            "create", on: browser.open("/family/new"), ["family_name": "Avocets"])
        try #require(family.heading == "Avocets", "\(family)")
        let id = try Connection(site.test.settings()).query(
            """
            SELECT a.request_id FROM app.audit_log AS a
            JOIN app.family_units AS f ON f.id = a.family_unit_id
            WHERE a.action = 'family.create' AND f.family_name = 'Avocets'
            """
        ).scalar(String.self)
        try eventually { site.lines.text.contains(id) }
    }

    @Test("a form sent twice changes and records the name once")
    func namedTwice() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        let page = try enter(browser, email)
        let connection = try Connection(site.test.settings())
        func entries() throws -> Int {
            try connection.query(
                """
                SELECT count(*) FROM app.audit_log AS a
                JOIN app.users AS u ON u.id = a.actor_user_id
                WHERE a.action = 'profile.update' AND u.email = \(email)
                """
            ).scalar()
        }
        _ = try browser.press("name", on: page, ["name": "Ada", "role": "player"])
        let recorded = try entries()
        let again = try browser.press("name", on: page, ["name": "Ada", "role": "player"])
        #expect(again.says("<bdi>Ada</bdi>"))
        #expect(try entries() == recorded && recorded == 1)
    }

    @Test("the role can be changed while alone in a family, until somebody else is in it")
    func roleAlone() throws {
        let site = try site
        let browser = PageBrowser(site)
        let page = try enter(browser, Site.address())
        _ = try browser.press("name", on: page, ["name": "Ada", "role": "parent"])
        let family = try browser.press(
            "create", on: browser.open("/family/new"), ["family_name": "Terns"])
        try #require(family.heading == "Terns", "\(family)")
        let alone = try browser.open("/account")
        #expect(alone.says("name=\"role\""))
        let changed = try browser.press("name", on: alone, ["role": "player"])
        #expect(changed.status == 200 && changed.says("You’re a player."), "\(changed)")
        let shown = try browser.open("/family").text
        let code = try #require(shown.firstMatch(of: /<code aria-hidden="true">([^<]+)</))
        try site.join(site.person(.parent), code: String(code.1))
        let joined = try browser.open("/account")
        #expect(joined.offers("name") && !joined.says("name=\"role\""))
    }

    @Test("the role is not offered to somebody who waits for a family")
    func roleWhileWaiting() throws {
        let site = try site
        let home = try site.home()
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        let browser = PageBrowser(site)
        _ = try enter(browser, Site.address())
        _ = try browser.press(
            "join", on: browser.open("/join?code=\(home.code)"),
            ["name": "Sam", "role": "parent"])
        let page = try browser.open("/account")
        #expect(page.says("Families you asked to join") && !page.says("name=\"role\""))
    }

    @Test("the name can always be changed, the role in no family but not among others")
    func changing() throws {
        let site = try site
        let browser = PageBrowser(site)
        let page = try enter(browser, Site.address())
        let named = try browser.press("name", on: page, ["name": "Ada", "role": "player"])
        #expect(named.says("name=\"role\"") && named.says("You’re a player."))
        let changed = try browser.press("name", on: named, ["name": "Bea", "role": "parent"])
        #expect(changed.says("<bdi>Bea</bdi>") && changed.says("You’re a parent"), "\(changed)")
        let home = try site.home()
        _ = try browser.press("join", on: browser.open("/join?code=\(home.code)"))
        let member = try browser.open("/account")
        #expect(member.offers("name") && !member.says("name=\"role\""))
        let refused = try browser.press("name", on: member, ["name": "Bea", "role": "player"])
        #expect(refused.status == 409)
        #expect(refused.alert?.contains("while you’re in a family") == true)
        #expect(try !section("you", of: refused).contains("role=\"alert\""), "no field is wrong")
        let long = try browser.press(
            "name", on: member, ["name": String(repeating: "x", count: 81)])
        #expect(long.status == 400 && long.says("aria-invalid=\"true\""))
        #expect(try section("you", of: long).contains("role=\"alert\""), "\(long)")
        #expect(long.says(String(repeating: "x", count: 81)), "what was typed is kept")
    }

    @Test("the form of the account page keeps what was changed elsewhere meanwhile")
    func concurrentProfileChange() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        let page = try enter(browser, email)
        let other = PageBrowser(site)
        let named = try browser.press("name", on: page, ["name": "Bea", "role": "parent"])
        let stale = try browser.open("/account")
        _ = try other.press("name", on: enter(other, email), ["avatar": "owl"])
        let refused = try browser.press("name", on: stale, ["locale": "de"])
        #expect(refused.status == 400, "\(refused)")
        #expect(refused.says("<option value=\"owl\" selected>Owl</option>"), "\(refused)")
        let done = try browser.press("name", on: stale, ["name": "Bee"])
        #expect(named.status == 200 && done.status == 200, "\(done)")
        let shown = try browser.open("/account")
        #expect(try shown.form(withAction: "name").fields["name"] == "Bee", "\(shown)")
        #expect(shown.says("<option value=\"owl\" selected>Owl</option>"), "\(shown)")
        let same = try browser.press("name", on: browser.open("/account"))
        #expect(same.status == 200 && same.says(">Nothing was changed.</p>"), "\(same)")
        browser.language = "es"
        let spanish = try browser.press("name", on: same)
        #expect(spanish.says(">No se ha cambiado nada.</p>"), "\(spanish)")
        let saved = try browser.press("name", on: same, ["name": "Bea"])
        #expect(saved.says(">Guardado.</p>") && !saved.says("No se ha cambiado"), "\(saved)")
    }

    @Test("the picture and the language of e-mails can be changed, and a wrong one is told")
    func pictureAndLanguage() throws {
        let site = try site
        let browser = PageBrowser(site)
        browser.language = "es-MX"
        _ = try enter(browser, Site.address())
        browser.language = "en"
        let page = try browser.press(
            "name", on: browser.open("/account"), ["name": "Ada", "role": "parent"])
        #expect(page.says("<option value=\"es-MX\" selected>Español</option>"), "\(page)")
        #expect(page.says("id=\"locale-hint\">Pages follow your browser’s language.</p>"))
        let changed = try browser.press("name", on: page, ["avatar": "fox", "locale": "en"])
        #expect(changed.says("<option value=\"fox\" selected>Fox</option>"))
        #expect(changed.says("<option value=\"en\" selected>English</option>"))
        #expect(changed.says("<option value=\"es\">Español</option>"))
        let same = try browser.press("name", on: changed, ["locale": ""])
        #expect(same.says("<option value=\"en\" selected>"), "an empty choice changes nothing")
        #expect(same.says(">Nothing was changed.</p>"), "\(same)")
        for odd in ["de", "english", "../en"] {
            let refused = try browser.press("name", on: changed, ["locale": odd])
            #expect(refused.status == 400, "\(odd): \(refused)")
            #expect(refused.alert == "Choose one of the languages in the list.", "\(odd)")
        }
        for odd in ["unicorn", " owl", String(repeating: "x", count: 65)] {
            let wrong = try browser.press("name", on: changed, ["name": "Bea", "avatar": odd])
            #expect(wrong.status == 400 && wrong.alert == "Choose one of the pictures.", "\(odd)")
            #expect(wrong.says("<option value=\"fox\" selected>") && wrong.says("value=\"Bea\""))
            #expect(!wrong.says("unicorn"))
        }
        let removed = try browser.press("name", on: changed, ["avatar": ""])
        #expect(removed.status == 200 && !removed.says("value=\"fox\" selected"))
    }

    @Test("the page that asks for an erasure's code appears only after the code was mailed")
    func erasureCodeUnasked() throws {
        let site = try site
        let browser = PageBrowser(site)
        _ = try enter(browser, Site.address())
        let page = try browser.openOnly("/account?erase=account")
        #expect(page.status == 303 && page.header("Location") == "account#data")
    }

    @Test("only guardians are offered the option to erase children with the account")
    func childrenToo() throws {
        let site = try site
        let home = try site.home()
        let (mother, _) = try home.joiner()
        #expect(try !enter(PageBrowser(site), mother.email).says("name=\"children\""))
        _ = try site.addManagedMember(named: "Little", of: mother, to: home.id)
        #expect(try enter(PageBrowser(site), mother.email).says("name=\"children\""))
    }

    @Test("a button opens the app if its scheme is known")
    func openingTheApp() throws {
        let site = try Site(
            public: .init(
                baseURL: Site.publicURL, app: .init(name: "Die Möwen", scheme: "gulls")),
            trustsLocalProxy: true)
        let page = try enter(PageBrowser(site), Site.address())
        #expect(page.says("href=\"gulls://\"") && page.says("Open Die Möwen"))
        let sections = page.text.components(separatedBy: "</section>")
        #expect(sections.last?.contains("gulls://") == true, "the link is in no section")
        #expect(try !enter(PageBrowser(self.site), Site.address()).says("://\">Open"))
    }

    @Test("the page warns that the password is removed with the last address")
    func passwordOfAddress() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        var page = try enter(browser, email)
        page = try browser.press("password", on: page, ["password": Site.password])
        var passkey = try PasskeyClient(site)
        let ticket = try site.ticket(for: email, client: browser.address)
        let client = try SessionClient(site, site.verify(ticket, site.mailed(to: email).code))
        #expect(try passkey.register(for: client).status == 200)
        page = try browser.open("/account")
        let address = try Connection(site.test.settings()).query(
            """
            SELECT i.id::text FROM app.users AS u, app.identities_of(u.id) AS i
            WHERE u.email = \(email) AND i.kind = 'email'
            """
        ).scalar(String.self)
        page = try browser.open("/account?remove=\(address)")
        #expect(page.says("password will be removed too") && page.says(email))
        #expect(try browser.open("/account").says(email), "nothing is removed yet")
        page = try browser.press("remove-way", on: page)
        #expect(page.says("That way to sign in was removed."))
        let left = try client.get("/api/me/identities").json["identities"].elements()
        #expect(try left.map { try $0["kind"].string() } == ["passkey"])
    }

    @Test("a copy of all data is downloaded as a file")
    func export() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        let file = try browser.press("export", on: enter(browser, email))
        #expect(file.header("Content-Type") == "application/json")
        #expect(file.header("Content-Disposition")?.hasPrefix("attachment;") == true)
        #expect(file.says(email) && file.says("hearth-account-export"))
    }

    @Test("erasing an account requires confirmation and signs its browser out")
    func erasing() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        let page = try enter(browser, email)
        #expect(try browser.press("erase", on: page).status == 400)
        let done = try browser.press("erase", on: page, ["sure": "yes"])
        #expect(done.status == 200 && done.heading == "Your account was deleted", "\(done)")
        #expect(done.links.contains("sign-in"), "\(done)")
        #expect(browser.cookie?.hasPrefix("s") != true)
    }

    @Test("the page explains why an operator's account is not erased")
    func erasingOperator() throws {
        let site = try site
        let browser = PageBrowser(site)
        let email = Site.address()
        let page = try enter(browser, email)
        try site.execute(
            """
            INSERT INTO app.operators (user_id, role, added_by)
                SELECT u.id, 'viewer', 'operator:jo' FROM app.users AS u WHERE u.email = '\(email)'
            """)
        let refused = try browser.press("erase", on: page, ["sure": "yes"])
        #expect(refused.status == 409, "\(refused)")
        #expect(refused.alert?.contains("operator of this service") == true, "\(refused)")
    }

    @Test("the code mailed to the new address changes the address")
    func address() throws {
        let site = try site
        let browser = PageBrowser(site)
        let (old, new) = (Site.address(), Site.address())
        let page = try enter(browser, old)
        let odd = try browser.press("address", on: page, ["email": "nowhere"])
        #expect(odd.status == 400 && odd.text.contains("value=\"nowhere\""), "\(odd)")
        #expect(try section("ways", of: odd).contains("role=\"alert\""))
        let asked = try browser.press("address", on: page, ["email": new])
        #expect(asked.status == 200 && asked.says(new), "\(asked)")
        #expect(try browser.open("/account?address").heading == "Change your email address")
        let code = try site.mailed(to: new).code
        let wrong = try browser.press(
            "new-address", on: asked, ["code": code == "000000" ? "000001" : "000000"])
        #expect(wrong.status == 400 && wrong.heading == "Change your email address", "\(wrong)")
        let done = try browser.press("new-address", on: wrong, ["code": code])
        #expect(done.status == 200 && done.says("Your email address was changed."), "\(done)")
        #expect(done.says(new) && !done.says(old))
    }

    @Test("a second code for a new address is mailed on request and replaces the first")
    func addressCodeAgain() throws {
        let site = try site
        let browser = PageBrowser(site)
        let new = Site.address()
        let page = try enter(browser, Site.address())
        let asked = try browser.press("address", on: page, ["email": new])
        let first = try site.mailed(to: new).code
        let again = try browser.press("address", on: asked)
        #expect(again.status == 200 && again.heading == "Change your email address")
        #expect(again.says("<bdi>\(new)</bdi>"), "\(again)")
        let second = try site.mailed(to: new).code
        if first != second {
            #expect(try browser.press("new-address", on: again, ["code": first]).status == 400)
        }
        let done = try browser.press("new-address", on: again, ["code": second])
        #expect(done.says("Your email address was changed.") && done.says(new), "\(done)")
    }

    @Test("the page for a new address's code stays when too many codes are requested")
    func addressCodeTooOften() throws {
        let site = try site
        let browser = PageBrowser(site)
        let new = Site.address()
        var page = try browser.press(
            "address", on: enter(browser, Site.address()), ["email": new])
        for _ in 0..<8 where page.status == 200 { page = try browser.press("address", on: page) }
        #expect(page.status == 429 && page.heading == "Change your email address", "\(page)")
        #expect(page.alert?.contains("Please wait") == true && page.header("Retry-After") != nil)
        #expect(!page.says("aria-invalid") && page.says("<bdi>\(new)</bdi>"), "\(page)")
        let done = try browser.press("new-address", on: page, ["code": site.mailed(to: new).code])
        #expect(done.says("Your email address was changed."), "the code before still works")
    }

    @Test("the code of an address that another account has tells so, and changes nothing")
    func addressInUse() throws {
        let site = try site
        let (old, taken) = (Site.address(), Site.address())
        _ = try enter(PageBrowser(site), taken)
        let browser = PageBrowser(site)
        let asked = try browser.press("address", on: enter(browser, old), ["email": taken])
        let refused = try browser.press(
            "new-address", on: asked, ["code": site.mailed(to: taken).code])
        #expect(refused.status == 409 && refused.heading == "Your account", "\(refused)")
        #expect(refused.alert?.contains("another account") == true, "\(refused)")
        #expect(refused.says(old) && !refused.says(taken))
    }

    @Test("a change of the address hours after signing in is refused")
    func addressLater() throws {
        let site = try Site(trustsLocalProxy: true)
        try site.execute(
            """
            CREATE OR REPLACE FUNCTION app.fresh_proof_time() RETURNS interval
            LANGUAGE sql IMMUTABLE RETURN interval '-1 hour';
            """)
        let browser = PageBrowser(site)
        let email = Site.address()
        let page = try enter(browser, email)
        let refused = try browser.press("address", on: page, ["email": Site.address()])
        #expect(refused.status == 403 && refused.heading == "Your account", "\(refused)")
        #expect(refused.says(email))
    }

    /// Makes the sign-in of the browser's session an hour old.
    private func age(_ browser: PageBrowser) throws {
        let cookie = try #require(browser.cookie)
        let bytes = try #require(Base64URL.decode(String(cookie.dropFirst())))
        var content = Array(bytes.dropLast(32))
        var moment = content[32..<40].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } - 3_600
        for index in (32..<40).reversed() {
            content[index] = UInt8(truncatingIfNeeded: moment)
            moment >>= 8
        }
        let keys = try site.services.signInSetup().keys
        let seal = try keys.pageCookies[0].authenticate(content)
        browser.set("s" + Base64URL.text(content + seal))
    }

    @Test("an hour after signing in, the page asks for a new sign-in, whatever the form contains")
    func staleSignIn() throws {
        let browser = PageBrowser(try site)
        let fresh = try enter(browser, Site.address())
        #expect(fresh.says("value=\"address\"") && fresh.says("value=\"password\""))
        try age(browser)
        let page = try browser.open("/account")
        #expect(page.says("To change your email address, sign out and sign in again first."))
        #expect(page.says("Sign out, sign in again, and do this within ten minutes."))
        for action in ["address", "password", "add-passkey", "add-provider"] {
            #expect(!page.says("value=\"\(action)\""), "\(action)")
        }
        var form = try page.form(withAction: "export").fields
        for (action, field) in [("address", "email"), ("add-passkey", "label")] {
            form["action"] = action
            for value in ["nowhere", "somebody@example.com", String(repeating: "x", count: 300)] {
                form[field] = value
                let refused = try browser.post("/account", form)
                #expect(refused.status == 403, "\(action) \(value): \(refused)")
                #expect(refused.alert?.contains("sign in again") == true, "\(action) \(value)")
            }
        }
        let other = PageBrowser(try site)
        let account = try other.press(
            "password", on: enter(other, Site.address()), ["password": Site.password])
        let link = try #require(account.text.firstMatch(of: /account\?remove=[^"]*/))
        try age(other)
        let question = try other.open("/\(link.output)")
        #expect(question.says("sign in again") && !question.says("value=\"remove-way\""))
    }

    @Test("an erasure hours after signing in requires a mailed code")
    func erasingLater() throws {
        let site = try Site(trustsLocalProxy: true)
        try site.execute(
            """
            CREATE OR REPLACE FUNCTION app.fresh_proof_time() RETURNS interval
            LANGUAGE sql IMMUTABLE RETURN interval '-1 hour';
            """)
        let browser = PageBrowser(site)
        let email = Site.address()
        let page = try enter(browser, email)
        let asked = try browser.press("erase", on: page, ["sure": "yes"])
        #expect(asked.status == 200 && asked.says("we emailed you a code"), "\(asked)")
        let forms = asked.text.matches(of: /<form method="post".*?<\/form>/.dotMatchesNewlines())
            .map { String($0.output) }
        #expect(
            forms.contains { $0.contains("Send a new code") && !$0.contains("name=\"code\"") })
        var fields = try asked.form(withAction: "erase").fields
        fields["code"] = nil
        #expect(try browser.post("/account", fields).header("Location") == "account?erase=account")
        let wrong = try browser.press("erase", on: asked, ["code": "000000"])
        #expect(wrong.status == 400 && wrong.alert?.contains("it’s too old") == true)
        let user = try Connection(site.test.settings()).query(
            "SELECT id FROM app.users WHERE email = \(email)"
        ).scalar(UInt128.self)
        let code = try Site.keys().deletionCodes.code(
            for: UserID(rawValue: user), at: email,
            secondsSince1970: Int64(Date().timeIntervalSince1970))
        let done = try browser.press("erase", on: wrong, ["code": code])
        #expect(done.heading == "Your account was deleted", "\(done)")
    }

    @Test("obstacles to an erasure stand on the account page, and no code is mailed before")
    func obstacles() throws {
        let site = try Site(trustsLocalProxy: true)
        try site.execute(
            """
            CREATE OR REPLACE FUNCTION app.fresh_proof_time() RETURNS interval
            LANGUAGE sql IMMUTABLE RETURN interval '-1 hour';
            """)
        let home = try site.home("Terns")
        let child = try home.child(of: home.adult, name: "Robin")
            .replacing("managed_", with: "")
        let (ada, pat, kim) = (PageBrowser(site), PageBrowser(site), PageBrowser(site))
        let ofKim = try section("data", of: enter(kim, home.player.email))
        #expect(!ofKim.contains("Before you can delete"), "\(ofKim)")
        let ofAda = try enter(ada, home.admin.email)
        let seat = try section("data", of: ofAda)
        #expect(seat.contains("Make another adult the Parent Admin of"), "\(seat)")
        #expect(seat.contains("<a href=\"family?id=\(home.id)\"><bdi>Terns</bdi></a>"), "\(seat)")
        #expect(!ofAda.offers("erase") && !seat.contains("Robin"))
        // Without the form, there is no box for the children either.
        let own = try home.child(of: home.admin, name: "Wren").replacing("managed_", with: "")
        let both = try section("data", of: ada.open("/account"))
        #expect(both.contains("<a href=\"family/child?id=\(own)\"><bdi>Wren</bdi></a>."), "\(both)")
        #expect(both.contains("the Parent Admin of") && !both.contains("the box"), "\(both)")

        let page = try enter(pat, home.adult.email)
        let guarding = try section("data", of: page)
        #expect(guarding.contains("Name another guardian for"), "\(guarding)")
        #expect(guarding.contains("or check the box for the children."), "\(guarding)")
        #expect(
            guarding.contains("<a href=\"family/child?id=\(child)\"><bdi>Robin</bdi></a>"),
            "\(guarding)")
        let refused = try pat.press("erase", on: page, ["sure": "yes"])
        #expect(refused.status == 409, "\(refused)")
        #expect(refused.alert?.contains("href=\"#erase\"") == true, "\(refused)")
        #expect(try pat.openOnly("/account?erase=account").header("Location") == "account#data")
        let again = try pat.press("erase", on: page, ["sure": "yes", "again": "yes"])
        #expect(again.status == 409 && again.heading == "Your account", "\(again)")
        let asked = try pat.press("erase", on: page, ["sure": "yes", "children": "yes"])
        #expect(asked.status == 200 && asked.says("we emailed you a code"), "\(asked)")

        let shared = try home.adult.post(
            "/api/family/managed/\(child)/guardians",
            #"{"memberId": "\#(home.member(home.admin))"}"#)
        try #require(shared.status / 100 == 2, "\(shared)")
        let free = try pat.open("/account")
        #expect(free.offers("erase") && !free.says("Before you can delete"), "\(free)")
    }

    @Test("an operator's page says that the role has to end before an erasure, and mails no code")
    func operatorErasure() throws {
        let site = try Site(trustsLocalProxy: true)
        try site.execute(
            """
            CREATE OR REPLACE FUNCTION app.fresh_proof_time() RETURNS interval
            LANGUAGE sql IMMUTABLE RETURN interval '-1 hour';
            """)
        let (browser, email) = (PageBrowser(site), Site.address())
        let before = try enter(browser, email)
        try site.execute(
            """
            INSERT INTO app.operators (user_id, role, added_by)
                SELECT id, 'viewer', 'operator:jo' FROM app.users WHERE email = '\(email)'
            """)
        for values in [["sure": "yes"], ["sure": "yes", "again": "yes"]] {
            let refused = try browser.press("erase", on: before, values)
            #expect(refused.status == 409 && refused.heading == "Your account", "\(refused)")
            #expect(refused.alert?.contains("an operator of this service") == true, "\(refused)")
        }
        #expect(
            try browser.openOnly("/account?erase=account").header("Location") == "account#data")
        let own = try browser.open("/account")
        let sentence = "<li>Ask an admin of this service to remove your role as an operator.</li>"
        #expect(try section("data", of: own).contains(sentence), "\(own)")
        #expect(!own.offers("erase"))
        browser.language = "es"
        let spanish = try section("data", of: browser.open("/account"))
        #expect(spanish.contains("Otra persona que lo administre tiene que quitarle ese papel."))
        let other = try enter(PageBrowser(site), Site.address())
        #expect(!other.says("role as an operator") && other.offers("erase"), "\(other)")

        try site.execute("DELETE FROM app.operators")
        let asked = try browser.press("erase", on: before, ["sure": "yes"])
        #expect(try asked.status == 200 && browser.open("/account").offers("erase"), "\(asked)")
    }

    @Test("asking for a new code never erases the account, even after a fresh sign-in")
    func erasureCodeAgain() throws {
        let site = try site
        let browser = PageBrowser(site)
        let page = try enter(browser, Site.address())
        var fields = try page.form(withAction: "erase").fields
        fields.merge(["action": "erase", "sure": "yes", "again": "yes"]) { $1 }
        #expect(try browser.post("/account", fields).header("Location") == "account?erase=account")
        #expect(try browser.open("/account").heading == "Your account")
    }

    @Test("the page for an erasure's code stays when too many codes are requested")
    func erasureCodeTooOften() throws {
        let site = try site
        let browser = PageBrowser(site)
        let page = try enter(browser, Site.address())
        var fields = try page.form(withAction: "erase").fields
        fields.merge(["action": "erase", "sure": "yes", "again": "yes"]) { $1 }
        var refused = try browser.post("/account", fields)
        for _ in 0..<8 where refused.status == 303 {
            refused = try browser.post("/account", fields)
        }
        #expect(refused.status == 429 && refused.heading == "Delete your account", "\(refused)")
        #expect(refused.alert?.contains("Please wait") == true && !refused.says("aria-invalid"))
        #expect(refused.header("Retry-After") != nil)
        #expect(try refused.form(withAction: "erase").fields["sure"] == "yes")
    }

    @Test("the account's consents are given on the page, and withdrawn after a question")
    func consents() throws {
        let purposes = try ConsentPurposes(
            parsing: Array(
                #"""
                [{"purpose": "terms", "version": "5", "for": "account",
                  "refuses": ["family.create"], "title": {"en": "Terms", "es": "Condiciones"},
                  "text": {"en": "What we agree on.", "es": "Lo que acordamos."}},
                 {"purpose": "photos", "version": "1", "title": "Photos", "text": "Of a child."}]
                """#.utf8))
        let site = try Site(consents: purposes, trustsLocalProxy: true)
        let browser = PageBrowser(site)
        _ = try enter(browser, Site.address())
        let blank = try browser.open("/family/new")
        let values = ["family_name": "Terns", "name": "Ada", "role": "parent"]
        let refused = try browser.press("create", on: blank, values)
        #expect(refused.status == 403, "\(refused)")
        #expect(refused.alert?.contains("href=\"../account#consents\"") == true, "\(refused)")
        var page = try browser.open("/account")
        var shown = try section("consents", of: page)
        #expect(shown.contains("<strong>Terms</strong>") && shown.contains("What we agree on."))
        #expect(shown.contains(">Required</span>") && shown.contains("Not given"))
        #expect(!shown.contains("Photos"), "guardians give it for a child")
        let outdated = try browser.press("consent", on: page, ["version": "4"])
        #expect(outdated.status == 409 && outdated.alert != nil, "\(outdated)")
        page = try browser.press("consent", on: page)
        #expect(page.says("You gave your consent."), "\(page)")
        shown = try section("consents", of: page)
        #expect(shown.contains("Given on") && !page.offers("consent"), "\(shown)")
        let created = try browser.press("create", on: browser.open("/family/new"), values)
        #expect(created.heading == "Terns", "\(created)")
        page = try browser.open("/account")
        let question = try browser.follow("account?consent=terms", on: page)
        #expect(question.heading == "Withdraw consent to “Terms”?", "\(question)")
        #expect(try !browser.open("/account").offers("consent"), "nothing is withdrawn yet")
        var fields = try question.form(withAction: "withdraw-consent").fields
        fields["sure"] = nil
        let unsure = try browser.post("/account", fields)
        #expect(unsure.header("Location") == "account?consent=terms")
        page = try browser.press("withdraw-consent", on: question)
        #expect(page.says("You withdrew your consent.") && page.offers("consent"), "\(page)")
        let none = try browser.openOnly("/account?consent=terms")
        #expect(none.header("Location") == "account#consents")
        #expect(try section("consents", of: browser.open("/account")).contains("Not given"))
        #expect(try !enter(PageBrowser(self.site), Site.address()).says("id=\"consents\""))
    }

    @Test("a consent to an earlier text can be withdrawn without giving another one")
    func outdatedConsent() throws {
        let purposes = try ConsentPurposes(
            parsing: Array(
                #"""
                [{"purpose": "terms", "version": "5", "for": "account", "title": "Terms",
                  "text": "What we agree on."}]
                """#.utf8))
        let site = try Site(consents: purposes, trustsLocalProxy: true)
        let browser = PageBrowser(site)
        let given = try browser.press("consent", on: enter(browser, Site.address()))
        try #require(given.says("You gave your consent."), "\(given)")
        try site.execute("UPDATE app.account_consents SET version = '4'")
        let outdated = try browser.open("/account")
        #expect(try section("consents", of: outdated).contains("changed since you agreed"))
        #expect(outdated.offers("consent"))
        let question = try browser.follow("account?consent=terms", on: outdated)
        let done = try browser.press("withdraw-consent", on: question)
        #expect(done.says("You withdrew your consent."), "\(done)")
        #expect(try section("consents", of: done).contains("Not given"))
    }

    @Test("a refused change of the account keeps what else was typed")
    func typedProfile() throws {
        let site = try site
        let home = try site.home()
        let browser = PageBrowser(site)
        _ = try enter(browser, home.adult.email)
        let page = try browser.open("/account")
        let refused = try browser.press(
            "name", on: page, ["name": "Patricia", "avatar": "owl", "role": "player"])
        #expect(refused.status == 409, "\(refused)")
        #expect(try !section("you", of: refused).contains("role=\"alert\""))
        let fields = try refused.form(withAction: "name").fields
        #expect(fields["name"] == "Patricia", "\(fields)")
        #expect(refused.says("<option value=\"owl\" selected>Owl</option>"), "\(refused)")
        #expect(try section("you", of: refused).contains("<details open>"))
    }

    @Test("erasing the only guardian of a child is refused with an explanation")
    func blocked() throws {
        let site = try site
        let home = try site.home()
        let (mother, _) = try home.joiner()
        _ = try site.addManagedMember(named: "Little", of: mother, to: home.id)
        let browser = PageBrowser(site)
        let page = try enter(browser, mother.email)
        #expect(page.says("Gulls"), "\(page)")
        let refused = try browser.press("erase", on: page, ["sure": "yes"])
        #expect(
            refused.alert?.contains("<a href=\"#erase\">See what to do first</a>") == true,
            "\(refused)")
        let left = try section("data", of: refused)
        #expect(left.contains("<details id=\"erase\" open>"), "\(left)")
        #expect(left.contains("<bdi>Little</bdi></a>, or check the box"), "\(left)")
        #expect(!left.contains("Parent Admin"), "the seat is another's")
        browser.language = "es"
        let spanish = try browser.press("erase", on: page, ["sure": "yes"])
        #expect(spanish.alert?.contains("No se ha borrado tu cuenta") == true, "\(spanish)")
        browser.language = "en"
        #expect(try !section("data", of: browser.open("/account")).contains("erase\" open"))
        let erased = try browser.press(
            "erase", on: refused, ["sure": "yes", "children": "yes"])
        #expect(erased.heading == "Your account was deleted", "\(erased)")
    }

    @Test("invitations to the verified address are accepted and declined")
    func invitations() throws {
        let site = try site
        let home = try site.home("Terns")
        let email = Site.address()
        _ = try home.invite(email)
        let browser = PageBrowser(site)
        let page = try enter(browser, email)
        #expect(page.says("Invitations for you") && page.says("<bdi>Terns</bdi>"))
        let question = try browser.press("accept", on: page)
        #expect(question.heading == "Join Terns", "nobody has said the role")
        let joined = try browser.press("accept", on: question, ["role": "parent"])
        #expect(joined.status == 200 && joined.heading == "You’re now a member of Terns")
        let account = try browser.open("/account")
        #expect(!account.says("Invitations for you") && account.says("<bdi>Terns</bdi>"))
    }

    @Test("a request to join is shown and withdrawn, unless it is approved")
    func requests() throws {
        let site = try site
        let home = try site.home("Terns")
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        let browser = PageBrowser(site)
        let account = try enter(browser, Site.address())
        #expect(!account.says("Families you asked to join"))
        func ask() throws -> BrowserPage {
            let joined = try browser.press(
                "join", on: browser.open("/join?code=\(home.code)"), ["role": "parent"])
            #expect(joined.heading == "Your request was sent to Terns", "\(joined)")
            return try browser.open("/account")
        }
        let page = try ask()
        #expect(page.says("Families you asked to join") && page.says("<bdi>Terns</bdi>"))
        let withdrawn = try browser.press("withdraw", on: page)
        #expect(withdrawn.says("You withdrew your request."), "\(withdrawn)")
        #expect(!withdrawn.says("<bdi>Terns</bdi>"))
        let again = try ask()
        let waiting = try home.admin.get("/api/family/members?status=invited")
        let member = try waiting.json["members"].elements()[0]["id"].string()
        #expect(try home.admin.post("/api/family/members/\(member)/approve").status == 200)
        let late = try browser.press("withdraw", on: again)
        #expect(late.status == 200 && late.says("<bdi>Terns</bdi>"), "\(late)")
        #expect(late.says("This request was already answered or withdrawn."))
        #expect(!late.says("Families you asked to join"))
    }
}
