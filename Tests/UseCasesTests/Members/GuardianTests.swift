import Domain
import Policy
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Several guardians")
struct GuardianTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    private func guardians(
        _ family: FullFamilyFixture<UseCaseDatabase>
    ) throws -> [UserID] {
        let members = try entry.members(family.admin, family.id)
        return try #require(members.first { $0.id == family.child }).guardians.map(\.user)
    }

    private func acting(
        _ guardian: RequestContext, _ family: FullFamilyFixture<UseCaseDatabase>
    ) -> RequestContext {
        var caller = guardian
        caller.actingAs = UserID(rawValue: family.child.rawValue)
        return caller
    }

    @Test("a guardian can add another adult, who can then act for the child")
    func add() throws {
        let family = try entry.family()
        let guardians = GuardianService(try entry.database)
        let admin = try family.member(family.admin)
        let byAdmin = try refusal {
            try guardians.add(by: family.admin, member: family.child, guardian: admin)
        }
        #expect(byAdmin == .standingTooLow)
        for other in [family.player, family.visitor] {
            let told = try refusal {
                try guardians.add(
                    by: family.adult, member: family.child, guardian: try family.member(other))
            }
            #expect(told == .guardianNotAdult)
        }
        let child = try guardians.add(by: family.adult, member: family.child, guardian: admin)
        #expect(child.guardian == family.adult.adoptedID)
        #expect(child.guardians.map(\.user) == [family.adult.adoptedID, family.admin.adoptedID])
        #expect(child.guardians.map(\.name) == ["Pat", "Ada"])
        let again = try guardians.add(by: family.adult, member: family.child, guardian: admin)
        #expect(again.guardians.count == 2)
        #expect(try entry.auditCount(family.id, "guardian.add") == 1)
        #expect(try entry.members(acting(family.admin, family), family.id).count == 5)
        let renamed = try ChildService(try entry.database).update(
            by: family.admin, member: family.child, name: DisplayName("Max"))
        #expect(renamed.fullName == "Max")
        // Rights of the primary guardian alone.
        let removal = try refusal {
            try ChildService(try entry.database).reassign(
                by: family.admin, member: family.child, to: try family.member(family.admin))
        }
        #expect(removal == .standingTooLow || removal == .oneself)
    }

    @Test("a guardian can resign, the primary one can remove another, and the last one stays")
    func remove() throws {
        let family = try entry.family()
        let database = try entry.database
        let admin = try family.member(family.admin)
        let guardians = GuardianService(database)
        let alone = try refusal { try guardians.remove(by: family.adult, member: family.child) }
        #expect(alone == .guardianHasManagedMembers)
        _ = try GuardianService(database).add(
            by: family.adult, member: family.child, guardian: admin)
        let byFurther = try refusal {
            try guardians.remove(
                by: family.admin, member: family.child,
                guardian: try family.member(family.adult))
        }
        #expect(byFurther == .standingTooLow)
        let declined = try guardians.remove(by: family.admin, member: family.child)
        #expect(declined.guardians.map(\.user) == [family.adult.adoptedID])
        let told = try refusal {
            try entry.members(acting(family.admin, family), family.id)
        }
        #expect(told == .actingRefused)
        _ = try GuardianService(database).add(
            by: family.adult, member: family.child, guardian: admin)
        let removed = try guardians.remove(by: family.adult, member: family.child, guardian: admin)
        #expect(removed.guardians.count == 1)
        let none = try refusal {
            try guardians.remove(by: family.adult, member: family.child, guardian: admin)
        }
        #expect(none == .memberNotFound)
    }

    @Test("the primary guardian can name its successor and stays a guardian")
    func promote() throws {
        let family = try entry.family()
        let database = try entry.database
        let admin = try family.member(family.admin)
        let guardians = GuardianService(database)
        let early = try refusal {
            try guardians.makePrimary(by: family.adult, member: family.child, guardian: admin)
        }
        #expect(early == .memberNotFound)
        _ = try GuardianService(database).add(
            by: family.adult, member: family.child, guardian: admin)
        let byFurther = try refusal {
            try guardians.makePrimary(by: family.admin, member: family.child, guardian: admin)
        }
        #expect(byFurther == .standingTooLow)
        let child = try guardians.makePrimary(
            by: family.adult, member: family.child, guardian: admin)
        #expect(child.guardian == family.admin.adoptedID)
        #expect(child.guardians.map(\.user) == [family.admin.adoptedID, family.adult.adoptedID])
        #expect(try entry.auditCount(family.id, "guardian.promote") == 1)
    }

    @Test("the longest-standing guardian takes over when the primary guardian leaves")
    func leave() throws {
        let family = try entry.family()
        let database = try entry.database
        let admin = try family.member(family.admin)
        _ = try GuardianService(database).add(
            by: family.adult, member: family.child, guardian: admin)
        try MemberService(database).leave(by: family.adult, family: family.id)
        #expect(try guardians(family) == [family.admin.adoptedID])
        #expect(try entry.auditCount(family.id, "managed.reassign") == 1)
    }

    @Test("an admin who removes a guardian can't name itself while another guardian remains")
    func adminCantHelpItself() throws {
        let family = try entry.family()
        let database = try entry.database
        let (uncle, uncleMember) = try family.joiner()
        _ = try GuardianService(database).add(
            by: family.adult, member: family.child, guardian: uncleMember)
        let admin = try family.member(family.admin)
        let adult = try family.member(family.adult)
        let told = try refusal {
            try MemberService(database).remove(
                by: family.admin, member: adult, reassigningTo: admin)
        }
        #expect(told == .oneself)
        try MemberService(database).remove(by: family.admin, member: adult)
        #expect(try guardians(family) == [uncle.adoptedID])
        // An admin can still take over from the last guardian.
        try MemberService(database).remove(
            by: family.admin, member: uncleMember, reassigningTo: admin)
        #expect(try guardians(family) == [family.admin.adoptedID])
    }

    @Test("an adult who is demoted and promoted again does not become a guardian again")
    func lowered() throws {
        let family = try entry.family()
        let database = try entry.database
        let admin = try family.member(family.admin)
        let adult = try family.member(family.adult)
        _ = try GuardianService(database).add(
            by: family.adult, member: family.child, guardian: admin)
        for role in [HouseholdRole.kid, .adult] {
            _ = try MemberService(database).setHouseholdRole(
                by: family.admin, member: adult, to: role)
        }
        #expect(try guardians(family) == [family.admin.adoptedID])
    }

    @Test("a child can have four guardians at most")
    func four() throws {
        let family = try entry.family()
        let database = try entry.database
        let guardians = GuardianService(database)
        for _ in 0..<3 {
            _ = try guardians.add(
                by: family.adult, member: family.child, guardian: try family.joiner().member)
        }
        let told = try refusal {
            try guardians.add(
                by: family.adult, member: family.child,
                guardian: try family.member(family.admin))
        }
        #expect(told == .tooManyGuardians)
    }
}
