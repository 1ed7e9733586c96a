extension ErrorCode {
    /// What an app does next.
    public var nextStep: NextStep {
        switch self {
        case .invalidField, .missingField, .codeMalformed, .codeUnknown, .codeExpired,
            .roleTooHigh, .preferencesTooLarge, .guardianNotAdult, .adminNotAdult, .oneself,
            .familyRequired, .attributesTooLarge, .codeWrong, .passwordTooWeak:
            .correctInput

        case .notSignedIn, .invalidToken, .accountRequired, .notTheAddressee, .invalidCredentials,
            .passkeyRefused, .challengeExpired, .sessionEnded, .invalidRefreshToken,
            .sessionRequired, .freshSignInRequired, .signInAgain:
            .signIn

        case .actingRefused, .notWhileActing:
            .switchProfile

        case .familyNotFound, .memberNotFound, .invitationNotFound, .invitationExpired,
            .invitationAnswered, .alreadyMember, .personAlreadyMember, .memberIsWaiting,
            .memberIsNotWaiting, .parentAdminExists, .preconditionFailed, .sessionNotFound,
            .identityNotFound, .passkeyNotFound, .passkeyExists, .purposeNotFound,
            .consentOutdated:
            .refresh

        case .visitorsOnlyRead, .targetIsParentAdmin, .targetIsManaged, .seatReserved,
            .standingTooLow, .preferencesOfAnother, .removedFromFamily, .alreadyInvited:
            .askFamily

        case .familyFull, .playerHasFamily, .tooManyFamilies, .guardianHasManagedMembers,
            .transferAdminFirst, .roleFixedInFamily, .roleMismatch, .tooManyGuardians,
            .erasureBlocked, .lastIdentity, .identityInUse, .identityOfIssuerExists,
            .noVerifiedAddress, .tooManyPasskeys, .notTheGraduate, .consentRequired,
            .consentMissing:
            .resolve

        case .tooManyAttempts, .tooManyInvitations, .invitationJustSent, .tooManyKeys,
            .retryLater:
            .wait

        case .unavailable, .keysPending, .outcomeUnknown, .draining, .databaseAway, .databaseBusy,
            .databaseRestartNeeded, .schemaBehind, .poolerUnfit, .secretKeyDiffers,
            .idempotencyKeyInUse:
            .retry

        case .unrecognized, .privilegedField, .malformedRequest, .malformedActingAs,
            .invalidBody, .notAcceptable, .unsupportedMediaType, .bodyTooLarge,
            .headersTooLarge, .notFound, .methodNotAllowed, .idempotencyKeyReused,
            .serverFault, .passkeyInvalid:
            .report
        }
    }
}
