import Domain
import Policy
import Postgres
import Testing
import UseCaseSupport
import UseCases

@Suite("Listing members")
struct ListMembersTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    private func list(by caller: RequestContext, family: FamilyID?) throws -> MemberService.Listing
    {
        try entry.database.run(MemberService.list(by: caller, family: family))
    }

    @Test("former members are listed page by page, newest first, without addresses")
    func former() throws {
        let family = try entry.family()
        // More than a page. The limit on slots does not apply, since they join and leave in turn.
        for number in 0..<MemberService.formerLimit + 3 {
            try entry.asSuperuser(
                """
                WITH person AS (
                    INSERT INTO app.users (email, email_verified, full_name)
                    VALUES (\("gone\(number)@example.com"), true, \("Gone \(number)"))
                    RETURNING id)
                INSERT INTO app.family_members (family_unit_id, user_id, user_kind, role,
                        household_role, status, joined_via, removed_at)
                    SELECT \(family.id.rawValue), id, 'account', 'parent', 'adult', 'removed',
                        'code', now() - make_interval(secs => \(number)) FROM person
                """)
        }
        var names: [String] = []
        var cursor: String?
        repeat {
            let page = try entry.database.run(
                MemberService.list(
                    by: family.admin, family: names.isEmpty ? nil : family.id, status: .removed,
                    cursor: cursor))
            #expect(page.members.allSatisfy { $0.email == nil && $0.status == .removed })
            names += page.members.map(\.displayName)
            cursor = page.nextCursor
        } while cursor != nil
        #expect(names == (0..<MemberService.formerLimit + 3).map { "Gone \($0)" })
        for caller in [family.adult, family.player, family.visitor, family.actingForChild] {
            let told = try refusal {
                try entry.database.run(
                    MemberService.list(by: caller, family: family.id, status: .removed))
            }
            #expect(told != nil && told != .familyNotFound)
        }
    }

    @Test("another family is reported like a family that does not exist")
    func otherTenant() throws {
        let family = try entry.create(RequestContext.person(.player))
        let stranger = RequestContext.person()
        #expect(try refusal { try list(by: stranger, family: family.id) } == .familyNotFound)
        #expect(try refusal { try list(by: stranger, family: .random()) } == .familyNotFound)
        _ = try entry.create(stranger)
        #expect(try refusal { try list(by: stranger, family: family.id) } == .familyNotFound)
    }

    @Test("a caller in no family or several families has to name one")
    func familyRequired() throws {
        let parent = RequestContext.person()
        #expect(try refusal { try list(by: parent, family: nil) } == .familyRequired)
        for _ in 0..<2 {
            try entry.join(parent, try entry.create(RequestContext.person(.player)).code)
        }
        #expect(try refusal { try list(by: parent, family: nil) } == .familyRequired)
    }

    @Test("a removed member sees nothing from the next request on")
    func removed() throws {
        let family = try entry.create(RequestContext.person(.player))
        let parent = RequestContext.person()
        try entry.join(parent, family.code)
        #expect(try list(by: parent, family: family.id).members.count == 2)
        let user = try #require(parent.adoptedID)
        try entry.asSuperuser(
            """
            UPDATE app.family_members SET status = 'removed', removed_at = now()
            WHERE user_id = \(user.rawValue)
            """)
        #expect(try refusal { try list(by: parent, family: family.id) } == .familyNotFound)
    }

    @Test("an anonymous caller sees nothing, and an invalid delegation is refused")
    func nobody() throws {
        let family = try entry.create(RequestContext.person(.player))
        var caller = RequestContext.person()
        caller.isAnonymous = true
        #expect(try refusal { try list(by: caller, family: family.id) } == .familyNotFound)
        caller.isAnonymous = false
        caller.actingAs = .random()
        #expect(try refusal { try list(by: caller, family: family.id) } == .actingRefused)
    }
}
