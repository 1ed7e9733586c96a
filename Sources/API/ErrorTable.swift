import UseCases

// The error table: the status, code and message of each failure of a use case. The messages that
// the apps show are theirs, word for word.

extension Problem {
    /// What a use case's refusal is to a client.
    static func of(_ error: UseCaseError) -> Problem {
        switch error.code {
        case .refused(let reason): of(reason)
        case .actingRefused: Problem(403, "acting_refused", "You can't act for this member.")

        case .familyNotFound: Problem(404, "family_not_found", "Family not found.")
        case .memberNotFound: Problem(404, "member_not_found", "Member not found.")
        case .invitationNotFound: Problem(404, "invitation_not_found", "Invitation not found.")

        case .familyRequired: Problem(400, "family_required", "Name the family by familyId.")
        case .malformed(let name): Problem(400, "invalid_field", "`\(name)` is not valid.")
        case .codeMalformed: Problem(400, "code_malformed", Self.codeFormat)
        case .expiryOutOfRange: .invalidField("expiresInDays", "from 1 to 365")
        case .preferencesTooLarge:
            Problem(413, "preferences_too_large", "Preferences are limited to 16 KiB.")
        case .cannotRemoveOneself:
            Problem(400, "oneself", "You cannot remove yourself from the family")

        case .codeUnknown:
            Problem(404, "code_unknown", "Family code not found. Please check and try again.")
        case .codeExpired: Problem(410, "code_expired", "This family code has expired.")
        case .alreadyMember:
            Problem(400, "already_member", "You are already a member of this family.")
        case .removedFromFamily:
            Problem(403, "removed_from_family", "You can come back by an invitation only.")
        case .playerHasFamily:
            Problem(409, "player_has_family", "A player can belong to one family only.")
        case .familyFull(let limit): Problem(409, "family_full", Self.full(limit))
        case .tooManyFamilies: Problem(409, "too_many_families", "You can't create more families.")
        case .tooManyAttempts(let seconds):
            limited("attempts", 5, 300, seconds, "Too many attempts. Please wait 5 minutes.")

        case .guardianHasManagedMembers:
            Problem(409, "guardian_has_managed_members", "Name a new guardian of the children.")
        case .guardianNotAdult:
            Problem(409, "guardian_not_adult", "A guardian is an adult with an account.")
        case .adminNotAdult:
            Problem(409, "admin_not_adult", "The Parent Admin is an adult with an account.")
        case .transferAdminFirst:
            Problem(409, "transfer_admin_first", "Make another adult the Parent Admin first.")
        case .memberIsWaiting: Problem(409, "member_is_waiting", "This person is not in yet.")
        case .memberIsNotWaiting: Problem(409, "member_is_not_waiting", "Nobody waits here.")
        case .roleFixedInFamily:
            Problem(409, "role_fixed_in_family", "Your role can't change while in a family.")

        case .personAlreadyMember:
            Problem(409, "already_member", "This person is already a member of your family")
        case .invitationExpired: Problem(410, "invitation_expired", "This invitation has expired.")
        case .invitationAnswered:
            Problem(409, "invitation_answered", "This invitation was answered already.")
        case .tooManyInvitations(let seconds):
            limited("invitations", 10, 3_600, seconds, "Too many invitations. Please wait.")
        case .invitationJustSent(let seconds):
            limited("resend", 1, 60, seconds, "Just sent. Please wait a minute.")
        }
    }

    private static let codeFormat = "Invalid family code format. Codes look like FAM-XXXXXX"

    private static func full(_ limit: Int?) -> String {
        "This family is full" + (limit.map { " (maximum \($0) members)" } ?? "") + "."
    }

    /// A limit that was reached: how much of what in which window, and when it opens again
    /// (draft-ietf-httpapi-ratelimit-headers).
    private static func limited(
        _ name: String, _ quota: Int, _ windowSeconds: Int, _ retryAfterSeconds: Int,
        _ message: String
    ) -> Problem {
        Problem(
            429, "too_many_\(name)", message,
            headers: [
                ("Retry-After", "\(retryAfterSeconds)"),
                ("RateLimit-Policy", "\"\(name)\";q=\(quota);w=\(windowSeconds)"),
                ("RateLimit", "\"\(name)\";r=0;t=\(retryAfterSeconds)"),
            ])
    }
}
