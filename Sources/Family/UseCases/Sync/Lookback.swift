package import Domain
package import Postgres
package import Repositories

/// The earliest time of the changes that the next query must read, so that it finds each change
/// that the last query could not see yet, however long the change's transaction has been running.
///
/// A query sees a change for the first time if the change's transaction was running or had not
/// begun at the query before. Such a transaction had written nothing before the latest query at
/// which its id was not assigned yet, usually the one before last. The next query therefore reads
/// changes from that time on. The database does so only for transactions that have become visible
/// (`app.changed_since`).
package struct Lookback: Sendable {
    /// The transactions that the last query could not see yet.
    package struct RunningTransactions: Sendable, Equatable {
        /// Ids of transactions in progress.
        package var underWay: [Int64] = []
        /// Times, for each running transaction, before which it had written nothing.
        package var since: [Timestamp] = []
        /// First id of all later transactions.
        package var end: Int64 = 0
        /// Time before which no transaction from `end` on had written anything.
        package var endSince = Lookback.beginningOfTime
        /// Time of the query.
        package var queriedAt = Lookback.beginningOfTime
    }

    /// The earliest time, used while nothing is known about a transaction.
    package static let beginningOfTime = Timestamp(microseconds: 0)

    /// The transactions whose changes the next query must find; before the first query, all
    /// transactions.
    package private(set) var unseen = RunningTransactions()

    /// Earlier queries, each with the first id that was not assigned at that time, earliest first.
    private var queries: [(next: Int64, moment: Timestamp)] = []
    /// First transaction id that was not assigned at the last query.
    private var next: Int64 = 0

    package init() {}

    /// Queries the changes that have become visible since the last query.
    ///
    /// - Parameter seconds: Maximum number of seconds to go back.
    package mutating func query(
        on connection: Connection, atMost seconds: Double
    ) throws -> [RecentChange] {
        var batch = Batch()
        let snapshot = batch.add(Changes.snapshot)
        let rows = batch.add(
            Changes.changedSince, unseen.underWay, unseen.since, unseen.end, unseen.endSince,
            unseen.queriedAt, seconds)
        let results = try connection.send(batch)
        let changes = try results.rows(rows)
        add(try results.row(snapshot))
        return changes
    }

    /// Adds the transactions that a query could not see yet, which were read before its changes.
    package mutating func add(_ snapshot: TransactionSnapshot) {
        if snapshot.next < next || snapshot.moment < unseen.queriedAt {
            // Another server, or a clock that was set back.
            self = Lookback()
        }
        let known = Dictionary(
            zip(unseen.underWay, unseen.since), uniquingKeysWith: { one, _ in one })
        queries.append((snapshot.next, snapshot.moment))
        next = snapshot.next
        unseen = RunningTransactions(
            underWay: snapshot.underWay,
            since: snapshot.underWay.map { known[$0] ?? firstPossibleWrite(of: $0) },
            end: snapshot.end, endSince: firstPossibleWrite(of: snapshot.end),
            queriedAt: snapshot.moment)
        // Transactions that become known later have ids from `snapshot.end` on.
        if let index = queries.lastIndex(where: { $0.next <= snapshot.end }) {
            queries.removeFirst(index)
        }
    }

    /// Returns the latest time at which a transaction id was not assigned yet.
    private func firstPossibleWrite(of number: Int64) -> Timestamp {
        queries.last { $0.next <= number }?.moment ?? Self.beginningOfTime
    }
}
