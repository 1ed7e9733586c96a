import Basics
import Domain
import HTTPServer
import JSON
import Repositories
import UseCases

/// The audit log. Its filters are in the URL, so that they can be bookmarked.
enum AuditScreen {
    static let routes: [ConsoleRoute] = [
        .page("/audit", show), .page("/audit.json") { try export($0, isJSON: true) },
        .page("/audit.csv") { try export($0, isJSON: false) },
    ]

    private static let user = ListFilter("user", "Person (id)")
    private static let family = ListFilter("family", "Family (id)")
    private static let from = ListFilter("from", "From (UTC)", example: "2026-11-28 12:00")
    private static let until = ListFilter("until", "Until (UTC)", example: "2026-11-28")
    private static let filters = [
        user, family, ListFilter("label", "Done by", example: "jo@example.com"),
        ListFilter("action", "Action", example: "member.add", suggestions: actions),
        ListFilter("request", "Request (id)"), from, until,
    ]
    /// The actions that the database's functions record.
    private static let actions = [
        "admin.transfer", "api_key.create", "api_key.revoke", "api_key.rotate", "attributes.write",
        "audit.drop", "audit.export", "code.join", "code.regenerate", "consent.give",
        "consent.withdraw", "doctor.fix", "doctor.repair", "family.create", "family.export",
        "family.update", "guardian.add", "guardian.promote", "guardian.remove", "identity.add",
        "identity.remove", "invitation.accept", "invitation.create", "invitation.decline",
        "invitation.resend", "invitation.revoke", "issuer.add", "issuer.change", "issuer.remove",
        "job.cancel", "job.retry", "limit.clear", "mail.suppress", "mail.test", "mail.unsuppress",
        "managed.create", "managed.graduate", "managed.reassign", "managed.remove",
        "managed.update", "member.add", "member.approve", "member.leave", "member.remove",
        "member.set_role", "operator.add", "operator.link", "operator.passkey_add",
        "operator.passkey_remove", "operator.remove", "operator.role", "operator.sign_in",
        "player_details.write", "preferences.write", "profile.update", "purge.run", "queue.pause",
        "queue.resume", "schedule.run", "user.block", "user.change_address", "user.erase",
        "user.export", "user.request_address", "user.send_reset", "user.sign_out", "user.unblock",
        "user.view", "webhook.add", "webhook.pause", "webhook.remove", "webhook.replay",
        "webhook.resume", "webhook.rotate", "webhook.test",
    ]
    /// Description of the filters whose labels do not say what they take.
    private static let hint: HTML = """
        <p class="hint">Done by takes an operator's address as the list shows it, or a label such \
        as <code>server:NAME</code>; what the account of a family's member did is found by Person. \
        The page of a person or a family has its id, and a link to its entries. A date in Until \
        includes that day.</p>

        """
    /// Maximum number of entries in a file.
    private static let fileLimit = 1_000
    /// Days searched if the URL has neither a start time nor a request.
    private static let days: Int64 = 31
    private static let noEntry = "There is no such entry in this time."
    /// Sentence shown if no entry has the request's id and meets the other filters.
    private static let noRequest = "There is no such entry. \(requestsRecorded)"
    /// Description of the requests that are found by their id.
    static let requestsRecorded =
        "Only requests to the API that changed something are in the audit log; the log of "
        + "hearth-api also has those that only read or failed."

    private static func filter(_ visit: ConsoleVisit) throws -> ConsoleReader.AuditFilter {
        var filter = ConsoleReader.AuditFilter()
        filter.user = try id(user, visit, User.self)
        filter.family = try id(family, visit, Family.self)
        filter.label = visit.parameter("label").map { label in
            label.contains(":") ? label : "operator:\(label)"
        }
        filter.action = visit.parameter("action")
        filter.request = visit.parameter("request")
        filter.from = try time(from, visit)?.start
        filter.until = try time(until, visit)?.end
        if let start = filter.from, let end = filter.until, start >= end {
            throw ConsoleMistake(
                sentence: "\(from.label): expected a time before \(until.label).")
        }
        if filter.from == nil, filter.request == nil {
            let end = filter.until?.seconds ?? visit.services.now()
            filter.from = Timestamp(microseconds: (end - days * 86_400) * 1_000_000)
        }
        return filter
    }

