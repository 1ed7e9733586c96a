import Domain
import Postgres

/// Translation of the database's refusals into ``Refusal``.
///
/// The database's functions raise errors of class HF, with a ``RefusalCode`` in the field that
/// otherwise names the violated constraint. The policy usually refuses first. The database refuses
/// if the state changed in between, or if the rule needs the family's lock.
package enum DatabaseRefusals {
    /// Refusal codes by the violated constraint of a table.
    private static let constraints: [String: RefusalCode] = [
        "family_attributes_size": .attributesTooLarge,
        "family_members_active_has_slot": .familyFull,
        "family_members_admin_is_parent_with_account": .adminNotAdult,
        "family_members_guardian_is_active_adult": .guardianHasManagedMembers,
        "guardianships_guardian_is_active_adult": .guardianHasManagedMembers,
        "family_members_primary_guardian_fkey": .guardianHasManagedMembers,
        "guardianships_at_most_four": .tooManyGuardians,
        "family_members_one_parent_admin": .parentAdminExists,
        "family_members_player_in_one_family": .playerHasFamily,
        "family_members_role_of_account": .roleMismatch,
        "member_preferences_member_fkey": .memberNotFound,
        "member_preferences_size": .preferencesTooLarge,
    ]

    /// The API's names of fields whose values violate a constraint, by constraint.
    private static let fields = [
        "family_attributes_is_object": "attributes",
        "family_invitations_email_normalised": "email",
        "family_units_latitude_range": "homeLatitude",
        "family_units_longitude_range": "homeLongitude",
        "family_units_name_form": "familyName",
        "family_units_player_details_form": "playerDetails",
        "idempotency_keys_key_form": "Idempotency-Key",
        "member_preferences_is_object": "preferences",
        "users_avatar_key_form": "avatarKey",
        "users_avatar_url_form": "avatarUrl",
        "users_full_name_form": "fullName",
        "users_managed_has_only_name_and_avatar": "displayName",
    ]

    /// Limits by the code of their refusal, with the name in headers and metrics. The error's
    /// detail states in how many seconds the limit allows more.
    private static let limits: [RefusalCode: (name: String, allowance: Allowance)] = [
        .tooManyInvitations: ("invitations", .invitations),
        .invitationJustSent: ("resend", .resends),
        .tooManyKeys: ("idempotency-keys", .idempotencyKeys),
    ]

    /// The names of these limits, sorted.
    package static let limitNames =
        (limits.values.map(\.name) + [ServerAccess.limitName, ServerAccess.unknownLimitName])
        .sorted()

    /// Returns the use case's error for an expected refusal; nil for everything else, which is a
    /// fault or an outage.
    static func meaning(of error: PostgresError) -> Refusal? {
        guard let name = error.constraint else { return nil }
        if error.sqlState?.conditionClass == "HF" {
            return RefusalCode(rawValue: name).map {
                Refusal($0, parameter(of: $0, error.server?.detail), underlying: error)
            }
        }
        if let code = constraints[name] { return Refusal(code, underlying: error) }
        return fields[name].map { Refusal(.invalidField, .field($0), underlying: error) }
    }

    /// Returns the parameter that a function adds to its code in the error's detail.
    private static func parameter(of code: RefusalCode, _ detail: String?) -> Refusal.Parameter? {
        let number = detail.flatMap { Int($0) }
        switch code {
        case .invalidField: return detail.map { .field($0) }
        // The only function that raises it removes a member.
        case .oneself: return .removal
        case .familyFull: return number.map { .memberLimit($0) }
        case .invitationAnswered: return detail == "declined" ? .declined : nil
        default:
            return limits[code].map {
                .limit($0.name, $0.allowance, retryAfterSeconds: number ?? 60)
            }
        }
    }
}
