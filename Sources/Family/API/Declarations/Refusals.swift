import Domain

// Refusals that many routes share.

extension [RefusalCode] {
    /// Refusals of requests about a family: the caller is not in it, or acts for a child.
    static let inFamily: [RefusalCode] = [.familyNotFound, .notWhileActing]
    /// Refusals of requests whose family is derived from the resource, or is the caller's only one.
    static let inOnlyFamily: [RefusalCode] = [.familyRequired] + inFamily
    /// Refusals because of the caller's household role.
    static let byStanding: [RefusalCode] = [.standingTooLow, .visitorsOnlyRead]
    /// Refusals of requests that need an account, in or outside a family.
    static let byAccount: [RefusalCode] = [.accountRequired, .notWhileActing]
    /// Refusals of looking up an invitation.
    static let ofInvitation: [RefusalCode] = [
        .invitationNotFound, .invitationExpired, .invitationAnswered, .tooManyAttempts,
    ]
    /// Refusals because children would be left without a guardian.
    static let ofHandover: [RefusalCode] = [.guardianHasManagedMembers, .guardianNotAdult]
}
