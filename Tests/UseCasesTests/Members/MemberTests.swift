import Domain
import Policy
import Testing
import UseCaseSupport
import UseCases

@Suite("Removing, leaving and approving members")
struct MemberTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    @Test("a removed member loses access with the next request, and its invitations end")
    func remove() throws {
        let family = try entry.family()
        let database = try entry.database
        let invitation = try InvitationService(database, testKeys()).create(
            by: family.player, family: nil, to: .link, role: .parent)
        try MemberService(database).remove(
            by: family.admin, member: try family.member(family.player))
        let told = try refusal { try entry.members(family.player, family.id) }
        #expect(told == .familyNotFound)
        let token = try #require(invitation.token)
        let preview = try refusal {
            try ReceivedInvitationService(database).preview(
                by: nil, token: token.text, from: .somewhere())
        }
        #expect(preview == .invitationNotFound)
        #expect(try entry.join(family.player, family.code).isWaiting)
        #expect(try entry.auditCount(family.id, "member.remove") == 1)
    }

    @Test("nobody can remove themselves, and adults and players can remove nobody")
    func mayNotRemove() throws {
        let family = try entry.family()
        let members = MemberService(try entry.database)
        for caller in [family.admin, family.adult, family.visitor] {
            let told = try refused {
                try members.remove(by: caller, member: try family.member(caller))
            }
            #expect(told?.code == .oneself && told?.parameter == .removal)
        }
        for caller in [family.adult, family.player] {
            let told = try refusal {
                try members.remove(by: caller, member: try family.member(family.visitor))
            }
            #expect(told == .standingTooLow)
        }
        let absent = try refusal { try members.remove(by: family.admin, member: .random()) }
        #expect(absent == .memberNotFound)
    }

    @Test("a creator can remove anyone but the Parent Admin and managed members")
    func creator() throws {
        let creator = RequestContext.person(.player)
        let entry = try entry
        let family = try entry.create(creator)
        let (admin, other) = (RequestContext.person(), RequestContext.person())
        try entry.join(admin, family.code)
        try entry.join(other, family.code)
        let database = entry.database
        _ = try MemberService(database).setHouseholdRole(
            by: creator, member: try entry.member(admin), to: .parentAdmin)
        let child = try ChildService(database).add(
            by: admin, family: nil, name: #require(DisplayName("Child")))
        let members = MemberService(database)
        let onAdmin = try refusal {
            try members.remove(by: creator, member: try entry.member(admin))
        }
        #expect(onAdmin == .targetIsParentAdmin)
        let onChild = try refusal { try members.remove(by: creator, member: child.id) }
        #expect(onChild == .targetIsManaged)
        try members.remove(by: creator, member: try entry.member(other))
        #expect(try entry.members(creator, nil).count == 3)
    }

    @Test("removing a member can also retire the code")
    func rotate() throws {
        let family = try entry.family()
        let database = try entry.database
        try MemberService(database).remove(
            by: family.admin, member: try family.member(family.player), rotatingCode: true)
        #expect(
            try database.run(FamilyService.read(by: family.admin, family: family.id)).code
                != family.code)
        let byGuardian = try refusal {
            try MemberService(database).remove(
                by: family.adult, member: family.child, rotatingCode: true)
        }
        #expect(byGuardian == .standingTooLow)
    }

    @Test("a guardian is removed only if the admin names a new guardian")
    func removeGuardian() throws {
        let family = try entry.family()
        let members = MemberService(try entry.database)
        let guardian = try family.member(family.adult)
        let alone = try refusal { try members.remove(by: family.admin, member: guardian) }
        #expect(alone == .guardianHasManagedMembers)
        for newGuardian in [family.player, family.visitor, family.adult] {
            let told = try refusal {
                try members.remove(
                    by: family.admin, member: guardian,
                    reassigningTo: try family.member(newGuardian))
            }
            #expect(told == .guardianNotAdult)
        }
        let absent = try refusal {
            try members.remove(by: family.admin, member: guardian, reassigningTo: .random())
        }
        #expect(absent == .memberNotFound)
        try members.remove(
            by: family.admin, member: guardian, reassigningTo: try family.member(family.admin))
        let child = try #require(
            try entry.members(family.admin, nil).first { $0.id == family.child })
        #expect(child.guardian == family.admin.adoptedID)
        #expect(try entry.auditCount(family.id, "managed.reassign") == 1)
    }

    @Test("a member who leaves and rejoins by code keeps its reduced role")
    func leave() throws {
        let family = try entry.family()
        let database = try entry.database
        try MemberService(database).leave(by: family.visitor, family: nil)
        let told = try refusal { try entry.members(family.visitor, family.id) }
        #expect(told == .familyNotFound)
        try entry.join(family.visitor, family.code)
        let me = try entry.members(family.visitor, family.id)
            .first { $0.user == family.visitor.adoptedID }
        #expect(me?.householdRole == .visitor)
    }

    @Test("the Parent Admin hands over the seat, and a guardian its children, before leaving")
    func leaveLast() throws {
        let family = try entry.family()
        let database = try entry.database
        let members = MemberService(database)
        let admin = try refusal { try members.leave(by: family.admin, family: family.id) }
        #expect(admin == .transferAdminFirst)
        let guardian = try refusal { try members.leave(by: family.adult, family: family.id) }
        #expect(guardian == .guardianHasManagedMembers)
        let toPlayer = try refusal {
            try members.leave(
                by: family.adult, family: family.id,
                reassigningTo: try family.member(family.player))
        }
        #expect(toPlayer == .guardianNotAdult)
        try members.leave(
            by: family.adult, family: family.id, reassigningTo: try family.member(family.admin))
        try ChildService(database).remove(by: family.admin, member: family.child)
        // No other adult is left, so the seat can become vacant.
        try members.leave(by: family.admin, family: family.id)
        #expect(try entry.members(family.player, nil).count == 2)
    }

    @Test("a waiting person sees nothing until approved, and nothing after a rejection")
    func approval() throws {
        let family = try entry.family()
        let database = try entry.database
        _ = try FamilyService(database).update(
            by: family.admin, family: family.id, .init(isApprovalRequired: true))
        let (first, second) = (RequestContext.person(), RequestContext.person())
        for person in [first, second] {
            let joined = try entry.join(person, family.code)
            #expect(joined.isWaiting)
            let told = try refusal { try entry.members(person, family.id) }
            #expect(told == .familyNotFound)
        }
        let waiting = try entry.members(family.admin, nil).filter { $0.status == .invited }
        #expect(waiting.count == 2)
        #expect(try entry.members(family.adult, nil).allSatisfy { $0.status == .active })
        let ids = try [first, second].map { person in
            try #require(waiting.first { $0.user == person.adoptedID }).id
        }
        let members = MemberService(database)
        let unseen = try refusal { try members.approve(by: family.adult, member: ids[0]) }
        #expect(unseen == .memberNotFound)
        let early = try refusal {
            try MemberService(database).setHouseholdRole(by: family.admin, member: ids[0], to: .kid)
        }
        #expect(early == .memberIsWaiting)
        let approved = try members.approve(by: family.admin, member: ids[0])
        #expect(approved.status == .active && approved.householdRole == .adult)
        #expect(try entry.members(first, nil).count == 6)
        let twice = try refusal { try members.approve(by: family.admin, member: ids[0]) }
        #expect(twice == .memberIsNotWaiting)
        let mere = try refusal { try members.approve(by: family.player, member: ids[0]) }
        #expect(mere == .standingTooLow)
        // After a rejection the person can ask once more.
        for _ in 0..<2 {
            try MemberService(database).remove(by: family.admin, member: ids[1])
            if try refusal({ try entry.join(second, family.code) }) != nil { break }
        }
        let gone = try refusal { try entry.join(second, family.code) }
        #expect(gone == .removedFromFamily)
    }

    @Test("approval is refused if the last slot is taken or the player has another family")
    func approvalTooLate() throws {
        let family = try entry.family()
        let database = try entry.database
        let families = FamilyService(database)
        _ = try families.update(
            by: family.admin, family: family.id, .init(isApprovalRequired: true))
        let (parent, player) = (RequestContext.person(), RequestContext.person(.player))
        for person in [parent, player] { try entry.join(person, family.code) }
        try entry.join(RequestContext.person(), entry.create(player).code)
        _ = try families.update(
            by: family.admin, family: family.id, .init(isApprovalRequired: false))
        for _ in 0..<3 { try entry.join(RequestContext.person(), family.code) }
        let waiting = try entry.members(family.admin, nil).filter { $0.status == .invited }
        let outcomes = try [parent, player].map { person in
            let id = try #require(waiting.first { $0.user == person.adoptedID }).id
            return try refused { try MemberService(database).approve(by: family.admin, member: id) }
        }
        #expect(outcomes.map(\.?.code) == [.familyFull, .playerHasFamily])
        #expect(outcomes.map(\.?.parameter) == [.memberLimit(8), nil])
    }
}
