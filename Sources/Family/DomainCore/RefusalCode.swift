/// Why an action is refused. A closed set, so that responses can give the reason, tests can check
/// it, and metrics can count each.
///
/// The raw value is what the policy's decision is called in logs and metrics, what the database's
/// functions raise, and the `code` that a client is told: a refusal has this one name. It never
/// changes its meaning. The API's error table gives each a status and a message.
package enum RefusalCode: String, Sendable, CaseIterable {
    // The fields of what is sent.
    /// A value that can't be taken.
    case invalidField = "invalid_field"
    case missingField = "missing_field"
    /// A field that is not for clients to set.
    case privilegedField = "privileged_field"

    // Requests that are repeated.
    /// The idempotency key was used for another request.
    case idempotencyKeyReused = "idempotency_key_reused"
    /// The same request is being done at this moment.
    case idempotencyKeyInUse = "idempotency_key_in_use"
    /// It was done, and its answer kept in a format that only later programs read.
    case retryLater = "retry_later"

    // Signing in.
    /// The session was ended, or has run out.
    case sessionEnded = "session_ended"
    /// No refresh token of a session, or one whose session is over for another reason.
    case invalidRefreshToken = "invalid_refresh_token"
    case sessionNotFound = "session_not_found"
    /// Address and password don't belong together, or nobody signs in with the address.
    case invalidCredentials = "invalid_credentials"
    case passwordTooWeak = "password_too_weak"
    case identityNotFound = "identity_not_found"
    /// Without it nobody could sign in to the account any more.
    case lastIdentity = "last_identity"
    /// The sign-in leads to another account, which is in a family or owns something.
    case identityInUse = "identity_in_use"
    /// The account has a sign-in of a primary issuer, whose subject is its id.
    case identityOfIssuerExists = "identity_of_issuer_exists"
    /// The answer of an authenticator is malformed, or was given elsewhere.
    case passkeyInvalid = "passkey_invalid"
    /// The passkey is not one of anybody here, its signature is wrong, or there is a copy of it.
    case passkeyRefused = "passkey_refused"
    /// The challenge is over, was answered before, or was made for something else.
    case challengeExpired = "challenge_expired"
    case passkeyNotFound = "passkey_not_found"
    /// It was added before, to this account or another.
    case passkeyExists = "passkey_exists"
    case tooManyPasskeys = "too_many_passkeys"
    /// The request came with a token of another issuer, which has no session.
    case sessionRequired = "session_required"

    // The caller.
    /// No account of its own: an anonymous token, or an account that was erased.
    case accountRequired = "account_required"
    /// Erasing the account needs a sign-in of the last ten minutes, or the mailed code.
    case freshSignInRequired = "fresh_sign_in_required"
    /// A change of the ways into the account needs a sign-in of the last ten minutes.
    case signInAgain = "sign_in_again"
    /// The delegation is not honoured, whatever the reason.
    case actingRefused = "acting_refused"
    /// A managed member may not do this, whatever its guardian may.
    case notWhileActing = "not_while_acting"
    case visitorsOnlyRead = "visitors_only_read"
    /// The action can't be done to the Parent Admin; only its holder gives the seat up.
    case targetIsParentAdmin = "target_is_parent_admin"
    /// The action can't be done to a member without an account.
    case targetIsManaged = "target_is_managed"
    /// The seat is vacant, but while the creator or a vouched adult is active, others may not claim
    /// it.
    case seatReserved = "seat_reserved"
    /// Not a role that this caller may give to anyone.
    case roleTooHigh = "role_too_high"
    /// The caller is a member, but its household role or another fact of its membership does not
    /// suffice.
    case standingTooLow = "standing_too_low"
    /// The invitation was sent to an address that is not a verified one of the caller's.
    case notTheAddressee = "not_the_addressee"
    case preferencesOfAnother = "preferences_of_another"
    /// The child's guardians have not given a consent that is required.
    case consentRequired = "consent_required"
    /// The account has not consented to what the action needs.
    case consentMissing = "consent_missing"
    /// Somebody else ended the membership: only an invitation made since brings back.
    case removedFromFamily = "removed_from_family"

    // Missing, or not the caller's.
    /// Also for whoever is no active member: for the caller the family does not exist.
    case familyNotFound = "family_not_found"
    case memberNotFound = "member_not_found"
    /// Also where it isn't pending any more, or has another link by now.
    case invitationNotFound = "invitation_not_found"
    /// Nothing that guardians are asked to consent to.
    case purposeNotFound = "purpose_not_found"
    /// No family has this code.
    case codeUnknown = "code_unknown"
    /// A family's code, or one that was mailed.
    case codeExpired = "code_expired"
    case invitationExpired = "invitation_expired"

    // What is asked for.
    /// The caller has none or several families and named none.
    case familyRequired = "family_required"
    case codeMalformed = "code_malformed"
    /// Something that a member can do to others only.
    case oneself = "oneself"
    /// A mailed code that is wrong, or too old.
    case codeWrong = "code_wrong"
    /// The caller is in the family.
    case alreadyMember = "already_member"
    case preferencesTooLarge = "preferences_too_large"
    case attributesTooLarge = "attributes_too_large"

    // Conflicts with the current state.
    /// The seat is taken.
    case parentAdminExists = "parent_admin_exists"
    case familyFull = "family_full"
    case playerHasFamily = "player_has_family"
    /// The invitation is for the other side than the one on which the caller is in a family.
    case roleMismatch = "role_mismatch"
    /// The account created, or is in, as many families as an account can.
    case tooManyFamilies = "too_many_families"
    /// Managed members would be left without a guardian; nobody was named to take over.
    case guardianHasManagedMembers = "guardian_has_managed_members"
    /// A guardian is another adult of the family with an account.
    case guardianNotAdult = "guardian_not_adult"
    /// A child has as many guardians as it can have.
    case tooManyGuardians = "too_many_guardians"
    /// The Parent Admin is an adult with an account.
    case adminNotAdult = "admin_not_adult"
    /// The Parent Admin leaves only after another adult has taken the seat.
    case transferAdminFirst = "transfer_admin_first"
    /// The person waits for approval and is not a member yet.
    case memberIsWaiting = "member_is_waiting"
    case memberIsNotWaiting = "member_is_not_waiting"
    /// The side of an account is settled while it belongs to a family.
    case roleFixedInFamily = "role_fixed_in_family"
    /// The invited person is in the family.
    case personAlreadyMember = "person_already_member"
    /// The address has a pending invitation that is another's to renew.
    case alreadyInvited = "already_invited"
    /// Accepted by another, or declined.
    case invitationAnswered = "invitation_answered"
    /// The account belongs to a family already, or created this one, and so can't become a child of
    /// it.
    case notTheGraduate = "not_the_graduate"
    /// The text that is to be consented to has another version by now.
    case consentOutdated = "consent_outdated"
    /// The account has duties that somebody else has to take over first.
    case erasureBlocked = "erasure_blocked"
    /// The account has no verified address that something could be sent to.
    case noVerifiedAddress = "no_verified_address"

    // How often.
    case tooManyAttempts = "too_many_attempts"
    case tooManyInvitations = "too_many_invitations"
    case invitationJustSent = "invitation_just_sent"
    /// Too many idempotency keys of one account in a day.
    case tooManyKeys = "too_many_keys"
}
