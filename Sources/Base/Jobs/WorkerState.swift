import Basics

/// State that a worker's threads share.
struct WorkerState: Sendable {
    var queues: [QueueState]
    var ended: [EndedJob] = []
    /// Time at which the oldest job in `ended` was added.
    private(set) var endedSince = Deadline.never
    /// Whether the dispatcher should send a heartbeat at once, because listening has begun.
    var wantsHeartbeat = false
    /// Whether the listening connection must be replaced, because it was found broken.
    var wantsNewListener = false
    /// Time of the last notification from itself that the worker received.
    var lastEchoAt: Deadline?
    /// Whether the worker is stopping and starts no more jobs.
    var isStopping = false

    /// Seconds that an ended job may wait for others, to be reported together.
    static let lingerSeconds = 0.001

    /// Seconds between the notifications that a worker sends to itself to check that they arrive.
    /// Each is a transaction of the listening session.
    let echoSeconds: Double

    init(_ queues: [QueueConfiguration], echoSeconds: Double = 15) {
        self.queues = queues.map { QueueState($0) }
        self.echoSeconds = echoSeconds
    }

    /// Whether notifications reach this worker: one of the last two echoes arrived.
    var isListening: Bool {
        guard let lastEchoAt else { return false }
        return !lastEchoAt.adding(seconds: 2 * echoSeconds + 2).hasPassed
    }

    /// Returns ``isListening``. If echoes stop although the listening session seems to work, it
    /// requests a new session, because the old one may have died silently.
    mutating func checkListening() -> Bool {
        if isListening { return true }
        if lastEchoAt != nil {
            lastEchoAt = nil
            wantsNewListener = true
        }
        return false
    }

    /// Records an ended job; returns true if the dispatcher should act.
    mutating func end(_ held: HeldJob, _ job: EndedJob, queue index: Int) -> Bool {
        queues[index].end(held)
        if case .ended(.doneWithMore) = job.outcome { queues[index].mayHaveMore = true }
        let wasEmpty = ended.isEmpty
        if wasEmpty { endedSince = .after(seconds: 0) }
        ended.append(job)
        if case .ended(.pauseProcess) = job.outcome {
            ended += queues[index].suspend().map { EndedJob($0, .ended(.release)) }
        }
        return queues[index].heldCount == 0 || wasEmpty
            || ended.count == queues[index].configuration.batch
            || queues[index].hasStartsToRecord || queues[index].claimLimit > 0
    }

    /// Returns true if there is something to report to or request from the database, otherwise the
    /// time of the next check.
    func dispatch(nextPoll: Deadline) -> (Bool?, Deadline) {
        if isStopping || wantsHeartbeat || nextPoll.hasPassed { return (true, .never) }
        if queues.contains(where: { $0.claimLimit > 0 || $0.hasStartsToRecord }) {
            return (true, .never)
        }
        guard !ended.isEmpty else { return (nil, nextPoll) }
        let isIdle = queues.allSatisfy { $0.heldCount == 0 }
        let flush = endedSince.adding(seconds: Self.lingerSeconds)
        if isIdle || flush.hasPassed || ended.count >= 500 { return (true, .never) }
        return (nil, min(flush, nextPoll))
    }

    /// Returns whether to replace the listening session; true only once.
    mutating func takeWantsNewListener() -> Bool {
        defer { wantsNewListener = false }
        return wantsNewListener
    }

    mutating func takeEnded() -> [EndedJob] {
        defer {
            ended = []
            endedSince = .never
        }
        return ended
    }

    /// Puts back ended jobs that could not be reported.
    mutating func putBack(_ jobs: [EndedJob]) {
        if jobs.isEmpty { return }
        ended = jobs + ended
        endedSince = .after(seconds: 0)
    }

    /// Drops jobs that have not begun and results that were not reported, because the lease is
    /// lost. Returns the number of those results.
    mutating func loseAll() -> Int {
        for index in queues.indices { _ = queues[index].removeWaiting() }
        return takeEnded().count
    }

    /// Ids of the jobs that this process believes it holds.
    var heldIDs: [Int64] { queues.flatMap(\.ids) + ended.map(\.id) }

    var isIdle: Bool { queues.allSatisfy { $0.heldCount == 0 } && ended.isEmpty }
}
