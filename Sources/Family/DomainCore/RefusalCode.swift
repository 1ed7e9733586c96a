/// The reason for a refusal. A closed set, so that responses can give the reason, tests can check
/// it, and metrics can count each.
///
/// The raw value is the only name of a refusal: the policy's decision in logs and metrics, the
/// error that database functions raise, and the `code` in responses. Its meaning never changes. The
/// API's error table gives each a status and a message.
package enum RefusalCode: String, Sendable, CaseIterable {
    // Fields of the request.
    /// A value is not acceptable.
    case invalidField = "invalid_field"
    case missingField = "missing_field"
    /// Clients may not set this field.
    case privilegedField = "privileged_field"

    // Idempotency.
    /// The idempotency key was used for another request.
    case idempotencyKeyReused = "idempotency_key_reused"
    /// A request with the same key is in progress.
    case idempotencyKeyInUse = "idempotency_key_in_use"
    /// The request succeeded, but its stored response has a format that only newer programs read.
    case retryLater = "retry_later"

    // Signing in.
    /// The session has ended or expired.
    case sessionEnded = "session_ended"
    /// The refresh token is unknown, or its session has ended for another reason.
    case invalidRefreshToken = "invalid_refresh_token"
    case sessionNotFound = "session_not_found"
    /// An operator has blocked the account. Only its owner learns this.
    case accountBlocked = "account_blocked"
    /// Address and password don't match, or no account has the address.
    case invalidCredentials = "invalid_credentials"
    case passwordTooWeak = "password_too_weak"
    case identityNotFound = "identity_not_found"
    /// Removing this sign-in method would lock everybody out of the account.
    case lastIdentity = "last_identity"
    /// The sign-in belongs to another account, which is in a family or owns something.
    case identityInUse = "identity_in_use"
    /// The account already has a sign-in with a primary issuer, whose subject is the account's id.
    case identityOfIssuerExists = "identity_of_issuer_exists"
    /// The authenticator's response is malformed, or was given to another site or app.
    case passkeyInvalid = "passkey_invalid"
    /// The passkey is unknown, its signature is wrong, or it has been copied.
    case passkeyRefused = "passkey_refused"
    /// The challenge has expired, was answered before, or was made for another purpose.
    case challengeExpired = "challenge_expired"
    case passkeyNotFound = "passkey_not_found"
    /// The passkey is already linked to this account or another.
    case passkeyExists = "passkey_exists"
    case tooManyPasskeys = "too_many_passkeys"
    /// The request used a token of an external issuer, which has no session.
    case sessionRequired = "session_required"

    // API keys.
    /// The key is missing, malformed, unknown, expired or revoked.
    case invalidAPIKey = "invalid_api_key"
    /// The key lacks the scope of the operation.
    case insufficientScope = "insufficient_scope"
    /// A browser has sent the request, which would reveal the key to everybody.
    case browserRefused = "browser_refused"
    /// The key has used up its requests for the current minute.
    case keyLimitReached = "key_limit_reached"
    case personNotFound = "person_not_found"
    /// Some events after the cursor may already have been deleted.
    case cursorExpired = "cursor_expired"

    // The caller.
    /// The caller has no account: the token is anonymous, or the account was erased.
    case accountRequired = "account_required"
    /// Erasing the account needs a sign-in within the last ten minutes, or the code sent by e-mail.
    case freshSignInRequired = "fresh_sign_in_required"
    /// Changing the account's sign-in methods needs a sign-in within the last ten minutes.
    case signInAgain = "sign_in_again"
    /// The caller may not act for this managed member, whatever the reason.
    case actingRefused = "acting_refused"
    /// A managed member may not do this, even if its guardian may.
    case notWhileActing = "not_while_acting"
    case visitorsOnlyRead = "visitors_only_read"
    /// The Parent Admin can't be the target of the action; only the holder can give up the seat.
    case targetIsParentAdmin = "target_is_parent_admin"
    /// A member without an account can't be the target of the action.
    case targetIsManaged = "target_is_managed"
    /// The seat is vacant, but others may not claim it while the creator or a vouched adult is
    /// active.
    case seatReserved = "seat_reserved"
    /// The caller may not assign this role.
    case roleTooHigh = "role_too_high"
    /// The caller is a member, but its household role or another property of its membership does
    /// not suffice.
    case standingTooLow = "standing_too_low"
    /// The invitation was sent to an address that is not one of the caller's verified addresses.
    case notTheAddressee = "not_the_addressee"
    case preferencesOfAnother = "preferences_of_another"
    /// The child's guardians have not given a required consent.
    case consentRequired = "consent_required"
    /// The account has not given a consent that the action requires.
    case consentMissing = "consent_missing"
    /// The caller was removed by somebody else: only a newer invitation allows the person to
    /// return.
    case removedFromFamily = "removed_from_family"

    // Missing, or not accessible to the caller.
    /// The family does not exist, or the caller is not an active member of it.
    case familyNotFound = "family_not_found"
    case memberNotFound = "member_not_found"
    /// The invitation does not exist, is no longer pending, or has a newer link.
    case invitationNotFound = "invitation_not_found"
    /// Guardians are not asked to consent to this purpose.
    case purposeNotFound = "purpose_not_found"
    /// The code belongs to no family.
    case codeUnknown = "code_unknown"
    /// A family code, or a code sent by e-mail, has expired.
    case codeExpired = "code_expired"
    case invitationExpired = "invitation_expired"

    // The requested operation.
    /// The caller is in no family or in several, and named none.
    case familyRequired = "family_required"
    case codeMalformed = "code_malformed"
    /// A member can do this only to others.
    case oneself = "oneself"
    /// A code sent by e-mail is wrong or too old.
    case codeWrong = "code_wrong"
    /// The caller is already in the family.
    case alreadyMember = "already_member"
    case preferencesTooLarge = "preferences_too_large"
    case attributesTooLarge = "attributes_too_large"

    // Conflicts with the current state.
    /// The seat is taken.
    case parentAdminExists = "parent_admin_exists"
    case familyFull = "family_full"
    case playerHasFamily = "player_has_family"
    /// The invitation is for a player, but the caller is a parent in a family; or the reverse.
    case roleMismatch = "role_mismatch"
    /// The account has created, or is in, the maximum number of families.
    case tooManyFamilies = "too_many_families"
    /// Managed members would lose their only guardian, and nobody was named to take over.
    case guardianHasManagedMembers = "guardian_has_managed_members"
    /// A guardian must be another adult of the family with an account.
    case guardianNotAdult = "guardian_not_adult"
    /// A child has the maximum number of guardians.
    case tooManyGuardians = "too_many_guardians"
    /// The Parent Admin must be an adult with an account.
    case adminNotAdult = "admin_not_adult"
    /// The Parent Admin may leave only after another adult has taken the seat.
    case transferAdminFirst = "transfer_admin_first"
    /// The person is waiting for approval and is not a member yet.
    case memberIsWaiting = "member_is_waiting"
    case memberIsNotWaiting = "member_is_not_waiting"
    /// An account can't change between player and parent while it belongs to a family.
    case roleFixedInFamily = "role_fixed_in_family"
    /// The invited person is already in the family.
    case personAlreadyMember = "person_already_member"
    /// The address has a pending invitation that only somebody else may renew.
    case alreadyInvited = "already_invited"
    /// The invitation was accepted by somebody else, or declined.
    case invitationAnswered = "invitation_answered"
    /// The account already belongs to a family, or created the child's family, so it can't take
    /// over the child's membership.
    case notTheGraduate = "not_the_graduate"
    /// The text of the consent has a newer version.
    case consentOutdated = "consent_outdated"
    /// The account has duties that somebody else must take over first.
    case erasureBlocked = "erasure_blocked"
    /// The account has no verified e-mail address.
    case noVerifiedAddress = "no_verified_address"
    /// The account is an operator of the service, and must lose this role first.
    case operatorRoleStands = "operator_role_stands"

    // Rate limits.
    case tooManyAttempts = "too_many_attempts"
    case tooManyInvitations = "too_many_invitations"
    case invitationJustSent = "invitation_just_sent"
    /// The account has used too many idempotency keys in a day.
    case tooManyKeys = "too_many_keys"
}
