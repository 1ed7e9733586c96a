extension Mailer {
    /// Settings for all messages.
    package struct Settings: Sendable {
        package var from: Mailbox
        package var replyTo: Mailbox?
        /// The base of links, without a slash at its end.
        package var publicURL: String
        /// What people call the app.
        package var appName: String
        /// The scheme of the app's own links; nil if it has none.
        package var appScheme: String?

        package init(
            from: Mailbox, replyTo: Mailbox?, publicURL: String, appName: String = "Hearth",
            appScheme: String? = nil
        ) {
            self.from = from
            self.replyTo = replyTo
            self.publicURL = publicURL
            self.appName = appName
            self.appScheme = appScheme
        }
    }
}
