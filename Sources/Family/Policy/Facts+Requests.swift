package import Domain

// Facts that a request adds to those of the caller's membership and of the member that it is about.

extension Facts {
    /// Adds that the guardian of the member in question is removed or demoted by the same request.
    ///
    /// - Parameter isReplaced: Each of the children in question has another guardian.
    package func withGuardianGoing(isReplaced: Bool) -> Facts {
        union(isReplaced ? [.guardianGoes, .guardianStays] : .guardianGoes)
    }

    /// Adds what it matters for a removal: who answers for the guardian of the managed member in
    /// question (nil for others), and whether anybody has the Parent Admin's seat.
    package func with(isGuardianVouched: Bool?, isSeatTaken: Bool) -> Facts {
        var facts = self
        if isGuardianVouched == false { facts.insert(.guardianUnvouched) }
        if !isSeatTaken { facts.insert(.seatVacant) }
        return facts
    }

    /// The same of one who waits for the family's approval.
    package var waiting: Facts { union(.waiting) }

    /// Adds whom a new invitation is to bring in, and as what.
    package func with(inviting role: MemberRole, as householdRole: HouseholdRole?) -> Facts {
        var facts = self
        if role == .player { facts.insert(.invitesPlayer) }
        if householdRole == .parentAdmin { facts.insert(.claimsSeat) }
        return facts
    }

    /// Adds who made the invitation in question.
    package func with(isInviter: Bool) -> Facts { isInviter ? union(.inviter) : self }

    /// Adds whether the invitation in question is one to grow up.
    package func with(isGraduation: Bool) -> Facts { isGraduation ? union(.graduation) : self }

    /// Adds whether the child in question lacks a consent that is required.
    package func with(lacksConsent: Bool) -> Facts { lacksConsent ? union(.consentMissing) : self }

    /// Adds whom the invitation in question is for: an address, or whoever holds its link.
    package func with(isAddressee: Bool, isLink: Bool) -> Facts {
        var facts = self
        if isAddressee { facts.insert(.addressee) }
        if isLink { facts.insert(.link) }
        return facts
    }
}
