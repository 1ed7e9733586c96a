import Domain
import TestSupport
import Testing

/// Points of the first app's checklist that no other suite tests (`docs/pages.md`).
@Suite("The first app's checklist")
struct FirstChecklistTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test("a player who created the family removes a parent after a question")
    func playerRemoves() throws {
        let site = try site
        let player = try site.person(.player, name: "Kim")
        let created = try player.post("/api/family/create", #"{"familyName": "Kim's"}"#)
        let code = try created.json["familyCode"].string()
        let parent = try site.person(.parent, name: "Pat")
        try site.join(parent, code: code)
        let browser = PageBrowser(site)
        let page = try browser.enter(as: player)
        let pages = try page.links.filter { $0.contains("ask=member") }
            .map { try browser.open(page.address(of: $0)) }
        let question = try #require(
            try pages.first { $0.asks("remove") }.map { try browser.follow("ask=remove", on: $0) })
        #expect(question.heading == "Remove Pat from the family?")
        let done = try browser.press("remove", on: question)
        #expect(done.notice == "The member was removed." && !done.says("<bdi>Pat</bdi>"))
        #expect(done.says("No other members yet. Share your code."), "the empty list")
        #expect(try parent.get("/api/me").json["families"].elements().isEmpty)
    }

    @Test("a parent who joins a family finds it in the list of families")
    func joined() throws {
        let home = try site.home("Terns")
        let parent = try site.person(.parent, name: "Pat")
        try #require(parent.get("/api/me").status == 200)
        let browser = PageBrowser(try site)
        try browser.enter(as: parent)
        let preview = try browser.open("/family/join?code=\(home.code.lowercased())")
        #expect(preview.heading == "Join Terns", "in small letters")
        let joined = try browser.press("join", on: preview)
        #expect(joined.heading == "You’re now a member of Terns", "\(joined)")
        #expect(try browser.open("/family").heading == "Terns")
        #expect(try browser.open("/account").says("<bdi>Terns</bdi></a>"))
        let again = try browser.press(
            "join", on: preview, ["key": String(repeating: "A", count: 22)])
        #expect(again.status == 400 && again.says("already a member"))
    }

    @Test("an unknown code is reported at its field, and too many attempts show the time to wait")
    func wrongCodes() throws {
        let site = try site
        let browser = PageBrowser(site)
        try browser.enter(as: try site.person(.parent, name: "Pat"))
        let malformed = try browser.open("/family/join?code=FAM-1")
        #expect(malformed.status == 400 && malformed.says("aria-invalid"))
        var page = try browser.open("/family/join?code=FAM-ZZZZZZ")
        #expect(page.status == 404 && page.says("aria-invalid"))
        #expect(page.alert?.contains("not found") == true && page.says("value=\"FAM-ZZZZZZ\""))
        for _ in 0..<20 where page.status == 404 {
            page = try browser.open("/family/join?code=FAM-ZZZZZZ")
        }
        #expect(page.status == 429 && page.header("Retry-After") != nil, "\(page)")
        #expect(page.text.contains(/Too many attempts.*minutes?/), "\(page)")
    }

    @Test("screen readers read the code letter by letter and each member's name on its button")
    func spoken() throws {
        let home = try site.home()
        let browser = PageBrowser(try site)
        let page = try browser.enter(as: home.admin)
        let letters = home.code.map { $0 == "-" ? "dash" : String($0) }.joined(separator: " ")
        #expect(page.says("<span class=\"spoken\">\(letters)</span>"))
        #expect(page.says("aria-label=\"Manage Pat\""))
        #expect(page.says("aria-labelledby=\"members-title\""))
        let form = try browser.open("/family/join")
        #expect(form.says("<label for=\"code\">") && form.says("autocapitalize=\"characters\""))
        #expect(form.says("pattern=\"") && form.says("required"))
    }
}
