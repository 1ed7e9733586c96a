import Foundation

/// Keeps a `FamilyStore` and a Hearth equal: sends what is queued, brings what has changed, and
/// does so again as soon as either happens.
///
/// ```swift
/// let engine = SyncEngine(hearth, store)
/// let running = Task { await engine.run() }
/// ```
///
/// **Live.** A stream of events (`/api/live`) says that something has changed. Where there is none,
/// as behind some proxies, requests wait at the server for the next change; where that fails
/// as well, Hearth is asked every half minute.
///
/// **Offline.** What can't be sent waits on disk. It is tried again after pauses that grow up to a
/// minute and are drawn at random, at once when a change is queued after a while of quiet, and at
/// once after `networkChanged()`.
///
/// **Order.** Changes are sent in the order in which they were made, many in one request. One that
/// is refused does not keep back those behind it.
public actor SyncEngine {
    /// How the engine learns of changes.
    public enum Mode: Sendable, Hashable {
        /// It does not run.
        case stopped
        /// By a stream of events.
        case streaming
        /// By requests that wait at the server.
        case waiting
        /// By asking now and then.
        case polling
        /// Hearth can't be reached.
        case offline
        /// Nobody is signed in, or no longer.
        case signedOut
    }

    let hearth: Hearth
    let store: FamilyStore
    let settings: SyncSettings
    /// How the engine learns of changes.
    public private(set) var mode = Mode.stopped
    private let modeWatchers = Watchers<Mode>()
    /// Whether `POST /api/batch` is there; a Hearth of before does not have it.
    private var hasBatch = true
    private var isSyncing = false
    /// How changes are learned of while Hearth can be reached.
    var learned = Mode.waiting
    private var waitingForSync: [CheckedContinuation<Void, Never>] = []

    /// - Parameter settings: How long to wait for what.
    public init(_ hearth: Hearth, _ store: FamilyStore, settings: SyncSettings = SyncSettings()) {
        self.hearth = hearth
        self.store = store
        self.settings = settings
    }

    /// Sends what is queued, then brings what has changed. Calls that come meanwhile are done one
    /// after the other.
    public func sync() async throws {
        // A request that waits at the server gives way.
        if isSyncing { wake.call() }
        try await alone {
            try await flush()
            try await bring()
        }
    }

    /// Sends what is queued, in its order.
    ///
    /// - Throws: `HearthError` if Hearth can't be reached or asks to come later. What was not
    ///   answered is queued still.
    public func sendQueued() async throws { try await alone { try await flush() } }

    /// Brings what has changed.
    ///
    /// - Parameter waitSeconds: For how long to wait for the first change.
    /// - Returns: Whether something has changed.
    @discardableResult
    func bring(waitSeconds: Int = 0) async throws -> Bool {
        var wait = waitSeconds
        var isChanged = false
        while true {
            let page = try await hearth.changes(after: try store.cursor(), waitSeconds: wait)
            try Task.checkCancellation()
            try store.take(page)
            isChanged = isChanged || !page.changes.isEmpty
            if !page.hasMore { return isChanged }
            wait = 0
        }
    }

    /// One at a time, in the order in which they came.
    func alone<Result>(_ body: () async throws -> Result) async throws -> Result {
        while isSyncing {
            await withCheckedContinuation { waitingForSync.append($0) }
        }
        isSyncing = true
        defer {
            isSyncing = false
            let waiting = waitingForSync
            waitingForSync = []
            waiting.forEach { $0.resume() }
        }
        try Task.checkCancellation()
        return try await body()
    }

    // MARK: The queue

    private func flush() async throws {
        while true {
            let queued = Array(try store.queuedMutations().prefix(settings.batchLimit))
            if queued.isEmpty { return }
            if hasBatch, queued.count > 1 {
                try await send(Self.fitting(queued))
            } else {
                try await settle(queued[0], try await hearth.single(queued[0]))
            }
        }
    }

    /// As many as one request may hold.
    private static func fitting(_ queued: [QueuedMutation]) -> [QueuedMutation] {
        var bytes = 200
        let fitting = queued.prefix { queued in
            bytes += 400 + queued.mutation.path.utf8.count + (queued.mutation.body?.data.count ?? 0)
            return bytes <= 60 * 1024
        }
        return fitting.isEmpty ? Array(queued.prefix(1)) : Array(fitting)
    }

    private func send(_ queued: [QueuedMutation]) async throws {
        do {
            let answers = try await hearth.batch(queued)
            if answers.isEmpty {
                throw HearthError.unexpectedAnswer(status: 200, detail: "a batch without results")
            }
            for (queued, answer) in zip(queued, answers) {
                // Not tried, since one before it was not done.
                if answer.status == 424 { return }
                try await settle(queued, answer)
            }
        } catch HearthError.refused(let problem)
            where [.notFound, .methodNotAllowed].contains(problem.code)
        {
            hasBatch = false
        }
    }

    /// - Throws: What keeps the change in the queue.
    private func settle(_ queued: QueuedMutation, _ answer: APIResponse) async throws {
        let problem = Problem(answer)
        let isLater =
            answer.status >= 500 || [401, 408, 425, 429].contains(answer.status)
            || problem?.code == .idempotencyKeyInUse || problem?.code == .retryLater
        if isLater || answer.status < 200 {
            if let problem { throw HearthError.refused(problem) }
            throw HearthError.unexpectedAnswer(status: answer.status, detail: "of a queued change")
        }
        try store.settle(queued, answer)
    }

    // MARK: The mode

    /// How the engine learns of changes, now and whenever that changes.
    public var modes: AsyncStream<Mode> {
        modeWatchers.stream(.bufferingNewest(16), first: [mode])
    }

    func set(_ mode: Mode) {
        if mode == self.mode { return }
        self.mode = mode
        modeWatchers.send(mode)
    }

    // MARK: Running

    /// What wakes the engine; see `SyncEngine+Run.swift`.
    let wake = WakeUp()

    /// The network came back, or changed: what waits for it is tried at once.
    public nonisolated func networkChanged() { wake.call() }
}

