// Refusals that many routes share.

extension [ProblemCode] {
    /// What is about a family can always be refused to whoever is not in it, or acts for a child.
    static let inFamily: [ProblemCode] = [.familyNotFound, .notWhileActing]
    /// The family is found by what is asked for, or is the only one of the caller.
    static let inOnlyFamily: [ProblemCode] = [.familyRequired] + inFamily
    /// The caller's standing does not admit it.
    static let byStanding: [ProblemCode] = [.standingTooLow, .visitorsOnlyRead]
    /// Attempts at codes and tokens.
    static let byAttempts: [ProblemCode] = [.tooManyAttempts]
    /// Needs an account, in or outside a family.
    static let byAccount: [ProblemCode] = [.accountRequired, .notWhileActing]
    /// Looking an invitation up.
    static let ofInvitation: [ProblemCode] = [
        .invitationNotFound, .invitationExpired, .invitationAnswered, .tooManyAttempts,
    ]
    /// Children who would be left without a guardian.
    static let ofHandover: [ProblemCode] = [.guardianHasManagedMembers, .guardianNotAdult]
}
