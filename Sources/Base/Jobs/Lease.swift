import Synchronization
import Threads

/// What a worker's threads know about its lease without a query.
///
/// An epoch begins with each lease that starts from nothing: jobs of an earlier one are lost.
final class Lease: Sendable {
    /// Seconds after which others may end a lease that was not renewed.
    static let seconds = 15.0

    private let epoch = Atomic<Int>(0)
    /// Nanoseconds of ``MonotonicClock``, which advances while the process is stopped.
    private let validUntil = Atomic<Int>(.min)
    private let stopping = Atomic<Bool>(false)
    private let deadline = Mutex(Deadline.never)

    /// Whether jobs of an epoch are still this process's.
    func holds(_ epoch: Int) -> Bool {
        epoch == current
            && MonotonicClock.nanoseconds() < validUntil.load(ordering: .acquiring)
    }

    /// The epoch that jobs claimed now belong to.
    var current: Int { epoch.load(ordering: .acquiring) }

    /// The lease was renewed by a message that was sent when the clock showed `sent` nanoseconds.
    func renew(sentAt sent: Int) {
        validUntil.store(sent + Int(Self.seconds * 1e9), ordering: .releasing)
    }

    /// The lease is gone, and with it every job.
    func lose() {
        validUntil.store(.min, ordering: .releasing)
        epoch.wrappingAdd(1, ordering: .releasing)
    }

    var isStopping: Bool { stopping.load(ordering: .acquiring) }

    /// Until when what runs may end.
    var stopDeadline: Deadline { deadline.withLock { $0 } }

    /// The worker is to end; the first deadline counts.
    func stop(by moment: Deadline) {
        if isStopping { return }
        deadline.withLock { $0 = moment }
        stopping.store(true, ordering: .releasing)
    }
}
