import CommandLine
import Configuration
import Domain
import FamilySettings
import Repositories
import UseCases

/// `hearth-admin consent`: consents of guardians; `hearth-admin user consents`: consents of people
/// for themselves.
enum ConsentCommands {
    static let command = Command(
        "consent", "Consents of guardians for children without an account.", subcommands: [list])

    private static let child = Parameter<String>.argument(
        "CHILD", .child,
        "A managed member of the family: the id or name; the member's id if it was removed.")

    private static let list = Command(
        "list", "Lists all consents that were given for a child, newest first.",
        parameters: [Options.family, child]
    ) { values in
        let session = try values.session()
        let family = try session.family(values[Options.family])
        let member = try session.member(values[child], everOf: family.id)
        values.output.rows(
            "consents", try session.consents(of: member.id), RecordedConsent.columns, row: \.row,
            json: { $0.write(to: &$1) })
        return ExitCode.success
    }

    static let own = Command(
        "consents", "Lists all consents that an account gave for itself, newest first.",
        parameters: [Options.user]
    ) { values in
        let session = try values.session()
        let user = try session.user(values[Options.user])
        values.output.rows(
            "consents", try session.consents(of: user.id), RecordedOwnConsent.columns,
            row: \.row, json: { $0.write(to: &$1) })
        return ExitCode.success
    }
}

extension ManagedCommands {
    private static let email = Parameter<EmailAddress?>.option(
        "email", "ADDRESS", .emailAddress, "Send the invitation to this address.")
    private static let link = Parameter<Bool>.flag(
        "link", "Print a link to pass on instead.")
    private static let role = Parameter<MemberRole>.option(
        "role", "ROLE", .oneOf, default: .player, shownDefault: "player",
        "The role of the new account: a player becomes a kid, a parent becomes an adult.")

    static let graduate = Command(
        "graduate", "Invites a child to get an account of its own.",
        discussion: [
            "The account that accepts takes over the child's membership, and no guardian acts "
                + "for it any more. The invitation is valid for seven days and is made in the name "
                + "of the child's primary guardian. The guardians are notified by e-mail."
        ],
        parameters: [Options.family, Options.child, email, link, role]
    ) { values in
        guard (values[email] == nil) == values[link] else {
            throw UsageError("pass either --email ADDRESS or --link")
        }
        let links = try InvitationLinks(values)
        let session = try values.session()
        let family = try session.family(values[Options.family])
        let child = try session.member(values[Options.child], of: family.id)
        links.print(
            try session.startGraduation(
                of: child.id, to: values[email].map { .email($0) } ?? .link, role: values[role],
                links.keys), values.output)
        return ExitCode.success
    }
}
