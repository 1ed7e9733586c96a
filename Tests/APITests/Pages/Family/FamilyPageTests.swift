import Basics
import Domain
import TestSupport
import Testing
import UseCases

@Suite("The page of a family")
struct FamilyPageTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private func browser(_ person: APIClient) throws -> (PageBrowser, BrowserPage) {
        let browser = PageBrowser(try site)
        return (browser, try browser.enter(as: person))
    }

    // MARK: The root

    @Test("the root shows a browser the link to sign in, and redirects one that is signed in")
    func root() throws {
        let site = try site
        let browser = PageBrowser(site)
        let page = try browser.open("/")
        #expect(page.status == 200 && page.heading == "Your family in one place")
        #expect(page.header("Vary") == "Accept, Accept-Language, Cookie")
        #expect(page.links.contains { $0.hasPrefix("sign-in") && $0.contains("return=/family") })
        let home = try site.home()
        try browser.enter(as: home.admin)
        #expect(try browser.openOnly("/").header("Location") == "family")
    }

    @Test(
        "the root answers 404 with JSON to a client that does not accept HTML",
        arguments: [
            "application/json", "*/*", "text/*", "text/html;q=0", "text/html; q=0.0", "",
        ])
    func programs(accept: String) throws {
        let headers = accept.isEmpty ? [:] : ["Accept": accept]
        let answer = try site.exchange("GET", "/", headers: headers)
        #expect(
            answer.status == 404 && answer.headers["content-type"]?.contains("problem+json") == true
        )
        #expect(answer.headers["vary"]?.contains("Accept") == true)
        #expect(try site.exchange("POST", "/", headers: ["Accept": "text/html"]).status == 404)
    }

    // MARK: The first app's checklist

    @Test("a player sees the family's code and date, and the members with their roles")
    func player() throws {
        let home = try site.home("Terns")
        let (browser, page) = try browser(home.player)
        #expect(page.status == 200 && page.heading == "Terns")
        #expect(page.says("<title>Terns &middot;"))
        #expect(page.says("<code aria-hidden=\"true\">\(home.code)</code>"))
        #expect(page.says("Created on <time") && page.says("Members (3 of "))
        for name in ["Ada", "Pat", "Kim"] { #expect(page.says("<bdi>\(name)</bdi>")) }
        #expect(page.says(">Parent Admin</span>") && page.says(">Player</span>"))
        #expect(page.says(">You</span>") && page.says("Since <time"))
        #expect(page.asks("renew"), "a player may renew the code")
        #expect(!page.asks("remove") && !page.links.contains { $0.contains("settings") })
        let sheet = try browser.follow("ask=code", on: page)
        #expect(sheet.says(home.code) && sheet.says("<svg") && sheet.says("family/join"))
        #expect(sheet.says("at the picture, or open <strong>"), "two ways are one step")
    }

    @Test("a player without a family creates one with a form that suggests its name")
    func newPlayer() throws {
        let site = try site
        let kim = try site.person(.player, name: "Kim")
        #expect(try kim.get("/api/me").status == 200)
        let (browser, page) = try browser(kim)
        #expect(page.heading == "You’re not in a family")
        #expect(page.says("value=\"Kim’s family\""))
        let created = try browser.press("create", on: page)
        #expect(created.heading == "Kim’s family" && created.notice != nil)
        #expect(created.says("Share your code"), "there are no other members yet")
        let again = try browser.press("create", on: page)
        #expect(again.heading == "Kim’s family")
        let families = try kim.get("/api/family").json["families"].elements()
        #expect(families.count == 1)
    }

    @Test("a person without a role creates no family before choosing one")
    func newcomer() throws {
        let browser = PageBrowser(try site)
        let page = try browser.enter(Site.address())
        var form = try page.form(withAction: "create").fields
        form.merge(["family_name": "Terns", "name": "Robin"]) { $1 }
        let refused = try browser.post("/family/new", form)
        #expect(refused.status == 400 && refused.alert != nil)
        #expect(refused.says("name=\"role\"") && refused.says("value=\"Robin\""))
        #expect(!refused.says("aria-invalid"))
        form["name"] = String(repeating: "x", count: 81)
        form["role"] = "player"
        let unnamed = try browser.post("/family/new", form)
        #expect(unnamed.status == 400)
        #expect(unnamed.text.contains(/<input id="name" [^>]*aria-invalid="true"/))
        let created = try browser.press("create", on: refused, ["role": "player"])
        #expect(created.heading == "Terns")
    }

    @Test("a parent without a family enters a code in any form and joins")
    func joining() throws {
        let site = try site
        let home = try site.home("Terns")
        let newcomer = try site.person(.parent, name: "Sam")
        #expect(try newcomer.get("/api/me").status == 200)
        let (browser, page) = try browser(newcomer)
        #expect(page.links.contains { $0.contains("account") } && page.says("FAM-XXXXXX"))
        let wrong = try browser.open("/family/join?code=FAM-1")
        #expect(wrong.status == 400 && wrong.alert?.contains("Codes look like FAM-XXXXXX") == true)
        #expect(wrong.says("value=\"FAM-1\"") && wrong.says("aria-invalid"))
        let unknown = try browser.open("/family/join?code=FAM-ZZZZZZ")
        #expect(unknown.status == 404 && unknown.alert != nil && unknown.says("FAM-ZZZZZZ"))
        let typed = home.code.lowercased().replacing("fam-", with: "")
        let preview = try browser.open("/family/join?code=\(typed)")
        #expect(preview.heading == "Join Terns")
        let joined = try browser.press("join", on: preview)
        #expect(joined.heading == "You’re now a member of Terns")
        #expect(try browser.open("/family").heading == "Terns")
        let again = try browser.open("/family/join?code=\(typed)")
        #expect(again.says("already"), "\(again)")
    }

    @Test("hints about codes have the length that the site sets for new codes")
    func codeLength() throws {
        let site = try Site(codes: CodeSettings(length: 8), trustsLocalProxy: true)
        let person = try site.person(.parent, name: "Sam")
        #expect(try person.get("/api/me").status == 200)
        let browser = PageBrowser(site)
        try browser.enter(as: person)
        let page = try browser.open("/family/join")
        #expect(page.says("placeholder=\"FAM-XXXXXXXX\""))
        #expect(page.says("Codes look like FAM-XXXXXXXX."))
        let wrong = try browser.open("/family/join?code=FAM-1")
        #expect(wrong.alert == "That’s not a family code. Codes look like FAM-XXXXXXXX.")
    }

    @Test(
        "a person's choice among several families is remembered; another's family is refused")
    func switching() throws {
        let site = try site
        let (first, second) = (try site.home("First"), try site.home("Second"))
        try site.join(first.admin, code: second.code)
        let (browser, page) = try browser(first.admin)
        #expect(page.heading == "First" && page.offers("choose"))
        let chosen = try browser.press("choose", on: page, ["family": second.id])
        #expect(chosen.heading == "Second")
        #expect(try browser.open("/family").heading == "Second")
        #expect(try browser.open("/family?id=\(first.id)").heading == "First")
        #expect(try browser.open("/family").heading == "Second", "opening a page changes nothing")
        #expect(try self.browser(first.admin).1.heading == "First", "another session's")
        let foreign = try site.home("Foreign")
        let refused = try browser.open("/family?id=\(foreign.id)")
        #expect(refused.status == 404 && !refused.says("Foreign"))
        _ = try browser.press("choose", on: page, ["family": foreign.id])
        #expect(try browser.open("/family").heading == "First", "no family of this person")
    }

    @Test("a visitor sees the members and can only leave")
    func visitor() throws {
        let home = try site.home()
        let (visitor, _) = try home.joiner()
        try home.set(visitor, to: .visitor)
        let (browser, page) = try browser(visitor)
        #expect(page.says("<bdi>Ada</bdi>") && !page.says(home.code))
        #expect(page.asks("leave") && !page.asks("renew") && !page.offers("approve"))
        for name in ["invite", "child", "settings", "activity"] {
            #expect(!page.links.contains { $0.contains("family/\(name)") }, "\(name)")
            let refused = try browser.open("/family/\(name)?family=\(home.id)")
            #expect(refused.status == 403 && refused.says("Visitors can only look."), "\(name)")
            #expect(refused.alert == nil && refused.links.contains { $0.hasSuffix("family") })
        }
    }

    @Test("a visitor who is alone in a family is not told to share a code that the page hides")
    func aloneAsVisitor() throws {
        let site = try site
        let kim = try site.person(.player, name: "Kim")
        let created = try site.createFamily(by: kim, named: "Terns")
        let (browser, page) = try browser(kim)
        #expect(page.says("No other members yet. Share your code."), "\(page)")
        let member = try #require(try site.memberIDs(of: created.id, seenBy: kim).values.first)
        try site.setHouseholdRole("visitor", of: member, by: kim)
        let alone = try browser.open("/family")
        #expect(alone.says("No other members yet.") && !alone.says("Share your code"), "\(alone)")
        browser.language = "es"
        let spanish = try browser.open("/family")
        #expect(spanish.says("Aún no hay otros miembros.</p>"), "\(spanish)")
    }

    @Test("a full family offers to invite, not to add or approve, and says what to do first")
    func full() throws {
        let home = try site.home()
        let children = try (1...4).map { try home.child(of: home.adult, name: "Wren \($0)") }
        let (browser, page) = try browser(home.adult)
        let full = "The family is full: 8 members are the most it can have."
        #expect(!page.says(full) && page.links.contains { $0.contains("family/invite") })
        #expect(try browser.open("/family/invite").offers("send"))
        #expect(try browser.open("/family/child").offers("add"))
        _ = try home.child(of: home.adult, name: "Wren 5")
        let now = try browser.open("/family")
        #expect(now.says("Members (8 of 8)") && now.says(full), "\(now)")
        #expect(now.links.contains { $0.contains("family/invite") }, "\(now)")
        #expect(!now.links.contains { $0.contains("family/child?family=") }, "\(now)")
        let child = try browser.open("/family/child")
        #expect(child.status == 200 && child.says(full) && !child.offers("add"), "\(child)")
        let invite = try browser.open("/family/invite")
        #expect(invite.says(full) && invite.offers("send") && invite.offers("link"), "\(invite)")
        let approving = try home.admin.patch(
            "/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        try #require(approving.status == 200)
        let asked = try site.person(.parent).post(
            "/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#)
        try #require(asked.status == 202, "\(asked)")
        let newcomer = try site.person(.parent, name: "Sam")
        try #require(newcomer.get("/api/me").status == 200)
        let (sam, _) = try self.browser(newcomer)
        let preview = try sam.open("/join?code=\(home.code)")
        #expect(preview.says("The family is full now."), "\(preview)")
        let sent = try sam.press("join", on: preview)
        #expect(sent.heading.hasPrefix("Your request was sent to"), "\(sent)")
        #expect(sent.says("When you asked, the family was full."), "\(sent)")
        sam.language = "es"
        let spanish = try sam.open(sent.path)
        #expect(
            spanish.says("Cuando enviaste tu solicitud, la familia estaba completa."), "\(spanish)")
        let (ada, waiting) = try self.browser(home.admin)
        #expect(waiting.says(full) && waiting.asks("reject") && !waiting.offers("approve"))
        let removed = try home.adult.delete("/api/family/managed/\(children[0])")
        try #require(removed.status == 200, "\(removed)")
        let free = try ada.open("/family")
        #expect(!free.says(full) && free.offers("approve"), "\(free)")

        // Another request is made while there is room.
        let withdrawn = try newcomer.delete("/api/me/requests/\(home.id)")
        try #require(withdrawn.status == 200, "\(withdrawn)")
        let again = try newcomer.post(
            "/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#)
        try #require(again.status == 202, "\(again)")
        sam.language = "en"
        for path in [sent.path, "/join?asked=\(home.id)&full"] {
            let later = try sam.open(path)
            #expect(later.heading == sent.heading && !later.says("family was full"), "\(later)")
        }
    }

    @Test("pages are under 30 KB for a family of eight with children and invitations")
    func size() throws {
        let home = try site.home()
        for _ in 0..<3 { _ = try home.joiner() }
        for name in ["Robin", "Wren"] { _ = try home.child(of: home.admin, name: name) }
        for _ in 0..<4 { _ = try home.invite(Site.address()) }
        let (browser, page) = try browser(home.admin)
        #expect(page.says("Members (8 of "))
        for path in ["/family", "/family/invite", "/family/activity", "/family/settings"] {
            let page = try browser.open(path)
            #expect(page.status == 200 && page.text.utf8.count < 30_000, "\(path)")
        }
    }

    @Test("long lists and forms keep pages small")
    func sizeOfLongPages() throws {
        let purposes = try ConsentPurposes(
            parsing: Array(
                """
                [{"purpose": "data", "version": "1", "title": "Store data", "text": "Read this."},
                 {"purpose": "news", "version": "1", "title": "Get news", "text": "Read this."},
                 {"purpose": "photos", "version": "1", "title": "Share photos",
                  "text": "Read this."}]
                """.utf8))
        let site = try Site(consents: purposes, trustsLocalProxy: true)
        let home = try site.home()
        let child = try home.child(of: home.admin).replacing("managed_", with: "")
        let members = (10..<50).map { #""preference\#($0)": "value \#($0)""# }
            .joined(separator: ", ")
        let stored = try home.admin.put(
            "/groups/\(home.id)/preferences?member_id=\(child)", "{\(members)}")
        try #require(stored.status == 200)
        for number in 0..<50 {
            let changed = try home.admin.patch(
                "/api/family/\(home.id)", #"{"familyName": "Name \#(number)"}"#)
            try #require(changed.status == 200)
        }
        for number in 0..<19 { _ = try site.session(of: home.admin, device: "Phone \(number)") }
        let browser = PageBrowser(site)
        try browser.enter(as: home.admin)
        for (path, parts, limit) in [
            ("/family/child?id=\(child)", "value=\"consent\"", 30_000),
            ("/family/child?id=\(child)&ask=preferences", "name=\"value39\"", 30_000),
            ("/family/activity", "changed the family’s settings", 30_000),
            ("/account", "Phone 18", 40_000),
        ] {
            let page = try browser.open(path)
            #expect(page.status == 200 && page.says(parts), "\(path)")
            #expect(page.text.utf8.count < limit, "\(path)")
        }
    }

    @Test("opening a family takes two round trips to the database, however large the family is")
    func roundTrips() throws {
        let spans = Lock<[TraceSpan]>([])
        let tracer = Tracer(oneIn: 1) { taken in spans.withLock { $0 += taken } }
        let site = try Site(trustsLocalProxy: true, tracer: tracer)
        let home = try site.home()
        let browser = PageBrowser(site)
        try browser.enter(as: home.admin)
        /// The number of round trips once connections and caches are in use.
        func roundTrips() throws -> Int {
            var counts: [Int] = []
            for _ in 0..<5 {
                spans.withLock { $0 = [] }
                try #require(browser.open("/family").status == 200)
                let taken = spans.withLock { $0 }
                let page = try #require(taken.first { $0.name == "GET /family" })
                counts.append(
                    taken.count { $0.trace == page.trace && $0.name == "round trip" })
            }
            return try #require(counts.min())
        }
        // One reads the page's content, and one extends the browser's session.
        #expect(try roundTrips() == 2)
        for _ in 0..<3 { _ = try home.joiner() }
        for name in ["Robin", "Wren"] { _ = try home.child(of: home.admin, name: name) }
        for _ in 0..<4 { _ = try home.invite(Site.address()) }
        #expect(try roundTrips() == 2)
    }

    @Test("a page opened without a session redirects to the sign-in page, which leads back to it")
    func signedOut() throws {
        let browser = PageBrowser(try site)
        for (path, place) in [
            ("/family", "sign-in?return=/family"), ("/family/new", "../sign-in?return=/family/new"),
            ("/family/settings", "../sign-in?return=/family/settings"),
            ("/family/child", "../sign-in?return=/family/child"),
        ] {
            let page = try browser.openOnly(path)
            #expect(page.status == 303 && page.header("Location") == place, "\(path)")
        }
    }

    @Test("the page to return to after signing in keeps its subject, question and position")
    func returning() throws {
        let browser = PageBrowser(try site)
        for (path, query, dropped) in [
            ("/family", "id=a-1&ask=member&member=b-2", ""),
            ("/family", "ask=leave", "&done=role&undo=kid"),
            ("/family", "ask=leave", "&id=a%26done%3Drole&member="),
            ("/family/activity", "family=a-1&person=b-2&cursor=Q_9-x", "&x=y"),
            ("/family/child", "id=c-3&ask=withdraw&purpose=photos", ""),
            ("/family/invite", "family=a-1&ask=revoke&invitation=d-4", "&shown=e"),
        ] {
            let page = try browser.openOnly(path + "?" + query + dropped)
            let location = try #require(page.header("Location"))
            let expected = query.replacing("=", with: "%3D").replacing("&", with: "%26")
            #expect(page.status == 303 && location.hasSuffix("%3F" + expected), "\(location)")
        }
        let home = try site.home("Terns")
        let signIn = try browser.open("/family?ask=leave")
        let code = try browser.press("code", on: signIn, ["email": home.adult.email])
        let back = try browser.press(
            "verify", on: code, ["code": browser.site.mailed(to: home.adult.email).code])
        #expect(back.heading == "Leave Terns?", "\(back)")
    }

    @Test("pages load nothing from other sites, send nothing to them, and exist in Spanish")
    func spanish() throws {
        let home = try site.home("Terns")
        let browser = PageBrowser(try site)
        browser.language = "es"
        let page = try browser.enter(as: home.admin)
        #expect(page.says("Código de la familia") && page.says("Miembros (3 de "))
        for path in ["/family", "/family/invite", "/family/settings", "/family/new"] {
            let page = try browser.open(path)
            let policy = try #require(page.header("Content-Security-Policy"))
            #expect(policy == BrowserPage.policy)
            #expect(!page.says("style=") && !page.says("Optional"), "\(path)")
        }
    }
}
