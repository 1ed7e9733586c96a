import Domain
import UseCases

/// Graduation: a child without an account gets one.
enum GraduationEndpoints {
    private static let email = Input<EmailAddress?>.optional(
        "email", .email.orEmpty,
        "The address to invite; missing or empty for an invitation by link.")
    private static let role = Input<MemberRole?>.optional(
        "role", .word, "The side. Default: player for a kid, parent for an adult.")
    private static let householdRole = Input<HouseholdRole?>.optional(
        "householdRole", .word,
        "The household role: `kid` for a player, `adult` for a parent. Default: the one that "
            + "belongs to `role`; without `role`, `kid`.")
    private static let delivery = Input<InvitationDelivery?>.optional(
        "delivery", .word, "Default: by e-mail.")

    static let start = Operation(
        "startGraduation",
        "Invites a child without an account to get one. The account that accepts takes over the "
            + "child's membership.",
        inputs: [Inputs.managedMember, email, role, householdRole, delivery],
        responses: [
            .ok(
                Shapes.sentInvitation,
                "If the child has a pending invitation, it is renewed with the values of this "
                    + "request.")
        ],
        refusals: [.memberNotFound, .notWhileActing] + .byStanding + [
            .missingField, .invalidField, .personAlreadyMember, .alreadyInvited,
        ]
    ) { services, call in
        let recipient = try InvitationEndpoints.recipient(
            call[email], call[delivery] ?? .email)
        let (role, householdRole) = try roles(call[role], call[householdRole])
        let sent = try services.invitations.startGraduation(
            by: call.context, member: call[Inputs.managedMember], to: recipient, role: role,
            householdRole: householdRole)
        return .of(
            Shapes.sentInvitation, sent, family: call.knownFamily, link: services.link(of: sent))
    }

    private static func roles(
        _ role: MemberRole?, _ householdRole: HouseholdRole?
    ) throws(Refusal) -> (MemberRole, HouseholdRole) {
        let role = role ?? (householdRole == .adult ? .parent : .player)
        let fitting = role == .player ? HouseholdRole.kid : .adult
        guard householdRole == nil || householdRole == fitting else {
            throw Refusal(
                .invalidField,
                .field(
                    "householdRole", expected: "\(fitting.rawValue) for a \(role.rawValue)"))
        }
        return (role, fitting)
    }
}
