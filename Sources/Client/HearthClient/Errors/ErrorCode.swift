/// Reason why Hearth refuses a request: the `code` of its error responses. Codes never change their
/// meaning.
///
/// A later Hearth may have more codes, which a later release of this library lists: give a `switch`
/// a `default`. A code that this release does not know becomes `unrecognized`; `Problem.rawCode`
/// has the original.
public enum ErrorCode: String, Sendable, Hashable, CaseIterable, Codable {
    /// A code that this release does not know.
    case unrecognized = ""

    // MARK: Request content

    /// A field has a value that is not accepted.
    case invalidField = "invalid_field"
    /// A required field is missing.
    case missingField = "missing_field"
    /// The request sets a field that only the server may set.
    case privilegedField = "privileged_field"
    /// The request is not well-formed.
    case malformedRequest = "malformed_request"
    /// The id of the member for whom the caller acts is not well-formed.
    case malformedActingAs = "malformed_acting_as"
    /// The route does not accept this body.
    case invalidBody = "invalid_body"
    /// The request accepts none of the media types that the route produces.
    case notAcceptable = "not_acceptable"
    /// The route does not accept the body's media type.
    case unsupportedMediaType = "unsupported_media_type"
    /// The body is larger than 64 KiB.
    case bodyTooLarge = "body_too_large"
    /// The header fields are larger than 32 KiB.
    case headersTooLarge = "headers_too_large"
    /// The route does not exist.
    case notFound = "not_found"
    /// The route exists, but not with this method.
    case methodNotAllowed = "method_not_allowed"
    /// The resource has changed since it was read.
    case preconditionFailed = "precondition_failed"

    // MARK: Repeated requests

    /// The idempotency key was already used for another request.
    case idempotencyKeyReused = "idempotency_key_reused"
    /// A request with the same idempotency key is in progress.
    case idempotencyKeyInUse = "idempotency_key_in_use"
    /// The change was made, but its response comes from a newer version of the service.
    case retryLater = "retry_later"

    // MARK: The caller

    /// The request has no token.
    case notSignedIn = "not_signed_in"
    /// The token is invalid or has expired.
    case invalidToken = "invalid_token"
    /// The account is blocked: its sessions have ended, and signing in is refused.
    case accountBlocked = "account_blocked"
    /// The caller has no account of its own.
    case accountRequired = "account_required"
    /// The call needs a sign-in within the last ten minutes, or the mailed code.
    case freshSignInRequired = "fresh_sign_in_required"
    /// The call needs a sign-in within the last ten minutes.
    case signInAgain = "sign_in_again"
    /// The account has no verified e-mail address.
    case noVerifiedAddress = "no_verified_address"
    /// The mailed code is wrong or has expired.
    case codeWrong = "code_wrong"
    /// Another person must take over the account's duties first.
    case erasureBlocked = "erasure_blocked"
    /// The account is an operator of the service, and must lose this role first.
    case operatorRoleStands = "operator_role_stands"
    /// The caller can't act for this member; the reason is not disclosed.
    case actingRefused = "acting_refused"
    /// The call can't be made on behalf of another person.
    case notWhileActing = "not_while_acting"
    /// Visitors can't change anything.
    case visitorsOnlyRead = "visitors_only_read"
    /// The change can't be made to the Parent Admin.
    case targetIsParentAdmin = "target_is_parent_admin"
    /// The change can't be made to a child without an account.
    case targetIsManaged = "target_is_managed"
    /// The seat of Parent Admin is vacant, but others decide who gets it.
    case seatReserved = "seat_reserved"
    /// The caller can't grant this role.
    case roleTooHigh = "role_too_high"
    /// The caller's role in the family does not allow it.
    case standingTooLow = "standing_too_low"
    /// The invitation is for another address.
    case notTheAddressee = "not_the_addressee"
    /// The preferences belong to another person, and the caller is not that person's guardian.
    case preferencesOfAnother = "preferences_of_another"
    /// The caller was removed from the family: only a new invitation allows a return.
    case removedFromFamily = "removed_from_family"

    // MARK: API keys, which only servers use

    /// The API key is missing, unknown, expired or revoked.
    case invalidAPIKey = "invalid_api_key"
    /// The API key lacks the scope of the call.
    case insufficientScope = "insufficient_scope"
    /// An API key was sent by a browser.
    case browserRefused = "browser_refused"
    /// The API key has made too many requests in this minute.
    case keyLimitReached = "key_limit_reached"
    /// The person does not exist, or was erased.
    case personNotFound = "person_not_found"
    /// Events after the cursor may no longer be stored.
    case cursorExpired = "cursor_expired"

