import Domain
import Repositories
import Testing
import UseCases

/// A family with one of each kind of member, as the tests of rules need it.
///
/// Its Parent Admin made it; player, adult and visitor came by code; the adult is guardian of a
/// child.
struct TestFamily: Sendable {
    let id: FamilyID
    let code: String
    let admin = Household.person(.parent, name: "Admin")
    let player = Household.person(.player, name: "Player")
    let adult = Household.person(.parent, name: "Adult")
    let visitor = Household.person(.parent, name: "Visitor")
    let child: MemberID
    /// The adult's request on behalf of the child.
    let actingForChild: Caller
    private let members: [UserID: MemberID]

    init(in household: Household) throws {
        let family = try household.create(admin, name: "The Terns")
        (id, code) = family
        for person in [player, adult, visitor] { try household.join(person, family.code) }
        child = try AddManagedMember(household.database)(
            by: adult, family: family.id, name: #require(DisplayName("Child"))
        ).id
        var acting = adult
        acting.actingAs = UserID(rawValue: child.rawValue)
        actingForChild = acting
        let list = try household.database.run(ListMembers.reading(by: admin, family: family.id))
        members = Dictionary(uniqueKeysWithValues: list.members.map { ($0.user, $0.id) })
        _ = try SetHouseholdRole(household.database)(
            by: admin, member: try member(visitor), to: .visitor)
    }

    /// The membership of a person of the family.
    func member(_ person: Caller) throws -> MemberID {
        try #require(person.adoptedID.flatMap { members[$0] })
    }
}

extension Household {
    /// The members as the Parent Admin or creator sees them.
    func members(_ caller: Caller, _ family: FamilyID?) throws -> [ListedMember] {
        try database.run(ListMembers.reading(by: caller, family: family)).members
    }

    /// The membership of a person who sees its family.
    func member(_ person: Caller, _ family: FamilyID? = nil) throws -> MemberID {
        let mine = try members(person, family).first { $0.user == person.adoptedID }
        return try #require(mine).id
    }

    /// A person who has joined a family by code.
    func joiner(
        _ family: TestFamily, _ role: MemberRole = .parent
    ) throws -> (caller: Caller, member: MemberID) {
        let person = Household.person(role)
        try join(person, family.code)
        return (person, try member(person, family.id))
    }

    func auditCount(_ family: FamilyID, _ action: String) throws -> Int {
        try count(
            """
            SELECT count(*) FROM app.audit_log
            WHERE family_unit_id = \(family.rawValue) AND action = \(action)
            """)
    }
}
