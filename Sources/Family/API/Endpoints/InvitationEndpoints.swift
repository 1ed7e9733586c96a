import Domain
import UseCases

/// Invitations from the inviting side.
enum InvitationEndpoints {
    private static let email = Input<EmailAddress?>.optional(
        "email", .email.orEmpty,
        "The address to invite; missing or empty for an invitation by link.")
    private static let role = Input<MemberRole>.required("role", .word)
    private static let householdRole = Input<HouseholdRole?>.optional(
        "householdRole", .word, "The new member's household role; at most adult.")
    private static let family = Input<FamilyID?>.optional(
        "familyUnitId", alias: "familyId", .id(),
        "Optional for a member of exactly one family.")
    private static let delivery = Input<InvitationDelivery?>.optional(
        "delivery", .word, "Default: by e-mail.")

    static let create = Operation(
        "createInvitation", "Invites a person, by e-mail or by a link to share.",
        inputs: [email, role, householdRole, family, delivery],
        responses: [
            .ok(
                Shapes.sentInvitation,
                "A pending invitation to the same address is renewed if the caller may resend it.")
        ],
        refusals: .inOnlyFamily + .byStanding + [
            .missingField, .roleTooHigh, .personAlreadyMember, .alreadyInvited,
        ]
    ) { services, call in
        let recipient = try recipient(call[email], call[delivery] ?? .email)
        let sent = try services.invitations.create(
            by: call.context, family: call[family], to: recipient, role: call[role],
            householdRole: call[householdRole])
        return .of(
            Shapes.sentInvitation, sent, family: call.knownFamily, link: services.link(of: sent))
    }

    /// Returns the recipient of an invitation: an address for one by e-mail, none for a link.
    static func recipient(
        _ address: EmailAddress?, _ delivery: InvitationDelivery
    ) throws(Problem) -> InvitationService.Recipient {
        switch (address, delivery) {
        case (let address?, .email): return .email(address)
        case (nil, .link): return .link
        case (nil, .email):
            throw .field(
                "email", "`email` is missing: expected an e-mail address.", .missingField)
        case (_?, .link): throw .invalidField("email", "left out for a link")
        }
    }

    static let list = Operation.read(
        "listInvitations", "Lists a family's pending invitations, newest first.",
        inputs: [Inputs.familyInQuery, Inputs.cursor],
        responses: [.ok(Shapes.invitations, "At most 100.")],
        refusals: .inOnlyFamily + [.visitorsOnlyRead]
    ) { call in
        try InvitationService.list(
            by: call.context, family: call[Inputs.familyInQuery], cursor: call[Inputs.cursor]
        ).map { .of(Shapes.invitations, $0, family: $0.family) }
    }

    private static let invitation = Input<InvitationID>.path(
        "id", .id(), absent: Problem(.invitationNotFound))
    private static let refusals: [RefusalCode] =
        .byStanding + [.invitationNotFound, .notWhileActing]

    static let resend = Operation(
        "resendInvitation", "Sends a pending invitation again, with a new link.",
        inputs: [invitation],
        responses: [.ok(Shapes.resentInvitation, "The earlier link stops working.")],
        refusals: refusals
    ) { services, call in
        let sent = try services.invitations.resend(
            by: call.context, invitation: call[invitation])
        return .of(
            Shapes.resentInvitation, sent, family: call.knownFamily, link: services.link(of: sent))
    }

    static let revoke = Operation(
        "revokeInvitation", "Revokes a pending invitation.",
        inputs: [invitation], responses: [.success], refusals: refusals
    ) { services, call in
        try services.invitations.revoke(
            by: call.context, invitation: call[invitation])
        return .of(Shapes.success, ())
    }
}

extension Services {
    /// Returns the link of an invitation by link; nil for one by e-mail.
    func link(of sent: SentInvitation) -> Reply.SharedLink? {
        sent.token.map { Reply.SharedLink(invitation: sent.id, url: site.joinLink($0)) }
    }
}
