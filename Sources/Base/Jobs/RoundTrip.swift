import Postgres

/// One round trip to the database, which reports ended jobs and claims the next ones.
struct RoundTrip {
    let ended: [EndedJob]
    /// Number of results from a lost lease, which are not reported.
    let stale: Int
    let isHeartbeat: Bool
    /// Whether listening has just begun, so that the worker checks at once whether notifications
    /// arrive.
    let isFirstHeartbeat: Bool
    private(set) var starts: [(queueIndex: Int, jobs: [HeldJob])] = []
    private(set) var claims: [(queueIndex: Int, limit: Int, starting: Int)] = []

    /// Takes the pending reports and requests from the shared state.
    init(_ state: inout WorkerState, isHeartbeat: Bool, claims mayClaim: Bool, epoch: Int) {
        isFirstHeartbeat = state.wantsHeartbeat
        self.isHeartbeat = isHeartbeat || state.wantsHeartbeat
        state.wantsHeartbeat = false
        let all = state.takeEnded()
        ended = all.filter { $0.epoch == epoch }
        stale = all.count - ended.count
        for index in state.queues.indices {
            let jobs = state.queues[index].takeStartsToRecord()
            if !jobs.isEmpty { starts.append((index, jobs)) }
            guard mayClaim else { continue }
            let (limit, starting) = state.queues[index].claim()
            if limit > 0 { claims.append((index, limit, starting)) }
        }
    }

    var isEmpty: Bool { ended.isEmpty && !isHeartbeat && starts.isEmpty && claims.isEmpty }

    /// The jobs that are done.
    var done: [EndedJob] {
        ended.filter {
            switch $0.outcome {
            case .ended(.done), .ended(.doneWithMore): true
            default: false
            }
        }
    }

    /// The jobs to retry, with the reason, and whether the failure is reported as a warning.
    var retried: [(job: EndedJob, reason: String, isLogged: Bool)] {
        ended.compactMap {
            guard case .ended(.retry(let reason, let isLogged)) = $0.outcome else { return nil }
            return ($0, reason, isLogged)
        }
    }

    /// Returns the outcomes to store for all jobs that are not done.
    func storedOutcomes(random: () -> Double) -> [StoredOutcome] {
        ended.compactMap { StoredOutcome($0, random: random) }
    }

    /// The queues to pause, with the reason.
    var pauses: [(queue: String, reason: String)] {
        ended.compactMap {
            if case .ended(.pauseQueue(let reason)) = $0.outcome { ($0.queue, reason) } else { nil }
        }
    }
}

/// Next step for a job that was not done.
struct StoredOutcome {
    let id: Int64
    let token: Int64
    let outcome: String
    /// Duration of the run; 0 if the job never began.
    let milliseconds: Int32
    var delayMilliseconds: Int64 = 0
    /// Whether the job failed and comes back after its delay.
    var isRetried = false
    var error = ""

    /// Creates the outcome to store for a job; nil if the job was done.
    init?(_ job: EndedJob, random: () -> Double) {
        id = job.id
        token = job.token
        milliseconds = job.milliseconds
        switch job.outcome {
        case .expired: outcome = "expired"
        case .ended(.done), .ended(.doneWithMore): return nil
        case .ended(.cancelled): outcome = "cancelled"
        case .ended(.dead(let reason)):
            outcome = "dead"
            error = Self.storable(reason)
        case .ended(.retry(let reason, _)):
            outcome = "retry"
            isRetried = true
            error = Self.storable(reason)
            delayMilliseconds = Self.delay(job, random())
        case .ended(.postpone(let reason, _)):
            outcome = "released"
            error = Self.storable(reason)
            delayMilliseconds = Self.delay(job, random())
            isRetried = true
        case .ended(.pauseQueue(let reason)), .ended(.pauseProcess(let reason)):
            outcome = "released"
            error = Self.storable(reason)
        case .ended(.snooze(let seconds)):
            outcome = "released"
            delayMilliseconds = Int64(seconds) * 1000
        case .ended(.release): outcome = "released"
        }
    }

    private static func delay(_ job: EndedJob, _ fraction: Double) -> Int64 {
        Int64(RetryDelay.seconds(attempt: job.attempt, fraction: fraction) * 1000)
    }

    /// Returns the text without NUL, which PostgreSQL can't store in text, cut to 2000 characters.
    private static func storable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\0" }.prefix(2000)))
    }
}
