import Domain
import JSON
import Repositories
import UseCases

extension Shapes {
    static let sentInvitation = Shape<SentInvitation>(
        "SentInvitation",
        [.always("success", true), .id("invitationId", \.id), inviteURL])

    static let resentInvitation = Shape<SentInvitation>(
        "ResentInvitation", [.always("success", true), inviteURL])

    /// The link of an invitation. It is written separately from the rest, since links are never
    /// stored.
    private static let inviteURL = Property<SentInvitation>(
        name: Reply.SharedLink.name,
        schema: Schema.string.described(
            "The link; only for an invitation by link."), isAlwaysPresent: false
    ) { _, _ in }

    static let invitations = Shape<FamilyPage<ListedInvitation>>(
        "Invitations",
        [
            .list("invitations", invitation, \.items),
            .textOrNull("nextCursor", \.nextCursor),
        ])

    static let invitation = Shape<ListedInvitation>(
        "Invitation",
        [
            .id("id", \.id),
            .id("family_unit_id", \.family),
            .text(
                "invited_by",
                as: Schema.string.described("The inviter's user id; empty for an API key.")
            ) { $0.invitedBy?.description ?? "" },
            .text("invited_email", \.email),
            .word("kind", \.kind),
            .textOrNull("member_id", as: .shownID) { $0.graduate?.shown(isManaged: true) },
            .word("role", \.role),
            .word("household_role", \.householdRole),
            .always("token", ""),
            .word("status", \.status),
            .word("delivery", \.delivery),
            .textOrNull(
                "delivery_status",
                as: Schema.string.described(
                    "The status of the e-mail: `failed` if it could not be delivered."),
                \.deliveryStatus),
            .time("expires_at", \.expiresAt),
            .time("created_at", \.createdAt),
            .timeOrNull("accepted_at", \.acceptedAt),
        ])

    static let invitationPreview = Shape<ReceivedInvitationService.Preview>(
        "InvitationPreview",
        [
            .id("invitationId", \.id),
            .text(
                "email",
                as: Schema.string.described(
                    "Masked unless the caller has this address; empty for a link.")
            ) { $0.email },
            .word("role", \.role),
            .text("familyName", \.familyName),
            .text("inviterName", \.inviterName),
            .time("expiresAt", \.expiresAt),
            .word("kind", \.kind),
        ])

    static let acceptance = Shape<Acceptance>(
        "AcceptedInvitation",
        [
            .always("success", true), .id("familyUnitId", \.family),
            .optionalText("leftFamilyId", as: .uuid) { $0.leftFamily?.description },
        ])

    static let receivedInvitations = Shape<[ReceivedInvitation]>(
        "ReceivedInvitations", [.list("invitations", receivedInvitation) { $0 }])

    static let receivedInvitation = Shape<ReceivedInvitation>(
        "ReceivedInvitation",
        [
            .id("id", \.id),
            .text("familyName", \.familyName),
            .text("inviterName", \.inviterName),
            .word("role", \.role),
            .time("expiresAt", \.expiresAt),
            .word("kind", \.kind),
        ])
}
