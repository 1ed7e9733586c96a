import Domain
import UseCases

/// Invitations from the invited side.
enum ReceivedInvitationEndpoints {
    private static let token = Input<String>.path(
        "token", .invitationToken, absent: Problem(.invitationNotFound), "The token from the link.")
    private static let invitation = Input<InvitationID>.path(
        "id", .id(), absent: Problem(.invitationNotFound))

    static let preview = Operation.open(
        "previewInvitation", "Shows the invitation behind a link. Changes nothing.",
        inputs: [token], responses: [.ok(Shapes.invitationPreview)],
        refusals: .ofInvitation + [.actingRefused]
    ) { services, call in
        .of(
            Shapes.invitationPreview,
            try services.receivedInvitations.preview(
                by: call.context, token: call[token], from: call.client))
    }

    private static let refusals: [RefusalCode] = .ofInvitation + .byAccount + [.notTheAddressee]

    private static let ofEntering: [RefusalCode] = [
        .removedFromFamily, .roleMismatch, .playerHasFamily, .notTheGraduate, .familyFull,
        .tooManyFamilies,
    ]

    static let accept = Operation(
        "acceptInvitation", "Accepts an invitation by its link: the caller becomes a member.",
        inputs: [token],
        responses: [.ok(Shapes.acceptance, "Also returned for a repetition by the same account.")],
        refusals: refusals + ofEntering
    ) { services, call in try accept(.token(call[token]), services, call) }

    static let decline = Operation(
        "declineInvitation", "Declines an invitation by its link.",
        inputs: [token], responses: [.success], refusals: refusals
    ) { services, call in try decline(.token(call[token]), services, call) }

    static let list = Operation(
        "listMyInvitations", "Lists the pending invitations to the caller's verified address.",
        responses: [.ok(Shapes.receivedInvitations, "At most 100.")], refusals: .byAccount
    ) { services, call in
        .of(
            Shapes.receivedInvitations,
            try services.receivedInvitations.list(by: call.context))
    }

    static let acceptReceived = Operation(
        "acceptMyInvitation", "Accepts an invitation to the caller's verified address.",
        inputs: [invitation], responses: [.ok(Shapes.acceptance)],
        refusals: refusals + ofEntering
    ) { services, call in try accept(.id(call[invitation]), services, call) }

    static let declineReceived = Operation(
        "declineMyInvitation", "Declines an invitation to the caller's verified address.",
        inputs: [invitation], responses: [.success], refusals: refusals
    ) { services, call in try decline(.id(call[invitation]), services, call) }

    private static func accept(
        _ reference: InvitationReference, _ services: Services, _ call: Call
    ) throws -> Reply {
        let acceptance = try services.receivedInvitations.accept(
            by: call.context, reference, from: call.client)
        return .of(Shapes.acceptance, acceptance, family: acceptance.family)
    }

    private static func decline(
        _ reference: InvitationReference, _ services: Services, _ call: Call
    ) throws -> Reply {
        try services.receivedInvitations.decline(
            by: call.context, reference, from: call.client)
        return .of(Shapes.success, ())
    }
}
