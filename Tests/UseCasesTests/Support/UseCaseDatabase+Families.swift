import Domain
import Repositories
import TestSupport
import Testing
import UseCases

extension UseCaseDatabase {
    /// A family with one of each kind of member.
    func family() throws -> FullFamilyFixture<UseCaseDatabase> { try FullFamilyFixture(by: self) }

    /// The members that the caller sees.
    func members(_ caller: RequestContext, _ family: FamilyID?) throws -> [MemberWithGuardians] {
        try database.run(MemberService.list(by: caller, family: family)).members
    }

    /// The membership of a person, who sees the family.
    func member(_ person: RequestContext, _ family: FamilyID? = nil) throws -> MemberID {
        let mine = try members(person, family).first { $0.user == person.adoptedID }
        return try #require(mine).id
    }

    func auditCount(_ family: FamilyID, _ action: String) throws -> Int {
        try count(
            """
            SELECT count(*) FROM app.audit_log
            WHERE family_unit_id = \(family.rawValue) AND action = \(action)
            """)
    }
}

extension FullFamilyFixture<UseCaseDatabase> {
    /// The adult's request on behalf of the child.
    var actingForChild: RequestContext {
        var caller = self.adult
        caller.actingAs = UserID(rawValue: child.rawValue)
        return caller
    }
}
