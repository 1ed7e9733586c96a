import Repositories
import CommandLine
import Configuration
import UseCases

/// `hearth-admin audit`: the audit log.
enum AuditCommand {
    static let command = Command(
        "audit", "The audit log: who changed what.",
        subcommands: [list, AuditExport.command, AuditDrop.command], defaultSubcommand: "list")

    private static let family = Parameter<String?>.option(
        "family", "FAMILY", .family, "Only entries of this family: id, code or name.")
    private static let user = Parameter<String?>.option(
        "user", "USER", .user, "Only entries by or about this person: id or e-mail address.")
    private static let by = Parameter<String?>.option(
        "by-operator", "NAME", .text, "Only entries by this operator.")
    private static let action = Parameter<String?>.option(
        "action", "ACTION", .text, "Only entries with this action, such as member.remove.")

    private static let list = Command(
        "list", "Lists the audit log, newest entries first.",
        discussion: [
            "The actor is operator:NAME for an operator, sql:ROLE for a change made by direct SQL, "
                + "and the account's id otherwise."
        ],
        parameters: [family, user, by, action] + Options.paging
    ) { values in
        let session = try values.session()
        let page = try session.audit(
            family: try values[family].map { try session.family($0).id },
            user: try values[user].map { try session.user($0).id },
            operatorName: values[by], action: values[action], values.page)
        values.output.list(
            "entries", page, AdminAuditEntry.columns, row: \.row,
            json: { $0.write(to: &$1) })
        return ExitCode.success
    }
}
