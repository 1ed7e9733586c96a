import Domain
import Policy
import Testing
import UseCases

@Suite("Members who are removed, leave, or are let in")
struct MemberTests {
    static let household = Result { try Household() }
    private var household: Household { get throws { try Self.household.get() } }

    @Test("whom the Parent Admin removes is out with the next request, its invitations with it")
    func remove() throws {
        let family = try TestFamily(in: try household)
        let database = try household.database
        let invitation = try CreateInvitation(database, testKeys())(
            by: family.player, family: nil, to: .link, role: .parent)
        try RemoveMember(database)(by: family.admin, member: try family.member(family.player))
        let told = try refusal { try household.members(family.player, family.id) }
        #expect(told == .familyNotFound)
        let token = try #require(invitation.token)
        let preview = try refusal {
            try PreviewInvitation(database)(by: nil, token: token.text, from: Household.somewhere())
        }
        #expect(preview == .invitationNotFound)
        let again = try refusal { try household.join(family.player, family.code) }
        #expect(again == .removedFromFamily)
        #expect(try household.auditCount(family.id, "member.remove") == 1)
    }

    @Test("nobody removes itself, and a mere adult or player removes nobody")
    func mayNotRemove() throws {
        let family = try TestFamily(in: try household)
        let remove = RemoveMember(try household.database)
        for caller in [family.admin, family.adult, family.visitor] {
            let told = try refused { try remove(by: caller, member: try family.member(caller)) }
            #expect(told?.code == .oneself && told?.parameter == .removal)
        }
        for caller in [family.adult, family.player] {
            let told = try refusal {
                try remove(by: caller, member: try family.member(family.visitor))
            }
            #expect(told == .standingTooLow)
        }
        let absent = try refusal { try remove(by: family.admin, member: .random()) }
        #expect(absent == .memberNotFound)
    }

    @Test("a creator removes anyone but the Parent Admin and managed members")
    func creator() throws {
        let creator = Household.person(.player)
        let household = try household
        let family = try household.create(creator)
        let (admin, other) = (Household.person(), Household.person())
        try household.join(admin, family.code)
        try household.join(other, family.code)
        let database = household.database
        _ = try SetHouseholdRole(database)(
            by: creator, member: try household.member(admin), to: .parentAdmin)
        let child = try AddManagedMember(database)(
            by: admin, family: nil, name: #require(DisplayName("Child")))
        let remove = RemoveMember(database)
        let onAdmin = try refusal { try remove(by: creator, member: try household.member(admin)) }
        #expect(onAdmin == .targetIsParentAdmin)
        let onChild = try refusal { try remove(by: creator, member: child.id) }
        #expect(onChild == .targetIsManaged)
        try remove(by: creator, member: try household.member(other))
        #expect(try household.members(creator, nil).count == 3)
    }

    @Test("a removal can retire the code as well")
    func rotate() throws {
        let family = try TestFamily(in: try household)
        let database = try household.database
        try RemoveMember(database)(
            by: family.admin, member: try family.member(family.player), rotatingCode: true)
        #expect(
            try database.run(ReadFamily.reading(by: family.admin, family: family.id)).code
                != family.code)
        let byGuardian = try refusal {
            try RemoveMember(database)(by: family.adult, member: family.child, rotatingCode: true)
        }
        #expect(byGuardian == .standingTooLow)
    }

