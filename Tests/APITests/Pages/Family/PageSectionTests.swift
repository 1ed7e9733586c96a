import Domain
import TestSupport
import Testing
import UseCases

@testable import API

/// Sections of the pages that each standing sees (`docs/permissions.md`).
@Suite("Sections of the pages of families")
struct PageSectionTests {
    /// The people of a table's columns.
    private static let standings = [
        "Parent Admin", "creator (adult)", "creator (player)", "adult", "player", "parent as kid",
        "visitor", "waiting person", "stranger",
    ]

    /// Signs of each section, one for each standing: `x` if the section is shown, `-` if it is not.
    ///
    /// The adult is the primary guardian of the family's child, who has another guardian. The
    /// adult creator is the only guardian of a child, and the Parent Admin of none. Where a player
    /// has created the family, the seat is vacant and the child's guardian came by the code.
    private static let expected = [
        "`/family`: name and members": "xxxxxxx--",
        "`/family`: code": "xxxxxx---",
        "`/family`: renew the code": "xxx-x----",
        "`/family`: approve": "xxx------",
        "`/family`: reject and remove": "xxx------",
        "`/family`: change a role, claim or give the seat": "xxxxxx---",
        "`/family`: transfer the seat": "x--------",
        "`/family`: pending invitations": "xxxxxx---",
        "`/family`: leave": "xxxxxxx--",
        "`/family/invite`: invite": "xxxxx----",
        "`/family/invite`: send again, new link": "xxxxx----",
        "`/family/invite`: revoke": "xxxxx----",
        "`/family/child`: add": "xx-x-----",
        "`/family/child`: name and picture": "-x-x-----",
        "`/family/child`: add a guardian": "-x-x-----",
        "`/family/child`: remove a guardian": "---x-----",
        "`/family/child`: make primary": "---x-----",
        "`/family/child`: consents": "-x-x-----",
        "`/family/child`: preferences": "-x-x-----",
        "`/family/child`: an account of its own": "-x-x-----",
        "`/family/child`: remove the child": "xxxx-----",
        "`/family/activity`: all": "xxx------",
        "`/family/settings`: all": "xxx------",
    ]

    /// A family with a child.
    private struct Household {
        let family: String
        let child: String
    }

