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

    /// Returns the caller's guardianship of a managed member; nil if it has none.
    private func guardianship(of member: FamilyMember) -> Guardianship? {
        guard let user = subject.user, member.guardians.contains(user) else { return nil }
        return member.guardian == user ? .primary : .further
    }

    /// Whether anybody vouches for one of the member's guardians; nil for a member without a
    /// guardian.
    private func isGuardianVouched(of member: FamilyMember) -> Bool? {
        if member.guardians.isEmpty { return nil }
        return rows.contains {
            member.guardians.contains($0.user) && ($0.isVouched || $0.isCreator)
        }
    }

    /// Allows the request only if the policy allows its action.
    func require(_ facts: Facts) throws(Refusal) { try facts.require(action) }

    /// Finds a member by id.
    ///
    /// - Throws: ``Refusal`` with `memberNotFound`, also for a member of another family.
    func member(_ id: MemberID) throws(Refusal) -> FamilyMember {
        guard let row = rows.first(where: { $0.id == id }) else {
            throw Refusal(.memberNotFound)
        }
        return row
    }

    /// Finds a managed member by id.
    ///
    /// - Throws: ``Refusal`` with `memberNotFound`, also for a member with an account.
    func managedMember(_ id: MemberID) throws(Refusal) -> FamilyMember {
        let row = try member(id)
        if !row.isManaged { throw Refusal(.memberNotFound) }
        return row
    }

    var isSeatTaken: Bool { rows.contains(where: \.hasSeat) }
    /// Whether the caller may not claim the Parent Admin's vacant seat unless somebody vouches for
    /// it: another member has a prior right, or the caller came after an API key's invitation.
    var isSeatReserved: Bool { me.hasEnteredAfterKey || rows.contains(where: \.hasRightToSeat) }
}

extension FamilyMember {
    /// Whether the member is the Parent Admin.
    var hasSeat: Bool { status == .active && householdRole == .parentAdmin }
    /// Whether the member has a prior right to the Parent Admin's seat.
    var hasRightToSeat: Bool { membership.hasRightToSeat || isRestingCreator }

    /// The membership in the form that the policy takes.
    var membership: Membership {
        Membership(
            role: role, householdRole: householdRole, status: status, isManaged: isManaged,
            isCreator: isCreator, isVouched: isVouched, isStandIn: isStandIn)
    }
}

// Reassignment of the children of a guardian who leaves or stops being an adult.

extension Roster {
    /// Checks that the member `newGuardian` can become the guardian of `guardian`'s children, and
    /// that the caller may name this member.
    ///
    /// Children with another guardian stay with that one.
    ///
    /// - Parameter newGuardian: Nil if the request names none; then each child must have another
    ///   guardian.
    func requireHandover(from guardian: FamilyMember, to newGuardian: MemberID?) throws(Refusal) {
        let children = rows.filter { $0.guardians.contains(guardian.user) }
        let isReplaced = !children.isEmpty && children.allSatisfy { $0.guardians.count > 1 }
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
        let children = rows.filter { $0.guardians == [guardian.user] }
        return children.allSatisfy {
            facts(about: $0).contains([.creator, .guardianUnvouched, .seatVacant])
        }
    }

    /// Checks that the caller may make `successor` the child's primary guardian instead of itself.
    func requireReassignment(of child: FamilyMember, to successor: FamilyMember) throws(Refusal) {
        try facts(about: successor, of: child)
            .require(.managedReassign, unlessNotAdult: .guardianNotAdult)
    }
}
