package import Domain
package import Postgres
package import Repositories

/// The time to which the next query for changes has to go back, so that it finds each change that
/// the last query could not see yet, however long its transaction has been running.
///
/// A query sees a change for the first time if its transaction was in progress at the query before,
/// or had not begun. Such a transaction had written nothing before any query at which its id was
/// not assigned yet. The latest of these queries is the one to go back to, usually the one before
/// last. The database goes back for a transaction only when it shows the transaction's changes
/// (`app.changed_since`).
package struct Lookback: Sendable {
    /// The transactions that the last query could not see yet.
    package struct RunningTransactions: Sendable, Equatable {
        /// Ids of transactions in progress.
        package var underWay: [Int64] = []
        /// Times before which each of them had written nothing.
        package var since: [Timestamp] = []
        /// First id of all later transactions.
        package var end: Int64 = 0
        /// Time before which none of those had written anything.
        package var endSince = Lookback.longAgo
        /// Time of the query.
        package var lookedAt = Lookback.longAgo
    }

    /// The time before which nothing is known.
    package static let longAgo = Timestamp(microseconds: 0)

    /// The transactions that the next query has to go back for: all, before the first query.
    package private(set) var unseen = RunningTransactions()

    /// Queries at which a transaction that is still unknown may not have begun, earliest first.
    private var looks: [(next: Int64, moment: Timestamp)] = []
    /// First id that is higher than all that were assigned at the last query.
    private var next: Int64 = 0

    package init() {}

    /// Queries the changes that have become visible since the last query.
    ///
    /// - Parameter seconds: Maximum number of seconds to go back.
    package mutating func look(
        over connection: Connection, atMost seconds: Double
    ) throws -> [LateChange] {
        var batch = Batch()
        let horizon = batch.add(Changes.horizon)
        let rows = batch.add(
            Changes.lately, unseen.underWay, unseen.since, unseen.end, unseen.endSince,
            unseen.lookedAt, seconds)
        let answers = try connection.send(batch)
        let changes = try answers.rows(rows)
        add(try answers.row(horizon))
        return changes
    }

    /// Adds the transactions that a query could not see yet, which were read before its changes.
    package mutating func add(_ look: ChangeHorizon) {
        if look.next < next || look.moment < unseen.lookedAt {
            // Another server, or a clock that was set back.
            self = Lookback()
        }
        let known = Dictionary(
            zip(unseen.underWay, unseen.since), uniquingKeysWith: { one, _ in one })
        looks.append((look.next, look.moment))
        next = look.next
        unseen = RunningTransactions(
            underWay: look.underWay, since: look.underWay.map { known[$0] ?? beginning(of: $0) },
            end: look.end, endSince: beginning(of: look.end), lookedAt: look.moment)
        // Transactions that become known later have ids from the end on.
        if let index = looks.lastIndex(where: { $0.next <= look.end }) {
            looks.removeFirst(index)
        }
    }

    /// Returns the latest time at which a transaction id was not assigned yet.
    private func beginning(of number: Int64) -> Timestamp {
        looks.last { $0.next <= number }?.moment ?? Self.longAgo
    }
}
