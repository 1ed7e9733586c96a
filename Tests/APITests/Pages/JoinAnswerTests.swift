import API
import Domain
import Postgres
import TestSupport
import Testing
import UseCases

@Suite("The page of an invitation: answering it")
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

    /// Signs in on the page of an invitation.
    private func enter(
        _ browser: PageBrowser, _ path: String, _ email: String
    ) throws -> BrowserPage {
        let sent = try browser.press("code", on: browser.open(path), ["email": email])
        return try browser.press(
            "verify", on: sent, ["code": browser.site.mailed(to: email).code])
    }

    @Test("a new person signs in on the page, enters a name, accepts and sees the next steps")
    func accepting() throws {
        let site = try site
        let home = try site.home("Gulls")
        let email = Site.address()
        let token = try site.token(ofInvitation: home.invite(email))
        let browser = PageBrowser(site)
        let page = try enter(browser, "/join?token=\(token)", email)
        #expect(page.heading == "Join Gulls" && page.says("<bdi>Ada</bdi> invites you"))
        #expect(page.says("<bdi>\(email)</bdi>") && page.says("name=\"name\""))
        #expect(page.says("Who are you in the family?"))
        #expect(page.says("value=\"parent\" required checked"), "it is the invitation's")
        #expect(!page.says("value=\"player\" required checked"))
        let joined = try browser.press(
            "accept", on: page, ["name": "Newcomer", "role": "parent"])
        #expect(joined.status == 200 && joined.heading == "You’re now a member of Gulls")
        #expect(joined.says("https://apps.example.org/gulls") && joined.says("help@example.org"))
        #expect(joined.says("<strong>Die Möwen</strong>") && joined.says(email))
        let members = try home.admin.get("/api/family/members?familyId=\(home.id)")
        #expect("\(members)".contains("Newcomer"))
        let again = try browser.press("accept", on: page)
        #expect(again.heading == "You’re now a member of Gulls")
    }

    /// Versions and records of a person and a family: what a form that changes something changes.
    private func state(_ email: String, _ family: String) throws -> String {
        let connection = try Connection(site.test.settings())
        return try connection.query(
            """
            SELECT concat_ws(' ', f.version, u.version,
                (SELECT count(*) FROM app.audit_log AS a
                 WHERE a.family_unit_id = f.family_unit_id OR a.actor_user_id = u.user_id),
                (SELECT count(*) FROM app.family_members AS m
                 WHERE m.family_unit_id = f.family_unit_id),
                (SELECT count(*) FROM app.family_code_usage_log AS l
                 WHERE l.family_unit_id = f.family_unit_id),
                (SELECT count(*) FROM app.code_lookups AS l WHERE l.user_id = u.user_id),
                (SELECT count(*) FROM app.idempotency_keys WHERE actor_id = u.user_id))
            FROM app.family_versions AS f, app.user_versions AS u
            WHERE f.family_unit_id = \(family)::uuid
                AND u.user_id = (SELECT id FROM app.users WHERE email = \(email))
            """
        ).scalar(String.self)
    }

    @Test("a form that joins or accepts changes nothing when it is sent again")
    func sentTwice() throws {
        let site = try site
        let (home, email) = (try site.home("Terns"), Site.address())
        let browser = PageBrowser(site)
        let page = try enter(browser, "/join?code=\(home.code)", email)
        let values = ["name": "Guest", "role": "parent"]
        let joined = try browser.pressOnly("join", on: page, values)
        #expect(joined.header("Location") == "join?joined=\(home.id)")
        let before = try state(email, home.id)
        let again = try browser.pressOnly("join", on: page, values)
        #expect(again.status == 303 && again.header("Location") == "join?joined=\(home.id)")
        #expect(try state(email, home.id) == before)
        let renewed = try home.admin.post(
            "/api/family/code/regenerate", #"{"familyId": "\#(home.id)"}"#)
        try #require(renewed.status == 200)
        let late = try browser.pressOnly("join", on: page, values)
        #expect(late.header("Location") == "join?joined=\(home.id)", "the code is another now")

        let (other, invited) = (PageBrowser(site), Site.address())
        let token = try site.token(ofInvitation: home.invite(invited))
        let question = try enter(other, "/join?token=\(token)", invited)
        let accepted = try other.pressOnly("accept", on: question, values)
        #expect(accepted.header("Location") == "join?joined=\(home.id)")
        let then = try state(invited, home.id)
        let repeated = try other.pressOnly("accept", on: question, values)
        #expect(repeated.header("Location") == "join?joined=\(home.id)")
        #expect(try state(invited, home.id) == then)
    }

    @Test("the page after joining a second family leads to that family")
    func secondFamily() throws {
        let site = try site
        let (first, second) = (try site.home("First"), try site.home("Second"))
        let browser = PageBrowser(site)
        #expect(try browser.enter(as: first.admin).heading == "First")
        let joined = try browser.press("join", on: browser.open("/join?code=\(second.code)"))
        #expect(joined.heading == "You’re now a member of Second", "\(joined)")
        #expect(joined.says("class=\"button\" href=\"family?id=\(second.id)\">See your family</a>"))
        #expect(try browser.follow("family?id=", on: joined).heading == "Second")
    }

    @Test("a form that leads to a question stores the name once, however often it is sent")
    func askedTwice() throws {
        let site = try site
        let home = try site.home("Terns")
        let browser = PageBrowser(site)
        let person = try site.person(.player, name: "Lone")
        try #require(
            person.post("/api/family/create", #"{"familyName": "Lonely"}"#).status / 100 == 2)
        try browser.enter(as: person)
        let page = try browser.open("/join?code=\(home.code)")
        var form = try page.form(withAction: "join").fields
        form["sure"] = nil
        form["name"] = "Lonesome"
        form["action"] = "join"
        for _ in 0..<2 {
            let asked = try browser.post("/join", form)
            #expect(asked.header("Location") == "join?code=\(home.code)", "\(asked)")
        }
        let connection = try Connection(site.test.settings())
        let records = try connection.query(
            """
            SELECT count(*) FROM app.idempotency_keys AS k JOIN app.users AS u ON u.id = k.actor_id
            WHERE u.email = \(person.email) AND k.route = 'PATCH /api/me'
            """
        ).scalar(Int.self)
        #expect(records == 1)
    }

    @Test("accepting an invitation without a role asks for it, with the invitation's chosen")
    func unsaidRole() throws {
        let site = try site
        let home = try site.home("Gulls")
        let email = Site.address()
        let token = try site.token(ofInvitation: home.invite(email))
        let browser = PageBrowser(site)
        let page = try enter(browser, "/join?token=\(token)", email)
        var fields = try page.form(withAction: "accept").fields
        fields["role"] = nil
        fields.merge(["action": "accept", "name": "Sam"]) { $1 }
        #expect(try browser.post("/join", fields).header("Location") == "join?token=\(token)")
        let question = try browser.open("/join?token=\(token)")
        #expect(question.status == 200 && question.heading == "Join Gulls")
        #expect(question.says("value=\"parent\" required checked"), "\(question)")
        #expect(question.says("Who are you in the family?") && !question.says("name=\"name\""))
        let mismatch = try browser.press("accept", on: question, ["role": "player"])
        #expect(mismatch.status == 409, "\(mismatch)")
        #expect(mismatch.alert?.contains("for a parent or another adult. If that’s you") == true)
        #expect(
            mismatch.heading == "Join Gulls" && mismatch.says("value=\"player\" required checked"))
        let joined = try browser.press("accept", on: question, ["role": "parent"])
        #expect(joined.heading == "You’re now a member of Gulls")
    }

    @Test("a child's invitation names its role, asks for none, and keeps the child's name")
    func graduate() throws {
        let site = try site
        let home = try site.home("Terns")
        let child = try home.child(of: home.adult, name: "Robin")
        let token = try home.adult.startGraduation(of: child)
        let browser = PageBrowser(site)
        let page = try enter(browser, "/join?token=\(token)", Site.address())
        #expect(page.heading == "Your own account in Terns", "\(page)")
        #expect(page.says("In the family, you’ll be a player."), "\(page)")
        #expect(!page.says("Who are you in the family?") && !page.says("name=\"role\""))
        #expect(page.says("Leave it empty to keep the name that your family knows."))
        #expect(!page.says("Robin"), "the link's holder may be anybody")
        #expect(!page.text.contains(/<input id="name" [^>]*required/))
        let forged = try browser.press("accept", on: page, ["role": "parent"])
        #expect(forged.status == 409 && forged.heading == page.heading, "\(forged)")
        #expect(forged.alert?.contains("has chosen that you’ll be a player") == true, "\(forged)")
        #expect(page.says("you do yourself what your guardians did for you"), "\(page)")
        let joined = try browser.press("accept", on: forged)
        #expect(joined.heading == "You now have your own account in Terns", "\(joined)")
        let members = try home.admin.get("/api/family/members?familyId=\(home.id)").json["members"]
        let robin = try #require(
            try members.elements().first { try $0["display_name"].string() == "Robin" })
        #expect(try robin["role"].string() == "player" && !robin["is_managed"].bool())
    }

    @Test("a child who waits for another family in the other role is told to withdraw the request")
    func waitingGraduate() throws {
        let site = try site
        let (home, other) = (try site.home("Terns"), try site.home("Gulls"))
        _ = try other.admin.patch("/api/family/\(other.id)", #"{"approvalRequired": true}"#)
        let person = try site.person(.parent, name: "Robin")
        let asked = try person.post(
            "/api/family/code/join", #"{"familyCode": "\#(other.code)"}"#)
        try #require(asked.status == 202, "\(asked)")
        let child = try home.child(of: home.adult)
        let token = try home.adult.startGraduation(of: child)
        let browser = PageBrowser(site)
        try browser.enter(as: person)
        let page = try browser.open("/join?token=\(token)")
        #expect(page.says("Withdraw that request in your account"), "\(page)")
        #expect(!page.says("for another role") && !page.says("value=\"accept\""), "\(page)")
    }

    @Test("a wrong name or role is reported in the form, which keeps what was typed and chosen")
    func wrongAnswer() throws {
        let site = try site
        let home = try site.home("Terns")
        let (browser, email) = (PageBrowser(site), Site.address())
        let page = try enter(browser, "/join?code=\(home.code)", email)
        let long = String(repeating: "x", count: 81)
        let refused = try browser.press("join", on: page, ["name": long, "role": "player"])
        #expect(refused.status == 400 && refused.heading == "Join Terns", "\(refused)")
        #expect(refused.alert == "Enter a name of at most 80 characters.")
        #expect(refused.says("value=\"\(long)\"") && refused.says("aria-invalid=\"true\""))
        #expect(refused.says("value=\"player\" required checked"))
        let joined = try browser.press("join", on: refused, ["name": "Sam"])
        #expect(joined.heading == "You’re now a member of Terns", "\(joined)")

        let (other, invited) = (PageBrowser(site), Site.address())
        let token = try site.token(ofInvitation: home.invite(invited))
        let question = try enter(other, "/join?token=\(token)", invited)
        let odd = try other.press("accept", on: question, ["name": "Pip", "role": "chief"])
        #expect(odd.status == 400 && odd.heading == "Join Terns", "\(odd)")
        #expect(odd.alert == "Choose who you are in the family." && odd.says("value=\"Pip\""))
        let accepted = try other.press("accept", on: odd, ["role": "parent"])
        #expect(accepted.heading == "You’re now a member of Terns", "\(accepted)")
    }

    @Test("if the page of a refused form can't be read, the log says why, and the refusal is shown")
    func unreadablePage() throws {
        let site = try Site(trustsLocalProxy: true)
        let home = try site.home("Terns")
        let browser = PageBrowser(site)
        let page = try enter(browser, "/join?code=\(home.code)", Site.address())
        let account = try browser.open("/account")
        try Connection(site.test.settings()).execute(
            script: """
                REVOKE EXECUTE ON FUNCTION app.prospect_of_code(text) FROM hearth_api;
                REVOKE SELECT ON app.invitations_to_me FROM hearth_api
                """)
        let values = ["name": String(repeating: "x", count: 81), "role": "player"]
        func faults() -> Int {
            site.lines.text.split(separator: "\n")
                .count { $0.contains("could not read the page with a problem") }
        }
        let joining = try browser.press("join", on: page, values)
        #expect(joining.status == 400 && joining.heading != page.heading, "\(joining)")
        #expect(faults() == 1)
        let naming = try browser.press("name", on: account, values)
        #expect(naming.status == 400 && naming.heading != account.heading, "\(naming)")
        #expect(faults() == 2)
    }

    @Test("refused names use up no lookups of the invitation, unless the form has a forged proof")
    func refusedNamesForInvitation() throws {
        let site = try site
        let home = try site.home("Terns")
        let (browser, email) = (PageBrowser(site), Site.address())
        let token = try site.token(ofInvitation: home.invite(email))
        let page = try enter(browser, "/join?token=\(token)", email)
        let values = ["name": String(repeating: "x", count: 81), "role": "parent"]
        for _ in 0..<70 {
            let refused = try browser.press("accept", on: page, values)
            try #require(refused.status == 400 && refused.heading == "Join Terns", "\(refused)")
        }
        #expect(try browser.open("/join?token=\(token)").heading == "Join Terns")
        // The proof is of another invitation.
        let other = try site.token(ofInvitation: home.invite(Site.address()))
        var last = page
        for _ in 0..<70 where last.status != 429 {
            last = try browser.press(
                "accept", on: page, values.merging(["token": other]) { $1 })
        }
        #expect(last.status == 429, "\(last)")
    }

    @Test("refused names use up no attempts at a valid code, but do at an unknown one")
    func refusedNamesForCode() throws {
        let site = try site
        let home = try site.home("Terns")
        let (browser, email) = (PageBrowser(site), Site.address())
        let page = try enter(browser, "/join?code=\(home.code)", email)
        let values = ["name": String(repeating: "x", count: 81), "role": "parent"]
        for _ in 0..<30 {
            let refused = try browser.press("join", on: page, values)
            try #require(refused.status == 400 && refused.heading == "Join Terns", "\(refused)")
        }
        for _ in 0..<30 {
            _ = try browser.press(
                "join", on: page, values.merging(["code": "FAM-ZZZZZZ"]) { $1 })
        }
        #expect(try browser.open("/join?code=FAM-ZZZZZZ").status == 429)
    }

    @Test("members and waiting people get no button for accepting or joining")
    func members() throws {
        let site = try site
        let home = try site.home("Auks")
        let email = Site.address()
        let browser = PageBrowser(site)
        let page = try enter(browser, "/join?code=\(home.code)", email)
        _ = try browser.press("join", on: page, ["name": "Sam", "role": "player"])
        let (_, link) = try home.link()
        for path in ["/join?code=\(home.code)", "/join?token=\(link)"] {
            let again = try browser.open(path)
            #expect(again.status == 200 && again.says("already a member of this family"))
            #expect(!again.says("value=\"join\"") && !again.says("value=\"accept\""))
        }
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        let other = PageBrowser(site)
        let asking = try enter(other, "/join?code=\(home.code)", Site.address())
        _ = try other.press("join", on: asking, ["name": "Kim", "role": "player"])
        let waiting = try other.open("/join?code=\(home.code)")
        #expect(waiting.says("already asked to join") && !waiting.says("value=\"join\""))
    }

    @Test("a child who joins with a code as a player becomes a kid")
    func child() throws {
        let site = try site
        let home = try site.home("Auks")
        let browser = PageBrowser(site)
        let page = try enter(browser, "/join?code=\(home.code)", Site.address())
        let question = try browser.press("join", on: page, ["name": "Sam"])
        #expect(question.says("Who are you in the family?") && !question.says("name=\"name\""))
        _ = try browser.press("join", on: question, ["role": "player"])
        let members = try home.admin.get("/api/family/members?familyId=\(home.id)").json["members"]
        let member = try #require(
            try members.elements().first { try $0["display_name"].string() == "Sam" })
        #expect(try member["role"].string() == "player")
        #expect(try member["household_role"].string() == "kid")
    }

    @Test(
        "a phone is linked to its own app store",
        arguments: [("iPhone", "apps"), ("Android", "play")])
    func stores(system: String, store: String) throws {
        let site = try Site(
            public: PublicSite(
                baseURL: Site.publicURL,
                app: AppListing(
                    appStoreURL: "https://apps.example.org/x",
                    playStoreURL: "https://play.example.org/x")), trustsLocalProxy: true)
        let browser = PageBrowser(site)
        browser.agent = "Mozilla/5.0 (\(system); CPU) Safari/604.1"
        let page = try browser.open("/join?code=FAM-ABCDEF")
        for each in ["apps", "play"] {
            #expect(page.says("https://\(each).example.org/x") == (each == store))
        }
        let desktop = try PageBrowser(site).open("/join?code=FAM-ABCDEF")
        #expect(desktop.says("https://apps.") && desktop.says("https://play."))
    }

    @Test("declining closes the invitation and changes nothing else")
    func declining() throws {
        let site = try site
        let home = try site.home()
        let email = Site.address()
        let token = try site.token(ofInvitation: home.invite(email))
        let browser = PageBrowser(site)
        let page = try enter(browser, "/join?token=\(token)", email)
        let declined = try browser.press("decline", on: page)
        #expect(declined.status == 200 && declined.heading == "You declined the invitation")
        #expect(declined.links.contains("family"), "\(declined)")
        #expect(try browser.open("/join?token=\(token)").status == 409)
        #expect(try browser.open("/account").says("You’re not in a family"))
    }

    @Test("an invitation to another address is refused with advice, and stays open")
    func elsewhere() throws {
        let site = try site
        let token = try site.token(ofInvitation: site.home().invite(Site.address()))
        let browser = PageBrowser(site)
        let page = try enter(browser, "/join?token=\(token)", Site.address())
        #expect(page.says("This invitation was sent to") && !page.says("value=\"accept\""))
        let form = try page.form(withAction: "sign-out").fields
        let refused = try browser.post(
            "/join",
            form.merging(["action": "accept", "token": token, "role": "parent"]) { _, new in new })
        #expect(refused.status == 403 && refused.says("sent to another email address"))
        #expect(refused.says("join?token=\(token)"))
        let signedOut = try browser.press("sign-out", on: page)
        // The page names the invited address, in part, where the person signs in again.
        #expect(signedOut.heading.hasPrefix("Join ") && signedOut.says("Sign in to answer"))
        #expect(signedOut.says("the address this invitation was sent to"), "\(signedOut)")
        #expect(browser.cookie?.hasPrefix("s") != true, "the session's cookie is gone")
        #expect(try signedOut.form(withAction: "code").fields["return"] == "/join?token=\(token)")
        browser.language = "es"
        let spanish = try browser.open("/join?token=\(token)")
        #expect(spanish.status == 200 && spanish.says("Inicia sesión para responder"))
    }

    @Test("a family's code shows the family once the browser is signed in")
    func code() throws {
        let site = try site
        let home = try site.home("Terns")
        let browser = PageBrowser(site)
        #expect(try !browser.open("/join?code=\(home.code)").says("Terns"))
        let page = try enter(browser, "/join?code=\(home.code)", Site.address())
        #expect(page.heading == "Join Terns" && page.says(" members."))
        let joined = try browser.press("join", on: page, ["name": "Guest", "role": "parent"])
        #expect(joined.heading == "You’re now a member of Terns")
        let again = try browser.press("join", on: page, ["name": "Guest", "role": "parent"])
        #expect(again.heading == joined.heading, "the same form has one effect")
        let late = try browser.press("join", on: page, ["key": String(repeating: "A", count: 22)])
        #expect(late.status == 400 && late.says("already a member"))
        let unknown = try browser.open("/join?code=FAM-ZZZZZZ")
        #expect(unknown.status == 404 && unknown.says("Family code not found"))
    }

    @Test("the page says that the family decides, if the family requires approval")
    func waiting() throws {
        let site = try site
        let home = try site.home("Auks")
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        let browser = PageBrowser(site)
        let page = try enter(browser, "/join?code=\(home.code)", Site.address())
        #expect(page.says("Ask to join this family") && page.says("decides who joins"))
        let waiting = try browser.press("join", on: page, ["role": "parent"])
        #expect(waiting.heading == "Your request was sent to Auks", "\(waiting)")
    }

    @Test("a link's preview names inviter and family, and no address")
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

    @Test("a browser whose session has ended sees the page as if not signed in")
    func ended() throws {
        let site = try Site(trustsLocalProxy: true)
        let (_, token) = try site.home().link()
        let browser = PageBrowser(site)
        _ = try enter(browser, "/join?token=\(token)", Site.address())
        try site.execute("UPDATE app.sessions SET ended_at = now(), end_reason = 'revoked'")
        let page = try browser.open("/join?token=\(token)")
        #expect(page.status == 200 && page.says("Sign in to answer"))
    }

    @Test("an incomplete link leads to the field for a code only where people can sign in")
    func incompleteLink() throws {
        let apps = try Site(
            codes: CodeSettings(length: 8), signIn: SigningFile.services([.exchange]))
        let page = try PageBrowser(apps).open("/join")
        #expect(page.status == 400 && page.says("Part of this link is missing"), "\(page)")
        #expect(page.says("enter the family’s code in the app") && !page.says("family/join"))
        #expect(page.says("Codes look like FAM-XXXXXXXX."), "\(page)")
        let pages = try PageBrowser(site).open("/join")
        #expect(pages.says("href=\"family/join\"") && pages.says("FAM-XXXXXX."), "\(pages)")
    }

    @Test("the page of a site without sign-in refers to the app")
    func noSignIn() throws {
        let site = try Site(signIn: nil)
        let (_, token) = try site.home().link()
        let page = try PageBrowser(site).open("/join?token=\(token)")
        #expect(page.says("What to do next") && !page.says("<form"))
        let incomplete = try PageBrowser(site).open("/join")
        #expect(incomplete.says("enter the family’s code in the app"), "\(incomplete)")
        #expect(!incomplete.says("family/join"))
        #expect(page.header("Content-Security-Policy") == BrowserPage.policy)
    }
}
