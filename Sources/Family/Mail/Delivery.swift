/// How the delivery of a message ended. Reasons name stages and codes: never an address or a
/// server's own words.
package enum Delivery: Error, Sendable, Equatable {
    /// The server has taken the message.
    case accepted
    /// It may go through later.
    case tryLater(String)
    /// The server refuses this recipient, or this message to it, for good.
    case refused(String)
    /// It can't be made or carried, whatever the recipient does.
    case undeliverable(String)
    /// The server takes no mail from us at all: an operator must act.
    case relayUnusable(String)
    /// A server has refused the address before, so it is not tried.
    case suppressed
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
        case .undeliverable: "failed"
        case .relayUnusable: "relay_unusable"
        case .suppressed: "suppressed"
        case .gone: "skipped"
        case .abandoned: nil
        }
    }

    /// All names, in the order of the metric.
    package static let names = [
        Delivery.accepted, .gone, .suppressed, .tryLater(""), .refused(""), .relayUnusable(""),
        .undeliverable(""),
    ].compactMap(\.name)
}
