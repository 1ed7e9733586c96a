package import DomainCore

/// The facts of a request: the caller, the caller's membership, and the subject of the request.
///
/// A member whose account is blocked is treated as absent: others may do what they could if its
/// membership had ended. The block does not take away the member's own rights: they can be used
/// again when it ends. Until then, the member's requests are refused before the policy is asked.
///
/// Each fact is one bit, so that a decision compares a few words. The initialisers and `with...`
/// functions turn domain values into facts; only tests should set bits by hand.
package struct Facts: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    private init(bit: UInt64) { rawValue = 1 << bit }

    // The caller.
    /// The caller is signed in with an account of its own, not anonymously.
    package static let account = Facts(bit: 0)
    /// The caller acts on behalf of a managed member: the facts below are then the member's.
    package static let acting = Facts(bit: 1)

    // The caller's membership in the family that the request is about.
    /// The caller is an active member.
    package static let member = Facts(bit: 2)
    /// The caller has the Parent Admin's seat.
    package static let admin = Facts(bit: 3)
    /// The caller created the family, and is neither a visitor nor a parent demoted to `kid`.
    package static let creator = Facts(bit: 4)
    /// The caller is a parent with the household role `adult` or `parent_admin`.
    package static let adult = Facts(bit: 5)
    /// The caller is a player with an account.
    package static let player = Facts(bit: 6)
    /// The caller has the household role `visitor`. Apart from ``member``, no other fact about its
    /// membership is set then.
    package static let visitor = Facts(bit: 7)
    /// The creator, the Parent Admin, an operator or a vouched inviter vouches for the caller.
    package static let vouched = Facts(bit: 8)
    /// The caller is not a member yet and is waiting for the family's approval.
    package static let waiting = Facts(bit: 9)
    /// The caller is an adult standing in for the creator and the Parent Admin while both are gone.
    package static let standIn = Facts(bit: 10)

    // The member that the request is about.
    /// The member is the caller.
    package static let oneself = Facts(bit: 16)
    /// The caller is a guardian of the member.
    package static let guardian = Facts(bit: 17)
    /// The member has the Parent Admin's seat.
    package static let targetAdmin = Facts(bit: 18)
    /// The member has no account.
    package static let targetManaged = Facts(bit: 19)
    /// The member is an adult with an account, and is not gone.
    package static let targetAdult = Facts(bit: 20)
    /// The caller is the member's primary guardian, or has the primary guardian's rights while that
    /// guardian is gone.
    package static let primaryGuardian = Facts(bit: 21)
    /// The member is managed, and none of its guardians who are not gone is vouched for.
    package static let guardianUnvouched = Facts(bit: 22)
    /// The member is managed, and its guardians have not given a required consent.
    package static let consentMissing = Facts(bit: 23)
    /// The person in question is not a member yet and waits for the family's approval.
    package static let targetWaiting = Facts(bit: 31)

    // The requested change.
    /// The new household role is at most the higher of the current one and the member's ceiling,
    /// the highest role that the member had on entry or was given by others.
    package static let withinCeiling = Facts(bit: 24)
    /// The new household role is Parent Admin.
    package static let claimsSeat = Facts(bit: 25)
    /// The Parent Admin's seat is taken, by a member who is not gone. Set for changes of household
    /// roles.
    package static let seatTaken = Facts(bit: 26)
    /// Somebody who is not gone has a prior right to the seat: the family's creator, or a vouched
    /// adult. A creator whom others have demoted to visitor or, as a parent, to kid has none. Also
    /// set if the caller entered after an API key's invitation and is not vouched for: then the
    /// caller has no claim to the seat.
    package static let seatReserved = Facts(bit: 27)
    /// The guardian is removed or demoted by the same request.
    package static let guardianGoes = Facts(bit: 28)
    /// Each of the guardian's children has another guardian who is not gone, so nobody has to take
    /// over.
    package static let guardianStays = Facts(bit: 29)
    /// The Parent Admin's seat is vacant, or its holder is gone. Set for removals.
    package static let seatVacant = Facts(bit: 30)

    // The invitation.
    /// The caller sent the invitation.
    package static let inviter = Facts(bit: 32)
    /// The invitation's address is one of the account's verified addresses.
    package static let addressee = Facts(bit: 33)
    /// The invitation is a link without an address.
    package static let link = Facts(bit: 34)
    /// Accepting the invitation makes the account a player.
    package static let invitesPlayer = Facts(bit: 35)
    /// Accepting the invitation makes the account take over the membership of the member in
    /// question.
    package static let graduation = Facts(bit: 36)

    // The family that a code belongs to.
    /// The family must approve everybody who joins by its code.
    package static let approvalRequired = Facts(bit: 37)
    /// Many wrong codes are being entered, so every family must approve people who join by its
    /// code.
    package static let approvalAutomatic = Facts(bit: 38)
    /// The family has an open invitation to one of the account's verified addresses.
    package static let invited = Facts(bit: 39)
    /// The account was removed or rejected by somebody else, and nobody has readmitted it since.
    package static let barred = Facts(bit: 40)
}

