import API
import Domain
import TestSupport
import Testing

/// Follows each link of the pages, as each kind of person.
@Suite("Links of the pages")
struct PageLinkTests {
    private static let key = "abcdefghijklmnopqrstuvwxyz012345"
    /// Maximum number of pages of a crawl. More means that pages link to ever new addresses.
    private static let most = 300

    /// Opens all pages of the site that some pages lead to, and expects that each opens without a
    /// refusal and has the part that its link names. Redirects are followed.
    ///
    /// - Returns: The pages by address, without the fragment.
    @discardableResult
    private func crawl(
        _ browser: PageBrowser, from starts: [String], as person: String
    ) throws -> [String: BrowserPage] {
        var pages: [String: BrowserPage] = [:]
        var links = starts.map { (target: $0, source: "the start") }
        while let (target, source) = links.popLast() {
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let address = String(parts[0])
            if pages[address] == nil {
                let page = try browser.open(address)
                #expect(
                    page.status == 200,
                    "\(person): \(source) leads to \(address): \(page.status) \(page.heading)")
                pages[address] = page
                try #require(pages.count <= Self.most, "\(person): \(pages.keys.sorted())")
                links += targets(on: page).map { (target: $0, source: address) }
            }
            if parts.count == 2, let page = pages[address] {
                #expect(page.says("id=\"\(parts[1])\""), "\(person): \(source) leads to \(target)")
            }
        }
        return pages
    }

    /// Returns the addresses of the site to which links, forms that change nothing, styles,
    /// scripts and pictures of a page lead.
    private func targets(on page: BrowserPage) -> [String] {
        guard page.header("Content-Type")?.hasPrefix("text/html") == true else { return [] }
        let links = page.text.matches(of: /(?:href|src)="([^"]*)"/).map { String($0.1) }
        let forms = page.text.matches(of: /<form method="get" action="([^"]*)"/)
            .map { String($0.1) }
        return (links + forms).map { $0.replacing("&amp;", with: "&") }
            .filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }
            .map { link in
                link.hasPrefix("#") ? page.path + link : page.address(of: link)
            }
    }

    /// Crawls from the pages that everybody can open.
    private func crawl(_ person: APIClient, as name: String) throws -> [String: BrowserPage] {
        let browser = PageBrowser(person.site)
        try browser.enter(as: person)
        return try crawl(browser, from: ["/", "/family", "/account"], as: name)
    }

    @Test("no link of a page is dead or refuses the person who sees it")
    func everybody() throws {
        let site = try Site(trustsLocalProxy: true)
        let home = try site.home("Terns")
        let child = try home.child(of: home.adult).replacing("managed_", with: "")
        let shared = try home.adult.post(
            "/api/family/managed/\(child)/guardians",
            #"{"memberId": "\#(home.member(home.admin))"}"#)
        try #require(shared.status / 100 == 2, "\(shared)")
        _ = try home.invite(Site.address())
        _ = try home.link()
        let (kid, visitor) = (try home.joiner().actor, try home.joiner().actor)
        try home.set(kid, to: .kid)
        try home.set(visitor, to: .visitor)
        let former = try home.formerMember()
        let approving = try home.admin.patch(
            "/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        try #require(approving.status == 200)
        let newcomer = try site.person(.parent, name: "Newcomer")
        let asked = try newcomer.post("/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#)
        try #require(asked.status == 202)
        // The second family of the adult, which the player's family doesn't know.
        let other = try site.home("Gulls")
        try site.join(home.adult, code: other.code)
        let player = try site.person(.player, name: "Robin")
        _ = try site.createFamily(by: player, named: "Auks")
        let stranger = try site.person(.player, name: "Stranger")
        try #require(stranger.get("/api/me").status == 200)
        let invited = try site.person(.parent, name: "Invited")
        try #require(invited.get("/api/me").status == 200)
        _ = try home.invite(invited.email)

        let admin = try crawl(home.admin, as: "Parent Admin")
        for page in ["/family/invite", "/family/child", "/family/activity", "/family/settings"] {
            #expect(admin.keys.contains { $0.hasPrefix(page + "?") }, "\(page)")
        }
        for question in ["remove", "leave", "renew", "code", "revoke", "reject", "grow"] {
            #expect(
                admin.keys.contains { $0.contains("ask=\(question)") } == (question != "grow"),
                "\(question)")
        }
        let adult = try crawl(home.adult, as: "adult")
        #expect(adult.keys.contains { $0.contains("ask=grow") })
        for (person, name) in [
            (home.player, "player"), (kid, "parent as kid"), (visitor, "visitor"),
            (former, "former member"), (newcomer, "waiting person"), (player, "creator (player)"),
            (stranger, "stranger"), (invited, "invited person"),
        ] {
            _ = try crawl(person, as: name)
        }
        let pages = try crawl(
            PageBrowser(site), from: ["/", "/join?code=\(home.code)"], as: "nobody")
        #expect(pages["/sign-in?new&return=/family"] != nil, "\(pages.keys.sorted())")
    }

    @Test("no link is dead for people of the demonstration, before and after their sign-in")
    func demonstration() throws {
        let minting = try Site(trustsLocalProxy: true)
        let token = try minting.person(.parent, name: "Mother North").token
        let line = "\(Self.key)\t\(token)\tMother North\n"
        let site = try Site(
            public: PublicSite(baseURL: "http://localhost:8080", demo: DemoLinks { line }),
            trustsLocalProxy: true)
        let browser = PageBrowser(site)
        let path = "/demo?key=\(Self.key)"
        try crawl(browser, from: [path, "/"], as: "nobody")
        let entered = try browser.press("continue", on: browser.open(path))
        #expect(entered.status == 200 && browser.cookies["hearth"] != nil, "\(entered)")
        try crawl(browser, from: [path, "/family", "/account"], as: "Mother North")
    }
}
