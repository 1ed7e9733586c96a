import Mail
import Service
import UseCases

/// What the settings say about e-mail.
struct MailParts {
    let transport: any MailTransport
    let keys: InvitationKeys
    let message: Mailer.Settings

    /// - Throws: `SettingsError` with all that is wrong.
    init(_ settings: Settings) throws {
        var problems: [String] = []
        let standard = "Hearth <hearth@localhost>"
        // Its domain also greets servers and ends the messages' ids.
        let from = Mailbox(settings[HearthSettings.mailFrom] ?? standard)?.withASCIIDomain
        if from == nil {
            problems.append("HEARTH_MAIL_FROM: expected an address such as 'Hearth <a@b.org>'")
        }
        let replyTo = settings[HearthSettings.mailReplyTo].map { Mailbox($0) }
        if case .some(.none) = replyTo {
            problems.append("HEARTH_MAIL_REPLY_TO: expected an address such as 'a@b.org'")
        }
        let keys = try InvitationKeys(
            settings[HearthSettings.secretKeys].map { Array($0.reveal().utf8) })
        if keys == nil { problems.append("HEARTH_SECRET_KEY: expected keys of 32 bytes at least") }
        guard problems.isEmpty, let from, let keys else { throw SettingsError(problems) }
        self.keys = keys
        message = Mailer.Settings(
            from: from, replyTo: replyTo ?? nil, publicURL: settings[HearthSettings.publicURL])
        transport = Self.transport(settings, greetingName: from.domain)
    }

    private static func transport(
        _ settings: Settings, greetingName: String
    ) -> any MailTransport {
        guard let url = settings[HearthSettings.smtpURL] else {
            return Outbox(folder: settings[HearthSettings.outboxFolder])
        }
        var smtp = SMTPTransport.Settings(url: url)
        smtp.requiresTLS = settings[HearthSettings.smtpTLS] == "required"
        smtp.user = settings[HearthSettings.smtpUser]
        smtp.password = settings[HearthSettings.smtpPassword]?.reveal()
        smtp.certificatesPath = settings[HearthSettings.smtpCertificates]
        smtp.greetingName = greetingName
        return SMTPTransport(smtp)
    }
}