/// The parts of a membership that the policy depends on.
package struct Membership: Sendable, Hashable {
    package var role: MemberRole
    package var householdRole: HouseholdRole
    package var status: MembershipStatus
    /// Whether the member is a child without an account.
    package var isManaged: Bool
    /// Whether the family's `created_by_user_id` is this user.
    package var isCreator: Bool
    /// Whether somebody vouches for the member: see ``Facts/vouched``.
    package var isVouched: Bool
    /// Whether the member stands in for the creator and the Parent Admin: see ``Facts/standIn``.
    package var isStandIn: Bool
    /// Whether the member is treated as absent, because its account is blocked: see ``Facts``.
    package var isGone: Bool

    package init(
        role: MemberRole, householdRole: HouseholdRole, status: MembershipStatus,
        isManaged: Bool, isCreator: Bool, isVouched: Bool, isStandIn: Bool = false,
        isGone: Bool = false
    ) {
        self.role = role
        self.householdRole = householdRole
        self.status = status
        self.isManaged = isManaged
        self.isCreator = isCreator
        self.isVouched = isVouched
        self.isStandIn = isStandIn
        self.isGone = isGone
    }

    /// Whether the member is an adult who can be a guardian or Parent Admin.
    package var isAdultWithAccount: Bool { standing.contains(.adult) && !isManaged && !isGone }

    /// Whether the member may claim the Parent Admin's seat: vouched adults may, and so may the
    /// creator if ``Facts/creator`` holds.
    package var hasRightToSeat: Bool {
        !isGone && (standing.contains(.creator) || standing.contains([.adult, .vouched]))
    }

    /// The facts of this membership. A removed member has none, a waiting person only `waiting`, a
    /// visitor only `member` and `visitor`.
    package var standing: Facts {
        switch status {
        case .active: break
        case .invited: return .waiting
        case .removed: return []
        }
        if householdRole == .visitor { return [.member, .visitor] }
        var facts: Facts = .member
        if isVouched || isCreator { facts.insert(.vouched) }
        switch role {
        case .player:
            if !isManaged { facts.insert(.player) }
        case .parent:
            if householdRole >= .adult { facts.insert(.adult) }
            if householdRole == .parentAdmin { facts.insert(.admin) }
            if isStandIn, householdRole >= .adult { facts.insert(.standIn) }
        }
        if isCreator, !facts.isDisjoint(with: [.adult, .player]) { facts.insert(.creator) }
        return facts
    }
}

/// A guardian's relation to a managed member.
package enum Guardianship: Sendable, CaseIterable {
    /// The guardian who may remove the member, transfer it, and remove its other guardians: the
    /// primary guardian or, while that guardian is gone, the longest-serving guardian who is not
    /// gone.
    case primary
    /// Any other guardian.
    case further
}

extension Facts {
    /// Collects the facts of a caller, acting for itself or for a managed member.
    ///
    /// - Parameter membership: The caller's membership in the family that the request is about, or,
    ///   while acting, the managed member's. Nil if there is none.
    package init(isAnonymous: Bool, isActing: Bool, membership: Membership?) {
        self = membership?.standing ?? []
        if !isAnonymous { insert(.account) }
        if isActing { insert(.acting) }
    }

