import CommandLine
import Configuration
import Domain
import FamilySettings
import Mail
import Telemetry
import UseCases

/// `hearth-admin mail preview` and `mail test`: an e-mail with made-up values, shown or sent.
enum MailTestCommand {
    static let preview = Command(
        "preview", "Shows an e-mail as it will look, with made-up values.",
        discussion: [
            "Uses HEARTH_MAIL_TEMPLATES, HEARTH_APP_NAME and the other settings of texts, and "
                + "needs no database. In a language without texts of its own, the e-mail is in "
                + "English."
        ],
        parameters: [name, language, html],
        examples: [
            Example(
                "hearth-admin mail preview invitation --language es --html > invitation.html",
                "writes the Spanish invitation for a browser")
        ]
    ) { values in
        let settings = try values.settings(requested)
        let content = sample(values[name], values[language], try MailSetup(settings), settings)
        let output = values.output
        if output.isJSON {
            output.record([]) { json in
                json.member("name", values[name].rawValue)
                json.member("subject", content.subject)
                json.member("text", content.text)
                json.member("html", content.html)
            }
        } else if values[html] {
            Terminal.standardOutput.write(content.html)
        } else {
            output.paragraph(["Subject: \(content.subject)", ""])
            output.paragraph(
                content.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                    .map(String.init))
        }
        return ExitCode.success
    }

    static let test = Command(
        "test", "Sends an e-mail with made-up values to an address, and prints the outcome.",
        discussion: [
            "Connects to HEARTH_SMTP_URL itself, with the settings of this command: give it those "
                + "of the worker. Waits for the mail server for at most four minutes, and tries "
                + "once. The subject begins with '[Test]'. Works while the queue of e-mails is "
                + "paused. The audit log records mail.test."
        ],
        parameters: [address, mail, language],
        examples: [
            Example(
                "hearth-admin mail test you@example.com",
                "shows whether the mail server accepts e-mail from this server")
        ],
        action: send)

    private static let name = Parameter<MailKind>.argument(
        "NAME", .oneOf, "The e-mail, by the name of its files in HEARTH_MAIL_TEMPLATES.")
    private static let html = Parameter<Bool>.flag("html", "Print the HTML instead of the text.")
    private static let address = Parameter<EmailAddress>.argument(
        "ADDRESS", .emailAddress, "The address.")
    private static let mail = Parameter<MailKind>.option(
        "mail", "NAME", .oneOf, default: .signIn, shownDefault: MailKind.signIn.rawValue,
        "The e-mail.")
    private static let language = Parameter<LanguageTag?>.option(
        "language", "TAG", .languageTag, "The language; default: English.")

    private static let requested: [any DeclaredSetting] =
        MailSetup.settings + [HearthSettings.publicURL.orNone]

    /// - Parameter recipient: The address in the text.
    private static func sample(
        _ kind: MailKind, _ language: LanguageTag?, _ setup: MailSetup, _ settings: Settings,
        to recipient: String = "recipient@example.com"
    ) -> MailContent {
        let url = settings[HearthSettings.publicURL.orNone] ?? "https://hearth.example"
        return MailSample(setup, publicURL: url).content(
            of: kind, in: language, to: recipient, now: now)
    }

    private static var now: Int64 { Int64(WallClock.system.now() / 1_000) }

    @Sendable private static func send(_ values: Values) throws -> Int32 {
        let settings = try values.settings(requested)
        let setup = try MailSetup(settings, isAwaited: true)
        let email = values[address]
        guard let mailbox = Mailbox(email.text) else {
            throw UsageError("'\(email.text)' is no address that mail can be sent to")
        }
        let content = sample(
            values[mail], values[language], setup, settings, to: email.text)
        try values.session().recordTestMail(to: email)
        let message = MailMessage(
            from: setup.from, replyTo: setup.replyTo, to: mailbox,
            id: "test-\(UInt64.random(in: 0...UInt64.max))@" + setup.from.domain, date: now,
            // Without a page to refuse further messages, because the sample's token leads nowhere.
            content: MailContent(
                subject: "[Test] " + content.subject, text: content.text, html: content.html))
        let delivery = setup.transport.send(message) { true }
        let server = settings[HearthSettings.smtpURL]?.text
        let isSent = delivery == .accepted
        let sentence: String
        if !isSent {
            sentence = "not sent: " + problem(delivery)
        } else if let server {
            sentence = "\(server) has accepted the e-mail to \(email.text)"
        } else {
            let folder = settings[HearthSettings.outboxFolder]
            sentence = "HEARTH_SMTP_URL is not set: the e-mail is a file in \(folder)"
        }
        values.output.done(sentence) {
            $0.member("email", email.text)
            $0.member("sent", isSent)
            $0.member("outcome", delivery.name)
            $0.member("server", server)
            $0.member("error", isSent ? nil : problem(delivery))
        }
        return isSent ? ExitCode.success : ExitCode.failure
    }

    private static func problem(_ delivery: Delivery) -> String {
        switch delivery {
        case .tryLater(let reason): "a failure that may pass: \(reason)"
        case .refused(let reason): "the mail server knows no such address: \(reason)"
        case .rejected(let reason): "the mail server rejects this message: \(reason)"
        case .undeliverable(let reason): reason
        case .relayUnusable(let reason): "the mail server takes no e-mail from here: \(reason)"
        case .accepted, .suppressed, .heldOff, .gone, .abandoned: delivery.name ?? "withdrawn"
        }
    }
}

extension Expectation where Value == LanguageTag {
    /// A language.
    static let languageTag = Expectation("a language such as 'es' or 'es-MX'") { LanguageTag($0) }
}
