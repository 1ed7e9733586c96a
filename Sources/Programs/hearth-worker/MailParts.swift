import Domain
import Mail
import Configuration
import FamilySettings
import UseCases

/// The e-mail components made from the settings.
struct MailParts {
    let transport: any MailTransport
    let keys: InvitationKeys
    let signInKeys: SignInKeys
    let message: Mailer.Settings

    /// - Parameter settings: Read with `checks`.
    /// - Throws: `SettingsError`.
    init(_ settings: Settings) throws {
        let secrets = settings[HearthSettings.secretKeys].map { Array($0.reveal().utf8) }
        guard let keys = try InvitationKeys(secrets) else {
            throw SettingsError(["HEARTH_SECRET_KEY: expected keys of at least 32 bytes each"])
        }
        let standard = "Hearth <hearth@localhost>"
        guard let from = Self.sender(settings[HearthSettings.mailFrom] ?? standard) else {
            throw SettingsError(["HEARTH_MAIL_FROM: \(Self.expectedSender)"])
        }
        self.keys = keys
        signInKeys = try SignInKeys(secrets)
        message = Mailer.Settings(
            from: from, replyTo: settings[HearthSettings.mailReplyTo].flatMap { Mailbox($0) },
            publicURL: settings[HearthSettings.publicURL],
            appName: settings[HearthSettings.appName],
            appScheme: settings[HearthSettings.appScheme],
            accent: try Self.accent(settings), texts: try Self.texts(settings))
        transport = Self.transport(settings, greetingName: from.domain)
    }

    private static func accent(_ settings: Settings) throws(SettingsError) -> AccentColors? {
        guard let text = settings[HearthSettings.appAccent] else { return nil }
        do throws(AccentColors.Mistakes) {
            return try AccentColors(text)
        } catch {
            throw SettingsError(error.sentences.map { "HEARTH_APP_ACCENT: \($0)" })
        }
    }

    private static func texts(_ settings: Settings) throws(SettingsError) -> MailTexts {
        guard let folder = settings[HearthSettings.mailTemplates] else { return MailTexts() }
        do throws(CustomTextMistakes) {
            return try MailTexts(folder: folder)
        } catch {
            throw SettingsError(error.sentences.map { "HEARTH_MAIL_TEMPLATES: \($0)" })
        }
    }

    private static func transport(
        _ settings: Settings, greetingName: String
    ) -> any MailTransport {
        guard let url = settings[HearthSettings.smtpURL] else {
            return Outbox(folder: settings[HearthSettings.outboxFolder])
        }
        var smtp = SMTPTransport.Settings(url: url.text)
        smtp.requiresTLS = settings[HearthSettings.smtpTLS] == "required"
        smtp.user = settings[HearthSettings.smtpUser]
        smtp.password = settings[HearthSettings.smtpPassword]?.reveal()
        smtp.certificatesPath = settings[HearthSettings.smtpCertificates]
        smtp.greetingName = greetingName
        return SMTPTransport(smtp)
    }
}
