import Domain
import Repositories
import CommandLine
import Configuration
import UseCases

/// `hearth-admin erase`: erases a person (the right to be forgotten).
enum EraseCommand {
    private static let successors = Parameter<[String]>.repeatedOption(
        "reassign-managed-to", "MEMBER", .member,
        "The new guardian of the person's children: a member's id, e-mail address or name. One for "
            + "each family.")

    static let command = Command(
        "erase", "Erases the personal data of a person.",
        discussion: [
            "Erases name, e-mail address, pictures, sign-ins, preferences and invitations to the "
                + "address, and ends all memberships, in one transaction. The audit log keeps only "
                + "the id. If the person signs in again, a new account is created. This can't be "
                + "undone.",
            "The person's children need another guardian (--reassign-managed-to), or must be "
                + "removed first. If the person is a Parent Admin, the seat becomes vacant.",
        ],
        parameters: [Options.user, successors, Options.yes],
        examples: [
            Example(
                "hearth-admin erase parent@example.com --reassign-managed-to other@example.com",
                "erases a guardian and gives the children another one")
        ]
    ) { values in
        let session = try values.session()
        let user = try session.user(values[Options.user])
        let families = try session.memberships(of: user.id).filter { $0.status != .removed }
        let successors = try values[successors].map {
            try session.member($0, ofOneOf: families.map(\.family)).id
        }
        let name = user.fullName ?? user.id.description
        let names = families.map(\.familyName).joined(separator: ", ")
        try values.confirm(
            "Erase \(name)\(names.isEmpty ? "" : ", of \(names)")? This can't be undone.")
        let erased = try session.erase(user.id, successors: successors)
        values.output.done(
            "erased \(user.id); families left: \(erased.membershipCount), sign-ins deleted: "
                + "\(erased.signInCount), invitations cleared: \(erased.invitationCount)"
        ) {
            $0.member("userId", user.id.description)
            $0.member("memberships", erased.membershipCount)
            $0.member("signIns", erased.signInCount)
            $0.member("invitations", erased.invitationCount)
        }
        return ExitCode.success
    }
}
