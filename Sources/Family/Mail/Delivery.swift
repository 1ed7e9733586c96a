/// Outcome of the delivery of a message. Reasons contain stages and codes, never an address or the
/// server's own words.
package enum Delivery: Error, Sendable, Equatable {
    /// The server has accepted the message.
    case accepted
    /// A temporary failure; the message may be accepted later.
    case tryLater(String)
    /// The address is dead: there is no such mailbox, and nothing must be sent to it again.
    case refused(String)
    /// The server refuses this message for good, for a reason that may pass: a spam filter, a full
    /// mailbox, a policy. Other messages to the address may be accepted.
    case rejected(String)
    /// The message can't be created or transported, whatever the recipient does.
    case undeliverable(String)
    /// The server accepts no mail from this sender at all: an operator must act.
    case relayUnusable(String)
    /// The address is dead, or an operator or its owner has stopped mail to it, so the message is
    /// not sent.
    case suppressed
    /// Servers have rejected three messages to the address within a day, so nothing is sent to it
    /// for a day.
    case heldOff
    /// The reason for the e-mail no longer exists.
    case gone
    /// The caller withdrew the message before it was sent.
    case abandoned

    /// Label in the metrics; nil for a delivery that had no outcome.
    package var name: String? {
        switch self {
        case .accepted: "sent"
        case .tryLater: "retried"
        case .refused: "refused"
        case .rejected: "rejected"
        case .undeliverable: "failed"
        case .relayUnusable: "relay_unusable"
        case .suppressed: "suppressed"
        case .heldOff: "held_off"
        case .gone: "skipped"
        case .abandoned: nil
        }
    }

    /// All labels, in the order of the metric.
    package static let names = [
        Delivery.accepted, .gone, .suppressed, .heldOff, .tryLater(""), .refused(""),
        .rejected(""), .relayUnusable(""), .undeliverable(""),
    ].compactMap(\.name)
}
