import Domain
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

    private static let from = Parameter<Timestamp?>.option(
        "from", "TIME", .pointInTime, "Only entries from this day or time on, in UTC.")
    private static let until = Parameter<Timestamp?>.option(
        "until", "TIME", .pointInTime, "Only entries before this day or time, in UTC.")

    private static let request = Parameter<String?>.option(
        "request", "ID", .text,
        "Only entries of the request with this X-Request-Id, as in the log of hearth-api. A "
            + "request that only read or failed has no entry.")

    private static let list = Command(
        "list", "Lists the audit log, newest entries first.",
        discussion: [
            "The actor is operator:NAME for an operator, sql:ROLE for a change made by direct SQL, "
                + "and the account's id otherwise."
        ],
        parameters: [family, user, by, action, from, until, request] + Options.paging
    ) { values in
        let session = try values.session()
        var filter = ConsoleReader.AuditFilter()
        filter.family = try values[family].map { try session.family($0).id }
        filter.user = try values[user].map { try session.user($0).id }
        filter.label = values[by].map { $0.hasPrefix("operator:") ? $0 : "operator:\($0)" }
        filter.action = values[action]
        filter.from = values[from]
        filter.until = values[until]
        filter.request = values[request]
        let page = try ConsoleReader(on: session.connection).audit(filter, values.page)
        values.output.list(
            "entries", page, NamedAuditEntry.columns, row: \.row,
            json: { $0.write(to: &$1) })
        return ExitCode.success
    }
}

extension Expectation where Value == Timestamp {
    /// A day, which begins at midnight UTC, or a point in time.
    fileprivate static let pointInTime = Expectation(
        "a day such as '2026-11-28', or a time such as '2026-11-28T07:30:00Z'"
    ) { word in
        Timestamp(iso8601: word.utf8.count == 10 ? word + "T00:00:00Z" : word)
    }
}
