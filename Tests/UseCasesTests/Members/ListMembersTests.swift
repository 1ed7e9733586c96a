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

    private func list(by caller: Caller, family: FamilyID?) throws -> ListMembers.Listing {
        try entry.database.run(ListMembers.reading(by: caller, family: family))
    }

    @Test("another family is as absent as one that never was")
    func otherTenant() throws {
        let family = try entry.create(Caller.person(.player))
        let stranger = Caller.person()
        #expect(try refusal { try list(by: stranger, family: family.id) } == .familyNotFound)
        #expect(try refusal { try list(by: stranger, family: .random()) } == .familyNotFound)
        _ = try entry.create(stranger)
        #expect(try refusal { try list(by: stranger, family: family.id) } == .familyNotFound)
    }

    @Test("a member of none or several families has to name one")
    func familyRequired() throws {
        let parent = Caller.person()
        #expect(try refusal { try list(by: parent, family: nil) } == .familyRequired)
        for _ in 0..<2 {
            try entry.join(parent, try entry.create(Caller.person(.player)).code)
        }
        #expect(try refusal { try list(by: parent, family: nil) } == .familyRequired)
    }

    @Test("a removed member sees nothing with the next request")
    func removed() throws {
        let family = try entry.create(Caller.person(.player))
        let parent = Caller.person()
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

    @Test("an anonymous caller sees nothing, and a delegation that does not hold is refused")
    func nobody() throws {
        let family = try entry.create(Caller.person(.player))
        var caller = Caller.person()
        caller.isAnonymous = true
        #expect(try refusal { try list(by: caller, family: family.id) } == .familyNotFound)
        caller.isAnonymous = false
        caller.actingAs = .random()
        #expect(try refusal { try list(by: caller, family: family.id) } == .actingRefused)
    }
}
