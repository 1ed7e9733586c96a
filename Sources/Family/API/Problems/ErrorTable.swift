import Domain

extension RefusalCode {
    /// The error table: the status of each refusal, and the message that a client gets if only the
    /// code is known. Messages that the apps display match their own wording exactly.
    var response: (status: Int, message: String) {
        switch self {
        case .invalidField: (400, "A field is not valid.")
        case .missingField: (400, "A field is missing.")
        case .privilegedField: (400, "A field can't be set; leave it out.")
        case .familyRequired: (400, "Name the family by familyId.")
        case .codeMalformed: (400, "Invalid family code format. Codes look like FAM-XXXXXX")
        case .oneself: (400, "You cannot do this to yourself.")
        case .alreadyMember: (400, "You are already a member of this family.")

        case .sessionEnded: (401, "You were signed out. Sign in again.")
        case .invalidRefreshToken: (401, "This refresh token is not valid. Sign in again.")
        case .accountBlocked: (403, "This account is blocked. We sent you an e-mail about it.")
        case .sessionNotFound: (404, "Session not found.")
        case .invalidCredentials: (401, "This address and password don't belong together.")
        case .codeWrong: (400, "This code is wrong or too old.")
        case .passwordTooWeak: (400, "This password is too easy to guess.")
        case .identityNotFound: (404, "There is no such way to sign in.")
        case .lastIdentity: (409, "This is the last way to sign in to this account.")
        case .identityInUse: (409, "This sign-in belongs to another account that is in use.")
        case .identityOfIssuerExists:
            (409, "This account has a sign-in of this issuer already.")
        case .passkeyInvalid: (400, "This is not a valid response of a passkey.")
        case .passkeyRefused: (401, "This passkey is not accepted here.")
        case .challengeExpired:
            (410, "This took too long, or was sent before. Start again.")
        case .passkeyNotFound: (404, "Passkey not found.")
        case .passkeyExists: (409, "This passkey was added before.")
        case .tooManyPasskeys: (409, "This account has too many passkeys. Remove one first.")
        case .sessionRequired: (403, "Exchange your token for a session to do this.")

        case .invalidAPIKey: (401, "This API key is not valid.")
        case .insufficientScope: (403, "This API key may not do this.")
        case .browserRefused:
            (403, "API keys are for servers. Requests of browsers are refused.")
        case .keyLimitReached:
            (429, "This API key has made too many requests. Please wait a minute.")
        case .personNotFound: (404, "Person not found.")
        case .cursorExpired: (410, "This cursor is too old. Start again without a cursor.")

        case .accountRequired: (403, "Sign in with an account of your own to do this.")
        case .freshSignInRequired, .signInAgain: (403, "Sign in again to do this.")
        case .actingRefused: (403, "You can't act for this member.")
        case .notWhileActing: (403, "This can't be done on behalf of another member.")
        case .visitorsOnlyRead: (403, "Visitors can only look.")
        case .targetIsParentAdmin: (403, "This can't be done to the Parent Admin.")
        case .targetIsManaged: (403, "This can't be done to a managed member.")
        case .seatReserved: (403, Self.othersDecideFirst)
        case .roleTooHigh: (403, "You can't give this role to anyone.")
        case .standingTooLow: (403, "You are not allowed to do this in this family.")
        case .notTheAddressee: (403, Self.sentToAnother)
        case .preferencesOfAnother: (403, "Cannot access another member's preferences")
        case .consentRequired: (403, "A guardian has to give consent for this child first.")
        case .consentMissing: (403, "This needs a consent that your account has not given yet.")
        case .removedFromFamily: (403, Self.broughtBackByFew)

        case .familyNotFound: (404, "Family not found.")
        case .memberNotFound: (404, "Member not found.")
        case .invitationNotFound: (404, Self.linkNotValid)
        case .purposeNotFound: (404, "There is no such purpose.")
        case .codeUnknown: (404, "Family code not found. Please check and try again.")

        case .idempotencyKeyInUse: (409, "The same request is being answered at this moment.")
        case .retryLater: (409, Self.answeredByANewerProgram)
        case .parentAdminExists: (409, "A Parent Admin already exists for this family.")
        case .familyFull: (409, "This family is full.")
        case .playerHasFamily: (409, "A player can belong to one family only.")
        case .roleMismatch: (409, Self.forAnotherRole)
        case .tooManyFamilies: (409, "This account has as many families as it can have.")
        case .guardianHasManagedMembers:
            (409, "Somebody else has to become guardian of the children first.")
        case .guardianNotAdult: (409, "A guardian is an adult with an account.")
        case .tooManyGuardians: (409, "A child has at most four guardians.")
        case .adminNotAdult: (409, "The Parent Admin is an adult with an account.")
        case .transferAdminFirst: (409, "Make another adult the Parent Admin first.")
        case .memberIsWaiting: (409, "This person is still waiting for approval.")
        case .memberIsNotWaiting: (409, "This request has been approved already.")
        case .roleFixedInFamily:
            (409, "Your role can't change while you are in a family with others or wait for one.")
        case .personAlreadyMember: (409, "This person is already a member of your family")
        case .alreadyInvited: (409, "This person has been invited already.")
        case .invitationAnswered: (409, "You're already connected to this family.")

        case .notTheGraduate:
            (409, "This account belongs to a family already, so it can't become this member.")
        case .consentOutdated: (409, "The text has changed. Please read it again.")

        case .erasureBlocked: (409, "Somebody else has to take over first; see blockers.")
        case .operatorRoleStands:
            (409, "This account is an operator of this service. Give up that role first.")
        case .noVerifiedAddress: (409, "Your account has no verified e-mail address.")

        case .codeExpired: (410, "This family code has expired.")
        case .invitationExpired: (410, Self.linkExpired)
        case .attributesTooLarge: (413, "Attributes are limited to 16 KiB.")
        case .preferencesTooLarge: (413, "Preferences are limited to 16 KiB.")
        case .idempotencyKeyReused: (422, "This Idempotency-Key was used for another request.")
        case .tooManyAttempts: (429, "Too many attempts. Please wait 5 minutes.")
        case .tooManyInvitations: (429, "Too many invitations. Please try again in an hour.")
        case .invitationJustSent: (429, "This invitation was just sent. Please wait a minute.")
        case .tooManyKeys: (429, Self.tooManyNewKeys)
        }
    }

    private static let linkNotValid = "This invite link is invalid or has already been used."
    private static let linkExpired = "This invite link has expired. Ask the sender to resend."
    private static let othersDecideFirst =
        "Other members of this family decide this first: its creator, or an adult who is vouched "
        + "for."
    private static let broughtBackByFew =
        "For now, only an invitation from the Parent Admin, the creator, or a member who is "
        + "vouched for can bring you into this family."
    private static let forAnotherRole =
        "Your account has the other role (parent or player) in a family that it is in or waits "
        + "for, and an account has one role."
    private static let sentToAnother =
        "This invite was sent to a different email address. "
        + "Please sign in with the account that received the invite."
    private static let answeredByANewerProgram =
        "This was done, but only a newer version of the service can answer. Please try again later."
    private static let tooManyNewKeys =
        "Too many requests with an Idempotency-Key. Please try again later."
}

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
