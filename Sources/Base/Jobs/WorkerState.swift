import Threads

/// State that a worker's threads share.
struct WorkerState: Sendable {
    var queues: [QueueState]
    var ended: [EndedJob] = []
    /// When the oldest of `ended` was put there.
    private(set) var endedSince = Deadline.never
    /// The dispatcher is to send a heartbeat at once: listening has begun.
    var wantsHeartbeat = false
    /// The listening connection must be replaced, because it was found broken.
    var wantsNewListener = false
    /// When the worker last heard itself by LISTEN.
    var lastEchoAt: Deadline?
    /// Nothing more is begun.
    var isStopping = false

    /// How long an ended job may wait for others, to be reported together.
    static let lingerSeconds = 0.001

    /// Seconds between the notifications to itself by which a worker tries whether they arrive.
    /// Each is a transaction of the session that listens.
    let echoSeconds: Double

    init(_ queues: [QueueConfiguration], echoSeconds: Double = 15) {
        self.queues = queues.map { QueueState($0) }
        self.echoSeconds = echoSeconds
    }

    /// Whether notifications reach this worker: one of the last two echoes came.
    var isListening: Bool {
        guard let lastEchoAt else { return false }
        return !lastEchoAt.adding(seconds: 2 * echoSeconds + 2).hasPassed
    }

    /// The same. If the echoes stop although the listening session seems to work, the session is
    /// replaced, because it may have died silently.
    mutating func checkListening() -> Bool {
        if isListening { return true }
        if lastEchoAt != nil {
            lastEchoAt = nil
            wantsNewListener = true
        }
        return false
    }

    /// Records an ended job; true if the dispatcher should act.
    mutating func end(_ held: HeldJob, _ job: EndedJob, queue index: Int) -> Bool {
        queues[index].end(held)
        if case .ended(.doneWithMore) = job.outcome { queues[index].mayHaveMore = true }
        let wasEmpty = ended.isEmpty
        if wasEmpty { endedSince = .after(seconds: 0) }
        ended.append(job)
        if case .ended(.pauseHere) = job.outcome {
            ended += queues[index].rest().map { EndedJob($0, .ended(.handBack)) }
        }
        return queues[index].inHand == 0 || wasEmpty
            || ended.count == queues[index].configuration.batch
            || queues[index].hasToNote || queues[index].wanted > 0
    }

    /// Whether there is something to report to or request from the database, or when to check
    /// again.
    func dispatch(nextPoll: Deadline) -> (Bool?, Deadline) {
        if isStopping || wantsHeartbeat || nextPoll.hasPassed { return (true, .never) }
        if queues.contains(where: { $0.wanted > 0 || $0.hasToNote }) { return (true, .never) }
        guard !ended.isEmpty else { return (nil, nextPoll) }
        let isIdle = queues.allSatisfy { $0.inHand == 0 }
        let flush = endedSince.adding(seconds: Self.lingerSeconds)
        if isIdle || flush.hasPassed || ended.count >= 500 { return (true, .never) }
        return (nil, min(flush, nextPoll))
    }

    /// Whether to replace the listening session; true only once.
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

    /// The lease is lost: jobs not begun and results not reported no longer belong to this worker.
    /// Returns the number of those results.
    mutating func loseAll() -> Int {
        for index in queues.indices { _ = queues[index].giveUpWaiting() }
        return takeEnded().count
    }

    /// The jobs that this process believes it holds.
    var heldIDs: [Int64] { queues.flatMap(\.ids) + ended.map(\.id) }

    var isIdle: Bool { queues.allSatisfy { $0.inHand == 0 } && ended.isEmpty }
}
