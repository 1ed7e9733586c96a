/// How the delivery of a message ended. Reasons name stages and codes: never an address or a
/// server's own words.
package enum Delivery: Error, Sendable, Equatable {
    /// The server has taken the message.
    case accepted
    /// It may go through later.
    case tryLater(String)
    /// The address is dead: there is no such mailbox, and nothing is to be sent to it again.
    case refused(String)
    /// The server refuses this message for good, for a reason that may pass: a spam filter, a full
    /// mailbox, a policy. It says nothing of other messages to the address.
    case rejected(String)
    /// It can't be made or carried, whatever the recipient does.
    case undeliverable(String)
    /// The server takes no mail from us at all: an operator must act.
    case relayUnusable(String)
    /// The address is dead, or an operator or its owner wants nothing sent to it, so it is not
    /// tried.
    case suppressed
    /// Servers have rejected three messages to the address within a day, so it is not tried for a
    /// day.
    case heldOff
    /// The reason for the e-mail no longer exists.
    case gone
    /// The caller withdrew the message before it was handed over.
    case abandoned

    /// By what name metrics count it; nil where nothing came of it.
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

    /// All names, in the order of the metric.
    package static let names = [
        Delivery.accepted, .gone, .suppressed, .heldOff, .tryLater(""), .refused(""),
        .rejected(""), .relayUnusable(""), .undeliverable(""),
    ].compactMap(\.name)
}
