import Basics
import Crypto
import Postgres
import Repositories
import Synchronization

/// The requests that this process may serve for each API key, and those that it has served.
///
/// A process reserves requests for a key in the database, a few at a time, and serves them without
/// another write. All processes together therefore never serve more than the key's limit. Requests
/// that a process has reserved and not served are lost when the minute ends; a process reserves at
/// most a twentieth of the limit at once.
///
/// Only the database can decide whether a key is valid. Requests with keys that this process
/// doesn't know cause at most ``unknownPerSecond`` look-ups a second in total, so guessed keys
/// neither overload the database nor delay keys in use.
final class KeyMeter: Sendable {
    private struct Entry {
        /// Requests reserved and not served yet.
        var left = 0
        /// End of the minute for which they were reserved, in nanoseconds.
        var endsAt = 0
        /// Requests served and not recorded yet.
        var served: Int64 = 0
        /// Number of requests to reserve next.
        var wanted = 1
        /// The key's limit; 0 before the first response of the database.
        var most = 0
        /// End of the minute in which the limit is reached, in nanoseconds.
        var refusedUntil = 0
        /// While the limit is reached: time of the next query of the database, in nanoseconds.
        var asksAt = 0
        /// Time from which the key is no longer treated as known, in nanoseconds.
        var knownUntil = 0
    }

    private enum Step {
        case serve
        case take(Int)
        case refuse(nanoseconds: Int, most: Int)
        case refuseUnknown(nanoseconds: Int)
    }

    /// Maximum number of requests a second, with keys that this process doesn't know, for which it
    /// queries the database.
    static let unknownPerSecond = 100
    /// Divisor of a key's limit: a process reserves at most this fraction of it at once.
    private static let portion = 20
    private static let second = 1_000_000_000
    /// Half a minute in nanoseconds. Ends that are further apart belong to different minutes.
    private static let halfMinute = 30 * second
    /// Nanoseconds for which a key is treated as known after the database last recognised it.
    private static let memory = 3_600 * second

    private struct State {
        /// An entry exists only for a key that the database knows, so there are few.
        var entries: [SHA256Digest: Entry] = [:]
        /// End of the second in which unknown keys are counted, in nanoseconds, and their number.
        var unknownEndsAt = 0
        var unknown = 0
    }

    private let state = Mutex(State())
    private let clock: @Sendable () -> Int

    /// - Parameter clock: Returns nanoseconds that never go back.
    init(clock: @escaping @Sendable () -> Int = { MonotonicClock.nanoseconds() }) {
        self.clock = clock
    }

    /// Counts a request of a key.
    ///
    /// - Parameter take: Reserves requests in the database; returns nil for a key that is not
    ///   valid.
    /// - Throws: ``Refusal``: `invalidAPIKey`, `keyLimitReached`.
    func count(_ key: SHA256Digest, taking take: (Int) throws -> TakenUses?) throws {
        let asked = clock()
        switch step(key, asked) {
        case .serve: return
        case .refuse(let nanoseconds, let most):
            throw Self.refusal(ServerAccess.limitName, nanoseconds, most: most, seconds: 60)
        case .refuseUnknown(let nanoseconds):
            throw Self.refusal(
                ServerAccess.unknownLimitName, nanoseconds, most: Self.unknownPerSecond,
                seconds: 1)
        case .take(let wanted):
            guard let taken = try take(wanted) else {
                forget(key)
                throw Refusal(.invalidAPIKey)
            }
            // Measured from before the query, so the minute ends here no later than in the
            // database.
            let endsAt = asked + Int(taken.endsInMilliseconds) * 1_000_000
            if !store(taken, of: key, endsAt) {
                throw Self.refusal(
                    ServerAccess.limitName, endsAt - clock(), most: Int(taken.most), seconds: 60)
            }
        }
    }

    private func step(_ key: SHA256Digest, _ now: Int) -> Step {
        state.withLock { state in
            guard let entry = state.entries[key], now < entry.knownUntil else {
                if state.unknownEndsAt <= now {
                    state.unknownEndsAt = now + Self.second
                    state.unknown = 0
                }
                state.unknown += 1
                return state.unknown <= Self.unknownPerSecond
                    ? .take(1) : .refuseUnknown(nanoseconds: state.unknownEndsAt - now)
            }
            if entry.left > 0, now < entry.endsAt {
                state.entries[key]?.left -= 1
                state.entries[key]?.served += 1
                return .serve
            }
            if now < entry.refusedUntil {
                // The database is still queried once a second: the key may have been revoked.
                if now < entry.asksAt {
                    return .refuse(nanoseconds: entry.refusedUntil - now, most: entry.most)
                }
                state.entries[key]?.asksAt = now + Self.second
            }
            return .take(entry.wanted)
        }
    }

    /// Stores the requests that the database granted, and serves one of them. Returns false if it
    /// granted none.
    private func store(_ taken: TakenUses, of key: SHA256Digest, _ endsAt: Int) -> Bool {
        // The minute may have ended during the round trip.
        let now = clock()
        return state.withLock { state in
            var entry = state.entries[key] ?? Entry()
            defer { state.entries[key] = entry }
            entry.knownUntil = now + Self.memory
            entry.most = Int(taken.most)
            guard taken.granted > 0 else {
                entry.refusedUntil = endsAt
                entry.asksAt = now + Self.second
                return false
            }
            let rest = Int(taken.granted) - 1
            if entry.endsAt <= now || entry.endsAt < endsAt - Self.halfMinute {
                entry.left = rest
                entry.endsAt = endsAt
            } else if endsAt > entry.endsAt - Self.halfMinute {
                entry.left += rest
                entry.endsAt = min(entry.endsAt, endsAt)
            }
            // Otherwise another thread has already reserved requests of the next minute.
            entry.served += 1
            entry.wanted = min(max(1, Int(taken.most) / Self.portion), entry.wanted * 2)
            entry.refusedUntil = 0
            return true
        }
    }

    /// Discards the reserved requests of a key that is no longer valid.
    func forget(_ key: SHA256Digest) {
        state.withLock { state in
            guard let entry = state.entries[key] else { return }
            // The requests that were served are still recorded.
            state.entries[key] = entry.served > 0 ? Entry(served: entry.served) : nil
        }
    }

    /// Returns the requests served since the last call, by key, and forgets keys that were not used
    /// for a long time.
    func takeServed() -> [(key: SHA256Digest, count: Int64)] {
        let now = clock()
        return state.withLock { state in
            let served = state.entries.compactMap { $1.served > 0 ? ($0, $1.served) : nil }
            for (key, entry) in state.entries {
                if entry.knownUntil <= now {
                    state.entries[key] = nil
                } else {
                    state.entries[key]?.served = 0
                }
            }
            return served
        }
    }

    /// Adds requests again that could not be recorded.
    func putBack(_ served: [(key: SHA256Digest, count: Int64)]) {
        state.withLock { state in
            for (key, count) in served { state.entries[key, default: Entry()].served += count }
        }
    }

    private static func refusal(
        _ limit: String, _ nanoseconds: Int, most: Int, seconds: Int
    ) -> Refusal {
        Refusal(
            .keyLimitReached,
            .limit(
                limit, Allowance(quota: most, windowSeconds: seconds),
                retryAfterSeconds: max(1, (nanoseconds + second - 1) / second)))
    }
}
