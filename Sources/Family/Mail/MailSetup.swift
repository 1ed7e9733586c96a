package import Configuration
package import Domain
import FamilySettings

/// The sending of e-mail as the settings describe it: transport, sender, texts.
package struct MailSetup: Sendable {
    /// The settings that ``init(_:isAwaited:)`` reads.
    package static let settings: [any DeclaredSetting] =
        HearthSettings.app + HearthSettings.mailDelivery

    /// Timeouts in seconds while a person waits for the outcome: for each reply of the server, and
    /// for the last one.
    private static let (waitingSeconds, lastWaitingSeconds) = (20, 60)

    package let transport: any MailTransport
    /// Whether messages go to a mail server, and not to a folder.
    package let hasServer: Bool
    /// The sender of every message.
    package let from: Mailbox
    /// Address for replies; nil for the sender.
    package let replyTo: Mailbox?
    /// The app's name in the texts.
    package let appName: String
    /// URL scheme of links that open the app; nil if it has none.
    package let appScheme: String?
    /// The colour of buttons; nil for Hearth's own.
    package let accent: AccentColors?
    package let texts: MailTexts

    /// - Parameters:
    ///   - settings: ``settings``, read with ``deliveryChecks``.
    ///   - isAwaited: Whether a person waits for the outcome, so that timeouts are shorter.
    /// - Throws: `SettingsError`.
    package init(_ settings: Settings, isAwaited: Bool = false) throws(SettingsError) {
        let standard = "Hearth <hearth@localhost>"
        guard let from = Self.sender(settings[HearthSettings.mailFrom] ?? standard) else {
            throw SettingsError(["HEARTH_MAIL_FROM: \(Self.expectedSender)"])
        }
        self.from = from
        replyTo = settings[HearthSettings.mailReplyTo].flatMap { Mailbox($0) }
        appName = settings[HearthSettings.appName]
        appScheme = settings[HearthSettings.appScheme]
        accent = try AccentColors.configured(by: settings)
        texts = try Self.texts(settings)
        hasServer = settings[HearthSettings.smtpURL] != nil
        transport = Self.transport(settings, greetingName: from.domain, isAwaited: isAwaited)
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
        _ settings: Settings, greetingName: String, isAwaited: Bool
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
        if isAwaited {
            smtp.replyTimeoutSeconds = waitingSeconds
            smtp.handoverTimeoutSeconds = lastWaitingSeconds
        }
        return SMTPTransport(smtp)
    }
}

extension AccentColors {
    /// Returns the accent colour of the settings, for e-mails and pages; nil for Hearth's own.
    package static func configured(by settings: Settings) throws(SettingsError) -> AccentColors? {
        guard let text = settings[HearthSettings.appAccent] else { return nil }
        do throws(Mistakes) {
            return try AccentColors(text)
        } catch {
            throw SettingsError(error.sentences.map { "HEARTH_APP_ACCENT: \($0)" })
        }
    }
}
