package import Postgres
import Repositories
import Synchronization
package import Threads

/// Wakes those who wait for changes of families and people.
///
/// While somebody waits, a thread asks the database ten times a second what has changed lately, by
/// an index of times. Writers take no part in it: they notify nobody and take no lock for it, and
/// it makes no difference through which program, or by which SQL, something was written. Every two
/// seconds it looks further back, for changes whose commit took long. It works through PgBouncer,
/// and goes on after a failover.
package final class ChangeWatch: Sendable {
    /// Seconds between two looks.
    private static let intervalSeconds = 0.1
    /// How far back each look goes, and those of every two seconds.
    private static let shortSeconds = 2.0
    private static let longSeconds = 30.0
    private static let longIntervalSeconds = 2.0

    private struct Waiter {
        let watched: [Int64: Int64]
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

        mutating func take(_ number: Int) -> Waiter? {
            guard let waiter = waiters.removeValue(forKey: number) else { return nil }
            for hash in waiter.watched.keys {
                byHash[hash]?.remove(number)
                if byHash[hash]?.isEmpty == true { byHash[hash] = nil }
            }
            return waiter
        }
    }

    private let state = Monitor(State())
    private let pool: Pool
    private let onFailure: @Sendable (any Error) -> Void

    /// - Parameter onFailure: Is told that the database could not be asked; it is asked again.
    package init(_ pool: Pool, onFailure: @escaping @Sendable (any Error) -> Void) {
        self.pool = pool
        self.onFailure = onFailure
    }

    /// Has `wake` called once: when something watched is beyond the version known of it, at the
    /// deadline, or at ``stop()``, whichever comes first. From a thread of this watch's, so it must
    /// not wait for anything.
    ///
    /// - Parameter watched: Versions by hash (`Changes`).
    package func wait(
        for watched: [Int64: Int64], until deadline: Deadline,
        wake: @escaping @Sendable (_ isChange: Bool) -> Void
    ) {
        var starts = false
        let isStopped = state.change { state in
            if state.isStopped { return true }
            let number = state.nextNumber
            state.nextNumber += 1
            state.waiters[number] = Waiter(watched: watched, deadline: deadline, wake: wake)
            for hash in watched.keys { state.byHash[hash, default: []].insert(number) }
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
        /// How long nothing was seen, because the database could not be asked.
        var blindSince: Int?
        while awaitWaiters() {
            let isLong = nextLong.hasPassed
            var seconds = isLong ? Self.longSeconds : Self.shortSeconds
            if let blindSince {
                seconds = Self.longSeconds + MonotonicClock.seconds(since: blindSince)
            }
            let began = MonotonicClock.nanoseconds()
            do {
                let changes = try lately(seconds)
                if isLong || blindSince != nil {
                    nextLong = .after(seconds: Self.longIntervalSeconds)
                }
                blindSince = nil
                wake(those: changes)
            } catch {
                if blindSince == nil {
                    blindSince = began
                    onFailure(error)
                }
                wake(those: [])
            }
            pause()
        }
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
        let (woken, late) = state.withLock { state in
            var due: Set<Int> = []
            for change in changes {
                for number in state.byHash[change.idHash] ?? [] {
                    let known = state.waiters[number]?.watched[change.idHash] ?? .max
                    if change.version > known { due.insert(number) }
                }
            }
            let woken = due.compactMap { state.take($0) }
            let now = Deadline.after(seconds: 0)
            let over = state.waiters.filter { $0.value.deadline <= now }.map(\.key)
            return (woken, over.compactMap { state.take($0) })
        }
        for waiter in woken { waiter.wake(true) }
        for waiter in late { waiter.wake(false) }
    }
}
