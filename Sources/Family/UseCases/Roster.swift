import Domain
import Policy
import Repositories

/// The members of the family that a request is about, and the caller among them, for decisions.
struct Roster {
    /// The requested action.
    let action: Action
    let family: FamilyID
    let rows: [FamilyMember]
    /// The subject's own membership.
    let me: FamilyMember
    let subject: Subject

    /// The facts of the request within the family.
    var facts: Facts { subject.facts(me.membership) }

    /// The same, of a request about a member.
    func facts(about member: FamilyMember) -> Facts {
        facts.with(
            target: member.membership, isOneself: member.user == subject.user,
            guardianship: guardianship(of: member)
        ).with(isGuardianVouched: isGuardianVouched(of: member), isSeatTaken: isSeatTaken)
    }

    /// The facts of a request about who guards a child: about `guardian`, with what the caller is
    /// to the child.
    func facts(about guardian: FamilyMember, of child: FamilyMember) -> Facts {
        facts.with(
            target: guardian.membership, isOneself: guardian.user == subject.user,
            guardianship: guardianship(of: child))
    }

    /// What the caller is to a managed member; nil if it is none of its guardians.
    private func guardianship(of member: FamilyMember) -> Guardianship? {
        guard let user = subject.user, member.guardians.contains(user) else { return nil }
        return member.guardian == user ? .primary : .further
    }

    /// Whether anybody answers for one of its guardians; nil for a member without a guardian.
    private func isGuardianVouched(of member: FamilyMember) -> Bool? {
        if member.guardians.isEmpty { return nil }
        return rows.contains {
            member.guardians.contains($0.user) && ($0.isVouched || $0.isCreator)
        }
    }

    /// Lets the request on only if the policy allows its action.
    func require(_ facts: Facts) throws(Refusal) { try facts.require(action) }

    /// The member of this id.
    ///
    /// - Throws: ``Refusal`` with `memberNotFound`, the same for a member of another family.
    func member(_ id: MemberID) throws(Refusal) -> FamilyMember {
        guard let row = rows.first(where: { $0.id == id }) else {
            throw Refusal(.memberNotFound)
        }
        return row
    }

    /// The managed member of this id.
    ///
    /// - Throws: ``Refusal`` with `memberNotFound`, the same for a member with an account.
    func managedMember(_ id: MemberID) throws(Refusal) -> FamilyMember {
        let row = try member(id)
        if !row.isManaged { throw Refusal(.memberNotFound) }
        return row
    }

    var isSeatTaken: Bool { rows.contains(where: \.hasSeat) }
    /// Whether a member has a prior right to the Parent Admin's seat.
    var isSeatReserved: Bool { rows.contains(where: \.hasRightToSeat) }
}

extension FamilyMember {
    /// Whether it is the Parent Admin.
    var hasSeat: Bool { status == .active && householdRole == .parentAdmin }
    /// Whether it has a prior right to the Parent Admin's seat.
    var hasRightToSeat: Bool { membership.hasRightToSeat || isRestingCreator }

    /// What the policy asks about the membership.
    var membership: Membership {
        Membership(
            role: role, householdRole: householdRole, status: status, isManaged: isManaged,
            isCreator: isCreator, isVouched: isVouched, isStandIn: isStandIn)
    }
}
