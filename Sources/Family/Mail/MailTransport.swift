/// A service that delivers messages.
package protocol MailTransport: Sendable {
    /// Sends a message and waits for the outcome. Called by several threads at once.
    ///
    /// - Parameter mayGo: Called right before the message itself is sent; if it returns false, the
    ///   message is not sent.
    func send(_ message: MailMessage, mayGo: () -> Bool) -> Delivery
}
