import Basics
import Domain
import HTTPServer
import Mail
import Repositories
import UseCases

/// E-mail: outcomes, addresses that get none, and the texts.
enum MailScreens {
    static let routes: [ConsoleRoute] = [
        .page("/mail", show), .page("/mail/texts/:language/:kind", text),
    ]

    private static let days: Int64 = 7

    private static func show(_ visit: ConsoleVisit) throws -> Response {
        let after = try cursor(visit)
        let now = visit.services.now()
        let since = Timestamp(microseconds: (now - days * 86_400) * 1_000_000)
        let (outcomes, held) = try visit.read { reader in
            (
                try visit.services.mailOutcomes.value(now: now) {
                    try reader.mailOutcomes(since: since)
                },
                try reader.heldOff(after: after, limit: ConsoleVisit.rowsPerPage)
            )
        }
        let parts = ConsoleParts(visit)
        let next =
            held.hasMore
            ? held.addresses.last.map { "\($0.address.since.microseconds).\($0.number)" } : nil
        return visit.reply(
            "Mail",
            """
            <h1>Mail</h1>
            \(parts.done())\(parts.operations(.mail))
            <h2>Outcomes of \("\(days)") days</h2>
            \(table(outcomes))
            <h2>Addresses that get no e-mail, or only some</h2>
            \(addresses(held.addresses.map(\.address), parts))\
            \(parts.pager("/mail", [], next: next))
            <h2>Texts</h2>
            \(texts())
            """, section: .mail)
    }

    /// The place in the list of addresses after which the page begins. It names no address,
    /// because addresses must get into no log.
    private static func cursor(_ visit: ConsoleVisit) throws -> (since: Timestamp, number: Int64)? {
        guard let text = visit.parameter("after") else { return nil }
        let parts = text.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let since = Int64(parts[0]), let number = Int64(parts[1]) else {
            throw ConsoleMistake(sentence: "after: expected what the previous page links to.")
        }
        return (Timestamp(microseconds: since), number)
    }

    private static func table(_ outcomes: [MailOutcome]) -> HTML {
        ConsoleParts.table(
            "Outcomes", ["E-mail", "Outcome", "Number", "Last (UTC)"],
            outcomes.map { one in
                let path = URLText.address(
                    "/jobs/list", [("queue", "mail"), ("state", "dead"), ("kind", one.kind)])
                return [
                    ConsoleParts.code(one.kind),
                    one.outcome == "dead"
                        ? ConsoleParts.link(path, "dead") : HTML("\(one.outcome)"),
                    HTML("\("\(one.count)")"), ConsoleParts.time(one.lastAt),
                ]
            }, empty: "No e-mail was sent in this time.")
    }

    private static func addresses(_ addresses: [HeldOffAddress], _ parts: ConsoleParts) -> HTML {
        ConsoleParts.table(
            "Addresses", ["Address", "State", "Since (UTC)", "Until", "Family", "Reason", ""],
            addresses.map { address in
                let state =
                    switch address.state {
                    case .suppressed: "gets no e-mail"
                    case .heldOff: "gets only what its owner asks for"
                    case .noInvitations: "gets no invitations"
                    }
                return [
                    HTML("\(address.email)"), HTML("\(state)"), ConsoleParts.time(address.since),
                    ConsoleParts.time(address.until),
                    address.family.map { ConsoleParts.link("/families/\($0)", "the family") } ?? "",
                    HTML("\(address.reason)"), parts.operations(.address(address.email)),
                ]
            }, empty: "Every address gets every e-mail.")
    }

    // MARK: Texts

    private static func texts() -> HTML {
        ConsoleParts.table(
            "Texts", ["E-mail"] + Language.allCases.map(\.rawValue),
            MailKind.allCases.map { kind in
                [ConsoleParts.code(kind.rawValue)]
                    + Language.allCases.map { language in
                        ConsoleParts.link(
                            "/mail/texts/\(language.rawValue)/\(kind.rawValue)", "Show")
                    }
            }, empty: "")
    }

    private static func text(_ visit: ConsoleVisit) throws -> Response {
        guard let language = visit.parameters["language"].flatMap({ Language(rawValue: $0) }),
            let kind = visit.parameters["kind"].flatMap({ MailKind(rawValue: $0) })
        else { throw ConsoleAbsence(sentence: "There is no such e-mail.") }
        let own = visit.services.mailTexts.replaced(kind, in: language)
        let parts = MailTexts.source(of: kind, in: language).reduce(into: HTML("")) { html, part in
            let source: HTML =
                own.contains(part.file)
                ? "<p>HEARTH_MAIL_TEMPLATES replaces this part.</p>\n" : ""
            html = """
                \(html)<h2>\(part.file)</h2>
                \(source)<pre tabindex="0">\(part.text)</pre>

                """
        }
        return visit.reply(
            "\(kind.rawValue), \(language.rawValue)",
            """
            <h1>\(kind.rawValue) (\(language.rawValue))</h1>
            <p>Hearth's own text, with placeholders. \
            <code>hearth-admin mail texts FOLDER</code> writes all of them to files.</p>
            \(parts)<p><a href="/mail">Back to e-mail</a></p>
            """, section: .mail)
    }
}
