import Domain
import Policy
import Postgres
import Testing
import UseCases

@Suite("Listing members")
struct ListMembersTests {
    static let household = Result { try Household() }
    private var household: Household { get throws { try Self.household.get() } }

    private func list(by caller: Caller, family: FamilyID?) throws -> ListMembers.Listing {
        try household.database.run(ListMembers.reading(by: caller, family: family))
    }

    @Test("another family is as absent as one that never was")
    func otherTenant() throws {
        let family = try household.create(Household.person(.player))
        let stranger = Household.person()
        #expect(try refusal { try list(by: stranger, family: family.id) } == .familyNotFound)
        #expect(try refusal { try list(by: stranger, family: .random()) } == .familyNotFound)
        _ = try household.create(stranger)
        #expect(try refusal { try list(by: stranger, family: family.id) } == .familyNotFound)
    }

    @Test("a member of none or several families has to name one")
    func familyRequired() throws {
        let parent = Household.person()
        #expect(try refusal { try list(by: parent, family: nil) } == .familyRequired)
        for _ in 0..<2 {
            try household.join(parent, try household.create(Household.person(.player)).code)
        }
        #expect(try refusal { try list(by: parent, family: nil) } == .familyRequired)
    }

    @Test("a removed member sees nothing with the next request")
    func removed() throws {
        let family = try household.create(Household.person(.player))
        let parent = Household.person()
        try household.join(parent, family.code)
        #expect(try list(by: parent, family: family.id).members.count == 2)
        let user = try #require(parent.adoptedID)
        try household.asSuperuser(
            """
            UPDATE app.family_members SET status = 'removed', removed_at = now()
            WHERE user_id = \(user.rawValue)
            """)
        #expect(try refusal { try list(by: parent, family: family.id) } == .familyNotFound)
    }

    @Test("an anonymous caller sees nothing, and a delegation that does not hold is refused")
    func nobody() throws {
        let family = try household.create(Household.person(.player))
        var caller = Household.person()
        caller.isAnonymous = true
        #expect(try refusal { try list(by: caller, family: family.id) } == .familyNotFound)
        caller.isAnonymous = false
        caller.actingAs = .random()
        #expect(try refusal { try list(by: caller, family: family.id) } == .actingRefused)
    }
}
