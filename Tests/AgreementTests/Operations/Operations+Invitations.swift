import Domain
import Policy

/// Calls of API functions about invitations.
enum InvitationOperations {
    static let all: [Operation] = creating + renewing + AddressedMessage.allCases.flatMap(on)

    private static let creating: [Operation] = SampleFamily.targets.flatMap { family in
        func create(
            _ name: String, _ arguments: String, _ role: MemberRole, admin: Bool = false,
            unless obstacle: @escaping @Sendable (Asker) -> Bool = { _ in false }
        ) -> Operation {
            var question = Question(.invitationCreate, family)
            question.invites = role
            question.invitesAdmin = admin
            return Operation(
                name: "invite \(name) into \(family)",
                sql: "SELECT delivery_of FROM (SELECT generation AS delivery_of "
                    + "FROM app.create_invitation('\(family.id)', \(arguments))) AS c",
                kind: .call, questions: [question], obstacle: obstacle)
        }
        return [
            create("a parent", "'new@example.org', 'parent', NULL, 'email'", .parent),
            create("a player", "'new@example.org', 'player', NULL, 'email'", .player),
            create("by link", "NULL, 'parent', 'visitor', 'link'", .parent),
            create(
                "an admin", "'new@example.org', 'parent', 'parent_admin', 'email'", .parent,
                admin: true),
            create(
                "a member", "'aunt@example.com', 'parent', NULL, 'email'", .parent,
                unless: { _ in family == .a }),
        ]
    }

    /// Inviting an address that has a pending invitation, which renews the invitation if the member
    /// may resend it or its sender is blocked.
    private static let renewing: [Operation] = [
        AddressedMessage.mine, .theirs, .mineElsewhere, .overdue,
    ].map { letter in
        var invite = Question(.invitationCreate, letter.family)
        invite.invites = .parent
        var resend = Question(.invitationResend, letter.family)
        resend.letter = letter
        var operation = Operation(
            name: "invite the address of \(letter) again",
            sql: "SELECT c.generation FROM app.create_invitation('\(letter.family.id)', "
                + "'\(letter.address ?? "")', 'parent', NULL, 'email') AS c",
            kind: .call, questions: [invite])
        operation.alsoAsked = { [resend] in
            letter.isOpen && !$0.world.isBlocked(letter.inviter) ? [resend] : []
        }
        return operation
    }

    private static func on(_ letter: AddressedMessage) -> [Operation] {
        func handle(_ name: String, _ action: Action, _ sql: String) -> Operation {
            var question = Question(action, letter.family)
            question.letter = letter
            return Operation(
                name: "\(name) \(letter)", sql: "SELECT \(sql)", kind: .call,
                questions: letter.isOpen ? [question] : [])
        }
        let id = "'\(letter.id)'"
        return [
            handle("revoke", .invitationRevoke, "app.revoke_invitation(\(id))"),
            handle(
                "resend", .invitationResend,
                "generation FROM app.resend_invitation(\(id))"),
            handle(
                "keep the secret of", .invitationResend,
                "app.add_invitation_secret(\(id), 1, sha256('another'))"),
            Operation(
                name: "preview \(letter)",
                sql: "SELECT state FROM app.preview_invitation(\(letter.tokenHash))", kind: .call,
                questions: [Question(.invitationPreview)]),
        ] + answering(letter, .invitationAccept, "accept")
            + answering(letter, .invitationDecline, "decline")
    }

    private static func answering(
        _ letter: AddressedMessage, _ action: Action, _ verb: String
    ) -> [Operation] {
        var question = Question(action, letter.family)
        question.letter = letter
        let isAccept = action == .invitationAccept
        let reason: @Sendable (Asker) -> RefusalCode? = { asker in
            if letter.isOverdue { return .invitationExpired }
            if !letter.isOpen { return .invitationAnswered }
            return isAccept ? asker.reasonNotToAccept(letter) : nil
        }
        let isAbsent = letter.status == .revoked
        let first: Set<String> =
            letter.isOverdue
            ? ["invitation_expired"]
            : letter.status == .pending ? [] : ["invitation_answered"]
        func call(_ how: String, _ arguments: String, _ questions: [Question]) -> Operation {
            var operation = Operation(
                name: "\(verb) \(letter) by \(how)",
                sql: isAccept
                    ? "SELECT outcome FROM app.join_by_invitation(\(arguments))"
                    : "SELECT app.decline_invitation(\(arguments))",
                kind: isAccept
                    ? .answer(["joined", "already_member", "already_accepted"]) : .call,
                questions: questions, reason: reason, toldFirst: first)
            // A pending invitation of a blocked sender is treated as absent.
            operation.alsoAsked = {
                letter.status == .pending && $0.world.isBlocked(letter.inviter)
                    ? [.impossible] : []
            }
            return operation
        }
        return [
            call("token", "\(letter.tokenHash), NULL", isAbsent ? [] : [question]),
            // Only the addressee can answer by id: for all others the invitation is not found.
            call(
                "id", "NULL, '\(letter.id)'",
                isAbsent || letter.address == nil ? [] : [question]),
        ]
    }
}

extension Asker {
    /// The reason why `me` can't accept an open invitation; nil if it can, or is a member already.
    fileprivate func reasonNotToAccept(_ letter: AddressedMessage) -> RefusalCode? {
        if let child = letter.graduate { return reasonNotToBecome(child, in: letter.family) }
        if world.active(.me, in: letter.family) != nil { return nil }
        // The link is older than the removal, or its sender can't readmit people.
        let was = world.row(.me, in: letter.family)
        if was?.isBarred ?? false,
            letter.address == nil || !world.governs(letter.inviter, in: letter.family)
        {
            return .removedFromFamily
        }
        return world.reasonNotToEnter(letter.family, as: letter.role)
    }

    /// The reason why `me` can't become a child: it is a member of the child's family or of another
    /// one, or was removed from it before the link was made, or the child does not exist.
    private func reasonNotToBecome(
        _ child: SamplePerson, in family: SampleFamily
    ) -> RefusalCode? {
        let was = world.row(.me, in: family)
        let isThere = world.active(child, in: family) != nil
        if isThere, was?.isActive ?? false || world.creators[family] == .me {
            return .notTheGraduate
        }
        if world.isPlayerInCompany { return .playerHasFamily }
        if world.rows.contains(where: { $0.person == .me && $0.isActive && $0.family != .nest }) {
            return .notTheGraduate
        }
        if !isThere { return .invitationAnswered }
        if world.roleOfMe == .parent, world.keepsRole(besides: family) { return .roleMismatch }
        return was?.isBarred ?? false ? .removedFromFamily : nil
    }
}
