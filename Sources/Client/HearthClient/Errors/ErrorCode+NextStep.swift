extension ErrorCode {
    /// What an app does next.
    public var nextStep: NextStep {
        switch self {
        case .invalidField, .missingField, .codeMalformed, .codeUnknown, .codeExpired,
            .roleTooHigh, .preferencesTooLarge, .attributesTooLarge,
            .guardianNotAdult, .tooManyGuardians,
            .adminNotAdult,
            .oneself, .familyRequired, .codeWrong:
            .correctInput

        case .notSignedIn, .invalidToken, .accountRequired, .notTheAddressee,
            .freshSignInRequired, .noVerifiedAddress:
            .signIn

        case .actingRefused, .notWhileActing:
            .switchProfile

        case .familyNotFound, .memberNotFound, .invitationNotFound, .invitationExpired,
            .invitationAnswered, .alreadyMember, .personAlreadyMember, .memberIsWaiting,
            .memberIsNotWaiting, .parentAdminExists, .preconditionFailed:
            .refresh

        case .visitorsOnlyRead, .targetIsParentAdmin, .targetIsManaged, .seatReserved,
            .standingTooLow, .preferencesOfAnother, .removedFromFamily, .alreadyInvited:
            .askFamily

        case .familyFull, .playerHasFamily, .roleMismatch, .tooManyFamilies,
            .guardianHasManagedMembers, .transferAdminFirst, .roleFixedInFamily, .erasureBlocked:
            .resolve

        case .tooManyAttempts, .tooManyInvitations, .invitationJustSent, .tooManyKeys,
            .retryLater:
            .wait

        case .unavailable, .outcomeUnknown, .draining, .databaseAway, .schemaBehind,
            .idempotencyKeyInUse:
            .retry

        case .unrecognized, .privilegedField, .malformedRequest, .malformedActingAs,
            .invalidBody, .notAcceptable, .unsupportedMediaType, .bodyTooLarge,
            .headersTooLarge, .notFound, .methodNotAllowed, .idempotencyKeyReused,
            .serverFault:
            .report
        }
    }
}
