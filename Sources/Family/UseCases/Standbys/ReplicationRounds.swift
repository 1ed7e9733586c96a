import Synchronization
import Basics

/// Makes the response to a change wait until every standby that any process reads from has the
/// committed data.
///
/// Many changes share a round: a change that arrives during a round waits for the next round. A
/// change waits for `holdSeconds` at most: a standby that lacks the change by then no longer serves
/// reads, because every lease that the standby may have seen has ended.
final class ReplicationRounds: Sendable {
    private struct Progress {
        var begun = 0
        var done = 0
        var isUnderWay = false
    }

    private let timing: StandbyTiming
    private let rounds = Monitor(Progress())
    private let timedOut = Atomic(0)

    init(_ timing: StandbyTiming) { self.timing = timing }

    /// Number of rounds that ended at their deadline, because a standby did not show the change.
    var timedOutCount: Int { timedOut.load(ordering: .relaxed) }

    /// Waits for a round that begins from now on. One of the waiting threads runs it.
    func wait(for reads: StandbyReads) {
        let deadline = Deadline.after(seconds: timing.holdSeconds)
        var ownRound: Int?
        let isLeader = rounds.wait { rounds -> (Bool?, Deadline) in
            let number = ownRound ?? rounds.begun + 1
            ownRound = number
            if rounds.done >= number { return (false, deadline) }
            if rounds.isUnderWay { return (nil, deadline) }
            rounds.isUnderWay = true
            rounds.begun += 1
            return (true, deadline)
        }
        guard isLeader == true else { return }
        round(reads, began: MonotonicClock.nanoseconds())
        rounds.change { rounds in
            rounds.done = rounds.begun
            rounds.isUnderWay = false
        }
    }

    /// Renews the row, and waits until every standby in use shows this renewal, except standbys
    /// that go out of use.
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
                missing = standbys.filter { !reads.hasReplayed(number, on: $0) }
                if missing?.isEmpty == true { return }
            }
            MonotonicClock.pause(seconds: min(pause, deadline.remainingSeconds))
            pause = min(pause * 2, 0.02)
        }
        timedOut.wrappingAdd(1, ordering: .relaxed)
    }
}