    // MARK: Missing resources

    /// The family does not exist, or the caller does not belong to it.
    case familyNotFound = "family_not_found"
    /// The member does not exist, or the caller can't see it.
    case memberNotFound = "member_not_found"
    /// The invitation does not exist, or is no longer pending.
    case invitationNotFound = "invitation_not_found"
    /// The code belongs to no family.
    case codeUnknown = "code_unknown"
    /// The code has expired.
    case codeExpired = "code_expired"
    /// The invitation has expired.
    case invitationExpired = "invitation_expired"

    // MARK: Invalid requests

    /// The request names no family, and the caller has several or none.
    case familyRequired = "family_required"
    /// The text does not have the format of a family code.
    case codeMalformed = "code_malformed"
    /// The call can't be made about the caller itself.
    case oneself = "oneself"
    /// The caller is already in the family.
    case alreadyMember = "already_member"
    /// The preferences are larger than 16 KiB.
    case preferencesTooLarge = "preferences_too_large"
    /// The family's attributes are larger than 16 KiB.
    case attributesTooLarge = "attributes_too_large"

    // MARK: Signing in

    /// The address and the password don't match.
    case invalidCredentials = "invalid_credentials"
    /// The session was ended, or expired because it was not used.
    case sessionEnded = "session_ended"
    /// The refresh token belongs to no session.
    case invalidRefreshToken = "invalid_refresh_token"
    /// The session does not exist, or is not the caller's.
    case sessionNotFound = "session_not_found"
    /// The authenticator's response is malformed, or was made for another site.
    case passkeyInvalid = "passkey_invalid"
    /// The passkey is not accepted.
    case passkeyRefused = "passkey_refused"
    /// The passkey's challenge has expired or was already used.
    case challengeExpired = "challenge_expired"
    /// The passkey does not exist.
    case passkeyNotFound = "passkey_not_found"
    /// The passkey is already registered.
    case passkeyExists = "passkey_exists"
    /// The account has the maximum number of passkeys.
    case tooManyPasskeys = "too_many_passkeys"
    /// The call needs a session that Hearth itself issued.
    case sessionRequired = "session_required"
    /// The password is too easy to guess; the details say what would improve it.
    case passwordTooWeak = "password_too_weak"
    /// The way to sign in does not exist.
    case identityNotFound = "identity_not_found"
    /// The account's last way to sign in can't be removed.
    case lastIdentity = "last_identity"
    /// The other sign-in belongs to another account that is in use.
    case identityInUse = "identity_in_use"
    /// The account has a sign-in of the same issuer, whose subject is the account's id.
    case identityOfIssuerExists = "identity_of_issuer_exists"

    // MARK: Conflicts

    /// The family has a Parent Admin already.
    case parentAdminExists = "parent_admin_exists"
    /// All slots of the family are taken.
    case familyFull = "family_full"
    /// A player can belong to only one family.
    case playerHasFamily = "player_has_family"
    /// The invitation is for a player, but the account is a parent in a family; or the reverse.
    case roleMismatch = "role_mismatch"
    /// The account has created, or belongs to, the maximum number of families.
    case tooManyFamilies = "too_many_families"
    /// The change would leave children without a guardian.
    case guardianHasManagedMembers = "guardian_has_managed_members"
    /// The new guardian is not an adult of the family with an account.
    case guardianNotAdult = "guardian_not_adult"
    /// The child has the maximum of four guardians.
    case tooManyGuardians = "too_many_guardians"
    /// The new Parent Admin is not an adult with an account.
    case adminNotAdult = "admin_not_adult"
    /// The Parent Admin must hand over the seat before leaving.
    case transferAdminFirst = "transfer_admin_first"
    /// The person waits for approval.
    case memberIsWaiting = "member_is_waiting"
    /// The person does not wait for approval.
    case memberIsNotWaiting = "member_is_not_waiting"
    /// The account can't change sides while it belongs to a family.
    case roleFixedInFamily = "role_fixed_in_family"
    /// The invited person is already in the family.
    case personAlreadyMember = "person_already_member"
    /// Another person has already invited this address, and that invitation is pending.
    case alreadyInvited = "already_invited"
    /// The invitation was declined, or another person accepted it.
    case invitationAnswered = "invitation_answered"
    /// The account is in a family already, so it can't become a child of this one.
    case notTheGraduate = "not_the_graduate"
    /// The text to consent to has a newer version.
    case consentOutdated = "consent_outdated"
    /// A guardian must give a consent for this child first.
    case consentRequired = "consent_required"
    /// The account lacks a consent that this call needs.
    case consentMissing = "consent_missing"
    /// The purpose of consent does not exist.
    case purposeNotFound = "purpose_not_found"

