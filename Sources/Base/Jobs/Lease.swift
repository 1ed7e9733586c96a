import Synchronization
import Basics

/// A worker's lease, as its threads can check it without a query.
///
/// A lease that does not take over an earlier one starts a new epoch, and jobs of earlier epochs
/// are lost.
final class Lease: Sendable {
    /// Seconds after which other workers may end a lease that was not renewed.
    static let seconds = 15.0

    private let epoch = Atomic<Int>(0)
    /// Nanoseconds of ``MonotonicClock``, which advances while the process is stopped.
    private let validUntil = Atomic<Int>(.min)
    private let stopping = Atomic<Bool>(false)
    private let deadline = Mutex(Deadline.never)
    /// Nanoseconds of ``MonotonicClock``.
    private let turnedAt = Atomic(MonotonicClock.nanoseconds())

    /// Whether the jobs of an epoch still belong to this process.
    func holds(_ epoch: Int) -> Bool {
        epoch == current
            && MonotonicClock.nanoseconds() < validUntil.load(ordering: .acquiring)
    }

    /// The epoch of jobs that are claimed now.
    var current: Int { epoch.load(ordering: .acquiring) }

    /// Records that the lease was renewed by a message sent at `sent` nanoseconds.
    func renew(sentAt sent: Int) {
        validUntil.store(sent + Int(Self.seconds * 1e9), ordering: .releasing)
    }

    /// Records that the dispatcher begins a turn: it waits, or talks to the database.
    func recordTurn() {
        turnedAt.store(MonotonicClock.nanoseconds(), ordering: .relaxed)
    }

    /// Seconds since the dispatcher began its last turn.
    var secondsSinceTurn: Double {
        MonotonicClock.seconds(since: turnedAt.load(ordering: .relaxed))
    }

    /// Records that the lease, and with it every job, is lost.
    func lose() {
        validUntil.store(.min, ordering: .releasing)
        epoch.wrappingAdd(1, ordering: .releasing)
    }

    var isStopping: Bool { stopping.load(ordering: .acquiring) }

    /// Deadline for running jobs when the worker stops.
    var stopDeadline: Deadline { deadline.withLock { $0 } }

    /// Stops the worker. If called again, the first deadline stays in effect.
    func stop(by moment: Deadline) {
        if isStopping { return }
        deadline.withLock { $0 = moment }
        stopping.store(true, ordering: .releasing)
    }
}
