package import Postgres
import Repositories
import Synchronization
import Threads

/// Holds answers to changes until every standby that anybody reads from has the change: so whoever
/// has the answer finds the change through every process, and what it took away through none.
///
/// Many answers share a round: whoever comes while one is under way waits for the next. An answer
/// is held for `holdSeconds` at most: a standby that does not have the change by then serves nobody
/// any more, because every lease that it may have seen has ended.
package final class HeldAnswers: Sendable {
    private struct Rounds {
        var begun = 0
        var done = 0
        var isUnderWay = false
    }

    private let pool: Pool
    private let reads: StandbyReads?
    private let timing: StandbyTiming
    private let rounds = Monitor(Rounds())
    /// When it was last asked whether anybody reads from standbys, if nobody did.
    private let nobodyReads = Mutex<Int?>(nil)
    private let waitedOut = Atomic(0)

    /// - Parameter reads: Nil where this process reads from no standby; others may.
    package init(_ pool: Pool, _ reads: StandbyReads?, _ timing: StandbyTiming = StandbyTiming()) {
        self.pool = pool
        self.reads = reads
        self.timing = timing
    }

    /// Rounds that waited until leases had ended, because a standby did not show the change.
    package var countOfWaitedOut: Int { waitedOut.load(ordering: .relaxed) }

    /// Waits until everything that is committed now is on all standbys that are read from.
    package func hold() {
        if let reads { return share(reads) }
        let began = MonotonicClock.nanoseconds()
        let known = nobodyReads.withLock { $0 }
        if let known, Double(began - known) / 1e9 < timing.unawareSeconds { return }
        let inUse = try? pool.withConnection { try $0.run(StandbyReaders.inUse) }.first
        if let inUse, inUse.readers == 0 {
            nobodyReads.withLock { $0 = began }
            return
        }
        if let inUse, inUse.standbys.isEmpty { return }
        waitOut(since: began)
    }

    private func waitOut(since began: Int) {
        waitedOut.wrappingAdd(1, ordering: .relaxed)
        MonotonicClock.pause(
            seconds: timing.holdSeconds - MonotonicClock.seconds(since: began))
    }

    private func share(_ reads: StandbyReads) {
        let deadline = Deadline.after(seconds: timing.holdSeconds)
        var mine: Int?
        let leads = rounds.wait { rounds -> (Bool?, Deadline) in
            let number = mine ?? rounds.begun + 1
            mine = number
            if rounds.done >= number { return (false, deadline) }
            if rounds.isUnderWay { return (nil, deadline) }
            rounds.isUnderWay = true
            rounds.begun += 1
            return (true, deadline)
        }
        guard leads == true else { return }
        round(reads, began: MonotonicClock.nanoseconds())
        rounds.change { rounds in
            rounds.done = rounds.begun
            rounds.isUnderWay = false
        }
    }

    /// Renews, and waits until every standby in use shows that renewal. Those that nobody reads
    /// from any more need not.
    private func round(_ reads: StandbyReads, began: Int) {
        let deadline = Deadline.after(
            seconds: timing.holdSeconds - MonotonicClock.seconds(since: began))
        var wanted: Int64?
        var missing: Set<Int64>?
        var renewal = deadline
        var pause = 0.000_5
        while !deadline.hasPassed {
            if missing == nil || renewal.hasPassed {
                if let (number, inUse) = try? reads.registration.renew() {
                    wanted = wanted ?? number
                    missing = missing?.intersection(inUse.standbys) ?? Set(inUse.standbys)
                }
                renewal = min(deadline, .after(seconds: timing.renewalSeconds))
            }
            if let number = wanted, let standbys = missing {
                missing = standbys.filter { !reads.shows(number, on: $0) }
                if missing?.isEmpty == true { return }
            }
            MonotonicClock.pause(seconds: min(pause, deadline.remainingSeconds))
            pause = min(pause * 2, 0.02)
        }
        waitedOut.wrappingAdd(1, ordering: .relaxed)
    }
}
