import Basics
import Domain
import Telemetry

/// The parts that pages of the console consist of.
struct ConsoleParts {
    let visit: ConsoleVisit

    init(_ visit: ConsoleVisit) { self.visit = visit }

    /// Name of the field that binds a form to its session.
    static let tokenField = "form_token"

    /// Returns a form, which is sent with POST.
    func form(
        to path: String, hidden: [(name: String, value: String)] = [], _ content: HTML,
        style: String = "", attributes: HTML = ""
    ) -> HTML {
        let fields = hidden.reduce(into: HTML("")) { html, field in
            html = "\(html)<input type=\"hidden\" name=\"\(field.name)\" value=\"\(field.value)\">"
        }
        let token: HTML =
            visit.token.map {
                "<input type=\"hidden\" name=\"\(Self.tokenField)\" value=\"\($0.formToken)\">"
            } ?? ""
        return """
            <form method="post" action="\(path)" class="\(style)"\(attributes)>\
            \(token)\(fields)\(content)</form>

            """
    }

    /// Returns a time, in UTC.
    static func time(_ time: Timestamp?) -> HTML {
        guard let text = time?.description else { return "" }
        let shown = text.dropLast(text.hasSuffix("Z") ? 1 : 0).replacing("T", with: " ")
        return "<time datetime=\"\(text)\">\(String(shown))</time>"
    }

    /// Returns how long ago something was, in words.
    static func age(_ seconds: Double) -> String {
        let units = [(86_400.0, "day"), (3_600.0, "hour"), (60.0, "minute")]
        guard let (size, name) = units.first(where: { seconds >= $0.0 }) else {
            return "less than a minute ago"
        }
        let count = Int(seconds / size)
        return "\(count) \(name)\(count == 1 ? "" : "s") ago"
    }

    /// Returns a sentence with an approximate number of rows; empty if the number is unknown.
    static func about(_ count: Int64) -> HTML {
        guard count > 0 else { return "" }
        var digits = "\(count)"
        for place in stride(from: 3, to: digits.count, by: 3).reversed() {
            digits.insert(",", at: digits.index(digits.endIndex, offsetBy: -place))
        }
        return HTML("About \(digits). ")
    }

    /// Returns a number with its noun, which gets an `s` unless the number is 1.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Returns a highlighted word.
    static func badge(_ word: String, _ style: String = "") -> HTML {
        "<span class=\"badge \(style)\">\(word)</span>"
    }

    static func code(_ text: String) -> HTML { "<code>\(text)</code>" }

    /// Returns code that may be broken anywhere in a table, such as a long id or JSON.
    static func longCode(_ text: String) -> HTML { "<code class=\"long\">\(text)</code>" }

    static func link(_ path: String, _ label: String) -> HTML {
        "<a href=\"\(path)\">\(label)</a>"
    }

    /// Returns a link to the page of a person.
    ///
    /// - Parameter erased: The kinds of the people whose data was erased.
    static func person(_ id: UserID, _ name: String?, _ erased: [UserID: UserKind]) -> HTML {
        link("/people/\(id)", name ?? erased[id].map { erasedName(id, $0) } ?? id.description)
    }

    /// Returns words for a person whose data was erased.
    static func erasedName(_ id: UserID, _ kind: UserKind) -> String {
        "erased \(kind == .managed ? "child" : "account") \(id.description.prefix(8))"
    }

    /// Returns a table that can be scrolled sideways; the text if it has no rows.
    static func table(
        _ name: String, _ columns: [String], _ rows: [[HTML]], empty: String
    ) -> HTML {
        if rows.isEmpty { return "<p class=\"empty\">\(empty)</p>\n" }
        let head = columns.reduce(into: HTML("")) { $0 = "\($0)<th scope=\"col\">\($1)</th>" }
        let body = rows.reduce(into: HTML("")) { html, row in
            let cells = row.reduce(into: HTML("")) { $0 = "\($0)<td>\($1)</td>" }
            html = "\(html)<tr>\(cells)</tr>\n"
        }
        return """
            <div class="scroll" role="region" aria-label="\(name)" tabindex="0"><table>
            <thead><tr>\(head)</tr></thead>
            <tbody>
            \(body)</tbody></table></div>

            """
    }

