import Postgres

/// One round trip to the database: reports ended jobs and claims the next ones.
struct RoundTrip {
    let ended: [EndedJob]
    /// The number of results of a lost lease, which are not reported.
    let stale: Int
    let isHeartbeat: Bool
    /// Listening has just begun: whether notifications arrive is to be tried at once.
    let isFirstHeartbeat: Bool
    private(set) var noting: [(queueIndex: Int, jobs: [HeldJob])] = []
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
            let jobs = state.queues[index].takeToNote()
            if !jobs.isEmpty { noting.append((index, jobs)) }
            guard mayClaim else { continue }
            let (limit, starting) = state.queues[index].claim()
            if limit > 0 { claims.append((index, limit, starting)) }
        }
    }

    var isEmpty: Bool { ended.isEmpty && !isHeartbeat && noting.isEmpty && claims.isEmpty }

    /// The jobs that were done.
    var done: [EndedJob] {
        ended.filter {
            switch $0.outcome {
            case .ended(.done), .ended(.doneWithMore): true
            default: false
            }
        }
    }

    /// The jobs that failed and are to be tried again, why, and whether that is news.
    var retried: [(job: EndedJob, reason: String, isNews: Bool)] {
        ended.compactMap {
            guard case .ended(.retry(let reason, let isNews)) = $0.outcome else { return nil }
            return ($0, reason, isNews)
        }
    }

    /// How the others are to be settled.
    func settlements(random: () -> Double) -> [Settlement] {
        ended.compactMap { Settlement($0, random: random) }
    }

    /// Queues to be paused, and why.
    var pauses: [(queue: String, reason: String)] {
        ended.compactMap {
            if case .ended(.pauseQueue(let reason)) = $0.outcome { ($0.queue, reason) } else { nil }
        }
    }
}

/// How a job continues that was not done.
struct Settlement {
    let id: Int64
    let token: Int64
    let outcome: String
    var delayMilliseconds: Int64 = 0
    /// It failed, and comes back after its delay.
    var isTriedAgain = false
    var error = ""

    /// Nil for a job that was done.
    init?(_ job: EndedJob, random: () -> Double) {
        id = job.id
        token = job.token
        switch job.outcome {
        case .expired: outcome = "expired"
        case .ended(.done), .ended(.doneWithMore): return nil
        case .ended(.cancelled): outcome = "cancelled"
        case .ended(.dead(let reason)):
            outcome = "dead"
            error = Self.storable(reason)
        case .ended(.retry(let reason, _)):
            outcome = "retry"
            isTriedAgain = true
            error = Self.storable(reason)
            delayMilliseconds = Self.delay(job, random())
        case .ended(.postpone(let reason, _)):
            outcome = "released"
            error = Self.storable(reason)
            delayMilliseconds = Self.delay(job, random())
            isTriedAgain = true
        case .ended(.pauseQueue(let reason)), .ended(.pauseHere(let reason)):
            outcome = "released"
            error = Self.storable(reason)
        case .ended(.wait(let seconds)):
            outcome = "released"
            delayMilliseconds = Int64(seconds) * 1000
        case .ended(.handBack): outcome = "released"
        }
    }

    private static func delay(_ job: EndedJob, _ fraction: Double) -> Int64 {
        Int64(RetryDelay.seconds(attempt: job.attempt, fraction: fraction) * 1000)
    }

    /// Without NUL, which text in PostgreSQL can't hold.
    private static func storable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\0" }.prefix(2000)))
    }
}
