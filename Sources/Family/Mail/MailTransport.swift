/// A way for messages to leave.
package protocol MailTransport: Sendable {
    /// Hands a message over and waits for the outcome. Called by several threads at once.
    ///
    /// - Parameter mayGo: Asked right before the message itself is sent.
    func send(_ message: MailMessage, mayGo: () -> Bool) -> Delivery
}
