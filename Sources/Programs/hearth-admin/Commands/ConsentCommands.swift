import CommandLine
import Configuration
import Domain
import FamilySettings
import Repositories
import UseCases

/// `hearth-admin consent`: what guardians have consented to.
enum ConsentCommands {
    static let command = Command(
        "consent", "Consents of guardians for children without an account.", subcommands: [list])

    private static let member = Parameter<String>.argument(
        "MEMBER", .child, "The id of a managed member, or of one that was.")

    private static let list = Command(
        "list", "Lists all consents that were given for a child, newest first.",
        parameters: [member]
    ) { values in
        let session = try values.session()
        let member = try session.member(withID: values[member])
        values.prints.rows(
            "consents", try session.consents(of: member.id), RecordedConsent.columns, row: \.row,
            json: { $0.write(to: &$1) })
        return ExitCode.success
    }
}

extension ManagedCommands {
    private static let member = Parameter<String>.argument(
        "MEMBER", .child, "The id of a managed member.")
    private static let email = Parameter<EmailAddress?>.option(
        "email", "ADDRESS", .emailAddress, "Send the invitation to this address.")
    private static let link = Parameter<Bool>.flag(
        "link", "Print a link to pass on instead.")
    private static let role = Parameter<MemberRole>.option(
        "role", "ROLE", .oneOf, default: .player, shownDefault: "player",
        "The role from then on: a player is a kid, a parent an adult.")

    static let graduate = Command(
        "graduate", "Invites a child to have an account of its own.",
        discussion: [
            "Whoever accepts becomes the member that the child has been; nobody acts for it from "
                + "then on. The invitation is valid for seven days and is made in the name of the "
                + "child's primary guardian. The guardians are notified by e-mail."
        ],
        parameters: [member, email, link, role]
    ) { values in
        guard (values[email] == nil) == values[link] else {
            throw UsageError("give either --email ADDRESS or --link")
        }
        let links = try InvitationLinks(values)
        let session = try values.session()
        let child = try session.member(withID: values[member])
        links.tell(
            try session.startGraduation(
                of: child.id, to: values[email].map { .email($0) } ?? .link, role: values[role],
                links.keys), values.prints)
        return ExitCode.success
    }
}
