import UseCases

// The error table: the code and message of each failure of a use case; its status goes with the
// code. The messages that the apps show are theirs, word for word.

extension Problem {
    /// What a use case's refusal is to a client.
    static func of(_ error: UseCaseError) -> Problem {
        switch error.code {
        case .refused(let reason): of(reason)
        case .actingRefused: Problem(.actingRefused, "You can't act for this member.")

        case .familyNotFound: absentFamily
        case .memberNotFound: absentMember
        case .invitationNotFound: absentInvitation

        case .familyRequired: Problem(.familyRequired, "Name the family by familyId.")
        case .malformed(let name): Problem(.invalidField, "`\(name)` is not valid.")
        case .codeMalformed:
            Problem(
                .codeMalformed, "Invalid family code format. Codes look like FAM-XXXXXX")
        case .expiryOutOfRange:
            .invalidField(
                "expiresInDays",
                "from 1 to \(RegenerateFamilyCode.allowedDays.upperBound)")
        case .preferencesTooLarge:
            Problem(.preferencesTooLarge, "Preferences are limited to 16 KiB.")
        case .cannotRemoveOneself:
            Problem(.oneself, "You cannot remove yourself from the family")

        case .codeUnknown:
            Problem(.codeUnknown, "Family code not found. Please check and try again.")
        case .codeExpired: Problem(.codeExpired, "This family code has expired.")
        case .alreadyMember:
            Problem(.alreadyMember, "You are already a member of this family.")
        case .removedFromFamily:
            Problem(.removedFromFamily, "You can come back by an invitation only.")
        case .playerHasFamily:
            Problem(.playerHasFamily, "A player can belong to one family only.")
        case .familyFull(let limit): Problem(.familyFull, full(limit))
        case .tooManyFamilies: Problem(.tooManyFamilies, "You can't create more families.")
        case .tooManyAttempts(let limit, let seconds): .limited(by: limit, seconds)

        case .guardianHasManagedMembers:
            Problem(
                .guardianHasManagedMembers,
                "Name a new guardian of the children by reassignManagedTo.")
        case .guardianNotAdult:
            Problem(.guardianNotAdult, "A guardian is an adult with an account.")
        case .adminNotAdult:
            Problem(.adminNotAdult, "The Parent Admin is an adult with an account.")
        case .transferAdminFirst:
            Problem(.transferAdminFirst, "Make another adult the Parent Admin first.")
        case .memberIsWaiting: Problem(.memberIsWaiting, "This person is not in yet.")
        case .memberIsNotWaiting: Problem(.memberIsNotWaiting, "This person is in already.")
        case .roleFixedInFamily:
            Problem(.roleFixedInFamily, "Your role can't change while you are in a family.")

        case .personAlreadyMember:
            Problem(.personAlreadyMember, "This person is already a member of your family")
        case .alreadyInvited:
            Problem(.alreadyInvited, "This person has been invited already.")
        case .invitationExpired: Problem(.invitationExpired, "This invitation has expired.")
        case .invitationAnswered:
            Problem(.invitationAnswered, "This invitation was answered already.")
        case .tooManyInvitations(let seconds):
            .limited(
                .tooManyInvitations, invitationsLimit, .invitations, seconds,
                "Too many invitations. Please try again in an hour.")
        case .invitationJustSent(let seconds):
            .limited(
                .invitationJustSent, resendLimit, .resends, seconds,
                "This invitation was just sent. Please wait a minute.")
        case .keyInUse:
            Problem(
                .idempotencyKeyInUse, "The same request is being answered at this moment.",
                headers: [("Retry-After", "1")])
        case .keyReused:
            Problem(
                .idempotencyKeyReused, "This Idempotency-Key was used for another request.")
        case .answerOfNewerProgram: answerOfNewerProgram
        case .tooManyKeys(let seconds):
            .limited(
                .tooManyKeys, keysLimit, .idempotencyKeys, seconds,
                "Too many requests with an Idempotency-Key. Please try again later.")
        }
    }

    static let absentFamily = Problem(.familyNotFound, "Family not found.")
    static let absentMember = Problem(.memberNotFound, "Member not found.")
    static let absentInvitation = Problem(.invitationNotFound, "Invitation not found.")

    static let answerOfNewerProgram = Problem(
        .retryLater,
        "This was done, and is answered by a newer version of the service. Please try again later.",
        headers: [("Retry-After", "10")])

    private static func full(_ limit: Int?) -> String {
        "This family is full" + (limit.map { " (maximum \($0) members)" } ?? "") + "."
    }
}