    // MARK: Rate limits

    /// Too many codes or passwords were wrong.
    case tooManyAttempts = "too_many_attempts"
    /// Too many invitations were sent within an hour.
    case tooManyInvitations = "too_many_invitations"
    /// The invitation was sent less than a minute ago.
    case invitationJustSent = "invitation_just_sent"
    /// Too many requests with an idempotency key were made within a day.
    case tooManyKeys = "too_many_keys"

    // MARK: The server

    /// The server failed because of a defect.
    case serverFault = "internal"
    /// The server can't respond at the moment.
    case unavailable
    /// The token is signed with a key of its issuer that the server does not have yet.
    case keysPending = "keys_pending"
    /// The outcome of the request is unknown.
    case outcomeUnknown = "outcome_unknown"
    /// The server is shutting down.
    case draining
    /// The server can't reach its database, or can't write to it.
    case databaseAway = "database_away"
    /// The server's database is overloaded.
    case databaseBusy = "database_busy"
    /// The server's database has to be migrated.
    case schemaBehind = "schema_behind"
    /// The server's connection pooler loses prepared statements.
    case poolerUnfit = "pooler_unfit"
    /// The server does not have the secret key with which links are made.
    case secretKeyDiffers = "secret_key_differs"
    /// The server's database has to be restarted.
    case databaseRestartNeeded = "database_restart_needed"
}

extension ErrorCode {
    /// Next step for an app after this error.
    public var nextStep: NextStep {
        switch self {
        case .invalidField, .missingField, .codeMalformed, .codeUnknown, .codeExpired,
            .roleTooHigh, .preferencesTooLarge, .guardianNotAdult, .adminNotAdult, .oneself,
            .familyRequired, .attributesTooLarge, .codeWrong, .passwordTooWeak:
            .correctInput

        case .notSignedIn, .invalidToken, .accountRequired, .accountBlocked, .notTheAddressee,
            .invalidCredentials, .invalidAPIKey, .passkeyRefused, .challengeExpired, .sessionEnded,
            .invalidRefreshToken, .sessionRequired, .freshSignInRequired, .signInAgain:
            .signIn

        case .actingRefused, .notWhileActing:
            .switchProfile

        case .familyNotFound, .memberNotFound, .invitationNotFound, .invitationExpired,
            .invitationAnswered, .alreadyMember, .personAlreadyMember, .memberIsWaiting,
            .memberIsNotWaiting, .parentAdminExists, .preconditionFailed, .sessionNotFound,
            .identityNotFound, .passkeyNotFound, .passkeyExists, .purposeNotFound,
            .consentOutdated, .personNotFound, .cursorExpired:
            .refresh

        case .visitorsOnlyRead, .targetIsParentAdmin, .targetIsManaged, .seatReserved,
            .standingTooLow, .preferencesOfAnother, .removedFromFamily, .alreadyInvited:
            .askFamily

        case .familyFull, .playerHasFamily, .tooManyFamilies, .guardianHasManagedMembers,
            .transferAdminFirst, .roleFixedInFamily, .roleMismatch, .tooManyGuardians,
            .erasureBlocked, .operatorRoleStands, .lastIdentity, .identityInUse,
            .identityOfIssuerExists,
            .noVerifiedAddress, .tooManyPasskeys, .notTheGraduate, .consentRequired,
            .consentMissing:
            .resolve

        case .tooManyAttempts, .tooManyInvitations, .invitationJustSent, .tooManyKeys,
            .retryLater, .keyLimitReached:
            .wait

        case .unavailable, .keysPending, .outcomeUnknown, .draining, .databaseAway, .databaseBusy,
            .databaseRestartNeeded, .schemaBehind, .poolerUnfit, .secretKeyDiffers,
            .idempotencyKeyInUse:
            .retry

        case .unrecognized, .privilegedField, .malformedRequest, .malformedActingAs,
            .invalidBody, .notAcceptable, .unsupportedMediaType, .bodyTooLarge,
            .headersTooLarge, .notFound, .methodNotAllowed, .idempotencyKeyReused,
            .serverFault, .passkeyInvalid, .insufficientScope, .browserRefused:
            .report
        }
    }
}
