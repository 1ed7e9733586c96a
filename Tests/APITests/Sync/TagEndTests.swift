import Domain
import Glibc
import TestSupport
import Testing

@Suite("Tags that no longer match")
struct TagEndTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    /// The caller's kind of token.
    enum Kind: CaseIterable, Sendable { case token, session }

    /// A caller with copies of lists.
    private struct Copies {
        let site: Site
        let token: String
        let home: FamilyFixture<Site>
        private(set) var tags: [String: String] = [:]

        init(_ site: Site, of home: FamilyFixture<Site>, by kind: Kind) throws {
            self.site = site
            self.home = home
            token =
                switch kind {
                case .token: home.adult.token
                case .session: try site.session(of: home.adult).access
                }
            for path in paths {
                let whole = try site.send("GET", path, token: token)
                let tag = try #require(whole.headers["etag"])
                tags[path] = tag
            }
        }

        var paths: [String] {
            [
                "/api/family", "/api/family/members?familyId=\(home.id)", "/groups/\(home.id)",
                "/groups/me", "/api/me/profiles",
            ]
        }

        /// Responses to requests with the tags of the copies, in the order of the paths.
        func ask(with token: String? = nil) throws -> [Answer] {
            try paths.map { path in
                let tag = try #require(tags[path])
                return try site.send(
                    "GET", path, token: token ?? self.token, headers: ["If-None-Match": tag])
            }
        }

        var statuses: [Int] { get throws { try ask().map(\.status) } }
    }

    @Test("a member whose role is lowered is sent everything again", arguments: Kind.allCases)
    func lowered(kind: Kind) throws {
        let home = try site.home()
        let copies = try Copies(site, of: home, by: kind)
        #expect(try copies.statuses == [304, 304, 304, 304, 304])
        try home.set(home.adult, to: .visitor)
        #expect(try copies.statuses == [200, 200, 200, 200, 200])
    }

    @Test("a removed member no longer sees the family", arguments: Kind.allCases)
    func removed(kind: Kind) throws {
        let home = try site.home()
        let copies = try Copies(site, of: home, by: kind)
        let member = try home.member(home.adult)
        #expect(try home.admin.delete("/api/family/members/\(member)").status == 200)
        let answers = try copies.ask()
        #expect(answers.map(\.status) == [200, 404, 404, 200, 200])
        #expect(try answers[0].json["families"].elements().isEmpty)
    }

    @Test("an expired code changes the responses that show it, even before the database records it")
    func codeRunsOut() throws {
        let home = try site.home()
        let copies = try Copies(site, of: home, by: .token)
        try site.expireCode(of: home.id)
        let answers = try copies.ask()
        #expect(answers.map(\.status) == [200, 304, 304, 200, 200])
        let shown = try answers[0].json["families"].elements()
        #expect(shown.count == 1)
        #expect(try shown.first?["familyCode"].string() == "")
    }

    @Test("a tag is not confirmed to an ended session")
    func signedOut() throws {
        let home = try site.home()
        let copies = try Copies(site, of: home, by: .session)
        #expect(try home.adult.delete("/api/me/sessions").status == 200)
        for answer in try copies.ask() { #expect(answer.says(401, "session_ended")) }
    }

    @Test("a tag is not confirmed to an erased account", arguments: Kind.allCases)
    func erased(kind: Kind) throws {
        let home = try site.home()
        let copies = try Copies(site, of: home, by: kind)
        #expect(try home.adult.delete("/api/me").status == 200)
        for answer in try copies.ask() { #expect([401, 403].contains(answer.status), "\(answer)") }
    }

    @Test("new claims in a token are stored even if its tag matches")
    func news() throws {
        let home = try site.home()
        let copies = try Copies(site, of: home, by: .token)
        let (old, email) = (home.adult.person, Site.address())
        let person = Person(id: old.id, role: old.role, name: old.name, email: email)
        // A second token issued in the same second would not replace the address, so this one is
        // issued in another second.
        let token = try site.token(of: person, issuedSecondsAgo: -5)
        // An address affects the member and everybody who is shown it.
        let answers = try copies.ask(with: token)
        #expect(answers[0].status == 200)
        #expect(
            try home.adult.site.send("GET", "/api/me", token: token).text("email") == email)
    }

    @Test("a tag of another caller or another path does not match", arguments: Kind.allCases)
    func foreign(kind: Kind) throws {
        let home = try site.home()
        let copies = try Copies(site, of: home, by: kind)
        for answer in try copies.ask(with: home.player.token) { #expect(answer.status == 200) }
        let stranger = try site.person(.parent)
        #expect(
            try copies.ask(with: stranger.token).map(\.status) == [200, 404, 404, 200, 200])
        let every = copies.tags.values.sorted()
        #expect(Set(every).count == copies.paths.count)
        for path in copies.paths {
            let others = every.filter { $0 != copies.tags[path] }.joined(separator: ", ")
            let answer = try site.send(
                "GET", path, token: copies.token, headers: ["If-None-Match": others])
            #expect(answer.status == 200)
        }
    }
}