    /// Adds the facts about the member that the request is about.
    ///
    /// - Parameter guardianship: The caller's guardianship of this member; nil if it has none.
    package func with(
        target: Membership, isOneself: Bool, guardianship: Guardianship?
    ) -> Facts {
        var facts = self
        if isOneself { facts.insert(.oneself) }
        if guardianship != nil { facts.insert(.guardian) }
        if guardianship == .primary { facts.insert(.primaryGuardian) }
        if target.householdRole == .parentAdmin { facts.insert(.targetAdmin) }
        if target.isManaged { facts.insert(.targetManaged) }
        if target.isAdultWithAccount { facts.insert(.targetAdult) }
        if target.status == .invited { facts.insert(.targetWaiting) }
        return facts
    }

    /// Adds the facts about a change of household role.
    ///
    /// - Parameter ceiling: The highest role that the member may choose for itself.
    package func with(
        newRole: HouseholdRole, present: HouseholdRole, ceiling: HouseholdRole, isSeatTaken: Bool,
        isSeatReserved: Bool
    ) -> Facts {
        var facts = self
        if newRole <= max(present, ceiling) { facts.insert(.withinCeiling) }
        if newRole == .parentAdmin { facts.insert(.claimsSeat) }
        if isSeatTaken { facts.insert(.seatTaken) }
        if isSeatReserved { facts.insert(.seatReserved) }
        return facts
    }
}

// Facts of the request itself, added to those about the caller and the target.

extension Facts {
    /// Adds that the same request removes or demotes the guardian of the member in question.
    ///
    /// - Parameter isReplaced: Whether each of the guardian's children has another guardian.
    package func removingGuardian(isReplaced: Bool) -> Facts {
        union(isReplaced ? [.guardianGoes, .guardianStays] : .guardianGoes)
    }

    /// Adds the facts about a removal.
    ///
    /// - Parameters:
    ///   - isGuardianVouched: Whether any guardian of the managed member who is not gone is vouched
    ///     for; nil for other members.
    ///   - isSeatTaken: Whether somebody who is not gone has the Parent Admin's seat.
    package func with(isGuardianVouched: Bool?, isSeatTaken: Bool) -> Facts {
        var facts = self
        if isGuardianVouched == false { facts.insert(.guardianUnvouched) }
        if !isSeatTaken { facts.insert(.seatVacant) }
        return facts
    }

    /// A copy of these facts with the caller waiting for the family's approval.
    package var waiting: Facts { union(.waiting) }

    /// Adds the roles that a new invitation offers.
    package func with(inviting role: MemberRole, as householdRole: HouseholdRole?) -> Facts {
        var facts = self
        if role == .player { facts.insert(.invitesPlayer) }
        if householdRole == .parentAdmin { facts.insert(.claimsSeat) }
        return facts
    }

    /// Adds whether the caller sent the invitation in question.
    package func with(isInviter: Bool) -> Facts { isInviter ? union(.inviter) : self }

    /// Adds whether the invitation in question is for a managed child's graduation.
    package func with(isGraduation: Bool) -> Facts { isGraduation ? union(.graduation) : self }

    /// Adds whether the child in question lacks a required consent.
    package func with(lacksConsent: Bool) -> Facts { lacksConsent ? union(.consentMissing) : self }

    /// Adds the conditions for joining the family that a code belongs to.
    package func with(
        isApprovalRequired: Bool, isApprovalAutomatic: Bool, isInvited: Bool, isBarred: Bool
    ) -> Facts {
        var facts = self
        if isApprovalRequired { facts.insert(.approvalRequired) }
        if isApprovalAutomatic { facts.insert(.approvalAutomatic) }
        if isInvited { facts.insert(.invited) }
        if isBarred { facts.insert(.barred) }
        return facts
    }

    /// Adds whether the invitation is addressed to the caller, or open to any holder of its link.
    package func with(isAddressee: Bool, isLink: Bool) -> Facts {
        var facts = self
        if isAddressee { facts.insert(.addressee) }
        if isLink { facts.insert(.link) }
        return facts
    }
}
