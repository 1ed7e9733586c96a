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

    private static let names = [
        ("user", "Person (id)"), ("family", "Family (id)"), ("label", "Done by"),
        ("action", "Action"), ("request", "Request (id)"), ("from", "From (UTC)"),
        ("until", "Until (UTC)"),
    ]
    /// Maximum number of entries in a file.
    private static let fileLimit = 1_000
    /// Days searched if the URL has neither a start time nor a request.
    private static let days: Int64 = 31
    static let noEntry = "There is no such entry in this time."
    /// Sentence shown if no entry has the request's id and meets the other filters.
    private static let noRequest = "There is no such entry. \(requestsRecorded)"
    /// Description of the requests that are found by their id.
    static let requestsRecorded =
        "Only requests to the API that changed something are in the audit log; the log of "
        + "hearth-api also has those that only read or failed."

    private static func filter(_ visit: ConsoleVisit) throws -> ConsoleReader.AuditFilter {
        var filter = ConsoleReader.AuditFilter()
        filter.user = try id("user", visit, User.self)
        filter.family = try id("family", visit, Family.self)
        filter.label = visit.parameter("label").map { label in
            label.contains(":") ? label : "operator:\(label)"
        }
        filter.action = visit.parameter("action")
        filter.request = visit.parameter("request")
        filter.until = try time("until", visit)
        filter.from = try time("from", visit)
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
            return unreadable("Audit log", "/audit", names, mistake, visit, .audit)
        }
        let page = try visit.page()
        let entries = try visit.read { try $0.audit(filter, page) }
        let parameters = names.map { ($0.0, visit.parameter($0.0)) }
        let parts = ConsoleParts(visit)
        let period: HTML =
            visit.parameter("from") == nil && filter.request == nil
            ? """
            <p class="hint">The last \("\(days)") days are searched, unless From says more.</p>

            """ : ""
        return visit.reply(
            "Audit log",
            """
            <h1>Audit log</h1>
            \(filters("/audit", names, visit))
            \(period)\(table(entries.items, empty: filter.request == nil ? noEntry : noRequest))\
            \(parts.pager("/audit", parameters, next: entries.nextCursor))
            <p>The first \("\(fileLimit)") of these entries as \
            <a href="\(URLText.address("/audit.csv", parameters))">CSV</a> or \
            <a href="\(URLText.address("/audit.json", parameters))">JSON</a></p>
            """, section: .audit)
    }

    static func table(
        _ entries: [NamedAuditEntry], empty: String = AuditScreen.noEntry
    ) -> HTML {
        ConsoleParts.table(
            "Audit log", ["Time (UTC)", "Who", "Action", "Person", "Family", "Details", "Request"],
            entries.map { named in
                let entry = named.entry.entry
                let details = String(decoding: entry.details.utf8, as: UTF8.self)
                return [
                    ConsoleParts.time(entry.at),
                    entry.actor.map { person($0, named.actorName) }
                        ?? HTML("\(entry.actorLabel ?? "")"),
                    ConsoleParts.code(entry.action),
                    entry.subject.map { person($0, named.subjectName) } ?? "",
                    named.entry.family.map {
                        ConsoleParts.link("/families/\($0)", named.familyName ?? "\($0)")
                    } ?? "",
                    details == "{}" ? "" : ConsoleParts.longCode(details),
                    named.entry.requestID.map {
                        ConsoleParts.link(URLText.address("/audit", [("request", $0)]), $0)
                    } ?? "",
                ]
            }, empty: empty)
    }

    private static func person(_ id: UserID, _ name: String?) -> HTML {
        ConsoleParts.link("/people/\(id)", name ?? id.description)
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
    static func filters(
        _ path: String, _ names: [(name: String, label: String)], _ visit: ConsoleVisit
    ) -> HTML {
        let fields = names.reduce(into: HTML("")) { html, field in
            html = """
                \(html)<div><label for="f-\(field.name)">\(field.label)</label>
                <input id="f-\(field.name)" name="\(field.name)" autocomplete="off" \
                value="\(visit.parameter(field.name) ?? "")"></div>

                """
        }
        return """
            <form method="get" action="\(path)" class="filters">
            \(fields)<button type="submit" class="plain">Filter</button>
            <a href="\(path)">All</a></form>

            """
    }

    /// Returns the page of a list whose filters can't be read: the reason, and the form with what
    /// was typed.
    static func unreadable(
        _ title: String, _ path: String, _ names: [(name: String, label: String)],
        _ mistake: ConsoleMistake, _ visit: ConsoleVisit, _ section: ConsoleLayout.Section
    ) -> Response {
        visit.reply(
            title,
            """
            <h1>\(title)</h1>
            \(SignInScreens.alert(mistake.sentence))\(filters(path, names, visit))
            """, section: section, status: 400)
    }

    /// Returns the id in a parameter of the URL; nil if there is none.
    static func id<Entity>(
        _ name: String, _ visit: ConsoleVisit, _: Entity.Type
    ) throws -> ID<Entity>? {
        guard let text = visit.parameter(name)?.trimmed else { return nil }
        guard let id = ID<Entity>(text.lowercased()) else {
            throw ConsoleMistake(sentence: "\(name): expected an id, found '\(text)'.")
        }
        return id
    }

    private static func time(_ name: String, _ visit: ConsoleVisit) throws -> Timestamp? {
        guard let text = visit.parameter(name)?.trimmed else { return nil }
        guard let time = Timestamp(console: text) else {
            throw ConsoleMistake(
                sentence: "\(name): expected a day or a time such as 2026-11-28 or "
                    + "2026-11-28 12:00, found '\(text)'.")
        }
        return time
    }
}

extension Timestamp {
    /// Parses a time in RFC 3339, also without its offset, which stands for UTC, or without its
    /// seconds too; or a day, which stands for its first moment; nil for other text.
    fileprivate init?(console text: String) {
        let endings = ["", "Z", ":00Z", "T00:00:00Z"]
        guard let time = endings.lazy.compactMap({ Timestamp(iso8601: text + $0) }).first
        else { return nil }
        self = time
    }
}