    @Test("a guardian is removed only if somebody takes over, whom only the admin may name")
    func removeGuardian() throws {
        let family = try TestFamily(in: try household)
        let remove = RemoveMember(try household.database)
        let guardian = try family.member(family.adult)
        let alone = try refusal { try remove(by: family.admin, member: guardian) }
        #expect(alone == .guardianHasManagedMembers)
        for heir in [family.player, family.visitor, family.adult] {
            let told = try refusal {
                try remove(
                    by: family.admin, member: guardian, reassigningTo: try family.member(heir))
            }
            #expect(told == .guardianNotAdult)
        }
        let absent = try refusal {
            try remove(by: family.admin, member: guardian, reassigningTo: .random())
        }
        #expect(absent == .memberNotFound)
        try remove(
            by: family.admin, member: guardian, reassigningTo: try family.member(family.admin))
        let child = try #require(
            try household.members(family.admin, nil).first { $0.id == family.child })
        #expect(child.guardian == family.admin.adoptedID)
        #expect(try household.auditCount(family.id, "managed.reassign") == 1)
    }

    @Test("who leaves is gone, and comes back by code with its lower standing")
    func leave() throws {
        let family = try TestFamily(in: try household)
        let database = try household.database
        try LeaveFamily(database)(by: family.visitor, family: nil)
        let told = try refusal { try household.members(family.visitor, family.id) }
        #expect(told == .familyNotFound)
        try household.join(family.visitor, family.code)
        let me = try household.members(family.visitor, family.id)
            .first { $0.user == family.visitor.adoptedID }
        #expect(me?.householdRole == .visitor)
    }

    @Test("the Parent Admin hands the seat over before it leaves, a guardian its children")
    func leaveLast() throws {
        let family = try TestFamily(in: try household)
        let database = try household.database
        let leave = LeaveFamily(database)
        let admin = try refusal { try leave(by: family.admin, family: family.id) }
        #expect(admin == .transferAdminFirst)
        let guardian = try refusal { try leave(by: family.adult, family: family.id) }
        #expect(guardian == .guardianHasManagedMembers)
        let toPlayer = try refusal {
            try leave(
                by: family.adult, family: family.id,
                reassigningTo: try family.member(family.player))
        }
        #expect(toPlayer == .guardianNotAdult)
        try leave(
            by: family.adult, family: family.id, reassigningTo: try family.member(family.admin))
        try RemoveManagedMember(database)(by: family.admin, member: family.child)
        // No other adult is left: the seat may fall vacant.
        try leave(by: family.admin, family: family.id)
        #expect(try household.members(family.player, nil).count == 2)
    }

    @Test("who waits sees nothing until it is let in; refused, it is out")
    func approval() throws {
        let family = try TestFamily(in: try household)
        let database = try household.database
        _ = try UpdateFamily(database)(
            by: family.admin, family: family.id, .init(isApprovalRequired: true))
        let (first, second) = (Household.person(), Household.person())
        for person in [first, second] {
            let joined = try household.join(person, family.code)
            #expect(joined.isWaiting)
            let told = try refusal { try household.members(person, family.id) }
            #expect(told == .familyNotFound)
        }
        let waiting = try household.members(family.admin, nil).filter { $0.status == .invited }
        #expect(waiting.count == 2)
        #expect(try household.members(family.adult, nil).allSatisfy { $0.status == .active })
        let ids = try [first, second].map { person in
            try #require(waiting.first { $0.user == person.adoptedID }).id
        }
        let approve = ApproveMember(database)
        let unseen = try refusal { try approve(by: family.adult, member: ids[0]) }
        #expect(unseen == .memberNotFound)
        let early = try refusal {
            try SetHouseholdRole(database)(by: family.admin, member: ids[0], to: .kid)
        }
        #expect(early == .memberIsWaiting)
        let approved = try approve(by: family.admin, member: ids[0])
        #expect(approved.status == .active && approved.householdRole == .adult)
        #expect(try household.members(first, nil).count == 6)
        let twice = try refusal { try approve(by: family.admin, member: ids[0]) }
        #expect(twice == .memberIsNotWaiting)
        let mere = try refusal { try approve(by: family.player, member: ids[0]) }
        #expect(mere == .standingTooLow)
        try RemoveMember(database)(by: family.admin, member: ids[1])
        let gone = try refusal { try household.join(second, family.code) }
        #expect(gone == .removedFromFamily)
    }

    @Test("approval tells when the last place is taken, and when a player has found another family")
    func approvalTooLate() throws {
        let family = try TestFamily(in: try household)
        let database = try household.database
        let policy = UpdateFamily(database)
        _ = try policy(by: family.admin, family: family.id, .init(isApprovalRequired: true))
        let (parent, player) = (Household.person(), Household.person(.player))
        for person in [parent, player] { try household.join(person, family.code) }
        _ = try household.create(player)
        _ = try policy(by: family.admin, family: family.id, .init(isApprovalRequired: false))
        for _ in 0..<3 { try household.join(Household.person(), family.code) }
        let waiting = try household.members(family.admin, nil).filter { $0.status == .invited }
        let outcomes = try [parent, player].map { person in
            let id = try #require(waiting.first { $0.user == person.adoptedID }).id
            return try refused { try ApproveMember(database)(by: family.admin, member: id) }
        }
        #expect(outcomes.map(\.?.code) == [.familyFull, .playerHasFamily])
        #expect(outcomes.map(\.?.parameter) == [.memberLimit(8), nil])
    }
}
