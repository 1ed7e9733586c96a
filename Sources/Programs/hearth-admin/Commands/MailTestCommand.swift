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
        let content = testMail(try MailSetup(settings), settings).sample.content(
            of: values[name], in: values[language], to: "recipient@example.com", now: now)
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

    private static func testMail(_ setup: MailSetup, _ settings: Settings) -> TestMail {
        TestMail(setup, publicURL: settings[HearthSettings.publicURL.orNone])
    }

    private static var now: Int64 { Int64(WallClock.system.now() / 1_000) }

    @Sendable private static func send(_ values: Values) throws -> Int32 {
        let settings = try values.settings(requested)
        let setup = try MailSetup(settings, isAwaited: true)
        let email = values[address]
        guard Mailbox(email.text) != nil else {
            throw UsageError("'\(email.text)' is not an address that mail can be sent to")
        }
        try values.session().recordTestMail(to: email)
        let delivery = testMail(setup, settings).send(
            values[mail], in: values[language], to: email, now: now)
        let server = settings[HearthSettings.smtpURL]?.text
        let problem = delivery.problem
        let sentence: String
        if let problem {
            sentence = "not sent: " + problem
        } else if let server {
            sentence = "\(server) has accepted the e-mail to \(email.text)"
        } else {
            let folder = settings[HearthSettings.outboxFolder]
            sentence = "HEARTH_SMTP_URL is not set: the e-mail is a file in \(folder)"
        }
        values.output.done(sentence) {
            $0.member("email", email.text)
            $0.member("sent", problem == nil)
            $0.member("outcome", delivery.name)
            $0.member("server", server)
            $0.member("error", problem)
        }
        return problem == nil ? ExitCode.success : ExitCode.failure
    }
}

extension Expectation where Value == LanguageTag {
    /// A language.
    static let languageTag = Expectation("a language such as 'es' or 'es-MX'") { LanguageTag($0) }
}
