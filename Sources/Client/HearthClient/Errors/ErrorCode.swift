/// Why Hearth refuses a request: the `code` of its error responses. Codes never change their
/// meaning.
///
/// A later Hearth can know more of them, and a later release of this library lists them: give a
/// `switch` a `default`. A code that this release does not know is `unrecognized`, and
/// `Problem.rawCode` has it.
public enum ErrorCode: String, Sendable, Hashable, CaseIterable {
    /// A code that this release does not know.
    case unrecognized = ""

    // MARK: What is sent

    /// A value that can't be taken.
    case invalidField = "invalid_field"
    /// A field that has to be there.
    case missingField = "missing_field"
    /// A field that only the server sets.
    case privilegedField = "privileged_field"
    /// The request is not well-formed.
    case malformedRequest = "malformed_request"
    /// The id of the member for whom the caller acts is not well-formed.
    case malformedActingAs = "malformed_acting_as"
    /// The body is not what the route takes.
    case invalidBody = "invalid_body"
    /// The request accepts no kind of response that the route gives.
    case notAcceptable = "not_acceptable"
    /// The body is of a kind that the route does not take.
    case unsupportedMediaType = "unsupported_media_type"
    /// The body is larger than 64 KiB.
    case bodyTooLarge = "body_too_large"
    /// The header fields are larger than 32 KiB.
    case headersTooLarge = "headers_too_large"
    /// There is no such route.
    case notFound = "not_found"
    /// The route exists, but not with this method.
    case methodNotAllowed = "method_not_allowed"
    /// What was to be changed has changed since it was read.
    case preconditionFailed = "precondition_failed"

    // MARK: Requests that are repeated

    /// The idempotency key was used for another request.
    case idempotencyKeyReused = "idempotency_key_reused"
    /// The same request is being done at this moment.
    case idempotencyKeyInUse = "idempotency_key_in_use"
    /// Done, and answered by a newer version of the service.
    case retryLater = "retry_later"

    // MARK: The caller

    /// The request has no token.
    case notSignedIn = "not_signed_in"
    /// The token is not valid, or no longer.
    case invalidToken = "invalid_token"
    /// No account of one's own.
    case accountRequired = "account_required"
    /// Needs a token of the last ten minutes, or the mailed code.
    case freshSignInRequired = "fresh_sign_in_required"
    /// Needs a token of a sign-in of the last ten minutes.
    case signInAgain = "sign_in_again"
    /// The account has no verified e-mail address.
    case noVerifiedAddress = "no_verified_address"
    /// The mailed code is wrong or too old.
    case codeWrong = "code_wrong"
    /// Somebody else has to take over the account's duties first.
    case erasureBlocked = "erasure_blocked"
    /// The caller can't act for this member, whatever the reason.
    case actingRefused = "acting_refused"
    /// Not to be done on behalf of another.
    case notWhileActing = "not_while_acting"
    /// Visitors change nothing.
    case visitorsOnlyRead = "visitors_only_read"
    /// Not to be done to the Parent Admin.
    case targetIsParentAdmin = "target_is_parent_admin"
    /// Not to be done to a child without an account.
    case targetIsManaged = "target_is_managed"
    /// Nobody is Parent Admin, and others decide who becomes it.
    case seatReserved = "seat_reserved"
    /// A role that the caller can't give.
    case roleTooHigh = "role_too_high"
    /// The caller's role in the family does not allow it.
    case standingTooLow = "standing_too_low"
    /// The invitation is for another address.
    case notTheAddressee = "not_the_addressee"
    /// Preferences of somebody whose guardian the caller is not.
    case preferencesOfAnother = "preferences_of_another"
    /// Somebody removed the caller: only a new invitation brings back.
    case removedFromFamily = "removed_from_family"

    // MARK: What is not there

    /// No such family, or none of the caller's.
    case familyNotFound = "family_not_found"
    /// No such member, or none that the caller sees.
    case memberNotFound = "member_not_found"
    /// No such invitation, or it is not pending any more.
    case invitationNotFound = "invitation_not_found"
    /// No family has this code.
    case codeUnknown = "code_unknown"
    /// The code has ended.
    case codeExpired = "code_expired"
    /// The invitation has ended.
    case invitationExpired = "invitation_expired"

    // MARK: What is asked for

    /// The caller has several families, or none, and named none.
    case familyRequired = "family_required"
    /// No code looks like this.
    case codeMalformed = "code_malformed"
    /// Nobody can do this to oneself.
    case oneself = "oneself"
    /// The caller is in the family.
    case alreadyMember = "already_member"
    /// Preferences have at most 16 KiB.
    case preferencesTooLarge = "preferences_too_large"
    /// A family's attributes have at most 16 KiB.
    case attributesTooLarge = "attributes_too_large"

    // MARK: Signing in

