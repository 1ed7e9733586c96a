import Postgres
import Basics

/// The worker's connection, and the lease that it holds through it.
final class WorkerSession {
    /// Constraint name in the error that refuses a claim without a lease.
    static let leaseLostName = "lease_lost"

    /// The lease's number.
    private(set) var worker: Int32 = 0
    /// The channel on which this worker notifies itself; nil if it doesn't listen.
    let ownChannel: String?

    private let settings: ConnectionSettings
    private let label: String
    /// Number of threads that run jobs.
    private let threads: Int32
    /// Names of the queues whose jobs they run.
    private let queues: [String]
    private let schedules: [Schedule]
    private let observe: WorkerObserver
    private var connection: Connection?
    private var hasLease = false
    private var failures = 0

    init(
        _ settings: ConnectionSettings, label: String, threads: Int, queues: [String],
        schedules: [Schedule], ownChannel: String?, observe: @escaping WorkerObserver
    ) {
        self.settings = settings
        self.label = label
        self.threads = Int32(threads)
        self.queues = queues
        self.schedules = schedules
        self.ownChannel = ownChannel
        self.observe = observe
    }

    /// Seconds to wait after a failure: 0.1, doubling to 2, so that the worker soon notices when
    /// the database is back.
    var pauseSeconds: Double { min(2, 0.1 * Double(1 << min(max(0, failures - 1), 5))) }

    /// Opens a connection and acquires a lease, unless there are both.
    ///
    /// - Parameter ended: Jobs that are about to be reported as ended, and are held until then.
    func connect(
        _ state: Monitor<WorkerState>, _ lease: Lease, ended: [EndedJob]
    ) throws(PostgresError) {
        if let connection, !connection.isBroken, hasLease { return }
        let opened: Connection
        if let connection, !connection.isBroken {
            opened = connection
        } else {
            connection = nil
            opened = try Connection(settings)
        }
        let sent = MonotonicClock.nanoseconds()
        let former = worker
        if former == 0 || !hasLease {
            var batch = Batch()
            for schedule in schedules { schedule.upsert(in: &batch) }
            let key = batch.add(Queue.acquireLease, label, threads, queues)
            worker = try opened.send(batch, writes: true).row(key).value
        } else {
            let heldIDs = state.withLock { $0.heldIDs } + ended.map(\.id)
            var batch = Batch()
            let key = batch.add(
                Queue.takeOverLease, former, label, heldIDs, threads, queues)
            let takeover = try opened.send(batch, writes: true).row(key)
            worker = takeover.worker
            if !takeover.wasHeld {
                let stale = state.withLock { $0.loseAll() }
                lease.lose()
                observe(.leaseLost)
                if stale > 0 { observe(.stale(count: stale)) }
            }
        }
        lease.renew(sentAt: sent)
        observe(.leaseAcquired(worker: worker, isNew: former == 0 || !hasLease))
        connection = opened
        hasLease = true
        failures = 0
    }

    func send(_ batch: Batch, seconds: Double) throws(PostgresError) -> BatchResults {
        guard let connection else {
            throw PostgresError(.connectionLost, "there is no connection")
        }
        return try connection.send(batch, deadline: .after(seconds: seconds), writes: true)
    }

    /// Handles a failure. If the lease is lost (nil), the next connect acquires a new one. If the
    /// connection broke or the outcome is unknown, the next connect takes over the current lease.
    func failed(_ error: PostgresError?) {
        failures += 1
        guard let error else { return hasLease = false }
        if error.breaksConnection || connection?.isBroken ?? true {
            connection = nil
        }
    }

    /// Releases the lease if the database can be reached; otherwise the lease expires.
    func releaseLease() {
        guard hasLease, let connection else { return }
        // Other workers end a lease that can't be released.
        _ = try? connection.run(Queue.releaseLease, worker, deadline: .after(seconds: 5))
        self.connection = nil
    }
}
