import Repositories
import Threads

/// What looks have found in the last seconds, for clients that begin to wait later than a change
/// was found, but know less than it: the change came between their read and their wait, or they
/// have read it where it was not found yet (``ReadRouter/longestLagSeconds``).
struct RecentChanges {
    private let seconds: Double
    private var found: [Int64: (change: LateChange, at: Int)] = [:]

    /// - Parameter seconds: How long a change is kept: longer than it takes from a read until its
    ///   client waits, and until no read lacks the change.
    init(keptSeconds seconds: Double) { self.seconds = seconds }

    /// Takes what a look has found.
    ///
    /// - Returns: The same, with everything that is kept.
    mutating func adding(_ changes: [LateChange]) -> [LateChange] {
        let now = MonotonicClock.nanoseconds()
        for change in changes { found[change.idHash] = (change, now) }
        found = found.filter { Double(now - $0.value.at) / 1e9 < seconds }
        return found.values.map(\.change)
    }
}
