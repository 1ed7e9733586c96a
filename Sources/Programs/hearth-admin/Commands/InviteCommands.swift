import Domain
import Repositories
import CommandLine
import Configuration
import FamilySettings
import UseCases

/// `hearth-admin invite`: invitations.
enum InviteCommands {
    static let command = Command(
        "invite", "Invitations into families.", subcommands: [send, list, revoke, resend])

    private static let email = Parameter<EmailAddress?>.option(
        "email", "ADDRESS", .emailAddress, "Send the invitation to this address.")
    private static let link = Parameter<Bool>.flag(
        "link", "Print a link to pass on instead.")
    private static let role = Parameter<MemberRole>.option(
        "role", "ROLE", .oneOf, default: .parent, shownDefault: "parent",
        "The role of the new member.")
    private static let householdRoles = Expectation<HouseholdRole>.oneOf(except: [.parentAdmin])
    private static let householdRole = Parameter<HouseholdRole?>.option(
        "household-role", "HOUSEHOLD-ROLE", householdRoles,
        "The new member's household role, at most adult; default: the role's usual one.")
    private static let inviter = Parameter<String?>.option(
        "from", "MEMBER", .member,
        "The member in whose name the invitation is made; default: the Parent Admin, otherwise "
            + "the adult who joined first.")

    private static let send = Command(
        "send", "Invites a person into a family.",
        discussion: [
            "The invitation is valid for seven days and is made in the name of a member. A pending "
                + "invitation to the same address is renewed, and its earlier link stops working."
        ],
        parameters: [Options.family, email, link, role, householdRole, inviter]
    ) { values in
        guard (values[email] == nil) == values[link] else {
            throw UsageError("pass either --email ADDRESS or --link")
        }
        let links = try InvitationLinks(values)
        let session = try values.session()
        let family = try session.family(values[Options.family])
        let inviter =
            try values[inviter].map { try session.member($0, of: family.id) }
            ?? session.inviter(for: values[role], of: family.id)
        let sent = try session.sendInvitation(
            to: values[email].map { .email($0) } ?? .link, inviter: inviter.id,
            role: values[role], householdRole: values[householdRole], links.keys)
        links.print(sent, values.output)
        return ExitCode.success
    }

    private static let family = Parameter<String?>.optionalArgument(
        "FAMILY", .family, "A family: its id, its code, its name or a part of the name.")
    private static let all = Parameter<Bool>.flag(
        "all", "Include accepted, declined, revoked and expired invitations.")

    private static let list = Command(
        "list", "Lists pending invitations, newest first.",
        parameters: [family, all] + Options.paging
    ) { values in
        let session = try values.session()
        let page = try session.invitations(
            of: try values[family].map { try session.family($0).id },
            onlyPending: !values[all], values.page)
        values.output.list(
            "invitations", page, AdminInvitation.columns, row: \.row,
            json: { $0.write(to: &$1) })
        return ExitCode.success
    }

    private static let invitation = Parameter<InvitationID>.argument(
        "INVITATION", .invitation, "The invitation's id, as shown by 'hearth-admin invite list'.")

    private static let revoke = Command(
        "revoke", "Revokes a pending invitation, so that its link stops working.",
        parameters: [invitation, Options.yes]
    ) { values in
        let session = try values.session()
        try session.requirePending(values[invitation])
        try values.confirm("Revoke this invitation? Its link stops working at once.")
        try session.revokeInvitation(values[invitation])
        values.output.done("revoked") {
            $0.member("id", values[invitation].description)
            $0.member("status", "revoked")
        }
        return ExitCode.success
    }

    private static let resend = Command(
        "resend", "Sends a pending invitation again, with a new link.",
        parameters: [invitation]
    ) { values in
        let links = try InvitationLinks(values)
        let session = try values.session()
        links.print(
            try session.resendInvitation(values[invitation], links.keys), values.output)
        return ExitCode.success
    }
}

/// Computes the links that invitees receive.
struct InvitationLinks {
    let keys: InvitationKeys
    let signInKeys: SignInKeys
    private let base: String

    init(_ values: Values) throws {
        let settings = try values.settings([
            HearthSettings.secretKeys, HearthSettings.publicURL,
        ])
        base = settings[HearthSettings.publicURL]
        let secrets = settings[HearthSettings.secretKeys].map { Array($0.reveal().utf8) }
        guard let keys = try InvitationKeys(secrets) else {
            throw SettingsError(["HEARTH_SECRET_KEY: expected keys of at least 32 bytes each"])
        }
        self.keys = keys
        signInKeys = try SignInKeys(secrets)
    }

    func print(_ sent: SentInvitation, _ output: Output) {
        let link = sent.token.map { "\(base)/join?token=\($0.text)" }
        output.record([
            ("invitation", sent.id.description), ("link", link),
            ("expires", sent.expiresAt.description),
            ("note", sent.isRenewed ? "renewed; the earlier link no longer works" : nil),
        ]) {
            $0.member("id", sent.id.description)
            $0.member("delivery", sent.delivery.rawValue)
            $0.member("inviteUrl", link)
            $0.member("expiresAt", sent.expiresAt.description)
            $0.member("renewed", sent.isRenewed)
        }
    }
}
