import Domain
import UseCases

/// Routes for the servers of apps, which call with API keys.
enum ServerEndpoints {
    static let listFamilies = Operation.server(
        "listServerFamilies", "Lists all families, by id. Needs the scope `families:read`.",
        inputs: [Inputs.cursor], responses: [.ok(Shapes.serverFamilies, "At most 100.")]
    ) { services, call in
        let page = try services.servers().families(by: call.context, cursor: call[Inputs.cursor])
        return .of(Shapes.serverFamilies, page)
    }

    static let readFamily = Operation.server(
        "readServerFamily", "Reads a family. Needs the scope `families:read`.",
        inputs: [Inputs.family], responses: [.ok(Shapes.serverFamily)],
        refusals: [.familyNotFound]
    ) { services, call in
        .of(
            Shapes.serverFamily,
            try services.servers().family(by: call.context, call[Inputs.family]))
    }

    static let listMembers = Operation.server(
        "listServerMembers",
        "Lists the active members of a family. Needs the scope `members:read`.",
        inputs: [Inputs.family],
        responses: [.ok(Shapes.serverMembers, "In the order in which they joined.")],
        refusals: [.familyNotFound]
    ) { services, call in
        let members = try services.servers().members(by: call.context, of: call[Inputs.family])
        return .of(Shapes.serverMembers, members)
    }

    private static let person = Input<UserID>.path(
        "id", .shownID(), absent: Problem(.personNotFound), "The user's id.")

    static let readPerson = Operation.server(
        "readServerPerson", "Reads a person. Needs the scope `people:read`.",
        inputs: [person], responses: [.ok(Shapes.serverPerson)], refusals: [.personNotFound]
    ) { services, call in
        .of(Shapes.serverPerson, try services.servers().person(by: call.context, call[person]))
    }

    private static let issuer = Input<String?>.query(
        "issuer", .anyText, "The `iss` of the provider's tokens.")
    private static let subject = Input<String?>.query(
        "subject", .anyText, "The `sub` of the provider's tokens.")

    static let findPeople = Operation.server(
        "findServerPeople",
        "Finds the person who signs in with a provider's subject. Needs the scope `people:read`.",
        inputs: [issuer, subject],
        responses: [.ok(Shapes.serverPeople, "One person, or none.")], refusals: [.missingField]
    ) { services, call in
        guard let issuer = try call[issuer], let subject = try call[subject] else {
            throw Problem(.missingField, "Both `issuer` and `subject` are needed.")
        }
        let person = try services.servers().person(
            by: call.context, issuer: issuer, subject: subject)
        return .of(Shapes.serverPeople, person.map { [$0] } ?? [])
    }

    static let listEvents = Operation.server(
        "listServerEvents",
        "Lists the events of the last seven days. Needs the scope `events:read`.",
        inputs: [Inputs.cursor],
        responses: [
            .ok(
                Shapes.serverEvents,
                "At most 100, the oldest first. `nextCursor` leads to the events that follow, "
                    + "even if there are none yet.")
        ],
        refusals: [.cursorExpired]
    ) { services, call in
        let page = try services.servers().events(by: call.context, cursor: call[Inputs.cursor])
        return .of(Shapes.serverEvents, page)
    }

    private static let email = Input<EmailAddress?>.optional(
        "email", .email.orEmpty,
        "The address to invite; missing or empty for an invitation by link.")
    private static let role = Input<MemberRole>.required("role", .word)
    private static let householdRole = Input<HouseholdRole?>.optional(
        "householdRole", .word, "The new member's household role; at most adult.")
    private static let delivery = Input<InvitationDelivery?>.optional(
        "delivery", .word, "Default: by e-mail.")

    static let invite = Operation.server(
        "createServerInvitation",
        "Invites a person in the key's name. Needs the scope `invitations:write`.",
        inputs: [Inputs.family, email, role, householdRole, delivery],
        responses: [
            .ok(
                Shapes.sentInvitation,
                "A pending invitation of this key to the same address is renewed.")
        ],
        refusals: [
            .familyNotFound, .missingField, .roleTooHigh, .personAlreadyMember, .alreadyInvited,
        ]
    ) { services, call in
        let recipient = try InvitationEndpoints.recipient(
            call[email], call[delivery] ?? .email)
        let sent = try services.servers().invite(
            by: call.context, into: call[Inputs.family], recipient, role: call[role],
            householdRole: call[householdRole])
        return .of(Shapes.sentInvitation, sent, link: services.link(of: sent))
    }
}
