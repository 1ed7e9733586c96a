import Domain
import Policy
import Testing

@Suite("Policy decisions")
struct DecisionTests {
    private func member(
        _ role: MemberRole, _ standing: HouseholdRole, creator: Bool = false,
        managed: Bool = false, vouched: Bool = false, status: MembershipStatus = .active
    ) -> Membership {
        Membership(
            role: role, householdRole: standing, status: status, isManaged: managed,
            isCreator: creator, isVouched: vouched)
    }

    private func facts(_ membership: Membership?, acting: Bool = false) -> Facts {
        Facts(isAnonymous: false, isActing: acting, membership: membership)
    }

    @Test("family actions are refused as not found without an active membership")
    func nothingByDefault() {
        let nobody = facts(nil)
        for action in Action.allCases where Rule.of(action).scope == .family {
            #expect(decide(action, nobody) == .refused(.familyNotFound), "\(action)")
        }
        for status in [MembershipStatus.invited, .removed] {
            let gone = facts(member(.parent, .parentAdmin, creator: true, status: status))
            #expect(decide(.memberList, gone) == .refused(.familyNotFound))
        }
    }

    @Test("a guardian acting for a child may read the family and change the child's own data only")
    func acting() {
        let child = facts(member(.player, .kid, managed: true), acting: true)
        let allowed = Action.allCases.filter { decide($0, child.union(.oneself)) == .allowed }
        #expect(
            Set(allowed) == [
                .familyRead, .memberList, .preferencesRead, .preferencesWrite, .profileRead,
                .profileUpdate, .invitationPreview, .attributesRead,
            ])
        #expect(decide(.codeRead, child) == .refused(.notWhileActing))
    }

    @Test("a visitor may read, change its own preferences and leave, whatever its other facts")
    func visitor() {
        let visitor = facts(member(.parent, .visitor, creator: true, vouched: true))
        let allowed = Action.allCases.filter {
            Rule.of($0).scope != .anywhere && decide($0, visitor.union(.oneself)) == .allowed
        }
        #expect(
            Set(allowed) == [
                .familyRead, .memberList, .preferencesRead, .preferencesWrite,
                .memberLeave,
            ])
        #expect(decide(.codeRead, visitor) == .refused(.visitorsOnlyRead))
    }

    @Test("a parent who merely joined can't renew the code; a player, creator or admin can")
    func regenerate() {
        #expect(decide(.codeRegenerate, facts(member(.parent, .adult))) != .allowed)
        #expect(decide(.codeRegenerate, facts(member(.player, .kid))) == .allowed)
        #expect(
            decide(.codeRegenerate, facts(member(.parent, .adult, creator: true))) == .allowed)
        #expect(decide(.codeRegenerate, facts(member(.parent, .parentAdmin))) == .allowed)
    }

    @Test("the creator may remove any member but the admin, managed members and itself")
    func remove() {
        let creator = facts(member(.player, .kid, creator: true))
        let admin = facts(member(.parent, .parentAdmin))
        func removes(_ actor: Facts, _ target: Membership, oneself: Bool = false) -> Decision {
            decide(
                .memberRemove, actor.with(target: target, isOneself: oneself, guardianship: nil))
        }
        #expect(removes(creator, member(.parent, .adult)) == .allowed)
        #expect(
            removes(creator, member(.parent, .parentAdmin)) == .refused(.targetIsParentAdmin))
        #expect(
            removes(creator, member(.player, .kid, managed: true)) == .refused(.targetIsManaged))
        #expect(removes(admin, member(.player, .kid, managed: true)) == .allowed)
        #expect(removes(admin, member(.parent, .parentAdmin), oneself: true) == .refused(.oneself))
        #expect(removes(facts(member(.parent, .adult)), member(.player, .kid)) != .allowed)
    }

    @Test("a vacant seat can't be claimed with a leaked code while the creator is active")
    func vacantSeat() {
        func claim(_ membership: Membership, taken: Bool = false, reserved: Bool) -> Decision {
            decide(
                .memberSetRole,
                facts(membership)
                    .with(target: membership, isOneself: true, guardianship: nil)
                    .with(
                        newRole: .parentAdmin, present: membership.householdRole, ceiling: .adult,
                        isSeatTaken: taken, isSeatReserved: reserved))
        }
        let byCode = member(.parent, .adult)
        #expect(claim(byCode, reserved: true) == .refused(.seatReserved))
        #expect(claim(byCode, reserved: false) == .allowed)
        #expect(claim(member(.parent, .adult, vouched: true), reserved: true) == .allowed)
        #expect(claim(member(.parent, .adult, creator: true), reserved: true) == .allowed)
        #expect(claim(byCode, taken: true, reserved: false) == .refused(.parentAdminExists))
        let lower = member(.parent, .kid, vouched: true)
        #expect(claim(lower, reserved: false) == .refused(.standingTooLow))
        let visitor = member(.parent, .visitor, vouched: true)
        #expect(claim(visitor, reserved: false) == .refused(.visitorsOnlyRead))
    }

    @Test("a member may choose any household role up to its ceiling, even as a visitor")
    func ceiling() {
        func chooses(_ role: HouseholdRole, as present: HouseholdRole, under ceiling: HouseholdRole)
            -> Decision
        {
            let membership = member(.parent, present)
            return decide(
                .memberSetRole,
                facts(membership).with(target: membership, isOneself: true, guardianship: nil)
                    .with(
                        newRole: role, present: present, ceiling: ceiling, isSeatTaken: true,
                        isSeatReserved: true))
        }
        for present in [HouseholdRole.visitor, .kid, .adult] {
            for role in [HouseholdRole.visitor, .kid, .adult] {
                #expect(chooses(role, as: present, under: .adult) == .allowed)
            }
            #expect(
                chooses(.parentAdmin, as: present, under: .adult) == .refused(.parentAdminExists))
        }
        #expect(chooses(.adult, as: .kid, under: .kid) == .refused(.standingTooLow))
        #expect(chooses(.adult, as: .visitor, under: .kid) == .refused(.visitorsOnlyRead))
        #expect(chooses(.kid, as: .visitor, under: .kid) == .allowed)
        #expect(chooses(.parentAdmin, as: .parentAdmin, under: .adult) == .allowed)
    }

    @Test("a creator may remove children of unvouched guardians only while the seat is vacant")
    func strangersChildren() {
        let child = member(.player, .kid, managed: true)
        func removes(_ caller: Membership, vouched: Bool?, taken: Bool) -> Decision {
            decide(
                .memberRemove,
                facts(caller).with(target: child, isOneself: false, guardianship: nil)
                    .with(isGuardianVouched: vouched, isSeatTaken: taken))
        }
        let creator = member(.player, .kid, creator: true)
        #expect(removes(creator, vouched: false, taken: false) == .allowed)
        #expect(removes(creator, vouched: true, taken: false) == .refused(.targetIsManaged))
        #expect(removes(creator, vouched: false, taken: true) == .refused(.targetIsManaged))
        #expect(removes(creator, vouched: nil, taken: false) == .refused(.targetIsManaged))
        #expect(
            removes(member(.player, .kid), vouched: false, taken: false)
                == .refused(.standingTooLow))
    }

    @Test("the seat is reserved for vouched adults and for a creator who is not acting for a child")
    func rightToSeat() {
        for holder in [
            member(.player, .kid, creator: true), member(.parent, .adult, creator: true),
            member(.parent, .adult, vouched: true),
        ] { #expect(holder.hasRightToSeat) }
        for other in [
            member(.parent, .visitor, creator: true, vouched: true), member(.parent, .adult),
            member(.parent, .kid, creator: true), member(.player, .kid, vouched: true),
            member(.parent, .adult, vouched: true, status: .invited),
            member(.parent, .adult, vouched: true, status: .removed),
        ] { #expect(!other.hasRightToSeat) }
    }

    @Test("a waiting person may withdraw its request, and otherwise finds no family")
    func waiting() {
        let waits = facts(member(.parent, .adult, creator: true, vouched: true, status: .invited))
        for action in Action.allCases where Rule.of(action).scope == .family {
            #expect(decide(action, waits) == .refused(.familyNotFound), "\(action)")
        }
        #expect(decide(.memberLeave, waits) == .allowed)
        #expect(decide(.memberLeave, facts(nil)) == .refused(.familyNotFound))
    }

    @Test("preferences are visible to the member and its guardians only, not to the admin")
    func preferences() {
        let admin = facts(member(.parent, .parentAdmin))
        let child = member(.player, .kid, managed: true)
        #expect(
            decide(
                .preferencesRead, admin.with(target: child, isOneself: false, guardianship: nil))
                != .allowed)
        #expect(
            decide(
                .preferencesRead,
                admin.with(target: child, isOneself: false, guardianship: .primary))
                == .allowed)
    }

    @Test("an invitation may be answered by its addressee, or by anyone if it is a link")
    func answer() {
        let someone = facts(nil)
        #expect(decide(.invitationAccept, someone) == .refused(.notTheAddressee))
        #expect(decide(.invitationAccept, someone.union(.addressee)) == .allowed)
        #expect(decide(.invitationAccept, someone.union(.link)) == .allowed)
        let anonymous = Facts(isAnonymous: true, isActing: false, membership: nil)
        #expect(decide(.invitationAccept, anonymous.union(.link)) == .refused(.accountRequired))
    }

    @Test("an anonymous caller may read its profile but not change it")
    func anonymousProfile() {
        let anonymous = Facts(isAnonymous: true, isActing: false, membership: nil)
        #expect(decide(.profileRead, anonymous) == .allowed)
        #expect(decide(.profileUpdate, anonymous) == .refused(.accountRequired))
        #expect(decide(.profileUpdate, facts(nil)) == .allowed)
    }

    @Test("players may invite parents, adults either side; nobody may invite a Parent Admin")
    func inviting() {
        let player = facts(member(.player, .kid))
        let adult = facts(member(.parent, .adult))
        func invites(_ who: Facts, _ role: MemberRole, _ standing: HouseholdRole? = nil) -> Decision
        {
            decide(.invitationCreate, who.with(inviting: role, as: standing))
        }
        #expect(invites(player, .parent, .visitor) == .allowed)
        #expect(invites(player, .player) == .refused(.roleTooHigh))
        #expect(invites(adult, .player, .kid) == .allowed)
        #expect(invites(adult, .parent, .parentAdmin) == .refused(.roleTooHigh))
    }

    @Test("an inviter may revoke its invitation unless it has become a visitor")
    func handling() {
        let adult = facts(member(.parent, .adult))
        #expect(decide(.invitationRevoke, adult.with(isInviter: true)) == .allowed)
        #expect(decide(.invitationRevoke, adult.with(isInviter: false)) != .allowed)
        let visitor = facts(member(.parent, .visitor)).with(isInviter: true)
        #expect(decide(.invitationResend, visitor) == .refused(.visitorsOnlyRead))
    }

    @Test("an admin may name a guardian's successor only when the guardian leaves")
    func reassigning() {
        let admin = facts(member(.parent, .parentAdmin))
            .with(target: member(.parent, .adult), isOneself: false, guardianship: nil)
        #expect(decide(.managedReassign, admin) != .allowed)
        #expect(decide(.managedReassign, admin.removingGuardian(isReplaced: false)) == .allowed)
    }

    @Test(
        "players and adults see e-mail addresses; parents who are kids, visitors and children don't"
    )
    func addresses() {
        #expect(decide(.emailRead, facts(member(.player, .kid))) == .allowed)
        #expect(decide(.emailRead, facts(member(.parent, .adult))) == .allowed)
        #expect(decide(.emailRead, facts(member(.parent, .kid))) != .allowed)
        #expect(decide(.emailRead, facts(member(.player, .visitor))) != .allowed)
        let child = facts(member(.player, .kid, managed: true), acting: true)
        #expect(decide(.emailRead, child) == .refused(.notWhileActing))
    }

    @Test("a guardian who is no longer an adult may not remove or change a child")
    func formerGuardian() {
        let child = member(.player, .kid, managed: true)
        for actor in [member(.parent, .kid), member(.parent, .visitor), member(.player, .kid)] {
            let asks = facts(actor).with(target: child, isOneself: false, guardianship: .primary)
            for action in [Action.memberRemove, .managedRemove, .managedUpdate, .actAs] {
                #expect(decide(action, asks) != .allowed, "\(action)")
            }
        }
        let adult = facts(member(.parent, .adult))
            .with(target: child, isOneself: false, guardianship: .primary)
        #expect(decide(.memberRemove, adult) == .allowed)
        #expect(decide(.managedRemove, adult) == .allowed)
    }

    @Test("a guardian may transfer a child to another adult only; a visitor can't raise its role")
    func others() {
        let adult = member(.parent, .adult)
        let guardian = facts(adult).union([.guardian, .primaryGuardian])
        #expect(
            decide(
                .managedReassign,
                guardian.with(target: adult, isOneself: false, guardianship: nil)) == .allowed)
        #expect(
            decide(
                .managedReassign,
                guardian.with(target: adult, isOneself: true, guardianship: nil)) != .allowed)
        let visitor = member(.parent, .visitor)
        let asks = facts(visitor).with(target: visitor, isOneself: true, guardianship: nil)
            .with(
                newRole: .kid, present: .visitor, ceiling: .visitor, isSeatTaken: true,
                isSeatReserved: true)
        #expect(decide(.memberSetRole, asks) == .refused(.visitorsOnlyRead))
    }
}
