/// What can be wrong, as programs tell it apart. A code never changes its meaning or status.
enum ProblemCode: String, CaseIterable, Sendable {
    // How the request is written.
    case malformedRequest = "malformed_request"
    case malformedActingAs = "malformed_acting_as"
    case invalidBody = "invalid_body"
    case invalidField = "invalid_field"
    case missingField = "missing_field"
    case privilegedField = "privileged_field"
    case notAcceptable = "not_acceptable"
    case unsupportedMediaType = "unsupported_media_type"
    case bodyTooLarge = "body_too_large"
    case headersTooLarge = "headers_too_large"
    case notFound = "not_found"
    case preconditionFailed = "precondition_failed"
    case methodNotAllowed = "method_not_allowed"
    case idempotencyKeyReused = "idempotency_key_reused"
    case idempotencyKeyInUse = "idempotency_key_in_use"
    case retryLater = "retry_later"

    // Who asks.
    case notSignedIn = "not_signed_in"
    case invalidToken = "invalid_token"
    case accountRequired = "account_required"
    case actingRefused = "acting_refused"
    case notWhileActing = "not_while_acting"
    case visitorsOnlyRead = "visitors_only_read"
    case targetIsParentAdmin = "target_is_parent_admin"
    case targetIsManaged = "target_is_managed"
    case seatReserved = "seat_reserved"
    case roleTooHigh = "role_too_high"
    case standingTooLow = "standing_too_low"
    case notTheAddressee = "not_the_addressee"
    case preferencesOfAnother = "preferences_of_another"
    case removedFromFamily = "removed_from_family"

    // What is absent, or not the caller's.
    case familyNotFound = "family_not_found"
    case memberNotFound = "member_not_found"
    case invitationNotFound = "invitation_not_found"
    case codeUnknown = "code_unknown"
    case codeExpired = "code_expired"
    case invitationExpired = "invitation_expired"

    // What is asked.
    case familyRequired = "family_required"
    case codeMalformed = "code_malformed"
    case oneself = "oneself"
    case alreadyMember = "already_member"
    case preferencesTooLarge = "preferences_too_large"

    // What the present state does not admit.
    case parentAdminExists = "parent_admin_exists"
    case familyFull = "family_full"
    case playerHasFamily = "player_has_family"
    case tooManyFamilies = "too_many_families"
    case guardianHasManagedMembers = "guardian_has_managed_members"
    case guardianNotAdult = "guardian_not_adult"
    case adminNotAdult = "admin_not_adult"
    case transferAdminFirst = "transfer_admin_first"
    case memberIsWaiting = "member_is_waiting"
    case memberIsNotWaiting = "member_is_not_waiting"
    case roleFixedInFamily = "role_fixed_in_family"
    case personAlreadyMember = "person_already_member"
    case alreadyInvited = "already_invited"
    case invitationAnswered = "invitation_answered"

    // How often.
    case tooManyAttempts = "too_many_attempts"
    case tooManyInvitations = "too_many_invitations"
    case invitationJustSent = "invitation_just_sent"
    case tooManyKeys = "too_many_keys"

    // What is wrong on our side.
    case `internal` = "internal"
    case unavailable = "unavailable"
    case outcomeUnknown = "outcome_unknown"
    case draining = "draining"
    case databaseAway = "database_away"
    case schemaBehind = "schema_behind"

    var status: Int {
        switch self {
        case .malformedRequest, .malformedActingAs, .invalidBody, .invalidField, .missingField,
            .privilegedField, .familyRequired, .codeMalformed, .oneself, .alreadyMember:
            400
        case .notSignedIn, .invalidToken: 401
        case .accountRequired, .actingRefused, .notWhileActing, .visitorsOnlyRead,
            .targetIsParentAdmin, .targetIsManaged, .seatReserved, .roleTooHigh, .standingTooLow,
            .notTheAddressee, .preferencesOfAnother, .removedFromFamily:
            403
        case .notFound, .familyNotFound, .memberNotFound, .invitationNotFound, .codeUnknown: 404
        case .methodNotAllowed: 405
        case .notAcceptable: 406
        case .idempotencyKeyInUse, .retryLater, .parentAdminExists, .familyFull,
            .playerHasFamily, .tooManyFamilies, .guardianHasManagedMembers, .guardianNotAdult,
            .adminNotAdult,
            .transferAdminFirst, .memberIsWaiting, .memberIsNotWaiting, .roleFixedInFamily,
            .personAlreadyMember, .alreadyInvited, .invitationAnswered:
            409
        case .codeExpired, .invitationExpired: 410
        case .preconditionFailed: 412
        case .bodyTooLarge, .preferencesTooLarge: 413
        case .unsupportedMediaType: 415
        case .idempotencyKeyReused: 422
        case .tooManyAttempts, .tooManyInvitations, .invitationJustSent, .tooManyKeys: 429
        case .headersTooLarge: 431
        case .internal: 500
        case .unavailable, .outcomeUnknown, .draining, .databaseAway, .schemaBehind: 503
        }
    }
}