    private static func show(_ visit: ConsoleVisit) throws -> Response {
        let filter: ConsoleReader.AuditFilter
        do {
            filter = try Self.filter(visit)
        } catch let mistake as ConsoleMistake {
            return unreadable("Audit log", "/audit", filters, mistake, visit, .audit)
        }
        let page = try visit.page()
        let (entries, erased) = try visit.read { reader in
            let entries = try reader.audit(filter, page)
            return (entries, try reader.erased(among: nameless(entries.items)))
        }
        let parameters = filters.map { ($0.name, visit.parameter($0.name)) }
        let parts = ConsoleParts(visit)
        let period: HTML =
            visit.parameter("from") == nil && filter.request == nil
            ? """
            <p class="hint">The last \("\(days)") days are searched, unless you fill in From.</p>

            """ : ""
        return visit.reply(
            "Audit log",
            """
            <h1>Audit log</h1>
            \(form("/audit", filters, visit))
            \(hint)\(period)\
            \(table(
                entries.items, erased, empty: filter.request == nil ? noEntry : noRequest))\
            \(parts.pager("/audit", parameters, next: entries.nextCursor))
            <p>The first \("\(fileLimit)") of these entries as \
            <a href="\(URLText.address("/audit.csv", parameters))">CSV</a> or \
            <a href="\(URLText.address("/audit.json", parameters))">JSON</a></p>
            """, section: .audit)
    }

    /// Returns the people in entries who have no name, such as erased ones.
    static func nameless(_ entries: [NamedAuditEntry]) -> Set<UserID> {
        let actors = entries.filter { $0.actorName == nil }.compactMap(\.entry.entry.actor)
        let subjects = entries.filter { $0.subjectName == nil }.compactMap(\.entry.entry.subject)
        return Set(actors + subjects)
    }

    /// Returns a table of entries.
    ///
    /// - Parameters:
    ///   - erased: The kinds of the people in them whose data was erased.
    ///   - isOfFamily: Whether the entries are those of one family, on its page. The column with
    ///     the family is left out then.
    static func table(
        _ entries: [NamedAuditEntry], _ erased: [UserID: UserKind], isOfFamily: Bool = false,
        empty: String
    ) -> HTML {
        var columns = ["Time (UTC)", "Done by", "Action", "Person", "Family", "Details", "Request"]
        if isOfFamily { columns.removeAll { $0 == "Family" } }
        return ConsoleParts.table(
            "Audit log", columns,
            entries.map { named in
                let entry = named.entry.entry
                let details = String(decoding: entry.details.utf8, as: UTF8.self)
                let family: HTML =
                    named.entry.family.map { (id: FamilyID) -> HTML in
                        let name = named.familyName ?? id.description
                        let link = ConsoleParts.link("/families/\(id)", name)
                        return "<div class=\"narrow\">\(link)</div>"
                    } ?? ""
                let wideDetails: HTML =
                    details == "{}"
                    ? "" : "<div class=\"wide\">\(ConsoleParts.longCode(details))</div>"
                let start: [HTML] = [
                    ConsoleParts.time(entry.at),
                    entry.actor.map { ConsoleParts.person($0, named.actorName, erased) }
                        ?? HTML("\(entry.actorLabel ?? "")"),
                    ConsoleParts.code(entry.action),
                    entry.subject.map { ConsoleParts.person($0, named.subjectName, erased) } ?? "",
                ]
                let end: [HTML] = [
                    wideDetails,
                    named.entry.requestID.map {
                        ConsoleParts.link(URLText.address("/audit", [("request", $0)]), $0)
                    } ?? "",
                ]
                return isOfFamily ? start + end : start + [family] + end
            }, empty: empty)
    }

    // MARK: Files

    private static func export(_ visit: ConsoleVisit, isJSON: Bool) throws -> Response {
        let filter = try filter(visit)
        let page = try visit.page(limit: fileLimit)
        let entries = try visit.read { try $0.audit(filter, page) }.items
        let (body, type) =
            isJSON
            ? (json(entries), "application/json") : (csv(entries), "text/csv; charset=utf-8")
        return ConsoleReply.download(
            body, named: "audit.\(isJSON ? "json" : "csv")", type: type)
    }

