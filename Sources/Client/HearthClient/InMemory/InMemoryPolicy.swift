import DomainCore
import Policy

// The in-memory Hearth decides by the policy of a real server. This file collects the facts.

extension Facts {
    /// Throws a refusal unless the policy allows the action.
    func require(_ action: Action) throws(InMemoryRefusal) {
        if case .refused(let code) = decide(action, self) {
            throw InMemoryRefusal(ErrorCode(rawValue: code.rawValue) ?? .unrecognized)
        }
    }

    /// Throws a refusal unless the policy allows the action; with `code` if the only obstacle is
    /// that the target is not an adult.
    func require(_ action: Action, unlessNotAdult code: ErrorCode) throws(InMemoryRefusal) {
        if !contains(.targetAdult), decide(action, union(.targetAdult)) == .allowed {
            throw InMemoryRefusal(code)
        }
        try require(action)
    }
}

extension InMemoryState {
    /// Facts of a request within a family; those of the caller alone if `family` is nil.
    func facts(_ call: InMemoryCall, in family: String? = nil) -> Facts {
        let own = family.flatMap { member(of: call.user, in: $0) }
        return Facts(
            isAnonymous: call.account == nil, isActing: call.isActing,
            membership: own.map(membership))
    }

    /// Facts of a request about a member.
    func facts(_ call: InMemoryCall, about target: MembershipRow) -> Facts {
        facts(call, about: target, of: target)
            .with(
                isGuardianVouched: isGuardianVouched(of: target),
                isSeatTaken: isSeatTaken(in: target.family))
    }

    /// Facts of a request about the guardianship of a child. The target is the guardian, but
    /// whether the caller is a guardian depends on the child.
    func facts(
        _ call: InMemoryCall, about guardian: MembershipRow, of child: MembershipRow
    ) -> Facts {
        let guardians = users[child.user]?.guardians ?? []
        let guardianship: Guardianship? =
            guardians.first == call.user
            ? .primary : guardians.contains(call.user) ? .further : nil
        return facts(call, in: child.family).with(
            target: membership(of: guardian), isOneself: guardian.user == call.user,
            guardianship: guardianship)
    }

    /// Facts of a request that grants a household role to a member.
    func facts(
        _ call: InMemoryCall, giving role: DomainCore.HouseholdRole, to member: MembershipRow
    ) -> Facts {
        facts(call, about: member).with(
            newRole: role, present: member.membership.householdRole, ceiling: member.ceiling,
            isSeatTaken: isSeatTaken(in: member.family),
            isSeatReserved: isSeatReserved(in: member.family))
    }

    /// The membership that the policy decides by.
    func membership(of row: MembershipRow) -> Membership {
        var membership = row.membership
        membership.isStandIn = standsIn(row)
        return membership
    }

    func isSeatTaken(in family: String) -> Bool {
        active(in: family).contains { $0.membership.householdRole == .parentAdmin }
    }

    /// Whether somebody has a prior right to the seat. A creator who stepped down voluntarily has
    /// one.
    private func isSeatReserved(in family: String) -> Bool {
        active(in: family).contains { $0.membership.hasRightToSeat || isRestingCreator($0) }
    }

    /// Whether a child has a guardian who is vouched for or is the creator; nil for an account.
    private func isGuardianVouched(of member: MembershipRow) -> Bool? {
        guard let guardians = users[member.user]?.guardians else { return nil }
        return active(in: member.family).contains {
            guardians.contains($0.user) && ($0.membership.isVouched || $0.membership.isCreator)
        }
    }

    /// Whether a member stands in for the creator and the Parent Admin: an adult, while the seat is
    /// vacant and the creator is gone. If any such adult is vouched for, only vouched adults stand
    /// in.
    private func standsIn(_ row: MembershipRow) -> Bool {
        let present = active(in: row.family)
        let hasLeader = present.contains {
            !$0.membership.standing.isDisjoint(with: [.admin, .creator]) || isRestingCreator($0)
        }
        if hasLeader || !row.membership.isAdultWithAccount { return false }
        return row.membership.isVouched
            || !present.contains {
                $0.membership.isAdultWithAccount && $0.membership.isVouched
            }
    }

    /// Whether a member is the family's creator and stepped down voluntarily.
    private func isRestingCreator(_ row: MembershipRow) -> Bool {
        row.membership.isCreator && !row.membership.standing.contains(.creator)
            && row.ceiling == row.membership.role.usualHouseholdRole
    }
}
