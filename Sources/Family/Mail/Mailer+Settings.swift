extension Mailer {
    /// Settings for all messages.
    package struct Settings: Sendable {
        /// The sender of every message.
        package var from: Mailbox
        /// Where replies go; nil: to the sender.
        package var replyTo: Mailbox?
        /// The base of links, without a slash at its end.
        package var publicURL: String
        /// What people call the app.
        package var appName: String
        /// The scheme of the app's own links; nil if it has none.
        package var appScheme: String?
        /// What they say.
        package var texts: MailTexts

        package init(
            from: Mailbox, replyTo: Mailbox?, publicURL: String, appName: String = "Hearth",
            appScheme: String? = nil, texts: MailTexts = MailTexts()
        ) {
            self.from = from
            self.replyTo = replyTo
            self.publicURL = publicURL
            self.appName = appName
            self.appScheme = appScheme
            self.texts = texts
        }
    }
}
