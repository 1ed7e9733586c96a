import Repositories
import Basics

/// Changes found in the last seconds, for clients that begin to wait after a change was found, but
/// have not seen it: the change was committed between their read and their wait, or they read from
/// a server that did not have the change yet (``ReadRouter/longestLagSeconds``).
struct RecentChanges {
    private let seconds: Double
    private var found: [Int64: (change: RecentChange, at: Int)] = [:]

    /// - Parameter seconds: Seconds for which a change is kept: longer than it takes from a read
    ///   until its client waits, and until no read lacks the change.
    init(retentionSeconds seconds: Double) { self.seconds = seconds }

    /// Adds changes that were just found.
    ///
    /// - Returns: These changes, together with all that are kept.
    mutating func adding(_ changes: [RecentChange]) -> [RecentChange] {
        let now = MonotonicClock.nanoseconds()
        for change in changes { found[change.idHash] = (change, now) }
        found = found.filter { Double(now - $0.value.at) / 1e9 < seconds }
        return found.values.map(\.change)
    }
}
