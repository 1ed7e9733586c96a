import Basics
import Domain
import HTTPServer
import Mail
import Policy
import Repositories
import UseCases

/// E-mail: outcomes, addresses that get none, the texts, and a test of the delivery.
enum MailScreens {
    static let routes: [ConsoleRoute] = [
        .page("/mail", show), .page("/mail/texts/:language/:kind", text),
        .page("/mail/texts/:language/:kind/html", document),
        ConsoleRoute(method: .get, pattern: "/mail/test", action: .testMail) { visit in
            try testPage(visit)
        },
        ConsoleRoute(method: .post, pattern: "/mail/test", action: .testMail, run: sendTest),
    ]

    private static let days: Int64 = 7

    private static func show(_ visit: ConsoleVisit) throws -> Response {
        let after = try cursor(visit)
        let now = visit.services.now()
        let since = Timestamp(microseconds: (now - days * 86_400) * 1_000_000)
        let outcomes = try visit.services.mailOutcomes.value(now: now) {
            try visit.read { try $0.mailOutcomes(since: since) }
        }
        let held = try visit.read { reader in
            try reader.heldOff(after: after, limit: ConsoleVisit.rowsPerPage)
        }
        let parts = ConsoleParts(visit)
        let next =
            held.hasMore
            ? held.addresses.last.map { "\($0.address.since.microseconds).\($0.number)" } : nil
        let test: HTML =
            visit.may(.testMail)
            ? "<p><a class=\"button plain\" href=\"/mail/test\">Send me a test</a></p>\n" : ""
        return visit.reply(
            "Mail",
            """
            <h1>Mail</h1>
            \(parts.done())\(try trouble(visit).map(notice) ?? "")\
            \(parts.operations(.mail))\(test)
            <h2>Outcomes of the last \("\(days)") days</h2>
            \(table(outcomes))
            <h2>Addresses that get no e-mail, or only some</h2>
            \(addresses(held.addresses.map(\.address), parts, empty: everyAddress))\
            \(parts.pager("/mail", [], next: next))
            <h2>Texts</h2>
            \(texts(visit))
            """, section: .mail)
    }

    /// Returns the sentence about a pause or the failure of the queue of e-mails; nil if it works.
    static func trouble(_ visit: ConsoleVisit) throws -> HTML? {
        try visit.read { try $0.troubledQueue(MailJob.queue) }?.trouble
    }

    /// Returns a sentence as a list of problems like that of the overview.
    static func notice(_ sentence: HTML) -> HTML {
        "<ul class=\"troubles\">\n<li>\(sentence)</li>\n</ul>\n"
    }

    /// The place in the list of addresses after which the page begins. It names no address,
    /// because addresses must get into no log.
    private static func cursor(_ visit: ConsoleVisit) throws -> (since: Timestamp, number: Int64)? {
        guard let text = visit.parameter("after") else { return nil }
        let parts = text.split(separator: ".", maxSplits: 1)
        guard parts.count == 2,
            let since = Int64(parts[0]).map({ Timestamp(microseconds: $0) }), since.isListable,
            let number = Int64(parts[1]), (1...Int64(Int32.max)).contains(number)
        else { throw ConsoleMistake.cursor }
        return (since, number)
    }

    private static func table(_ outcomes: [MailOutcome]) -> HTML {
        ConsoleParts.table(
            "Outcomes", ["E-mail", "Outcome", "Number", "Last (UTC)"],
            outcomes.map { one in
                let path = URLText.address(
                    "/jobs/list", [("queue", "mail"), ("state", "dead"), ("kind", one.kind)])
                return [
                    HTML("\(words(for: one.kind))"),
                    one.outcome == "dead"
                        ? ConsoleParts.link(path, "dead") : HTML("\(one.outcome)"),
                    HTML("\("\(one.count)")"), ConsoleParts.time(one.lastAt),
                ]
            }, empty: "No e-mail was sent in this time.")
    }

    /// Returns the words for the kind of an e-mail's job, such as `mail.account_blocked`.
    static func words(for kind: String) -> String {
        if kind == "mail.ticket" { return "code or link" }
        let prefix = "mail."
        return kind.hasPrefix(prefix)
            ? String(kind.dropFirst(prefix.count)).replacing("_", with: " ") : kind
    }

