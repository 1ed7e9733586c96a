import Domain
import Policy
import Postgres
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Creating a family")
struct CreateFamilyTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    @Test("a player who creates a family becomes its kid, a parent its Parent Admin")
    func creators() throws {
        for (role, standing) in [(MemberRole.player, "kid"), (.parent, "parent_admin")] {
            let caller = RequestContext.person(role)
            let family = try entry.create(caller, name: "The Petrels")
            #expect(FamilyCode(family.code)?.text == family.code)
            let listing = try entry.database.run(
                MemberService.list(by: caller, family: family.id))
            #expect(listing.members.map(\.householdRole.rawValue) == [standing])
            #expect(listing.members.map(\.role) == [role])
        }
    }

    @Test("a second call to create a family returns the first one")
    func idempotent() throws {
        let caller = RequestContext.person(.player)
        let first = try entry.create(caller)
        let second = try FamilyService(try entry.database).create(by: caller, name: nil, role: nil)
        #expect(second.existed && second.id == first.id && second.code == first.code)
        #expect(second.name == "My Family")
    }

    @Test("fifty concurrent calls create one family")
    func parallel() throws {
        let entry = try entry
        let caller = RequestContext.person(.parent)
        let families = onThreads(50) { _ in try entry.create(caller).id }
        let ids = try Set(families.map { try $0.get() })
        #expect(ids.count == 1)
        let user = try #require(caller.adoptedID)
        #expect(
            try entry.count(
                "SELECT count(*) FROM app.family_units WHERE created_by_user_id = \(user.rawValue)"
            ) == 1)
    }

    @Test("an anonymous caller is refused and leaves no user behind")
    func anonymous() throws {
        var caller = RequestContext.person()
        caller.isAnonymous = true
        #expect(try refusal { try entry.create(caller) } == .accountRequired)
        let user = try #require(caller.adoptedID)
        #expect(
            try entry.count("SELECT count(*) FROM app.users WHERE id = \(user.rawValue)") == 0)
    }

    @Test("creating a family while acting for a member is refused")
    func acting() throws {
        var caller = RequestContext.person()
        caller.actingAs = .random()
        #expect(try refusal { try entry.create(caller) } == .notWhileActing)
    }

    @Test("creating a family adds one audit row with its actor")
    func audit() throws {
        let caller = RequestContext.person(.parent)
        let family = try entry.create(caller)
        let user = try #require(caller.adoptedID)
        #expect(
            try entry.count(
                """
                SELECT count(*) FROM app.audit_log WHERE family_unit_id = \(family.id.rawValue)
                AND actor_user_id = \(user.rawValue) AND action = 'family.create'
                """) == 1)
    }
}