    private static func json(_ entries: [NamedAuditEntry]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.array("entries") { list in
                for named in entries {
                    let entry = named.entry.entry
                    list.object {
                        $0.member("id", entry.id.description)
                        $0.member("at", entry.at.description)
                        $0.member("actorUserId", entry.actor?.description)
                        $0.member("actorName", named.actorName)
                        $0.member("actorLabel", entry.actorLabel)
                        $0.member("action", entry.action)
                        $0.member("subjectUserId", entry.subject?.description)
                        $0.member("subjectName", named.subjectName)
                        $0.member("familyUnitId", named.entry.family?.description)
                        $0.member("familyName", named.familyName)
                        $0.member("details", String(decoding: entry.details.utf8, as: UTF8.self))
                        $0.member("requestId", named.entry.requestID)
                    }
                }
            }
        }
        return json.bytes
    }

    private static func csv(_ entries: [NamedAuditEntry]) -> [UInt8] {
        let head = [
            "id", "at", "actor_user_id", "actor_name", "actor_label", "action", "subject_user_id",
            "subject_name", "family_unit_id", "family_name", "details", "request_id",
        ]
        let rows = entries.map { named in
            let entry = named.entry.entry
            return [
                entry.id.description, entry.at.description, entry.actor?.description ?? "",
                named.actorName ?? "", entry.actorLabel ?? "", entry.action,
                entry.subject?.description ?? "", named.subjectName ?? "",
                named.entry.family?.description ?? "", named.familyName ?? "",
                String(decoding: entry.details.utf8, as: UTF8.self),
                named.entry.requestID ?? "",
            ]
        }
        let lines = ([head] + rows).map { $0.map(cell).joined(separator: ",") + "\r\n" }
        return Array(lines.joined().utf8)
    }

    /// A cell of a CSV file (RFC 4180). A text that a spreadsheet would take for a formula gets an
    /// apostrophe in front.
    private static func cell(_ text: String) -> String {
        let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
        let safe = (isFormula ? "'" : "") + text
        return "\"\(safe.replacing("\"", with: "\"\""))\""
    }

    // MARK: Filters

    /// Returns the form of a list's filters. It is sent with GET, so that the result can be
    /// bookmarked.
    static func form(_ path: String, _ filters: [ListFilter], _ visit: ConsoleVisit) -> HTML {
        let fields = filters.reduce(into: HTML("")) { html, filter in
            let list: HTML =
                filter.suggestions.isEmpty ? "" : " list=\"l-\(filter.name)\""
            html = """
                \(html)<div><label for="f-\(filter.name)">\(filter.label)</label>
                <input id="f-\(filter.name)" name="\(filter.name)" autocomplete="off"\(list) \
                placeholder="\(filter.example)" \
                value="\(visit.parameter(filter.name) ?? "")">\(suggestions(filter))</div>

                """
        }
        return """
            <form method="get" action="\(path)" class="filters">
            \(fields)<button type="submit" class="plain">Filter</button>
            <a href="\(path)">Clear the filters</a></form>

            """
    }

    private static func suggestions(_ filter: ListFilter) -> HTML {
        if filter.suggestions.isEmpty { return "" }
        let options = filter.suggestions.reduce(into: HTML("")) { html, value in
            html = "\(html)<option value=\"\(value)\"></option>"
        }
        return "\n<datalist id=\"l-\(filter.name)\">\(options)</datalist>"
    }

    /// Returns the page of a list whose filters can't be read: the reason, and the form with what
    /// was typed.
    static func unreadable(
        _ title: String, _ path: String, _ filters: [ListFilter], _ mistake: ConsoleMistake,
        _ visit: ConsoleVisit, _ section: ConsoleLayout.Section
    ) -> Response {
        visit.reply(
            title,
            """
            <h1>\(title)</h1>
            \(SignInScreens.alert(mistake.sentence))\(form(path, filters, visit))
            """, section: section, status: 400)
    }

    /// Returns the id in a filter; nil if there is none.
    static func id<Entity>(
        _ filter: ListFilter, _ visit: ConsoleVisit, _: Entity.Type
    ) throws -> ID<Entity>? {
        guard let text = visit.parameter(filter.name)?.trimmed else { return nil }
        guard let id = ID<Entity>(text.lowercased()) else {
            throw ConsoleMistake(sentence: "\(filter.label): expected an id, found '\(text)'.")
        }
        return id
    }

    private static func time(
        _ filter: ListFilter, _ visit: ConsoleVisit
    ) throws -> ConsolePeriod? {
        guard let text = visit.parameter(filter.name)?.trimmed else { return nil }
        guard let period = ConsolePeriod(text) else {
            throw ConsoleMistake(
                sentence: "\(filter.label): expected a day or a time such as 2026-11-28 or "
                    + "2026-11-28 12:00, found '\(text)'.")
        }
        return period
    }
}

/// A filter of a list: a field of its form, and a parameter of its URL.
struct ListFilter: Sendable {
    let name, label: String
    /// Example of a value, shown while the field is empty.
    let example: String
    /// Values that the browser suggests.
    let suggestions: [String]

    init(_ name: String, _ label: String, example: String = "", suggestions: [String] = []) {
        self.name = name
        self.label = label
        self.example = example
        self.suggestions = suggestions
    }
}

/// The period that a day or a time in a filter stands for.
private struct ConsolePeriod {
    /// The time, or the first moment of the day.
    let start: Timestamp
    /// The time, or the first moment of the next day.
    let end: Timestamp

    /// Parses a day, or a time in RFC 3339, also without its offset, which stands for UTC, or
    /// without its seconds too; nil for other text.
    init?(_ text: String) {
        if let midnight = Timestamp(iso8601: text + "T00:00:00Z") {
            start = midnight
            end = Timestamp(microseconds: midnight.microseconds + 86_400 * 1_000_000)
            return
        }
        let endings = ["", "Z", ":00Z"]
        guard let time = endings.lazy.compactMap({ Timestamp(iso8601: text + $0) }).first
        else { return nil }
        (start, end) = (time, time)
    }
}
