import Basics
import Crypto
import Postgres
import Repositories
import Synchronization

/// The requests that this process may serve for each API key, and those that it has served.
///
/// A process takes requests of a key from the database, a few at a time, and serves them without
/// another write. All processes together therefore never serve more than the key's limit. Requests
/// that a process has taken and not served are lost when the minute ends; a process takes at most a
/// twentieth of the limit at once.
final class KeyMeter: Sendable {
    private struct Entry {
        /// Requests taken and not served yet.
        var left = 0
        /// End of the minute in which they were taken, in nanoseconds.
        var endsAt = 0
        /// Requests served and not recorded yet.
        var served: Int64 = 0
        /// Number of requests to take next.
        var wanted = 1
        /// End of the minute in which the limit was reached, in nanoseconds.
        var refusedUntil = 0
    }

    private enum Step {
        case serve
        case take(Int)
        case refuse(nanoseconds: Int)
    }

    /// Divisor of a key's limit: a process takes at most this fraction of it at once.
    private static let portion = 20

    /// An entry exists only for a key that the database knows, so there are few.
    private let entries = Mutex<[SHA256Digest: Entry]>([:])

    /// Counts a request of a key.
    ///
    /// - Parameter take: Takes requests from the database; returns nil for a key that doesn't work.
    /// - Throws: ``Refusal``: `invalidAPIKey`, `keyLimitReached`.
    func count(_ key: SHA256Digest, taking take: (Int) throws -> TakenUses?) throws {
        let now = MonotonicClock.nanoseconds()
        switch step(key, now) {
        case .serve: return
        case .refuse(let nanoseconds): throw Self.refusal(nanoseconds, most: nil)
        case .take(let wanted):
            guard let taken = try take(wanted) else {
                forget(key)
                throw Refusal(.invalidAPIKey)
            }
            let remaining = Int(taken.endsInMilliseconds) * 1_000_000
            guard taken.granted > 0 else {
                entries.withLock { $0[key, default: Entry()].refusedUntil = now + remaining }
                throw Self.refusal(remaining, most: Int(taken.most))
            }
            entries.withLock { entries in
                var entry = entries[key, default: Entry()]
                entry.left = (entry.endsAt > now ? entry.left : 0) + Int(taken.granted) - 1
                entry.endsAt = now + remaining
                entry.served += 1
                entry.wanted = min(max(1, Int(taken.most) / Self.portion), entry.wanted * 2)
                entries[key] = entry
            }
        }
    }

    private func step(_ key: SHA256Digest, _ now: Int) -> Step {
        entries.withLock { entries in
            guard let entry = entries[key] else { return .take(1) }
            if entry.left > 0, now < entry.endsAt {
                entries[key]?.left -= 1
                entries[key]?.served += 1
                return .serve
            }
            if now < entry.refusedUntil { return .refuse(nanoseconds: entry.refusedUntil - now) }
            return .take(entry.wanted)
        }
    }

    /// Forgets what was taken for a key that no longer works.
    func forget(_ key: SHA256Digest) {
        entries.withLock { entries in
            guard let entry = entries[key] else { return }
            // What was served is still recorded.
            entries[key] = entry.served > 0 ? Entry(served: entry.served) : nil
        }
    }

    /// Returns the requests served since the last call, by key, and forgets keys without requests.
    func takeServed() -> [(key: SHA256Digest, count: Int64)] {
        let now = MonotonicClock.nanoseconds()
        return entries.withLock { entries in
            let served = entries.compactMap { $1.served > 0 ? ($0, $1.served) : nil }
            for (key, entry) in entries {
                entries[key]?.served = 0
                if entry.served == 0, entry.endsAt < now, entry.refusedUntil < now {
                    entries[key] = nil
                }
            }
            return served
        }
    }

    /// Adds requests again that could not be recorded.
    func putBack(_ served: [(key: SHA256Digest, count: Int64)]) {
        entries.withLock { entries in
            for (key, count) in served { entries[key, default: Entry()].served += count }
        }
    }

    private static func refusal(_ nanoseconds: Int, most: Int?) -> Refusal {
        let seconds = max(1, (nanoseconds + 999_999_999) / 1_000_000_000)
        return Refusal(
            .keyLimitReached,
            .limit(
                ServerAccess.limitName, Allowance(quota: most ?? 0, windowSeconds: 60),
                retryAfterSeconds: seconds))
    }
}
