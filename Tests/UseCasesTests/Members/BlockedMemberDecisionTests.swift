import Domain
import Postgres
import Repositories
import TestSupport
import Testing
import UseCaseSupport
import UseCases

/// The policy's decisions about others while a member is blocked. The database would refuse by
/// itself; here the policy must already decide the same.
@Suite("Members of a family with a blocked account")
struct BlockedMemberDecisionTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }
    private var members: MemberService { get throws { MemberService(try entry.database) } }
    private var guardians: GuardianService { get throws { GuardianService(try entry.database) } }

    private func operate(_ person: RequestContext, _ call: (UInt128) -> SQL) throws {
        let id = try #require(person.userID)
        let settings = try entry.test.settings(as: "hearth_admin")
        try Connection(settings).transaction { transaction in
            try transaction.query("SELECT app.begin_operation('jo')")
            try transaction.query(call(id))
        }
    }

    private func block(_ person: RequestContext) throws {
        try operate(person) { "SELECT app.operator_block_user(\($0), 'spam')" }
    }

    private func unblock(_ person: RequestContext) throws {
        try operate(person) { "SELECT app.operator_unblock_user(\($0))" }
    }

    /// The code of the refusal by the policy; nil if `body` succeeds.
    private func decided<Value>(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Value
    ) throws -> RefusalCode? {
        let refusal = try ending(body)
        #expect(refusal?.underlying == nil, sourceLocation: sourceLocation)
        return refusal?.code
    }

    /// A family in which the adult is a guardian of a child, and two more adults are its guardians
    /// too, in this order.
    private struct Household {
        let family: FullFamilyFixture<UseCaseDatabase>
        let second, third: (actor: RequestContext, member: MemberID)
    }

    private func household() throws -> Household {
        let family = try entry.family()
        let (second, third) = (try family.joiner(), try family.joiner())
        for guardian in [second, third] {
            _ = try guardians.add(
                by: family.adult, member: family.child, guardian: guardian.member)
        }
        return Household(family: family, second: second, third: third)
    }

    // MARK: The seat

    @Test("the seat of a blocked Parent Admin can be claimed, and the lists of choices offer it")
    func claim() throws {
        let family = try entry.family()
        let adult = try family.member(family.adult)
        func choice() throws -> [OwnRoleChoices.Seat] {
            let database = try entry.database
            let listing = try database.run(MemberService.list(by: family.adult, family: family.id))
            let listed = try #require(
                try database.run(FamilyService.list(by: family.adult)).first)
            return [listing.choices.parentAdmin, listed.choices.parentAdmin]
        }
        func claim() throws -> RefusalCode? {
            try decided {
                try members.setHouseholdRole(by: family.adult, member: adult, to: .parentAdmin)
            }
        }
        #expect(try choice() == [.taken, .taken])
        #expect(try claim() == .parentAdminExists)
        try block(family.admin)
        // The blocked creator's prior right is ignored, too.
        #expect(try choice() == [.free, .free])
        #expect(try claim() == nil)
        let roles = try entry.members(family.adult, family.id)
        #expect(roles.first { $0.user == family.admin.adoptedID }?.householdRole == .adult)
        try unblock(family.admin)
        #expect(try choice() == [.taken, .taken])
    }

    @Test("a vouched adult who is blocked reserves the seat for nobody")
    func reserved() throws {
        let family = try entry.family()
        let third = try family.joiner()
        let creator = try family.member(family.admin)
        // The creator gives the adult the seat, and others make the creator a visitor.
        _ = try members.setHouseholdRole(by: family.admin, member: creator, to: .adult)
        let adult = try family.member(family.adult)
        _ = try members.setHouseholdRole(by: family.admin, member: adult, to: .parentAdmin)
        _ = try members.setHouseholdRole(by: family.adult, member: creator, to: .visitor)
        _ = try members.setHouseholdRole(by: family.adult, member: adult, to: .adult)
        func claim() throws -> RefusalCode? {
            try decided {
                try members.setHouseholdRole(
                    by: third.actor, member: third.member, to: .parentAdmin)
            }
        }
        let reserved = try claim()
        #expect(reserved == .seatReserved)
        try block(family.adult)
        let free = try claim()
        #expect(free == nil)
    }

    @Test("nothing makes a blocked adult the Parent Admin")
    func successors() throws {
        let family = try entry.family()
        let adult = try family.member(family.adult)
        try block(family.adult)
        #expect(
            try decided { try members.transferAdmin(by: family.admin, family: nil, to: adult) }
                == .adminNotAdult)
        let creator = try family.member(family.admin)
        _ = try members.setHouseholdRole(by: family.admin, member: creator, to: .adult)
        #expect(
            try decided {
                try members.setHouseholdRole(by: family.admin, member: adult, to: .parentAdmin)
            } == .standingTooLow)
    }

    @Test("a Parent Admin whose only other adult is blocked can leave")
    func leaving() throws {
        let family = try entry.family()
        #expect(
            try decided { try members.leave(by: family.admin, family: family.id) }
                == .transferAdminFirst)
        try block(family.adult)
        #expect(try decided { try members.leave(by: family.admin, family: family.id) } == nil)
    }

    @Test("adults stand in while creator and Parent Admin are blocked")
    func standIns() throws {
        let family = try entry.family()
        try entry.asSuperuser(
            "UPDATE app.family_units SET approval_required = true WHERE id = \(family.id.rawValue)")
        let asking = RequestContext.person()
        try entry.join(asking, family.code)
        let waiting = try family.member(asking)
        #expect(
            try decided { try members.approve(by: family.adult, member: waiting) }
                == .memberNotFound)
        try block(family.admin)
        #expect(try decided { try members.approve(by: family.adult, member: waiting) } == nil)
    }

    // MARK: Guardians

    @Test("the longest-serving other guardian has the rights of a blocked primary one")
    func actingPrimary() throws {
        let home = try household()
        let family = home.family
        let children = ChildService(try entry.database)
        func dismissed(by guardian: RequestContext, _ other: MemberID) throws -> RefusalCode? {
            try decided {
                try guardians.remove(by: guardian, member: family.child, guardian: other)
            }
        }
        #expect(try dismissed(by: home.second.actor, home.third.member) == .standingTooLow)
        try block(family.adult)
        #expect(try dismissed(by: home.third.actor, home.second.member) == .standingTooLow)
        #expect(
            try decided {
                try guardians.makePrimary(
                    by: home.second.actor, member: family.child,
                    guardian: try family.member(family.adult))
            } == .memberNotFound)
        #expect(
            try decided {
                try InvitationService(entry.database, testKeys()).startGraduation(
                    by: home.second.actor, member: family.child, to: .link, role: .player,
                    householdRole: .kid)
            } == nil)
        #expect(try dismissed(by: home.second.actor, home.third.member) == nil)
        let heir = try family.member(family.admin)
        #expect(
            try decided {
                try children.reassign(by: home.second.actor, member: family.child, to: heir)
            } == nil)
        let child = try #require(
            try entry.members(family.admin, family.id).first { $0.id == family.child })
        #expect(child.guardian == family.admin.adoptedID)
        #expect(child.guardians.map(\.user).contains(try #require(family.adult.adoptedID)))
    }

    @Test("the acting primary guardian can remove the child, and can choose the primary guardian")
    func actingPrimaryRemoves() throws {
        let home = try household()
        let family = home.family
        try block(family.adult)
        #expect(
            try decided {
                try guardians.makePrimary(
                    by: home.second.actor, member: family.child, guardian: home.third.member)
            } == nil)
        let children = ChildService(try entry.database)
        #expect(
            try decided { try children.remove(by: home.second.actor, member: family.child) }
                == .standingTooLow)
        #expect(
            try decided { try children.remove(by: home.third.actor, member: family.child) } == nil)
    }

    @Test("a guardian whose fellow guardians are all blocked is treated as a child's last one")
    func lastGuardian() throws {
        let home = try household()
        let family = home.family
        try block(family.adult)
        try block(home.second.actor)
        #expect(
            try decided { try guardians.remove(by: home.third.actor, member: family.child) }
                == .guardianHasManagedMembers)
        #expect(
            try decided { try members.leave(by: home.third.actor, family: family.id) }
                == .guardianHasManagedMembers)
        #expect(
            try decided { try members.remove(by: family.admin, member: home.third.member) }
                == .guardianHasManagedMembers)
        #expect(
            try decided {
                try members.leave(
                    by: home.third.actor, family: family.id, reassigningTo: home.second.member)
            } == .guardianNotAdult)
        #expect(
            try decided {
                try members.leave(
                    by: home.third.actor, family: family.id,
                    reassigningTo: try family.member(family.admin))
            } == nil)
        let child = try #require(
            try entry.members(family.admin, family.id).first { $0.id == family.child })
        #expect(child.guardian == family.admin.adoptedID && child.guardians.count == 3)
    }

    @Test("removing a blocked guardian needs no successor if the child has another guardian")
    func replaced() throws {
        let home = try household()
        try block(home.family.adult)
        let member = try home.family.member(home.family.adult)
        #expect(try decided { try members.remove(by: home.family.admin, member: member) } == nil)
    }

    @Test("no child gets a blocked guardian")
    func newGuardians() throws {
        let family = try entry.family()
        let (other, member) = try family.joiner()
        try block(other)
        #expect(
            try decided {
                try guardians.add(by: family.adult, member: family.child, guardian: member)
            } == .guardianNotAdult)
        #expect(
            try decided {
                try ChildService(entry.database).reassign(
                    by: family.adult, member: family.child, to: member)
            } == .guardianNotAdult)
    }

    @Test("a creator can remove the children of a blocked guardian, even a vouched one")
    func creatorRemoves() throws {
        let family = try entry.family()
        let creator = try family.member(family.admin)
        _ = try members.setHouseholdRole(by: family.admin, member: creator, to: .adult)
        try entry.asSuperuser("UPDATE app.family_members SET vouched = true WHERE role = 'parent'")
        let children = ChildService(try entry.database)
        #expect(
            try decided { try children.remove(by: family.admin, member: family.child) }
                == .standingTooLow)
        let adult = try family.member(family.adult)
        #expect(
            try decided { try members.remove(by: family.admin, member: adult) }
                == .guardianHasManagedMembers)
        try block(family.adult)
        #expect(try decided { try members.remove(by: family.admin, member: adult) } == nil)
        #expect(try !entry.members(family.admin, family.id).contains { $0.id == family.child })
    }

    // MARK: Invitations

    @Test("an address that a blocked member has invited can be invited by others")
    func invitations() throws {
        let family = try entry.family()
        let (other, _) = try family.joiner()
        let address = try #require(EmailAddress("late-\(UserID.random())@example.com"))
        func invite(_ person: RequestContext) throws -> RefusalCode? {
            try decided { try entry.invite(.email(address), by: person) }
        }
        #expect(try invite(other) == nil)
        try entry.asSuperuser(
            "UPDATE app.family_invitations SET last_sent_at = now() - interval '2 minutes'")
        #expect(try invite(family.adult) == .alreadyInvited)
        try block(other)
        #expect(try invite(family.adult) == nil)
    }

    @Test("another guardian can't resend a graduation invitation that a blocked guardian sent")
    func graduation() throws {
        let home = try household()
        let family = home.family
        let invitations = InvitationService(try entry.database, try testKeys())
        let sent = try invitations.startGraduation(
            by: family.adult, member: family.child, to: .link, role: .player, householdRole: .kid)
        try entry.passResendMinute(sent.id)
        try block(family.adult)
        #expect(
            try decided { try invitations.resend(by: home.second.actor, invitation: sent.id) }
                == .standingTooLow)
    }

    // MARK: What pages offer

    private func overview(
        by person: RequestContext, _ family: FamilyID
    ) throws -> FamilyOverview? {
        try entry.database.run(FamilyOverview.read(by: person, family: family)).overview
    }

    @Test("a family's page offers nothing that is refused because a member is blocked")
    func offers() throws {
        let home = try household()
        let family = home.family
        try block(family.adult)
        try block(home.third.actor)
        let seen = try #require(try overview(by: home.second.actor, family.id))
        let child = try #require(seen.member(family.child)?.member)
        #expect(!seen.mayEndGuardianship(of: seen.me, for: child))
        let blocked = try #require(seen.member(home.third.member)?.member)
        #expect(seen.mayEndGuardianship(of: blocked, for: child))
        #expect(seen.obstacleToLeaving == nil && seen.needsHeir(seen.me))
        let heirs = seen.heirs(of: seen.me).map(\.id)
        #expect(heirs == [try family.member(family.admin)])
        let byAdmin = try #require(try overview(by: family.admin, family.id))
        let target = try #require(byAdmin.member(home.third.member)?.member)
        #expect(!byAdmin.mayTransferSeat(to: target))
    }
}
