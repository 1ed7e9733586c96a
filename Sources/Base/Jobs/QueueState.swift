import Postgres
import Basics

/// A job with the epoch of the lease under which it was claimed.
struct HeldJob: Sendable {
    let job: Job
    let kind: JobKind
    let queue: String
    let epoch: Int
}

/// An ended job that is still to be reported to the database.
struct EndedJob: Sendable {
    let id: Int64
    let token: Int64
    let queue: String
    let kind: String
    let attempt: Int16
    let epoch: Int
    let outcome: Outcome
    /// Duration of the run.
    let nanoseconds: Int

    enum Outcome: Sendable {
        case ended(JobOutcome)
        case expired
    }

    init(_ held: HeldJob, _ outcome: Outcome, nanoseconds: Int = 0) {
        id = held.job.id
        token = held.job.token
        queue = held.queue
        kind = held.kind.name
        attempt = held.job.attempt
        epoch = held.epoch
        self.outcome = outcome
        self.nanoseconds = nanoseconds
    }

    /// The duration of the run in whole milliseconds, at least 1; 0 if the job never began.
    var milliseconds: Int32 {
        nanoseconds == 0 ? 0 : Int32(clamping: max(1, nanoseconds / 1_000_000))
    }

    /// The event for the worker's observer.
    func event(_ outcome: JobOutcome) -> WorkerEvent {
        .ended(
            kind: kind, id: id, outcome: outcome, attempt: Int(attempt) + 1,
            nanoseconds: nanoseconds)
    }
}

/// Jobs of one queue that are shared between the threads that run them and the dispatcher.
struct QueueState: Sendable {
    let configuration: QueueConfiguration
    let kinds: [String: JobKind]
    let kindNames: [String]

    /// Claimed jobs that can begin, the next one last.
    private var ready: [HeldJob] = []
    /// Claimed jobs whose start must be recorded before they begin, the next one first.
    private(set) var unrecorded: [HeldJob] = []
    /// Jobs whose start is being recorded right now.
    private(set) var recording: [HeldJob] = []
    private(set) var running: [Int64: HeldJob] = [:]
    /// Whether there may be more jobs than the current claim returns.
    var mayHaveMore = true
    /// Time until which this process starts no job of the queue.
    private var suspendedUntil = Deadline.after(seconds: 0)
    private static let suspendSeconds = 30.0

    init(_ configuration: QueueConfiguration) {
        self.configuration = configuration
        kinds = Dictionary(
            configuration.kinds.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        kindNames = configuration.kinds.map(\.name)
    }

    var heldCount: Int { ready.count + unrecorded.count + recording.count + running.count }

    /// Number of jobs to claim now; 0 if there is too little room to be worth a round trip.
    var claimLimit: Int {
        guard mayHaveMore, suspendedUntil.hasPassed else { return 0 }
        let room = min(configuration.batch, configuration.capacity - heldCount)
        return room >= max(1, min(configuration.batch, configuration.capacity / 2)) ? room : 0
    }

    /// Decides how many jobs to claim, and how many of them can begin at once, so that the claim
    /// itself records their start.
    ///
    /// Notifications from now on may be about jobs that this claim does not see.
    mutating func claim() -> (limit: Int, starting: Int) {
        let limit = claimLimit
        if limit > 0 { mayHaveMore = false }
        return (limit, max(0, configuration.threads - heldCount))
    }

    /// Adds the jobs that a claim of up to `limit` returned. Expired jobs end here. If the process
    /// began to rest while the claim was in progress, all other jobs are handed back.
    mutating func add(_ jobs: [Job], limit: Int, epoch: Int, ended: inout [EndedJob]) {
        if jobs.count == limit { mayHaveMore = true }
        var startable: [HeldJob] = []
        for job in jobs {
            // A claim asks only for kinds that have a handler here.
            guard let kind = kinds[job.kind] else { continue }
            let held = HeldJob(job: job, kind: kind, queue: configuration.name, epoch: epoch)
            if job.isExpired {
                ended.append(EndedJob(held, .expired))
            } else if !suspendedUntil.hasPassed {
                ended.append(EndedJob(held, .ended(.release)))
            } else if !job.isStarted, kind.recordsStart || job.isCareful {
                unrecorded.append(held)
            } else {
                startable.append(held)
            }
        }
        ready.insert(contentsOf: startable.reversed(), at: 0)
    }

    /// Removes and returns the jobs whose start is to be recorded now, one for each free thread.
    mutating func takeStartsToRecord() -> [HeldJob] {
        let free = configuration.threads - running.count - ready.count - recording.count
        guard free > 0, !unrecorded.isEmpty else { return [] }
        let chosen = Array(unrecorded.prefix(free))
        unrecorded.removeFirst(chosen.count)
        recording += chosen
        return chosen
    }

    var hasStartsToRecord: Bool {
        !unrecorded.isEmpty && configuration.threads > running.count + ready.count + recording.count
    }

    /// Records the result of recording starts: jobs that the database confirms as ours may begin,
    /// the others are lost.
    mutating func startsRecorded(_ ids: Set<Int64>) {
        ready.insert(contentsOf: recording.filter { ids.contains($0.job.id) }.reversed(), at: 0)
        recording = []
    }

    /// Returns jobs to the queue after recording their starts failed with an unknown outcome.
    mutating func recordingFailed() {
        unrecorded.insert(contentsOf: recording, at: 0)
        recording = []
    }

    mutating func begin() -> HeldJob? {
        guard let next = ready.popLast() else { return nil }
        running[next.job.id] = next
        return next
    }

    mutating func end(_ held: HeldJob) {
        // A lost job may have been claimed again in the meantime, with another token.
        if running[held.job.id]?.job.token == held.job.token { running[held.job.id] = nil }
    }

    /// Stops starting and claiming jobs for a while. Returns claimed jobs that have not begun.
    mutating func suspend() -> [HeldJob] {
        suspendedUntil = .after(seconds: Self.suspendSeconds)
        return removeWaiting()
    }

    /// Removes and returns the jobs that have not begun.
    mutating func removeWaiting() -> [HeldJob] {
        defer {
            ready = []
            unrecorded = []
            recording = []
        }
        return ready + unrecorded + recording
    }

    /// Removes and returns the jobs that still run, because the process will not wait for them.
    mutating func removeRunning() -> [HeldJob] {
        defer { running = [:] }
        return Array(running.values)
    }

    var ids: [Int64] { (ready + unrecorded + recording).map(\.job.id) + running.keys }
}
