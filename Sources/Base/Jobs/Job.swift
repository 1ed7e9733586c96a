package import Postgres

/// A job in the hands of this process.
package struct Job: RowDecodable, Sendable {
    package let id: Int64
    /// The claim's token: it can't end a job that another worker has claimed since.
    let token: Int64
    /// Which handler does it: ``JobKind/name``.
    package let kind: String
    /// As ``NewJob/group``.
    package let group: UInt128?
    let priority: Int16
    let runAt: PostgresTimestamp
    /// Its time had passed when it was claimed: it is closed without being run.
    let isExpired: Bool
    /// How often it has failed before.
    package let attempt: Int16
    /// A worker vanished with it before: its start is noted first.
    let isCareful: Bool
    /// Its start was noted by the claim: it begins at once.
    let isStarted: Bool
    /// A JSON object, as it was enqueued: ``NewJob/payload``.
    package let payload: PostgresJSON

    package static let row = RowDecoder(Self.init)
}

/// How a job ended. Reasons are shown to operators: no addresses, no secrets.
package enum JobOutcome: Sendable {
    case done
    /// Done, and by it another job of its queue has become due, which is looked for at once.
    case doneWithMore
    /// There is nothing left to do.
    case cancelled
    /// It failed and is tried again later; after `maxAttempts` it is given up. No news is what was
    /// told before, or is no failure: it stays out of warnings.
    case retry(String, isNews: Bool = true)
    /// It failed and is tried again as late as after a failure, but costs no attempt: for what its
    /// own time ends, not a count.
    case postpone(String, isNews: Bool = true)
    /// It waits for its turn: it comes back after so many seconds, and costs no attempt.
    case wait(seconds: Int)
    /// It failed for good.
    case dead(String)
    /// The whole queue can't work at the moment: nothing of it is begun, one job tries every thirty
    /// seconds. Costs no attempt.
    case pauseQueue(String)
    /// This process can't do the queue's jobs: it begins none for thirty seconds, and others go on.
    /// Costs no attempt.
    case pauseHere(String)
    /// Not begun, or left off halfway without harm: somebody else does it. Costs no attempt.
    case handBack
}

/// What a handler can check while it runs.
package struct JobContext: Sendable {
    let lease: Lease
    let epoch: Int

    /// Whether the job still belongs to this process: check it before an irreversible step. A
    /// process that was paused for longer than its lease finds it false.
    package var isHeld: Bool { lease.holds(epoch) }

    /// Whether the process is ending: long work stops at its next resting place.
    package var shouldStop: Bool { lease.isStopping }
}

/// The handler of a kind of job.
package struct JobKind: Sendable {
    /// The ``NewJob/kind`` of the jobs that it handles.
    package let name: String
    /// Whether each start is first recorded in the database, so that a crash is charged only to
    /// jobs that ran. Otherwise only starts of jobs that already lost a worker are recorded.
    package let recordsStart: Bool
    let run: @Sendable (Job, JobContext) -> JobOutcome

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

/// A queue as one process works on it: what it can do, and how much of it at once.
package struct QueueConfiguration: Sendable {
    /// The name of the queue.
    package let name: String
    /// What this process can do. Jobs of other kinds stay for processes that can.
    package let kinds: [JobKind]
    /// How many jobs are done at once.
    package let threads: Int
    /// Jobs taken at a time.
    package let batch: Int
    /// Jobs in hand at most, waiting ones included.
    package let capacity: Int
    /// Whether whoever enqueues jobs notifies of them. Otherwise they are looked for every second.
    package let isNotified: Bool

    /// - Parameters:
    ///   - batch: nil: as many as there are threads.
    ///   - capacity: nil: twice the batch.
    ///   - isNotified: False for jobs that triggers enqueue.
    package init(
        name: String, kinds: [JobKind], threads: Int, batch: Int? = nil, capacity: Int? = nil,
        isNotified: Bool = true
    ) {
        precondition(threads > 0 && !kinds.isEmpty, "a queue has threads and kinds")
        self.name = name
        self.kinds = kinds
        self.threads = threads
        self.batch = batch ?? threads
        self.capacity = capacity ?? self.batch * 2
        self.isNotified = isNotified
    }
}
