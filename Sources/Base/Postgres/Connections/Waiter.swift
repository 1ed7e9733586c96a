import Threads

/// A thread that waits for the pool to give it something, once.
final class Waiter: Sendable {
    enum Gift: Sendable {
        case connection(PooledConnection)
        /// The right to open a connection.
        case place
        case closed
    }

    private let gift = Monitor<Gift?>(nil)

    /// Hands the gift over and wakes the thread.
    func give(_ gift: Gift) { self.gift.change { $0 = gift } }

    /// Waits for the gift; nil when the deadline came first.
    func take(by deadline: Deadline) -> Gift? {
        gift.wait { gift in
            defer { gift = nil }
            return (gift, deadline)
        }
    }
}
