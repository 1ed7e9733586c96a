import Postgres
import Threads

/// The worker's connection and the lease that it holds by it.
final class WorkerSession {
    /// The name that the refusal of a claim without a lease goes by.
    static let leaseLostName = "lease_lost"

    /// The lease's number.
    private(set) var worker: Int32 = 0
    /// The channel on which this worker notifies itself; nil when it doesn't listen.
    let ownChannel: String?

    private let settings: ConnectionSettings
    private let label: String
    private let schedules: [Schedule]
    private let observe: WorkerObserver
    private var connection: Connection?
    private var hasLease = false
    private var failures = 0

    init(
        _ settings: ConnectionSettings, label: String, schedules: [Schedule],
        ownChannel: String?, observe: @escaping WorkerObserver
    ) {
        self.settings = settings
        self.label = label
        self.schedules = schedules
        self.ownChannel = ownChannel
        self.observe = observe
    }

    /// Seconds to wait after a failure: 0.1, doubling to 2, so that a database that comes back is
    /// found in time.
    var pauseSeconds: Double { min(2, 0.1 * Double(1 << min(max(0, failures - 1), 5))) }

    /// Sees to it that there are a connection and a lease.
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
            for schedule in schedules { schedule.put(in: &batch) }
            let place = batch.add(Queue.enlist, label)
            worker = try opened.send(batch, writes: true).row(place).value
        } else {
            let known = state.withLock { $0.heldIDs } + ended.map(\.id)
            var batch = Batch()
            let place = batch.add(Queue.succeed, former, label, known)
            let succession = try opened.send(batch, writes: true).row(place)
            worker = succession.worker
            if !succession.wasHeld {
                let stale = state.withLock { $0.loseAll() }
                lease.lose()
                observe(.leaseLost)
                if stale > 0 { observe(.stale(count: stale)) }
            }
        }
        lease.renew(sentAt: sent)
        observe(.enlisted(worker: worker, isNew: former == 0 || !hasLease))
        connection = opened
        hasLease = true
        failures = 0
    }

    func send(_ batch: Batch, seconds: Double) throws(PostgresError) -> Answers {
        guard let connection else {
            throw PostgresError(.connectionLost, "there is no connection")
        }
        return try connection.send(batch, deadline: .after(seconds: seconds), writes: true)
    }

    /// After a failure: with the lease lost (nil) a new one is asked for; with the connection
    /// broken, or an outcome unknown, the next one succeeds it.
    func failed(_ error: PostgresError?) {
        failures += 1
        guard let error else { return hasLease = false }
        if error.breaksConnection || connection?.isBroken ?? true {
            connection = nil
        }
    }

    /// Gives the lease up, if the database can be reached; else it runs out.
    func retire() {
        guard hasLease, let connection else { return }
        // A lease that can't be given up is ended by others.
        _ = try? connection.run(Queue.retire, worker, deadline: .after(seconds: 5))
        self.connection = nil
    }
}
