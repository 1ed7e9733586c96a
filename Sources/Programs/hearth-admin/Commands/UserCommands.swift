import Repositories
import CommandLine
import Configuration
import UseCases

/// `hearth-admin user`: accounts and managed children.
enum UserCommands {
    static let command = Command(
        "user", "Accounts, and managed children (who have no sign-in).",
        subcommands: [
            list, show, UserToken.command, UserSessions.list, UserSessions.signOut,
            UserAddress.command,
            ConsentCommands.own,
        ])

    private static let search = Parameter<String?>.option(
        "search", "TEXT", .text, "Only people whose name or e-mail address contains this text.")

    private static let list = Command(
        "list", "Lists people, newest first.", parameters: [search] + Options.paging
    ) { values in
        let page = try values.session().users(search: values[search], values.page)
        values.output.list(
            "users", page, AdminUser.columns, row: \.row, json: { $0.write(to: &$1) })
        return ExitCode.success
    }

    private static let show = Command(
        "show", "Shows a person and the person's families.", parameters: [Options.user]
    ) { values in
        let session = try values.session()
        let user = try session.user(values[Options.user])
        let memberships = try session.memberships(of: user.id)
        values.output.record([
            ("id", user.id.description), ("name", user.fullName), ("e-mail", user.email),
            ("verified", user.email == nil ? nil : user.isEmailVerified ? "yes" : "no"),
            ("kind", user.kind.rawValue), ("role", user.role.rawValue),
            ("signs in with", user.issuers.isEmpty ? nil : user.issuers.joined(separator: ", ")),
            ("created", user.createdAt.description), ("erased", user.erasedAt?.description),
        ]) { json in
            json.object("user") { user.write(to: &$0) }
            json.array("memberships") { list in
                for membership in memberships { list.object { membership.write(to: &$0) } }
            }
        }
        if !memberships.isEmpty && !values[Options.json] {
            Terminal.standardOutput.write("\n")
            values.output.table(
                AdminMember.familyColumns, memberships.map(\.familyRow))
        }
        return ExitCode.success
    }
}
