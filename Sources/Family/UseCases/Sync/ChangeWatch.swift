package import Postgres
import Repositories
import Synchronization
package import Threads

/// Wakes those who wait for changes of families and people.
///
/// While somebody waits, a thread asks the database ten times a second what has changed lately, by
/// an index of times. Writers take no part in it: they notify nobody and take no lock for it, and
/// it makes no difference through which program, or by which SQL, something was written. Every two
/// seconds it looks further back, for changes whose commit took long. It works through PgBouncer.
///
/// Nobody depends on one of these looks: all versions that are waited for are compared again every
/// ten seconds, a part with each look, and at once when the database could not be asked for a
/// while. After a failover some may even be lower than they were.
package final class ChangeWatch: Sendable {
    /// Seconds between two looks.
    private static let intervalSeconds = 0.1
    /// How far back each look goes, and those of every two seconds.
    private static let shortSeconds = 2.0
    private static let longSeconds = 30.0
    private static let longIntervalSeconds = 2.0
    /// Seconds in which everything that is waited for is compared again, and how many versions one
    /// statement compares.
    private static let comparisonSeconds = 10.0
    private static let comparedAtOnce = 1_000
    /// A look that took longer than so many seconds may have come too late for a change.
    private static let delaySeconds = 1.0

    private struct Waiter {
        let watched: [Watched]
        let deadline: Deadline
        let wake: @Sendable (_ isChange: Bool) -> Void
    }

    private struct State {
        var waiters: [Int: Waiter] = [:]
        /// Who waits for a family or person.
        var byHash: [Int64: Set<Int>] = [:]
        var nextNumber = 0
        var isStarted = false
        var isStopped = false

        /// Who waits for one of these changes.
        func due(after changes: [LateChange]) -> Set<Int> {
            var due: Set<Int> = []
            for change in changes {
                for number in byHash[change.idHash] ?? [] {
                    let known = waiters[number]?.watched.first { $0.idHash == change.idHash }
                    if change.version != known?.version { due.insert(number) }
                }
            }
            return due
        }

        mutating func take(_ number: Int) -> Waiter? {
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
    private let settle: @Sendable () -> Void
    private let onFailure: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - settle: Returns when whoever is woken finds the change wherever it reads.
    ///   - onFailure: Is told that the database could not be asked; it is asked again.
    package init(
        _ pool: Pool, settle: @escaping @Sendable () -> Void = {},
        onFailure: @escaping @Sendable (any Error) -> Void
    ) {
        self.pool = pool
        self.settle = settle
        self.onFailure = onFailure
    }

    /// Has `wake` called once: when something watched is at another version than the one known of
    /// it, at the deadline, or at ``stop()``, whichever comes first. From a thread of this watch's,
    /// so it must not wait for anything.
    package func wait(
        for watched: [Watched], until deadline: Deadline,
        wake: @escaping @Sendable (_ isChange: Bool) -> Void
    ) {
        var starts = false
        let isStopped = state.change { state in
            if state.isStopped { return true }
            let number = state.nextNumber
            state.nextNumber += 1
            state.waiters[number] = Waiter(watched: watched, deadline: deadline, wake: wake)
            for one in watched { state.byHash[one.idHash, default: []].insert(number) }
            starts = !state.isStarted
            state.isStarted = true
            return false
        }
        if isStopped { wake(false) }
        guard starts, !SystemThread.startDetached({ [weak self] in self?.run() }) else { return }
        // Without a thread nobody can wait.
        state.withLock { $0.isStarted = false }
        wakeAll()
    }

    /// How many wait.
    package var count: Int { state.withLock { $0.waiters.count } }

    /// Wakes everybody, now and from now on.
    package func stop() {
        state.change { $0.isStopped = true }
        wakeAll()
    }

    private func wakeAll() {
        let all = state.withLock { state in
            let numbers = Array(state.waiters.keys)
            return numbers.compactMap { state.take($0) }
        }
        for waiter in all { waiter.wake(false) }
    }

    private func run() {
        var nextLong = Deadline.after(seconds: 0)
        var nextComparison = Deadline.after(seconds: Self.comparisonSeconds)
        /// Who is still to be compared.
        var rest: ArraySlice<Int> = []
        var isBlind = false
        while awaitWaiters() {
            let began = MonotonicClock.nanoseconds()
            do {
                let isLong = nextLong.hasPassed
                wake(those: try lately(isLong ? Self.longSeconds : Self.shortSeconds))
                if isLong { nextLong = .after(seconds: Self.longIntervalSeconds) }
                let wasLate = isBlind || MonotonicClock.seconds(since: began) > Self.delaySeconds
                if wasLate || (rest.isEmpty && nextComparison.hasPassed) {
                    rest = state.withLock { $0.waiters.keys.sorted() }[...]
                    nextComparison = .after(seconds: Self.comparisonSeconds)
                }
                repeat { rest = try compare(rest) } while wasLate && !rest.isEmpty
                isBlind = false
            } catch {
                if !isBlind { onFailure(error) }
                isBlind = true
                wake(those: [])
            }
            pause()
        }
    }

    /// Compares what the first of the waiters watch, and wakes those who know other versions.
    ///
    /// - Returns: The waiters that are left.
    private func compare(_ numbers: ArraySlice<Int>) throws -> ArraySlice<Int> {
        var rest = numbers
        let watchers = state.withLock { state in
            var watchers: [Watched: [Int]] = [:]
            while watchers.count < Self.comparedAtOnce, let number = rest.popFirst() {
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
                Changes.beyond, watched.map(\.id), watched.map(\.version),
                watched.map(\.raisedAt))
            return try connection.send(batch).rows(rows).map { watched[Int($0.value) - 1] }
        }
        if !changed.isEmpty { settle() }
        let woken = state.withLock { state in
            Set(changed.flatMap { watchers[$0] ?? [] }).compactMap { state.take($0) }
        }
        for waiter in woken { waiter.wake(true) }
        return rest
    }

    private func lately(_ seconds: Double) throws -> [LateChange] {
        try pool.withConnection { connection in
            var batch = Batch()
            let rows = batch.add(Changes.lately, seconds)
            return try connection.send(batch).rows(rows)
        }
    }

    /// Waits until somebody waits; false at the end.
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

    /// Wakes those whose families or people have changed, and those whose time is over.
    private func wake(those changes: [LateChange]) {
        if state.withLock({ !$0.due(after: changes).isEmpty }) { settle() }
        let (woken, late) = state.withLock { state in
            let woken = state.due(after: changes).compactMap { state.take($0) }
            let now = Deadline.after(seconds: 0)
            let over = state.waiters.filter { $0.value.deadline <= now }.map(\.key)
            return (woken, over.compactMap { state.take($0) })
        }
        for waiter in woken { waiter.wake(true) }
        for waiter in late { waiter.wake(false) }
    }
}