    /// Address and password don't belong together.
    case invalidCredentials = "invalid_credentials"
    /// The session was ended, or was not used for long.
    case sessionEnded = "session_ended"
    /// The refresh token is of no session.
    case invalidRefreshToken = "invalid_refresh_token"
    /// No such session of the caller's.
    case sessionNotFound = "session_not_found"
    /// The answer of an authenticator is malformed, or was given elsewhere.
    case passkeyInvalid = "passkey_invalid"
    /// The passkey is not accepted.
    case passkeyRefused = "passkey_refused"
    /// The passkey's challenge is over, or was answered before.
    case challengeExpired = "challenge_expired"
    /// No such passkey.
    case passkeyNotFound = "passkey_not_found"
    /// The passkey was added before.
    case passkeyExists = "passkey_exists"
    /// The account can have no more passkeys.
    case tooManyPasskeys = "too_many_passkeys"
    /// Only with a session of Hearth's own.
    case sessionRequired = "session_required"
    /// The password is too easy to guess; the details say what would help.
    case passwordTooWeak = "password_too_weak"
    /// No such way to sign in.
    case identityNotFound = "identity_not_found"
    /// The last way to sign in stays.
    case lastIdentity = "last_identity"
    /// The other sign-in has an account of its own that is in use.
    case identityInUse = "identity_in_use"
    /// The account has a sign-in of the same issuer, whose subject is its id.
    case identityOfIssuerExists = "identity_of_issuer_exists"

    // MARK: What stands in the way

    /// There is a Parent Admin already.
    case parentAdminExists = "parent_admin_exists"
    /// All slots of the family are taken.
    case familyFull = "family_full"
    /// A player belongs to one family only.
    case playerHasFamily = "player_has_family"
    /// The invitation is for the other side than the one on which the account is in a family.
    case roleMismatch = "role_mismatch"
    /// The account made, or is in, as many families as it may.
    case tooManyFamilies = "too_many_families"
    /// Children would be left without a guardian.
    case guardianHasManagedMembers = "guardian_has_managed_members"
    /// A guardian is another adult of the family with an account.
    case guardianNotAdult = "guardian_not_adult"
    /// A child has at most four guardians.
    case tooManyGuardians = "too_many_guardians"
    /// The Parent Admin is an adult with an account.
    case adminNotAdult = "admin_not_adult"
    /// The Parent Admin leaves only after another has taken over.
    case transferAdminFirst = "transfer_admin_first"
    /// The person waits for approval.
    case memberIsWaiting = "member_is_waiting"
    /// The person does not wait for approval.
    case memberIsNotWaiting = "member_is_not_waiting"
    /// The account's side is settled while it belongs to a family.
    case roleFixedInFamily = "role_fixed_in_family"
    /// The invited person is in the family.
    case personAlreadyMember = "person_already_member"
    /// The address has a pending invitation of somebody else's.
    case alreadyInvited = "already_invited"
    /// The invitation was accepted by another, or declined.
    case invitationAnswered = "invitation_answered"
    /// The account is in a family already, so it can't become a child of this one.
    case notTheGraduate = "not_the_graduate"
    /// The text to consent to has another version by now.
    case consentOutdated = "consent_outdated"
    /// A guardian has to give a consent for this child first.
    case consentRequired = "consent_required"
    /// The account has not consented to what this needs.
    case consentMissing = "consent_missing"
    /// There is no such purpose of consent.
    case purposeNotFound = "purpose_not_found"

    // MARK: How often

    /// Too many wrong codes or passwords.
    case tooManyAttempts = "too_many_attempts"
    /// Too many invitations within an hour.
    case tooManyInvitations = "too_many_invitations"
    /// The invitation was sent less than a minute ago.
    case invitationJustSent = "invitation_just_sent"
    /// Too many requests with an idempotency key within a day.
    case tooManyKeys = "too_many_keys"

    // MARK: The server

    /// A mistake of the server's.
    case serverFault = "internal"
    /// The server can't answer at the moment.
    case unavailable
    /// The token's issuer has a new key that the server does not know yet.
    case keysPending = "keys_pending"
    /// Whether it was done is not known.
    case outcomeUnknown = "outcome_unknown"
    /// The server is shutting down.
    case draining
    /// The server can't reach its database, or can't store anything there.
    case databaseAway = "database_away"
    /// The server's database has too much to do.
    case databaseBusy = "database_busy"
    /// The server's database has to be migrated.
    case schemaBehind = "schema_behind"
    /// The server's pooler loses prepared statements.
    case poolerUnfit = "pooler_unfit"
    /// The server lacks the secret key that links are made with.
    case secretKeyDiffers = "secret_key_differs"
    /// The server's database has to be restarted.
    case databaseRestartNeeded = "database_restart_needed"
}

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
