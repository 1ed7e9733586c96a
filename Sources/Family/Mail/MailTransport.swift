/// How a message fared. Reasons name stages and codes: never an address or a server's own words.
package enum MailResult: Sendable, Equatable {
    case accepted
    /// It may go through later.
    case tryLater(String)
    /// The server refuses this recipient, or this message to it, for good.
    case refused(String)
    /// The server can't carry mail to such an address, whoever's it is.
    case unsupported(String)
    /// The server takes no mail from us at all: somebody has to look.
    case relayUnusable(String)
    /// The caller changed its mind before the message was handed over.
    case abandoned
}

/// A way for messages to leave.
package protocol MailTransport: Sendable {
    /// Hands a message over and waits for what becomes of it. Called by several threads at once.
    ///
    /// - Parameter mayGo: Asked right before the message itself is sent.
    func send(_ message: MailMessage, mayGo: () -> Bool) -> MailResult
}
