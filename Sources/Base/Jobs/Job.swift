package import Postgres

/// A job that this process has claimed.
package struct Job: RowDecodable, Sendable {
    package let id: Int64
    /// The claim's token. With it, this process can't end a job that another worker has claimed
    /// since.
    let token: Int64
    /// Name of the handler that runs the job: ``JobKind/name``.
    package let kind: String
    /// The job's group: ``NewJob/group``.
    package let group: UInt128?
    let priority: Int16
    let runAt: PostgresTimestamp
    /// Whether the job had expired when it was claimed. It is then closed without being run.
    let isExpired: Bool
    /// Number of earlier failures.
    package let attempt: Int16
    /// Whether the job already lost a worker. Its start is then recorded before it begins.
    let isCareful: Bool
    /// Whether the claim has already recorded the start, so that the job can begin at once.
    let isStarted: Bool
    /// A JSON object, as it was enqueued: ``NewJob/payload``.
    package let payload: PostgresJSON

    package static let row = RowDecoder(Self.init)
}

/// Outcome of a job. Reasons are shown to operators, so they must contain no addresses and no
/// secrets.
package enum JobOutcome: Sendable {
    case done
    /// Done. As a result another job of the queue has become due, and the worker claims it at once.
    case doneWithMore
    /// Cancelled, because there is nothing left to do.
    case cancelled
    /// Failed. The job is retried later, and discarded after `maxAttempts`. With `isLogged` false,
    /// the failure was reported before or is not really one, so no warning is logged.
    case retry(String, isLogged: Bool = true)
    /// Failed. The job is retried after the same delay as a failure, but no attempt is counted: for
    /// jobs that a deadline ends, not a number of attempts.
    case postpone(String, isLogged: Bool = true)
    /// Waits for its turn. The job comes back after the given seconds, and no attempt is counted.
    case snooze(seconds: Int)
    /// Failed permanently.
    case dead(String)
    /// The whole queue can't work at the moment. It is paused, except that one job tries every
    /// thirty seconds. No attempt is counted.
    case pauseQueue(String)
    /// This process can't run the queue's jobs. It starts none for thirty seconds, and other
    /// processes continue. No attempt is counted.
    case pauseProcess(String)
    /// Left undone: the job did not begin, or stopped halfway without harm. Another worker runs it.
    /// No attempt is counted.
    case release
}

/// State that a handler can check while it runs.
package struct JobContext: Sendable {
    let lease: Lease
    let epoch: Int

    /// Whether the job still belongs to this process. Check it before an irreversible step: it is
    /// false after the process was paused for longer than its lease.
    package var isHeld: Bool { lease.holds(epoch) }

    /// Whether the process is shutting down. Long work should stop at its next safe point.
    package var shouldStop: Bool { lease.isStopping }
}

/// The handler for one kind of job.
package struct JobKind: Sendable {
    /// The ``NewJob/kind`` of the jobs that it handles.
    package let name: String
    /// Whether each start is first recorded in the database, so that a crash is counted only for
    /// jobs that ran. Otherwise only starts of jobs that already lost a worker are recorded.
    package let recordsStart: Bool
    let run: @Sendable (Job, JobContext) -> JobOutcome

    /// Creates a handler.
    ///
    /// - Parameter run: Called by several threads at once; may run twice for the same job.
    package init(
        _ name: String, recordsStart: Bool = true,
        run: @escaping @Sendable (Job, JobContext) -> JobOutcome
    ) {
        self.name = name
        self.recordsStart = recordsStart
        self.run = run
    }
}

/// Configuration of a queue in one process: the kinds of jobs it handles, and how many at once.
package struct QueueConfiguration: Sendable {
    /// The queue's name.
    package let name: String
    /// Handlers that this process has. Jobs of other kinds are left to other processes.
    package let kinds: [JobKind]
    /// Number of jobs that run at the same time.
    package let threads: Int
    /// Maximum number of jobs per claim.
    package let batch: Int
    /// Maximum number of claimed jobs, including those that have not begun.
    package let capacity: Int
    /// Whether workers are notified of new jobs. Otherwise they poll the queue every second.
    package let isNotified: Bool

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - batch: Nil for the number of threads.
    ///   - capacity: Nil for twice the batch.
    ///   - isNotified: False for jobs that triggers enqueue.
    package init(
        name: String, kinds: [JobKind], threads: Int, batch: Int? = nil, capacity: Int? = nil,
        isNotified: Bool = true
    ) {
        precondition(threads > 0 && !kinds.isEmpty, "a queue needs a thread and a kind")
        self.name = name
        self.kinds = kinds
        self.threads = threads
        self.batch = batch ?? threads
        self.capacity = capacity ?? self.batch * 2
        self.isNotified = isNotified
    }
}
