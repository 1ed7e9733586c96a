import Domain

// Refusals that many routes share.

extension [RefusalCode] {
    /// Every request about a family can be refused to callers who are not in it, or who act for a
    /// child.
    static let inFamily: [RefusalCode] = [.familyNotFound, .notWhileActing]
    /// The family is found by what is asked for, or is the only one of the caller.
    static let inOnlyFamily: [RefusalCode] = [.familyRequired] + inFamily
    /// The caller's household role does not allow it.
    static let byStanding: [RefusalCode] = [.standingTooLow, .visitorsOnlyRead]
    /// Needs an account, in or outside a family.
    static let byAccount: [RefusalCode] = [.accountRequired, .notWhileActing]
    /// Looking an invitation up.
    static let ofInvitation: [RefusalCode] = [
        .invitationNotFound, .invitationExpired, .invitationAnswered, .tooManyAttempts,
    ]
    /// Children who would be left without a guardian.
    static let ofHandover: [RefusalCode] = [.guardianHasManagedMembers, .guardianNotAdult]
}