    /// Returns the sentence about a list that may have more rows than its page shows; empty if the
    /// page shows fewer than the limit.
    ///
    /// - Parameter all: Path of the page that shows the whole list, page by page.
    static func cut(
        _ count: Int, at limit: Int, _ kind: String = "latest", all: String? = nil
    ) -> HTML {
        if count < limit { return "" }
        let link: HTML = all.map { " <a href=\"\($0)\">Show all</a>" } ?? ""
        return "<p class=\"hint\">Only the \("\(limit)") \(kind) are shown.\(link)</p>\n"
    }

    /// Returns the sentence about a list whose end may be left out; empty if the page shows fewer
    /// rows than the limit.
    static func first(_ limit: Int, of count: Int) -> HTML {
        count < limit
            ? "" : "<p class=\"hint\">Only the first \("\(limit)") are shown.</p>\n"
    }

    /// Returns a list of names and values; values without markup are left out.
    static func facts(_ facts: [(name: String, value: HTML)]) -> HTML {
        let items = facts.reduce(into: HTML("")) { html, fact in
            if fact.value.text.isEmpty { return }
            html = "\(html)<div><dt>\(fact.name)</dt><dd>\(fact.value)</dd></div>\n"
        }
        return "<dl class=\"facts\">\n\(items)</dl>\n"
    }

    /// Returns the link to the next page of a list.
    func pager(_ path: String, _ parameters: [(String, String?)], next: String?) -> HTML {
        let first: HTML =
            visit.parameter("after") == nil
            ? "" : "<a href=\"\(URLText.address(path, parameters))\">First page</a> "
        guard let next else { return first.text.isEmpty ? "" : "<p class=\"pager\">\(first)</p>\n" }
        let address = URLText.address(path, parameters + [("after", next)])
        return "<p class=\"pager\">\(first)<a rel=\"next\" href=\"\(address)\">Next page</a></p>\n"
    }

    /// Returns the message about the completed operation that the URL names; empty if it names
    /// none.
    func done() -> HTML {
        guard let name = visit.parameter("done"),
            let operation = ConsoleOperation.all.first(where: { $0.name == name })
        else { return "" }
        let count = visit.parameter("n").flatMap { Int($0) }
        let message: String =
            if let text = changedName().flatMap({ operation.doneNamed?($0) }) {
                text
            } else if let count {
                operation.counted?(count) ?? "\(operation.done) (\(count))"
            } else {
                operation.done
            }
        return "<p class=\"done\" role=\"status\">\(message)</p>\n"
    }

    /// Returns the name of the changed object that the URL contains sealed; nil if there is none,
    /// if another session sealed it, or if its time is over.
    private func changedName() -> String? {
        guard let sealed = visit.parameter("about"), let token = visit.token else { return nil }
        do {
            return try token.search(sealed, now: visit.services.now())
        } catch {
            visit.services.log.error(
                "the console could not open the name of a changed object", [.error(error)])
            return nil
        }
    }

    /// Returns buttons for the operations that the operator may perform on an object.
    ///
    /// - Parameter name: Name of the object in its row of a table, where more than two buttons are
    ///   folded; nil to fold none.
    func operations(_ subject: ConsoleSubject, inRowOf name: String? = nil) -> HTML {
        let offered = subject.operations.filter { operation in
            operation.isOffered(subject)
                && visit.may(operation.action, on: subject.target(of: visit.operator))
        }
        let items = offered.reduce(into: HTML("")) { html, operation in
            let path = "\(subject.path)/\(operation.name)"
            let query = URLText.address(path, subject.hidden.map { ($0.name, $0.value) })
            let style = operation.isDangerous ? "danger" : "plain"
            let button: HTML =
                "<button type=\"submit\" class=\"\(style)\">\(operation.label)</button>"
            let item: HTML =
                operation.isDirect
                ? form(to: path, hidden: subject.hidden, button)
                : "<a class=\"button \(style)\" href=\"\(query)\">\(operation.label)</a>"
            html = "\(html)<li>\(item)</li>\n"
        }
        let list: HTML = offered.isEmpty ? "" : "<ul class=\"actions\">\n\(items)</ul>\n"
        guard let name, offered.count > 2 else { return list }
        return """
            <details class="menu"><summary aria-label="Actions for \(name)">Actions</summary>
            \(list)</details>

            """
    }
}
