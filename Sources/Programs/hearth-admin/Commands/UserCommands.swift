import Repositories
import CommandLine
import Configuration
import UseCases

/// `hearth-admin user`: accounts and managed children.
enum UserCommands {
    static let command = Command(
        "user", "Accounts, and managed children (who have no sign-in).",
        subcommands: [
            list, show, UserToken.command, UserSessions.list, UserSessions.signIns,
            UserSessions.signOut, block, unblock, UserAddress.command, UserReset.command,
            UserExport.command, UserPasskeys.list, UserPasskeys.remove,
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

    private static let reason = Parameter<String>.requiredOption(
        "reason", "TEXT", .text,
        "The reason, shown to operators and in the person's own export: up to 200 characters on "
            + "one line.")

    private static let block = Command(
        "block", "Blocks an account: its sessions end, and it can't sign in.",
        discussion: [
            "The person gets an e-mail about it, and no other e-mails. Memberships stay, and "
                + "others see nothing of the block. The account of an operator can't be blocked."
        ],
        parameters: [Options.user, reason, Options.yes]
    ) { values in
        let session = try values.session()
        let user = try session.user(values[Options.user])
        try values.confirm("Block \(user.fullName ?? user.email ?? user.id.description)?")
        let isNew = try session.block(user.id, reason: values[reason])
        values.output.done(isNew ? "blocked" : "already blocked") {
            $0.member("userId", user.id.description)
            $0.member("blocked", true)
        }
        return ExitCode.success
    }

    private static let unblock = Command(
        "unblock", "Lifts the block of an account; the person can sign in again.",
        parameters: [Options.user]
    ) { values in
        let session = try values.session()
        let user = try session.user(values[Options.user])
        let isNew = try session.unblock(user.id)
        values.output.done(isNew ? "unblocked" : "not blocked") {
            $0.member("userId", user.id.description)
            $0.member("blocked", false)
        }
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
            ("blocked", user.blockedAt?.description), ("by", user.blockedBy),
            ("reason", user.blockedReason),
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