    private func invite(to family: String, by person: APIClient) throws {
        let sent = try person.post(
            "/api/family/invite",
            #"{"role": "parent", "delivery": "link", "familyUnitId": "\#(family)"}"#)
        try #require(sent.text("inviteUrl") != nil, "\(sent)")
    }

    /// Makes a family require approval, and returns a person whose request is pending.
    private func waiting(_ site: Site, family: String, code: String, admin: APIClient) throws
        -> APIClient
    {
        let changed = try admin.patch("/api/family/\(family)", #"{"approvalRequired": true}"#)
        try #require(changed.status == 200)
        let person = try site.person(.parent, name: "Newcomer")
        let asked = try person.post("/api/family/code/join", #"{"familyCode": "\#(code)"}"#)
        try #require(asked.status == 202)
        return person
    }

    /// Returns the sections that a person sees of a household.
    private func sections(
        of household: Household, seenBy person: APIClient
    ) throws -> [String: Bool] {
        let browser = PageBrowser(person.site)
        try browser.enter(as: person)
        let (id, child) = (household.family, household.child)
        let family = try browser.open("/family?id=\(id)")
        let members = try family.links.filter { $0.contains("ask=member") }
            .map { try browser.open(family.address(of: $0)) }
        let invite = try browser.open("/family/invite?family=\(id)")
        let adding = try browser.open("/family/child?family=\(id)")
        let ofChild = try browser.open("/family/child?id=\(child)")
        let activity = try browser.open("/family/activity?family=\(id)")
        let settings = try browser.open("/family/settings?family=\(id)")
        func isLinked(_ page: String) -> Bool { family.links.contains { $0.hasPrefix(page + "?") } }
        #expect(isLinked("family/activity") == (activity.status == 200))
        #expect(isLinked("family/settings") == (settings.status == 200))
        #expect(
            family.links.contains("family/child?family=\(id)") == (adding.status == 200),
            "\(adding)")
        return [
            "`/family`: name and members": family.says("id=\"members\""),
            "`/family`: code": family.says("id=\"family-code\""),
            "`/family`: renew the code": family.asks("renew"),
            "`/family`: approve": family.offers("approve"),
            "`/family`: reject and remove": members.contains { $0.asks("remove") },
            "`/family`: change a role, claim or give the seat":
                members.contains { $0.offers("role") || $0.asks("seat") },
            "`/family`: transfer the seat": members.contains { $0.asks("transfer") },
            "`/family`: pending invitations": family.says("id=\"invitations\""),
            "`/family`: leave": family.asks("leave"),
            "`/family/invite`: invite": invite.offers("send") && invite.offers("link"),
            "`/family/invite`: send again, new link": invite.offers("resend"),
            "`/family/invite`: revoke": invite.asks("revoke"),
            "`/family/child`: add": adding.offers("add"),
            "`/family/child`: name and picture": ofChild.offers("edit"),
            "`/family/child`: add a guardian": ofChild.offers("add-guardian"),
            "`/family/child`: remove a guardian":
                ofChild.asks("remove-guardian") || ofChild.asks("decline"),
            "`/family/child`: make primary": ofChild.offers("promote"),
            "`/family/child`: consents": ofChild.says("id=\"consents\""),
            "`/family/child`: preferences": ofChild.says("id=\"preferences\""),
            "`/family/child`: an account of its own": ofChild.asks("grow"),
            "`/family/child`: remove the child":
                ofChild.links.contains { $0.hasSuffix("ask=remove") },
            "`/family/activity`: all": activity.says("data-part=\"entries\""),
            "`/family/settings`: all": settings.offers("save"),
        ]
    }

    private func plain(_ child: String) -> String { child.replacing("managed_", with: "") }

    @Test("each standing sees the sections that the policy allows it, and no others")
    func sections() throws {
        let site = try Site(
            consents: ConsentPurposes(
                parsing: Array(
                    #"[{"purpose": "news", "version": "1", "title": "News", "text": "Letters."}]"#
                        .utf8)), trustsLocalProxy: true)

        let terns = try site.home("Terns")
        let ofTerns = Household(
            family: terns.id, child: plain(try terns.child(of: terns.adult)))
        let shared = try terns.adult.post(
            "/api/family/managed/\(ofTerns.child)/guardians",
            #"{"memberId": "\#(terns.member(terns.admin))"}"#)
        try #require(shared.status / 100 == 2, "\(shared)")
        _ = try terns.joiner()
        let (kid, visitor) = (try terns.joiner().actor, try terns.joiner().actor)
        try terns.set(kid, to: .kid)
        try terns.set(visitor, to: .visitor)
        for person in [terns.adult, terns.player] { try invite(to: terns.id, by: person) }
        let newcomer = try waiting(site, family: terns.id, code: terns.code, admin: terns.admin)

        let gulls = try site.home("Gulls")
        let ofGulls = Household(
            family: gulls.id, child: plain(try gulls.child(of: gulls.admin)))
        try invite(to: gulls.id, by: gulls.admin)
        _ = try waiting(site, family: gulls.id, code: gulls.code, admin: gulls.admin)
        let given = try gulls.admin.post(
            "/api/family/admin/transfer",
            #"{"familyId": "\#(gulls.id)", "memberId": "\#(gulls.member(gulls.adult))"}"#)
        try #require(given.status == 200, "\(given)")

        let player = try site.person(.player, name: "Robin")
        let auks = try site.createFamily(by: player, named: "Auks")
        let guardian = try site.person(.parent, name: "Lou")
        try site.join(guardian, code: auks.code)
        let ofAuks = Household(
            family: auks.id,
            child: plain(try site.addManagedMember(named: "Wren", of: guardian, to: auks.id)))
        try invite(to: auks.id, by: player)
        _ = try waiting(site, family: auks.id, code: auks.code, admin: player)

        let stranger = try site.person(.parent, name: "Stranger")
        try #require(stranger.get("/api/me").status == 200)
        let viewers = [
            (gulls.adult, ofGulls), (gulls.admin, ofGulls), (player, ofAuks),
            (terns.adult, ofTerns), (terns.player, ofTerns), (kid, ofTerns), (visitor, ofTerns),
            (newcomer, ofTerns), (stranger, ofTerns),
        ]
        #expect(
            Set(Self.expected.keys) == Set(FamilySections.all.map { "\($0.page): \($0.name)" }),
            "the table has the sections of docs/permissions.md")
        for (index, (person, household)) in viewers.enumerated() {
            let seen = try sections(of: household, seenBy: person)
            for (section, signs) in Self.expected {
                let isExpected = Array(signs)[index] == "x"
                #expect(
                    seen[section] == isExpected, "\(Self.standings[index]), \(section)")
            }
        }
    }

    @Test("a person who waits for a family can withdraw the request on its page and the account's")
    func withdrawing() throws {
        let site = try Site(trustsLocalProxy: true)
        let home = try site.home()
        let person = try waiting(site, family: home.id, code: home.code, admin: home.admin)
        let browser = PageBrowser(site)
        let family = try browser.enter(as: person)
        #expect(family.heading == "You’re not in a family" && !family.asks("leave"))
        #expect(family.says("<h2 id=\"waiting-title\">Waiting for the family’s answer</h2>"))
        #expect(!family.offers("create") && family.links.contains("family/new"), "\(family)")
        #expect(try browser.follow("account", on: family).offers("withdraw"))
        browser.language = "es"
        let spanish = try browser.open("/family")
        #expect(spanish.says("A la espera de la respuesta de la familia"), "\(spanish)")
        #expect(spanish.offers("withdraw"))
        browser.language = "en"
        let withdrawn = try browser.press("withdraw", on: family)
        #expect(withdrawn.notice != nil || withdrawn.says("role=\"status\""), "\(withdrawn)")
        #expect(try browser.open("/family").offers("create"))
    }

    @Test("an invited person without a family accepts or declines on the page of the family")
    func invited() throws {
        let site = try Site(trustsLocalProxy: true)
        let (first, second) = (try site.home("Terns"), try site.home("Gulls"))
        let person = try site.person(.parent, name: "North")
        try #require(person.get("/api/me").status == 200)
        for home in [first, second] { _ = try home.invite(person.email) }
        let browser = PageBrowser(site)
        let page = try browser.enter(as: person)
        #expect(page.says("Invitations for you") && page.says("<bdi>Ada</bdi> invites you"))
        #expect(page.says("aria-label=\"Accept the invitation to Terns\""), "\(page)")
        #expect(!page.says("Waiting for") && !page.offers("create"), "\(page)")
        let account = try browser.open("/account")
        #expect(account.says("You can accept an invitation above."))
        #expect(!account.says("open the link in the invitation"))
        browser.language = "es"
        #expect(try browser.open("/family").says("Aceptar la invitación de Gulls"))
        #expect(try browser.open("/account").says("Puedes aceptar una invitación aquí arriba."))
        browser.language = "en"
        let declined = try browser.press("decline", on: page)
        #expect(declined.heading == "You declined the invitation")
        let left = try browser.open("/family")
        #expect(left.says("Invitations for you"), "\(left)")
        let joined = try browser.press("accept", on: left)
        #expect(joined.heading.hasPrefix("You’re now a member of"), "\(joined)")
    }
}
