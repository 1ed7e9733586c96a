// Made from the error table by scripts/update-docs; don't edit it by hand.

extension ErrorCode {
    /// Message of a refusal in the error table; nil for a fault.
    var refusalMessage: String? {
        switch self {
        case .invalidField: "A field is not valid."
        case .missingField: "A field is missing."
        case .privilegedField: "A field can't be set; leave it out."
        case .idempotencyKeyReused: "This Idempotency-Key was used for another request."
        case .idempotencyKeyInUse: "The same request is being answered at this moment."
        case .retryLater:
            """
            This was done, but only a newer version of the service can answer. Please try again \
            later.
            """
        case .sessionEnded: "You were signed out. Sign in again."
        case .invalidRefreshToken: "This refresh token is not valid. Sign in again."
        case .sessionNotFound: "Session not found."
        case .accountBlocked: "This account is blocked. We sent you an e-mail about it."
        case .invalidCredentials: "This address and password don't belong together."
        case .passwordTooWeak: "This password is too easy to guess."
        case .identityNotFound: "There is no such way to sign in."
        case .lastIdentity: "This is the last way to sign in to this account."
        case .identityInUse: "This sign-in belongs to another account that is in use."
        case .identityOfIssuerExists: "This account has a sign-in of this issuer already."
        case .passkeyInvalid: "This is not a valid response of a passkey."
        case .passkeyRefused: "This passkey is not accepted here."
        case .challengeExpired: "This took too long, or was sent before. Start again."
        case .passkeyNotFound: "Passkey not found."
        case .passkeyExists: "This passkey was added before."
        case .tooManyPasskeys: "This account has too many passkeys. Remove one first."
        case .sessionRequired: "Exchange your token for a session to do this."
        case .invalidAPIKey: "This API key is not valid."
        case .insufficientScope: "This API key may not do this."
        case .browserRefused: "API keys are for servers. Requests of browsers are refused."
        case .keyLimitReached: "This API key has made too many requests. Please wait a minute."
        case .personNotFound: "Person not found."
        case .cursorExpired: "This cursor is too old. Start again without a cursor."
        case .accountRequired: "Sign in with an account of your own to do this."
        case .freshSignInRequired: "Sign in again to do this."
        case .signInAgain: "Sign in again to do this."
        case .actingRefused: "You can't act for this member."
        case .notWhileActing: "This can't be done on behalf of another member."
        case .visitorsOnlyRead: "Visitors can only look."
        case .targetIsParentAdmin: "This can't be done to the Parent Admin."
        case .targetIsManaged: "This can't be done to a managed member."
        case .seatReserved:
            """
            Other members of this family decide this first: its creator, or an adult who is \
            vouched for.
            """
        case .roleTooHigh: "You can't give this role to anyone."
        case .standingTooLow: "You are not allowed to do this in this family."
        case .notTheAddressee:
            """
            This invite was sent to a different email address. Please sign in with the account \
            that received the invite.
            """
        case .preferencesOfAnother: "Cannot access another member's preferences"
        case .consentRequired: "A guardian has to give consent for this child first."
        case .consentMissing: "This needs a consent that your account has not given yet."
        case .removedFromFamily:
            """
            For now, only an invitation from the Parent Admin, the creator, or a member who is \
            vouched for can bring you into this family.
            """
        case .familyNotFound: "Family not found."
        case .memberNotFound: "Member not found."
        case .invitationNotFound: "This invite link is invalid or has already been used."
        case .purposeNotFound: "There is no such purpose."
        case .codeUnknown: "Family code not found. Please check and try again."
        case .codeExpired: "This family code has expired."
        case .invitationExpired: "This invite link has expired. Ask the sender to resend."
        case .familyRequired: "Name the family by familyId."
        case .codeMalformed: "Invalid family code format. Codes look like FAM-XXXXXX"
        case .oneself: "You cannot do this to yourself."
        case .codeWrong: "This code is wrong or too old."
        case .alreadyMember: "You are already a member of this family."
        case .preferencesTooLarge: "Preferences are limited to 16 KiB."
        case .attributesTooLarge: "Attributes are limited to 16 KiB."
        case .parentAdminExists: "A Parent Admin already exists for this family."
        case .familyFull: "This family is full."
        case .playerHasFamily: "A player can belong to one family only."
        case .roleMismatch:
            """
            Your account has the other role (parent or player) in a family that it is in or waits \
            for, and an account has one role.
            """
        case .tooManyFamilies: "This account has as many families as it can have."
        case .guardianHasManagedMembers:
            "Somebody else has to become guardian of the children first."
        case .guardianNotAdult: "A guardian is an adult with an account."
        case .tooManyGuardians: "A child has at most four guardians."
        case .adminNotAdult: "The Parent Admin is an adult with an account."
        case .transferAdminFirst: "Make another adult the Parent Admin first."
        case .memberIsWaiting: "This person is still waiting for approval."
        case .memberIsNotWaiting: "This request has been approved already."
        case .roleFixedInFamily:
            "Your role can't change while you are in a family with others or wait for one."
        case .personAlreadyMember: "This person is already a member of your family"
        case .alreadyInvited: "This person has been invited already."
        case .invitationAnswered: "You're already connected to this family."
        case .notTheGraduate:
            "This account belongs to a family already, so it can't become this member."
        case .consentOutdated: "The text has changed. Please read it again."
        case .erasureBlocked: "Somebody else has to take over first; see blockers."
        case .noVerifiedAddress: "Your account has no verified e-mail address."
        case .operatorRoleStands:
            "This account is an operator of this service. Give up that role first."
        case .tooManyAttempts: "Too many attempts. Please wait 5 minutes."
        case .tooManyInvitations: "Too many invitations. Please try again in an hour."
        case .invitationJustSent: "This invitation was just sent. Please wait a minute."
        case .tooManyKeys: "Too many requests with an Idempotency-Key. Please try again later."
        default: nil
        }
    }
}
