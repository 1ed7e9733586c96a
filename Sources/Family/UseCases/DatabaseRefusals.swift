import Postgres

/// What the database's refusals mean: a constraint's name, or the reason that one of its functions
/// gives in that place, to the error that a caller is told.
///
/// A rule that the policy has refused first is met here only where the state changed in between, or
/// where it takes the family's lock to know.
package enum DatabaseRefusals {
    private static let codes: [String: UseCaseError.Code] = [
        "not_signed_in": .refused(.notSignedIn),
        "not_while_acting": .refused(.notWhileActing),
        "not_allowed": .refused(.standingTooLow),
        "parent_admin_exists": .refused(.seatTaken),
        "family_members_one_parent_admin": .refused(.seatTaken),
        "invitation_for_other_email": .refused(.notTheAddressee),
        "household_role_not_invitable": .refused(.roleTooHigh),

        "family_not_found": .familyNotFound,
        "member_not_found": .memberNotFound,
        "member_preferences_member_fkey": .memberNotFound,
        "invitation_not_found": .invitationNotFound,

        "cannot_remove_self": .cannotRemoveOneself,
        "expiry_out_of_range": .expiryOutOfRange,
        "member_preferences_size": .preferencesTooLarge,

        "already_member": .personAlreadyMember,
        "already_invited": .alreadyInvited,
        "removed_from_family": .removedFromFamily,
        "player_has_family": .playerHasFamily,
        "family_members_player_in_one_family": .playerHasFamily,
        "family_members_active_has_slot": .familyFull(limit: nil),
        "too_many_families": .tooManyFamilies,

        "guardian_has_managed_members": .guardianHasManagedMembers,
        "family_members_guardian_is_active_adult": .guardianHasManagedMembers,
        "guardian_not_adult": .guardianNotAdult,
        "admin_not_adult": .adminNotAdult,
        "family_members_admin_is_parent_with_account": .adminNotAdult,
        "transfer_admin_first": .transferAdminFirst,
        "member_is_waiting": .memberIsWaiting,
        "member_is_not_waiting": .memberIsNotWaiting,
        "role_fixed_in_family": .roleFixedInFamily,

        "invitation_expired": .invitationExpired,
        "invitation_answered": .invitationAnswered,
        // Resent by another at the same moment: the link that was to be kept is dead already.
        "invitation_changed": .invitationNotFound,

        "role_unknown": .malformed("role"),
        "household_role_unknown": .malformed("householdRole"),
        "delivery_unknown": .malformed("delivery"),
        "email_malformed": .malformed("email"),
        "family_invitations_email_normalised": .malformed("email"),
        "family_units_name_form": .malformed("familyName"),
        "family_units_latitude_range": .malformed("homeLatitude"),
        "family_units_longitude_range": .malformed("homeLongitude"),
        "family_units_player_details_form": .malformed("playerDetails"),
        "users_full_name_form": .malformed("fullName"),
        "users_managed_has_only_name_and_avatar": .malformed("displayName"),
        "users_avatar_key_form": .malformed("avatarKey"),
        "users_avatar_url_form": .malformed("avatarUrl"),
        "member_preferences_is_object": .malformed("preferences"),
        "idempotency_keys_key_form": .malformed("Idempotency-Key"),
        "idempotency_key_in_use": .keyInUse,
    ]

    /// Whether a refusal of this name has a meaning for callers.
    package static func covers(_ name: String) -> Bool {
        codes[name] != nil || waits[name] != nil || name == full
            || OperatorRefusal.reasons.contains(name)
    }

    /// Refusals that tell, in the error's detail, for how many seconds they last.
    private static let waits: [String: @Sendable (Int) -> UseCaseError.Code] = [
        "too_many_invitations": { .tooManyInvitations(retryAfterSeconds: $0) },
        "too_many_keys": { .tooManyKeys(retryAfterSeconds: $0) },
        "invitation_just_sent": { .invitationJustSent(retryAfterSeconds: $0) },
    ]

    /// A refusal that tells the family's limit in the error's detail, where it is not known before.
    private static let full = "family_full"

    /// The use case's error for a refusal that is foreseen; nil for everything else, which is a
    /// fault or an outage.
    static func meaning(of error: PostgresError) -> UseCaseError? {
        guard let name = error.constraint else { return nil }
        if let code = codes[name] { return UseCaseError(code, underlying: error) }
        let told = error.server?.detail.flatMap { Int($0) }
        if name == full { return UseCaseError(.familyFull(limit: told), underlying: error) }
        guard let wait = waits[name] else { return nil }
        return UseCaseError(wait(told ?? 60), underlying: error)
    }
}
