import CommandLine
import Configuration
import Domain
import FamilySettings
import JSON
import Repositories
import UseCases

/// `hearth-admin operator`: the accounts that may administer the service.
enum OperatorCommands {
    static let command = Command(
        "operator", "Operators: accounts that may administer this service.",
        discussion: [
            "A viewer reads, support helps people, an admin does everything. While an account is "
                + "an operator, it can't be erased or blocked, its address doesn't change, and no "
                + "sign-in is added to it. The last admin can't be removed."
        ],
        subcommands: [add, passkey, list, role, remove])

    private static let account = Parameter<String>.argument(
        "ADDRESS", .user, "The account: its e-mail address or id.")
    private static let newRole = Parameter<OperatorRole>.requiredOption(
        "role", "ROLE", .operatorRole, "The role: viewer, support or admin.")
    private static let roleWord = Parameter<OperatorRole>.argument(
        "ROLE", .operatorRole, "The role: viewer, support or admin.")

    private static let add = Command(
        "add", "Makes an account an operator.", parameters: [account, newRole],
        examples: [
            Example(
                "hearth-admin operator add jo@example.com --role admin",
                "makes the account of this address an admin")
        ]
    ) { values in
        let session = try values.session()
        let user = try session.accountForOperator(values[account])
        let isNew = try session.addOperator(user.id, values[newRole])
        let link = isNew ? try makeLink(for: user, session, values) : nil
        report(isNew ? "added" : "nothing changed", user, values[newRole], link, values)
        return ExitCode.success
    }

    /// Minutes within which a link for the console can be used.
    private static let linkMinutes = 60
    private static let minutes = Parameter<Int>.option(
        "minutes", "COUNT", .integer(1...1440), default: linkMinutes,
        "The time within which the link can be used.")

    private static let passkey = Command(
        "passkey", "Makes a one-time link with which an operator signs in to the console.",
        discussion: [
            "The link signs the operator in, once; the operator then adds a passkey for the "
                + "console. A new link replaces an earlier one. Send the link over a channel that "
                + "nobody else can read."
        ],
        parameters: [account, minutes]
    ) { values in
        let session = try values.session()
        let user = try session.user(values[account])
        let link = try makeLink(for: user, session, values, minutes: values[minutes])
        values.output.done(link) {
            $0.member("userId", user.id.description)
            $0.member("link", link)
        }
        return ExitCode.success
    }

    private static func makeLink(
        for user: AdminUser, _ session: OperatorSession, _ values: Values,
        minutes: Int = linkMinutes
    ) throws -> String {
        let base = try values.settings([HearthSettings.consolePublicURL])[
            HearthSettings.consolePublicURL]
        let token = try session.makeConsoleLink(for: user.id, minutes: minutes)
        return "\(base)/link?token=\(token.text)"
    }

    private static let list = Command("list", "Lists the operators.") { values in
        values.output.rows(
            "operators", try values.session().operators(),
            [
                .fixed("ID"), .text("NAME"), .text("E-MAIL"), .fixed("ROLE"), .fixed("SINCE"),
                .text("ADDED BY"),
            ],
            row: {
                [
                    $0.account.description, $0.fullName ?? "-", $0.email ?? "", $0.role.rawValue,
                    $0.addedAt.date, $0.addedBy,
                ]
            },
            json: { item, json in
                json.member("userId", item.account.description)
                json.member("email", item.email)
                json.member("fullName", item.fullName)
                json.member("role", item.role.rawValue)
                json.member("addedAt", item.addedAt.description)
                json.member("addedBy", item.addedBy)
            })
        return ExitCode.success
    }

    private static let role = Command(
        "role", "Gives an operator another role.", parameters: [account, roleWord]
    ) { values in
        let session = try values.session()
        let user = try session.user(values[account])
        let isNew = try session.setOperatorRole(user.id, values[roleWord])
        report(isNew ? "changed" : "nothing changed", user, values[roleWord], nil, values)
        return ExitCode.success
    }

    private static let remove = Command(
        "remove", "Removes an account's operator role; the account stays.",
        parameters: [account, Options.yes]
    ) { values in
        let session = try values.session()
        let user = try session.user(values[account])
        try values.confirm("Remove the operator \(user.email ?? user.id.description)?")
        try session.removeOperator(user.id)
        report("removed", user, nil, nil, values)
        return ExitCode.success
    }

    private static func report(
        _ outcome: String, _ user: AdminUser, _ role: OperatorRole?, _ link: String?,
        _ values: Values
    ) {
        let name = user.email ?? user.id.description
        let signIn = link.map { "\nlink for the console, once, within an hour: \($0)" } ?? ""
        values.output.done("\(outcome): \(name)\(role.map { ", \($0)" } ?? "")\(signIn)") {
            $0.member("userId", user.id.description)
            $0.member("role", role?.rawValue)
            $0.member("link", link)
        }
    }
}

extension Expectation where Value == OperatorRole {
    /// The role of an operator.
    fileprivate static let operatorRole = Expectation("viewer, support or admin") {
        OperatorRole(rawValue: $0)
    }
}
