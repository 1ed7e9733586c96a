package import Domain

extension Mailer {
    /// Settings for all messages.
    package struct Settings: Sendable {
        /// The sender of every message.
        package var from: Mailbox
        /// Address for replies; nil for the sender.
        package var replyTo: Mailbox?
        /// Base URL of links, without a slash at its end.
        package var publicURL: String
        /// The app's name in the texts.
        package var appName: String
        /// URL scheme of links that open the app; nil if it has none.
        package var appScheme: String?
        /// The colour of buttons; nil for Hearth's own.
        package var accent: AccentColors?
        /// Texts of all e-mails.
        package var texts: MailTexts

        package init(
            from: Mailbox, replyTo: Mailbox?, publicURL: String, appName: String = "Hearth",
            appScheme: String? = nil, accent: AccentColors? = nil, texts: MailTexts = MailTexts()
        ) {
            self.from = from
            self.replyTo = replyTo
            self.publicURL = publicURL
            self.appName = appName
            self.appScheme = appScheme
            self.accent = accent
            self.texts = texts
        }
    }
}
