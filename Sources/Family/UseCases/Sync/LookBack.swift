package import Domain
package import Postgres
package import Repositories

/// How far back the next look for changes has to go, so that it finds each one that the last look
/// could not see yet, however long its transaction has been under way.
///
/// What a look sees for the first time was written by a transaction that was under way at the look
/// before, or had not begun. Such a transaction had written nothing before any look at which its
/// number was still to be given: the latest of these is the moment to go back to, and usually it is
/// the one before last. The database goes back for a transaction only when it shows it
/// (`app.changed_since`).
package struct LookBack: Sendable {
    /// What the last look could not see yet.
    package struct Unseen: Sendable, Equatable {
        /// Numbers of transactions that were under way.
        package var underWay: [Int64] = []
        /// Moments before which each of them had written nothing.
        package var since: [Timestamp] = []
        /// The first number of all further transactions.
        package var end: Int64 = 0
        /// The moment before which none of those had written anything.
        package var endSince = LookBack.longAgo
        /// The moment of the look.
        package var lookedAt = LookBack.longAgo
    }

    /// The moment of which nothing is known.
    package static let longAgo = Timestamp(microseconds: 0)

    /// What the next look has to go back for: everything, before the first look.
    package private(set) var unseen = Unseen()

    /// Looks that a transaction may not have begun at that is not known yet, from the earliest.
    private var looks: [(next: Int64, moment: Timestamp)] = []
    /// The first number that is higher than all that were given at the last look.
    private var next: Int64 = 0

    package init() {}

    /// Looks for what has become visible since the last look.
    ///
    /// - Parameter seconds: How far back to look at most.
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

    /// Takes what a look could not see yet, which was read before what the look has seen.
    package mutating func add(_ look: ChangeHorizon) {
        if look.next < next || look.moment < unseen.lookedAt {
            // Another server, or a clock that was set back.
            self = LookBack()
        }
        let known = Dictionary(
            zip(unseen.underWay, unseen.since), uniquingKeysWith: { one, _ in one })
        looks.append((look.next, look.moment))
        next = look.next
        unseen = Unseen(
            underWay: look.underWay, since: look.underWay.map { known[$0] ?? beginning(of: $0) },
            end: look.end, endSince: beginning(of: look.end), lookedAt: look.moment)
        // All that become known later have numbers from the end on.
        if let index = looks.lastIndex(where: { $0.next <= look.end }) {
            looks.removeFirst(index)
        }
    }

    /// The latest moment at which a number was still to be given.
    private func beginning(of number: Int64) -> Timestamp {
        looks.last { $0.next <= number }?.moment ?? Self.longAgo
    }
}
