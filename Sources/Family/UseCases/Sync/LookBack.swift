package import Domain
package import Repositories

/// How far back a look for changes has to go, so that it finds each one that the looks before could
/// not see because its transaction was still under way.
///
/// Each look notes the database's moment, the first transaction under way and the next one to
/// begin. What a later look sees for the first time was written by a transaction that was under way
/// in this one, or had not begun. Such a transaction began after every look whose next one it was,
/// or came before: so the latest of those looks is early enough, and usually it is the one before
/// last.
package struct LookBack: Sendable {
    /// Looks that may still be gone back to, from the earliest.
    private var looks: [ChangeHorizon] = []

    package init() {}

    /// The moment since which the next look has to see what has changed; nil if no look was early
    /// enough.
    package private(set) var since: Timestamp?

    /// Takes a look's moment, which was read before what the look has seen.
    package mutating func add(_ look: ChangeHorizon) {
        if let last = looks.last, look.next < last.next || look.moment < last.moment {
            // Another server, or a clock that was set back.
            self = LookBack()
        }
        looks.append(look)
        guard let index = looks.lastIndex(where: { $0.next <= look.firstUnderWay }) else {
            since = nil
            return
        }
        since = looks[index].moment
        // Transactions that are under way only become later ones.
        looks.removeFirst(index)
    }
}
