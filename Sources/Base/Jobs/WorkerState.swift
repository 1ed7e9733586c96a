import Threads

/// What the threads of a worker share.
struct WorkerState: Sendable {
    var queues: [QueueState]
    var ended: [EndedJob] = []
    /// When the oldest of `ended` was put there.
    private(set) var endedSince = Deadline.never
    /// The dispatcher is to send a heartbeat at once: listening has begun.
    var wantsHeartbeat = false
    /// The connection that listens is to be made anew: the other one was found broken.
    var wantsNewListener = false
    /// When the worker last heard itself by LISTEN.
    var lastEchoAt: Deadline?
    /// Nothing more is begun.
    var isStopping = false

    /// How long a job that has ended may wait for others, to be told together.
    static let lingerSeconds = 0.001

    /// Seconds between the notifications to itself by which a worker tries whether they arrive. Each
    /// is a transaction of the session that listens.
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

    /// The same; where the echoes no longer come although the session that listens looks sound, that
    /// session is to be made anew: it may have died without a word.
    mutating func checkListening() -> Bool {
        if isListening { return true }
        if lastEchoAt != nil {
            lastEchoAt = nil
            wantsNewListener = true
        }
        return false
    }

    /// Puts an ended job down; true when the dispatcher should look.
    mutating func end(_ held: HeldJob, _ job: EndedJob, queue index: Int) -> Bool {
        queues[index].end(held)
        if ended.isEmpty { endedSince = .after(seconds: 0) }
        ended.append(job)
        return queues[index].inHand == 0 || ended.count == 1
            || ended.count == queues[index].configuration.batch
            || queues[index].hasToNote || queues[index].wanted > 0
    }

    /// Whether there is something to tell or ask the database, or when to look again.
    func dispatch(nextPoll: Deadline) -> (Bool?, Deadline) {
        if isStopping || wantsHeartbeat || nextPoll.hasPassed { return (true, .never) }
        if queues.contains(where: { $0.wanted > 0 || $0.hasToNote }) { return (true, .never) }
        guard !ended.isEmpty else { return (nil, nextPoll) }
        let isIdle = queues.allSatisfy { $0.inHand == 0 }
        let flush = endedSince.adding(seconds: Self.lingerSeconds)
        if isIdle || flush.hasPassed || ended.count >= 500 { return (true, .never) }
        return (nil, min(flush, nextPoll))
    }

    /// Whether to listen anew; only once.
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

    /// Puts back what could not be told.
    mutating func putBack(_ jobs: [EndedJob]) {
        if jobs.isEmpty { return }
        ended = jobs + ended
        endedSince = .after(seconds: 0)
    }

    /// The lease is gone: what was not begun, and what was not told, is no longer ours. Returns how many
    /// results that are.
    mutating func loseAll() -> Int {
        for index in queues.indices { _ = queues[index].giveUpWaiting() }
        return takeEnded().count
    }

    /// What this process believes to hold.
    var heldIDs: [Int64] { queues.flatMap(\.ids) + ended.map(\.id) }

    var isIdle: Bool { queues.allSatisfy { $0.inHand == 0 } && ended.isEmpty }
}
