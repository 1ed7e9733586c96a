import Domain
import Policy
import Repositories

/// The members of the family that a request is about, and the caller among them, for the policy.
struct Roster {
    /// The requested action.
    let action: Action
    let family: FamilyID
    let rows: [FamilyMember]
    /// The subject's own membership.
    let me: FamilyMember
    let subject: Subject

    /// Facts about the caller as a member of the family.
    var facts: Facts { subject.facts(me.membership) }

    /// Returns the facts of a request about a member.
    func facts(about member: FamilyMember) -> Facts {
        facts.with(
            target: member.membership, isOneself: member.user == subject.user,
            guardianship: guardianship(of: member)
        ).with(isGuardianVouched: isGuardianVouched(of: member), isSeatTaken: isSeatTaken)
    }

    /// Returns the facts of a request about a child's guardianship: about `guardian`, with the
    /// caller's relation to the child.
    func facts(about guardian: FamilyMember, of child: FamilyMember) -> Facts {
        facts.with(
            target: guardian.membership, isOneself: guardian.user == subject.user,
            guardianship: guardianship(of: child))
    }

    /// Returns the facts of a request to send the invitation by which a child gets an account. Only
    /// the acting primary guardian may send it, and only if the guardian who created the invitation
    /// is not blocked.
    func facts(sendingInvitationOf child: FamilyMember, from inviter: UserID?) -> Facts {
        let guardianship = guardianship(of: child)
        return facts.with(
            target: child.membership, isOneself: false,
            guardianship: inviter.map(isGone) == true
                ? guardianship.map { _ in .further } : guardianship)
    }

    /// Returns the caller's guardianship of a managed member; nil if it has none.
    private func guardianship(of member: FamilyMember) -> Guardianship? {
        guard let user = subject.user, member.guardians.contains(user) else { return nil }
        return actingPrimaryGuardian(of: member) == user ? .primary : .further
    }

    /// Returns the guardian with the rights of the primary one: the primary guardian or, while that
    /// guardian is gone, the longest-serving guardian who is not gone.
    private func actingPrimaryGuardian(of child: FamilyMember) -> UserID? {
        guard let primary = child.guardian, isGone(primary) else { return child.guardian }
        let present = (child.guardianships ?? []).filter { !isGone($0.guardian) }
        return present.min { $0.hasServedLonger(than: $1) }?.guardian ?? primary
    }

    /// Whether a user is a member who is treated as absent.
    func isGone(_ user: UserID) -> Bool { rows.contains { $0.user == user && $0.isGone } }

    /// Whether a child has a guardian, other than this one, who is not gone.
    func hasGuardian(_ child: FamilyMember, besides guardian: FamilyMember) -> Bool {
        child.guardians.contains { $0 != guardian.user && !isGone($0) }
    }

    /// The children who would have no guardian without this one.
    func children(guardedOnlyBy guardian: FamilyMember) -> [FamilyMember] {
        rows.filter {
            $0.guardians.contains(guardian.user) && !hasGuardian($0, besides: guardian)
        }
    }

    /// Whether any of the member's guardians who are not gone is vouched for; nil for a member
    /// without a guardian.
    private func isGuardianVouched(of member: FamilyMember) -> Bool? {
        if member.guardians.isEmpty { return nil }
        return rows.contains {
            member.guardians.contains($0.user) && ($0.isVouched || $0.isCreator) && !$0.isGone
        }
    }

    /// Allows the request only if the policy allows its action.
    func require(_ facts: Facts) throws(Refusal) { try facts.require(action) }

    /// Finds a member by id.
    ///
    /// - Throws: ``Refusal`` with `memberNotFound`, even for a member of another family.
    func member(_ id: MemberID) throws(Refusal) -> FamilyMember {
        guard let row = rows.first(where: { $0.id == id }) else {
            throw Refusal(.memberNotFound)
        }
        return row
    }

    /// Finds a managed member by id.
    ///
    /// - Throws: ``Refusal`` with `memberNotFound`, even for a member with an account.
    func managedMember(_ id: MemberID) throws(Refusal) -> FamilyMember {
        let row = try member(id)
        if !row.isManaged { throw Refusal(.memberNotFound) }
        return row
    }

    /// Whether the caller is the Parent Admin and another adult could be, so that the caller can't
    /// leave before transferring the seat.
    var mustTransferSeat: Bool {
        me.householdRole == .parentAdmin
            && rows.contains { $0.id != me.id && $0.membership.isAdultWithAccount }
    }

    var isSeatTaken: Bool { rows.contains(where: \.hasSeat) }
    /// Whether the caller may not claim the Parent Admin's vacant seat unless somebody vouches for
    /// the caller: another member has a prior right, or the caller came after an API key's
    /// invitation.
    var isSeatReserved: Bool { me.hasEnteredAfterKey || rows.contains(where: \.hasRightToSeat) }
}

extension FamilyMember {
    /// Whether the member is the Parent Admin, and is not gone.
    var hasSeat: Bool { status == .active && householdRole == .parentAdmin && !isGone }
    /// Whether the member has a prior right to the Parent Admin's seat, and is not gone.
    var hasRightToSeat: Bool { membership.hasRightToSeat || (isRestingCreator && !isGone) }

    /// The membership in the form that the policy takes.
    var membership: Membership {
        Membership(
            role: role, householdRole: householdRole, status: status, isManaged: isManaged,
            isCreator: isCreator, isVouched: isVouched, isStandIn: isStandIn, isGone: isGone)
    }
}

// Reassignment of the children of a guardian who leaves or stops being an adult.

extension Roster {
    /// Checks that the member `newGuardian` can become the guardian of `guardian`'s children, and
    /// that the caller may name this member.
    ///
    /// Children with another guardian who is not gone stay with that other guardian.
    ///
    /// - Parameter newGuardian: Nil if the request names none; then each child must have another
    ///   guardian.
    func requireHandover(from guardian: FamilyMember, to newGuardian: MemberID?) throws(Refusal) {
        let children = rows.filter { $0.guardians.contains(guardian.user) }
        let isReplaced =
            !children.isEmpty && self.children(guardedOnlyBy: guardian).isEmpty
        guard let newGuardian else {
            if !children.isEmpty, !isReplaced { throw Refusal(.guardianHasManagedMembers) }
            return
        }
        let successor = try member(newGuardian)
        if successor.id == guardian.id { throw Refusal(.guardianNotAdult) }
        let facts = facts.with(
            target: successor.membership, isOneself: successor.user == subject.user,
            guardianship: guardian.user == subject.user ? .primary : nil
        ).removingGuardian(isReplaced: isReplaced)
        try facts.require(.managedReassign, unlessNotAdult: .guardianNotAdult)
    }

    /// Whether the children who have no other guardian are removed with this one: the creator may
    /// remove them all, since nobody vouches for the guardian.
    func leavesWithChildren(_ guardian: FamilyMember) -> Bool {
        children(guardedOnlyBy: guardian).allSatisfy {
            facts(about: $0).contains([.creator, .guardianUnvouched, .seatVacant])
        }
    }

    /// Checks that the caller may make `successor` the child's primary guardian instead of itself.
    func requireReassignment(of child: FamilyMember, to successor: FamilyMember) throws(Refusal) {
        try facts(about: successor, of: child)
            .require(.managedReassign, unlessNotAdult: .guardianNotAdult)
    }
}