extension SyncEngine {
    /// Keeps the store up to date until the task is cancelled.
    ///
    /// It never ends by itself: where Hearth can't be reached, or nobody is signed in, it tries
    /// again after a pause. `modes` shows it.
    public func run() async {
        let queue = Task { [store, wake] in
            for await _ in store.changes where (try? store.queuedMutations().isEmpty) == false {
                wake.call()
            }
        }
        let stream = Task { await self.listen() }
        defer {
            queue.cancel()
            stream.cancel()
            set(.stopped)
        }
        var failures = 0
        while !Task.isCancelled {
            do {
                try await sync()
                failures = 0
                if mode == .offline || mode == .stopped || mode == .signedOut { set(learned) }
                await waitForNext()
            } catch is CancellationError {
                return
            } catch {
                failures += 1
                let isSignedOut = (error as? HearthError)?.nextStep == .signIn
                set(isSignedOut ? .signedOut : .offline)
                let asked = (error as? HearthError).flatMap(Self.retryAfterSeconds) ?? 0
                await wake.wait(
                    atMostSeconds: asked
                        + settings.pauseSeconds(
                            afterFailures: failures, chance: .random(in: 0...1)))
            }
        }
    }

    private static func retryAfterSeconds(_ error: HearthError) -> Double? {
        if case .refused(let problem) = error { problem.retryAfterSeconds } else { nil }
    }

    /// Until something has changed here or there.
    private func waitForNext() async {
        switch learned {
        // A nudge that is lost costs little: now and then everything is asked for.
        case .streaming: await wake.wait(atMostSeconds: 5 * settings.pollSeconds)
        case .waiting: await waitAtServer()
        default: await wake.wait(atMostSeconds: settings.pollSeconds)
        }
    }

    /// A request that waits at the server, unless something is queued here first.
    private func waitAtServer() async {
        let start = Date()
        let outcome = await withTaskGroup(of: WaitOutcome.self) { group in
            group.addTask {
                do {
                    let isChanged = try await self.alone {
                        try await self.bring(waitSeconds: self.settings.waitSeconds)
                    }
                    return isChanged ? .changed : .quiet
                } catch {
                    return error is CancellationError ? .woken : .failed
                }
            }
            group.addTask {
                await self.wake.waitForCall()
                return .woken
            }
            let first = await group.next() ?? .woken
            group.cancelAll()
            return first
        }
        // Nothing came, and at once: something on the way does not let requests wait.
        let isImpatient = outcome == .quiet && -start.timeIntervalSinceNow < 1
        if outcome == .failed || isImpatient {
            set(.polling)
            await wake.wait(atMostSeconds: settings.pollSeconds)
        } else if learned == .waiting {
            set(.waiting)
        }
    }

    private enum WaitOutcome { case changed, quiet, woken, failed }
}

/// How long a `SyncEngine` waits for what.
public struct SyncSettings: Sendable, Hashable {
    /// The first pause after Hearth could not be reached; each next one is twice as long.
    public var firstPauseSeconds: Double
    /// The longest pause.
    public var longestPauseSeconds: Double
    /// How often Hearth is asked where neither a stream nor waiting works.
    public var pollSeconds: Double
    /// How long a request waits at the server, at most 30.
    public var waitSeconds: Int
    /// After how many seconds without a byte a stream counts as lost; the server sends one every
    /// 25.
    public var streamTimeoutSeconds: Double
    /// How often a stream may fail before requests wait instead.
    public var streamFailureLimit: Int
    /// How many changes are sent in one request, at most 50.
    public var batchLimit: Int

    /// What apps need, unless something else is said.
    public init(
        firstPauseSeconds: Double = 1, longestPauseSeconds: Double = 60, pollSeconds: Double = 30,
        waitSeconds: Int = 25, streamTimeoutSeconds: Double = 60, streamFailureLimit: Int = 3,
        batchLimit: Int = 50
    ) {
        self.firstPauseSeconds = firstPauseSeconds
        self.longestPauseSeconds = longestPauseSeconds
        self.pollSeconds = pollSeconds
        self.waitSeconds = min(30, max(1, waitSeconds))
        self.streamTimeoutSeconds = streamTimeoutSeconds
        self.streamFailureLimit = streamFailureLimit
        self.batchLimit = min(50, max(1, batchLimit))
    }

    /// How long to wait after so many failures in a row.
    func pauseSeconds(afterFailures failures: Int, chance: Double) -> Double {
        let doublings = Double(1 << min(max(0, failures - 1), 30))
        let bound = min(longestPauseSeconds, firstPauseSeconds * doublings)
        // Half of it at least: devices are spread, and none hammers.
        return bound * (0.5 + chance / 2)
    }
}
