import Domain
package import Postgres
import Repositories
import Synchronization
package import Basics

/// Wakes long polls and streams when their families or people change.
///
/// While somebody waits, a thread queries the database ten times a second for the changes since the
/// last query, by an index of times. Writers are not involved: they notify nobody and take no lock
/// for it, and it makes no difference which program, or which SQL, wrote the change. Each query
/// also reads older changes of transactions that have become visible since the query before
/// (`Lookback`). So a change is found at once even if its commit took long, up to half a minute.
/// This works through PgBouncer.
///
/// Versions for followers with streams are read here, after the query that found the change: once
/// for all streams of one token, and for many tokens in one round trip. Ten streams of a token cost
/// the database as much as one.
///
/// No waiter depends on a single query. All awaited versions are compared again every ten seconds,
/// some with each query, and all of them after the database was unreachable for a while. After a
/// failover, some versions may even be lower than before.
package final class ChangeWatch: Sendable {
    /// Seconds between two queries.
    private static let intervalSeconds = 0.1
    /// Maximum age in seconds of changes that a query reads; longer than the promised half minute.
    private static let lookbackSeconds = 35.0
    /// Seconds for which a found change is kept for clients that begin to wait later: longer than a
    /// request takes from reading its versions until it waits.
    private static let retentionSeconds = 1.0
    /// Seconds in which all awaited versions are compared again, and the number of versions that
    /// one statement compares.
    private static let comparisonSeconds = 10.0
    private static let comparisonLimit = 1_000
    /// Duration of a query, in seconds, after which the query may have missed a change.
    private static let lateSeconds = 1.0
    /// Number of followers whose versions are read in one round trip.
    private static let followerLimit = 50

    /// The reason for which a wait has ended.
    package enum WakeReason: Sendable {
        /// The deadline has passed, or the watch has stopped.
        case time
        /// A watched version has changed. The result is what the follower sees now, or its error;
        /// nil if that was not read and must be read alone.
        case change(Result<FollowVersions.Versions, any Error>?)
    }

    private struct Waiter {
        let watched: [WatchedVersion]
        let deadline: Deadline
        let follower: Follower?
        let wake: @Sendable (WakeReason) -> Void
    }

    private struct State {
        var waiters: [Int: Waiter] = [:]
        /// Numbers of the waiters for a family, person or session, by the hash of its id.
        var byHash: [Int64: Set<Int>] = [:]
        var nextNumber = 0
        var isStarted = false
        var isStopped = false

        /// Returns the numbers of the waiters for one of these changes.
        func due(after changes: [RecentChange]) -> Set<Int> {
            var due: Set<Int> = []
            for change in changes {
                for number in byHash[change.idHash] ?? [] {
                    let known = waiters[number]?.watched.first { $0.idHash == change.idHash }
                    if change.version != known?.version { due.insert(number) }
                }
            }
            return due
        }

        mutating func remove(_ number: Int) -> Waiter? {
            guard let waiter = waiters.removeValue(forKey: number) else { return nil }
            for hash in waiter.watched.map(\.idHash) {
                byHash[hash]?.remove(number)
                if byHash[hash]?.isEmpty == true { byHash[hash] = nil }
            }
            return waiter
        }
    }

    private let state = Monitor(State())
    private let pool: Pool
    private let readLagSeconds: Double
    private let awaitReplication: @Sendable () -> Void
    private let onFailure: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - readLagSeconds: Maximum age of a client's versions when it begins to wait
    ///     (``ReadRouter/longestLagSeconds``).
    ///   - awaitReplication: Waits until every woken client sees the change on every server
    ///     (``ReadRouter/awaitReplication()``).
    ///   - onFailure: Called when the database could not be queried; the query is repeated.
    package init(
        _ pool: Pool, readLagSeconds: Double = 0,
        awaitReplication: @escaping @Sendable () -> Void = {},
        onFailure: @escaping @Sendable (any Error) -> Void
    ) {
        self.pool = pool
        self.readLagSeconds = readLagSeconds
        self.awaitReplication = awaitReplication
        self.onFailure = onFailure
    }

    /// Calls `wake` once: when a watched version differs from the known one, at the deadline, or at
    /// ``stop()``, whichever comes first. `wake` is called on a thread of this watch, so it must
    /// not wait for anything.
    ///
    /// - Parameter follower: The follower whose versions are read after a change.
    package func wait(
        for watched: [WatchedVersion], until deadline: Deadline, by follower: Follower? = nil,
        wake: @escaping @Sendable (WakeReason) -> Void
    ) {
        var starts = false
        var isStopped = false
        state.update { state in
            isStopped = state.isStopped
            if isStopped { return false }
            let number = state.nextNumber
            state.nextNumber += 1
            state.waiters[number] = Waiter(
                watched: watched, deadline: deadline, follower: follower, wake: wake)
            for one in watched { state.byHash[one.idHash, default: []].insert(number) }
            starts = !state.isStarted
            state.isStarted = true
            // Between two queries, the thread does not wait for waiters: only the first one wakes
            // it.
            return state.waiters.count == 1
        }
        if isStopped { wake(.time) }
        guard starts, !SystemThread.startDetached({ [weak self] in self?.run() }) else { return }
        // Without a thread nobody can wait.
        state.withLock { $0.isStarted = false }
        wakeAll()
    }

    /// Number of waiters.
    package var count: Int { state.withLock { $0.waiters.count } }

    /// Wakes all waiters, now and from now on.
    package func stop() {
        state.change { $0.isStopped = true }
        wakeAll()
    }

    private func wakeAll() {
        let all = state.withLock { state in
            let numbers = Array(state.waiters.keys)
            return numbers.compactMap { state.remove($0) }
        }
        for waiter in all { waiter.wake(.time) }
    }

    private func run() {
        var lastQuery = MonotonicClock.nanoseconds()
        var nextComparison = Deadline.after(seconds: Self.comparisonSeconds)
        /// Numbers of the waiters that are still to be compared.
        var rest: ArraySlice<Int> = []
        var hasFailed = false
        var lookback = Lookback()
        var recent = RecentChanges(retentionSeconds: readLagSeconds + Self.retentionSeconds)
        while awaitWaiters() {
            let began = MonotonicClock.nanoseconds()
            do {
                let sinceLast = MonotonicClock.seconds(since: lastQuery)
                let changes = try pool.withConnection {
                    try lookback.query(on: $0, atMost: Self.lookbackSeconds)
                }
                let mayHaveMissedChanges =
                    hasFailed || sinceLast > Self.lookbackSeconds
                    || MonotonicClock.seconds(since: began) > Self.lateSeconds
                wakeWaiters(for: recent.adding(changes))
                lastQuery = began
                if mayHaveMissedChanges || (rest.isEmpty && nextComparison.hasPassed) {
                    rest = state.withLock { $0.waiters.keys.sorted() }[...]
                    nextComparison = .after(seconds: Self.comparisonSeconds)
                }
                repeat { rest = try compare(rest) } while mayHaveMissedChanges && !rest.isEmpty
                hasFailed = false
            } catch {
                if !hasFailed { onFailure(error) }
                hasFailed = true
                lookback = Lookback()
                recent = RecentChanges(retentionSeconds: readLagSeconds + Self.retentionSeconds)
                wakeWaiters(for: [])
            }
            pause()
        }
    }

    /// Compares the versions that the first of the waiters watch, and wakes those whose versions
    /// differ.
    ///
    /// - Returns: The waiters that are left.
    private func compare(_ numbers: ArraySlice<Int>) throws -> ArraySlice<Int> {
        var rest = numbers
        let watchers = state.withLock { state in
            var watchers: [WatchedVersion: [Int]] = [:]
            while watchers.count < Self.comparisonLimit, let number = rest.popFirst() {
                for one in state.waiters[number]?.watched ?? [] {
                    watchers[one, default: []].append(number)
                }
            }
            return watchers
        }
        if watchers.isEmpty { return rest }
        let watched = Array(watchers.keys)
        let changed = try pool.withConnection { connection in
            var batch = Batch()
            let rows = batch.add(
                Changes.outdated, watched.map(\.id), watched.map(\.version),
                watched.map(\.raisedAt))
            return try connection.send(batch).rows(rows).map { watched[Int($0.value) - 1] }
        }
        if !changed.isEmpty { awaitReplication() }
        notify(
            state.withLock { state in
                Set(changed.flatMap { watchers[$0] ?? [] }).compactMap { state.remove($0) }
            })
        return rest
    }

    /// Waits until there is a waiter; false at the end.
    private func awaitWaiters() -> Bool {
        state.wait { state in
            if state.isStopped { return (false, .never) }
            return (state.waiters.isEmpty ? nil : true, .never)
        } ?? false
    }

    private func pause() {
        let deadline = Deadline.after(seconds: Self.intervalSeconds)
        _ = state.wait { state -> (Bool?, Deadline) in (state.isStopped ? true : nil, deadline) }
    }

    /// Wakes the waiters whose families or people have changed, and those whose deadline has
    /// passed.
    private func wakeWaiters(for changes: [RecentChange]) {
        let due = state.withLock { $0.due(after: changes) }
        if !due.isEmpty { awaitReplication() }
        let (woken, late) = state.withLock { state in
            let woken = due.compactMap { state.remove($0) }
            let now = Deadline.after(seconds: 0)
            let over = state.waiters.filter { $0.value.deadline <= now }.map(\.key)
            return (woken, over.compactMap { state.remove($0) })
        }
        for waiter in late { waiter.wake(.time) }
        notify(woken)
    }

    /// Wakes the waiters for these changes. The versions of followers are read here, after the
    /// change is visible, so that none gets a state older than the change that woke it.
    private func notify(_ waiters: [Waiter]) {
        var byFollower: [Follower: [Waiter]] = [:]
        for waiter in waiters {
            if let follower = waiter.follower {
                byFollower[follower, default: []].append(waiter)
            } else {
                waiter.wake(.change(nil))
            }
        }
        var rest = Array(byFollower)[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.followerLimit)
            rest = rest.dropFirst(Self.followerLimit)
            for ((_, waiters), seen) in zip(part, Follower.versions(of: part.map(\.key))) {
                for waiter in waiters { waiter.wake(.change(seen)) }
            }
        }
    }
}