    private static let everyAddress = "Every address gets every e-mail."

    /// Returns a table of addresses that get no e-mail, or only some.
    static func addresses(
        _ addresses: [HeldOffAddress], _ parts: ConsoleParts, empty: String
    ) -> HTML {
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
            }, empty: empty)
    }

    /// Returns a table of e-mails with their outcomes.
    ///
    /// - Parameter name: Name of the table for those who don't see it.
    static func mails(
        _ mails: [ConsoleMail], _ name: String, isPaused: Bool, empty: String
    ) -> HTML {
        ConsoleParts.table(
            name,
            ["E-mail", "Enqueued (UTC)", "Outcome", "Ended", "Failed attempts", "Last error"],
            mails.map { mail in
                let outcome: HTML =
                    switch mail.state {
                    case .ready where isPaused: "waits for the end of the pause"
                    case .ready: mail.failures == 0 ? "waits" : "is tried again"
                    case .running: "is being sent"
                    case .done: ConsoleParts.badge("sent", "good")
                    case .dead: ConsoleParts.badge("discarded", "bad")
                    case .expired: ConsoleParts.badge("not sent: too late", "bad")
                    case .cancelled: "not sent: stopped or no longer needed"
                    }
                return [
                    ConsoleParts.link("/jobs/\(mail.id)", words(for: mail.kind)),
                    ConsoleParts.time(mail.enqueuedAt), outcome, ConsoleParts.time(mail.endedAt),
                    HTML("\("\(mail.failures)")"), HTML("\(mail.lastError ?? "")"),
                ]
            }, empty: empty)
    }

    // MARK: Texts

    /// Hearth's own languages, and those of HEARTH_MAIL_TEMPLATES.
    private static func languages(_ visit: ConsoleVisit) -> [LanguageTag] {
        let own = Language.allCases.map { LanguageTag($0) }
        let more = visit.services.mail.setup.texts.languages.filter { !own.contains($0) }
        return own + more.sorted { $0.text < $1.text }
    }

    private static func texts(_ visit: ConsoleVisit) -> HTML {
        let languages = languages(visit)
        return ConsoleParts.table(
            "Texts", ["E-mail"] + languages.map(\.text),
            MailKind.allCases.map { kind in
                [ConsoleParts.code(kind.rawValue)]
                    + languages.map { ConsoleParts.link(path(kind, $0), "Show") }
            }, empty: "")
    }

    private static func path(_ kind: MailKind, _ language: LanguageTag) -> String {
        "/mail/texts/\(language.text)/\(kind.rawValue)"
    }

    /// An e-mail with made-up values, as it will look.
    private struct Preview {
        let kind: MailKind
        let language: LanguageTag
        let content: MailContent

        init(_ visit: ConsoleVisit) throws {
            guard let language = visit.parameters["language"].flatMap({ LanguageTag($0) }),
                MailScreens.languages(visit).contains(language),
                let kind = visit.parameters["kind"].flatMap({ MailKind(rawValue: $0) })
            else { throw ConsoleAbsence(sentence: "There is no such e-mail.") }
            self.kind = kind
            self.language = language
            content = visit.services.mail.sample.content(
                of: kind, in: language, to: "recipient@example.com", now: visit.services.now())
        }
    }

    private static func text(_ visit: ConsoleVisit) throws -> Response {
        let preview = try Preview(visit)
        let name = "\(preview.kind.rawValue), \(preview.language.text)"
        return visit.reply(
            name,
            """
            <h1>\(name)</h1>
            <p>The e-mail as it will look, with made-up values. \
            \(ConsoleParts.link(path(preview.kind, preview.language) + "/html", "Show its HTML"))\
            </p>
            <h2>\(preview.content.subject)</h2>
            <pre tabindex="0">\(preview.content.text)</pre>
            \(source(preview, visit))<p><a href="/mail">Back to e-mail</a></p>
            """, section: .mail)
    }

    /// Hearth's own text with its placeholders; empty in a language in which it has none.
    private static func source(_ preview: Preview, _ visit: ConsoleVisit) -> HTML {
        guard let language = Language(rawValue: preview.language.text) else { return "" }
        let own = visit.services.mail.setup.texts.replaced(preview.kind, in: language)
        let files = MailTexts.source(of: preview.kind, in: language)
        let parts = files.reduce(into: HTML("")) { html, part in
            let source: HTML =
                own.contains(part.file)
                ? "<p>HEARTH_MAIL_TEMPLATES replaces this part.</p>\n" : ""
            html = """
                \(html)<h3>\(part.file)</h3>
                \(source)<pre tabindex="0">\(part.text)</pre>

                """
        }
        return """
            <h2>Hearth's own text, with placeholders</h2>
            <p><code>hearth-admin mail texts FOLDER</code> writes all of them to files.</p>
            \(parts)
            """
    }

    /// The HTML of an e-mail, with its own style, but without scripts and pictures.
    private static func document(_ visit: ConsoleVisit) throws -> Response {
        var reply = ConsoleReply.page(try Preview(visit).content.html)
        let policy = "Content-Security-Policy"
        reply.headers = Headers(
            ConsoleReply.headers.filter { $0.name != policy } + [
                .init(name: "Content-Type", value: "text/html; charset=utf-8"),
                .init(
                    name: policy,
                    value: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; "
                        + "sandbox"),
            ])
        return reply
    }

    // MARK: A test of the delivery

    private static func ownAddress(_ visit: ConsoleVisit) throws -> EmailAddress {
        guard let email = try visit.signedIn().email.flatMap({ EmailAddress($0) }) else {
            throw ConsoleMistake(sentence: "Your account has no e-mail address.")
        }
        return email
    }

    private static func testPage(
        _ visit: ConsoleVisit, _ outcome: HTML = "", status: Int = 200
    ) throws -> Response {
        let address = try ownAddress(visit)
        let form = ConsoleParts(visit).form(
            to: "/mail/test",
            """
            \(choice("mail", "E-mail", MailKind.allCases.map(\.rawValue)))\
            \(choice("language", "Language", languages(visit).map(\.text)))\
            <button type="submit">Send</button>
            <a class="button plain" href="/mail">Back</a>
            """, style: "question")
        return visit.reply(
            "Send me a test",
            """
            <h1>Send me a test</h1>
            \(outcome)<p>Sends an e-mail with made-up values to \(address.text), at once and by \
            this console itself: give it the worker's settings of the mail server. It waits for \
            the mail server, and tries once.</p>
            \(form)
            """, section: .mail, status: status)
    }

    private static func choice(_ name: String, _ label: String, _ values: [String]) -> HTML {
        let options = values.reduce(into: HTML("")) { html, value in
            html = "\(html)<option value=\"\(value)\">\(value)</option>"
        }
        return """
            <div class="field"><label for="\(name)">\(label)</label>
            <select id="\(name)" name="\(name)">\(options)</select></div>

            """
    }

    private static func sendTest(_ visit: ConsoleVisit) throws -> Response {
        let email = try ownAddress(visit)
        guard let kind = visit.field("mail").flatMap({ MailKind(rawValue: $0) }),
            let language = visit.field("language").flatMap({ LanguageTag($0) }),
            languages(visit).contains(language)
        else { throw ConsoleMistake(sentence: "Choose an e-mail and a language from the lists.") }
        try visit.change(atLeast: OperatorAction.testMail.role) {
            try $0.recordTestMail(to: email)
        }
        let mail = visit.services.mail
        let delivery = mail.send(kind, in: language, to: email, now: visit.services.now())
        if let problem = delivery.problem {
            return try testPage(
                visit, SignInScreens.alert("The e-mail was not sent: \(problem)"), status: 409)
        }
        let sentence =
            mail.setup.hasServer
            ? "The mail server has accepted the e-mail."
            : "HEARTH_SMTP_URL is not given to this console: the e-mail is a file in "
                + "HEARTH_OUTBOX_DIR."
        return try testPage(visit, "<p class=\"done\" role=\"status\">\(sentence)</p>\n")
    }
}
