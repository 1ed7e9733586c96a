import Foundation

/// Synchronizes a `FamilyStore` with Hearth: sends queued changes, fetches new ones, and repeats as
/// soon as there are more of either.
///
/// ```swift
/// let engine = SyncEngine(hearth, store)
/// let running = Task { await engine.run() }
/// ```
///
/// **Live.** An event stream (`/api/live`) reports that something has changed. If it is not
/// available, as behind some proxies, the engine uses long polls; if those fail as well, it polls
/// Hearth every half minute.
///
/// **Offline.** Changes that can't be sent wait on disk. The engine retries after pauses that are
/// drawn at random and grow up to a minute; at once when a change is queued after a quiet period;
/// and at once after `networkChanged()`.
///
/// **Order.** Changes are sent in the order in which they were made, many in one request. A refused
/// change does not hold up later ones.
public actor SyncEngine {
    /// Method by which the engine learns of changes.
    public enum Mode: Sendable, Hashable {
        /// The engine is not running.
        case stopped
        /// An event stream.
        case streaming
        /// Long polls: requests that wait at the server.
        case waiting
        /// Polling at intervals.
        case polling
        /// Hearth can't be reached.
        case offline
        /// Nobody is signed in.
        case signedOut
    }

    let hearth: Hearth
    let store: FamilyStore
    let settings: SyncSettings
    /// Current method by which the engine learns of changes.
    public private(set) var mode = Mode.stopped
    private let modeWatchers = Watchers<Mode>()
    /// Whether the server has `POST /api/batch`; older ones do not.
    private var supportsBatch = true
    private var isSyncing = false
    /// Method to use while Hearth can be reached.
    var onlineMode = Mode.waiting
    private var waitingForSync: [CheckedContinuation<Void, Never>] = []
    /// First change of the queue, and the time before which Hearth refuses it because of a limit.
    private var limited: (first: QueuedMutation.ID?, until: Date)?

    /// - Parameter settings: Durations and limits of the synchronization.
    public init(_ hearth: Hearth, _ store: FamilyStore, settings: SyncSettings = SyncSettings()) {
        self.hearth = hearth
        self.store = store
        self.settings = settings
    }

    /// Sends queued changes, then fetches new ones. Concurrent calls run one after the other.
    ///
    /// - Throws: The error that keeps changes in the queue. If it is only a limit (429), new
    ///   changes have been fetched all the same.
    public func sync() async throws {
        // Interrupt a long poll in progress.
        if isSyncing { wake.call() }
        try await exclusively {
            do {
                try await sendAll()
            } catch HearthError.refused(let problem) where problem.status == 429 {
                try await pull()
                throw HearthError.refused(problem)
            }
            try await pull()
        }
    }

    /// Sends queued changes, unless the first one waits for a limit, and fetches new ones.
    private func syncWhenDue() async throws {
        try await exclusively {
            if try secondsUntilSending() == nil {
                do {
                    try await sendAll()
                } catch HearthError.refused(let problem) where problem.status == 429 {
                    let seconds = problem.retryAfterSeconds ?? settings.pollSeconds
                    let first = try store.queuedMutations().first?.id
                    limited = (first: first, until: Date().addingTimeInterval(seconds))
                }
            }
            try await pull()
        }
    }

    /// Returns the seconds until the limit ends for which the queue waits; nil if there is no limit
    /// or the person has cancelled the limited change.
    private func secondsUntilSending() throws -> Double? {
        guard let limited, Date() < limited.until,
            try store.queuedMutations().first?.id == limited.first
        else { return nil }
        return limited.until.timeIntervalSinceNow
    }

    /// Sends queued changes in order. If one of them could be made twice, it first fetches new
    /// changes, to find out whether Hearth can be reached.
    ///
    /// - Throws: `HearthError` if Hearth can't be reached or asks the client to retry later.
    ///   Changes without a response stay queued.
    public func sendQueued() async throws { try await exclusively { try await sendAll() } }

    /// Fetches new changes.
    ///
    /// - Parameter waitSeconds: Seconds to wait for the first change.
    /// - Returns: Whether there were changes.
    @discardableResult
    func pull(waitSeconds: Int = 0) async throws -> Bool {
        var wait = waitSeconds
        var isChanged = false
        while true {
            let page = try await hearth.changes(after: try store.cursor(), waitSeconds: wait)
            try Task.checkCancellation()
            try store.apply(page)
            isChanged = isChanged || !page.changes.isEmpty
            if !page.hasMore { return isChanged }
            wait = 0
        }
    }

    /// Runs operations one at a time.
    func exclusively<Result>(_ body: () async throws -> Result) async throws -> Result {
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

    private func sendAll() async throws {
        var isReached = false
        while true {
            let all = try store.queuedMutations()
            if try store.expire(all) { continue }
            let queued = Array(all.prefix(settings.batchLimit))
            if queued.isEmpty { return }
            if !isReached, all.contains(where: \.isToBeMarked) {
                // Otherwise every attempt without a network could count as one that Hearth may have
                // received.
                try await pull()
            } else if supportsBatch, queued.count > 1 {
                try await send(Self.fittingPrefix(queued))
            } else {
                try await send(queued[0])
            }
            isReached = true
        }
    }

    private func send(_ queued: QueuedMutation) async throws {
        let marked = [queued].filter(\.isToBeMarked)
        try store.markSent(marked, at: Date())
        let response = try await hearth.single(queued)
        if Self.isUntried(response) { try store.markSent(marked, at: nil) }
        try await settle(queued, response)
    }

    /// Returns whether Hearth has refused a change for now, or skipped it, without making it.
    private static func isUntried(_ response: APIResponse) -> Bool {
        [401, 424, 429].contains(response.status)
    }

    /// Returns the longest prefix of the queue that fits into one request. A change of an entity
    /// that an earlier change creates has to wait for the entity's id.
    private static func fittingPrefix(_ queued: [QueuedMutation]) -> [QueuedMutation] {
        var bytes = 200
        var created: [String] = []
        let fitting = queued.prefix { queued in
            let text = created.isEmpty ? "" : queued.text
            if created.contains(where: text.contains) { return false }
            if queued.mutation.createdID != nil {
                created += queued.mutation.effects.map(\.key.id)
            }
            bytes += 400 + queued.mutation.path.utf8.count + (queued.mutation.body?.data.count ?? 0)
            return bytes <= 60 * 1024
        }
        return fitting.isEmpty ? Array(queued.prefix(1)) : Array(fitting)
    }

    private func send(_ queued: [QueuedMutation]) async throws {
        try store.markSent(queued.filter(\.isToBeMarked), at: Date())
        do {
            let responses = try await hearth.batch(queued)
            if responses.isEmpty {
                throw HearthError.unexpectedAnswer(status: 200, detail: "a batch without results")
            }
            let untried = zip(queued, responses)
                .filter { $0.isToBeMarked && Self.isUntried($1) }.map { $0.0 }
            try store.markSent(untried, at: nil)
            for (queued, response) in zip(queued, responses) {
                // The server did not try this change: an earlier one failed, or time ran out.
                if response.status == 424 { return }
                try await settle(queued, response)
            }
        } catch HearthError.refused(let problem)
            where [.notFound, .methodNotAllowed].contains(problem.code)
        {
            supportsBatch = false
        }
    }

    /// - Throws: The error that keeps the change in the queue.
    private func settle(_ queued: QueuedMutation, _ response: APIResponse) async throws {
        let problem = Problem(response)
        let isLater =
            response.status >= 500 || [401, 408, 425, 429].contains(response.status)
            || problem?.code == .idempotencyKeyInUse || problem?.code == .retryLater
        if isLater || response.status < 200 {
            if let problem { throw HearthError.refused(problem) }
            throw HearthError.unexpectedAnswer(
                status: response.status, detail: "of a queued change")
        }
        try store.finish(queued, response)
    }

    // MARK: The mode

    /// Emits the mode now and after each change.
    public var modes: AsyncStream<Mode> {
        modeWatchers.stream(.bufferingNewest(16), first: [mode])
    }

    func set(_ mode: Mode) {
        if mode == self.mode { return }
        self.mode = mode
        modeWatchers.send(mode)
    }

    // MARK: Running

    /// Signal that ends the waits of `run()`.
    let wake = WakeSignal()

    /// Retries pending work at once. Call it when the network returns or changes.
    public nonisolated func networkChanged() { wake.call() }
}

extension SyncEngine {
    /// Keeps the store up to date until the task is cancelled.
    ///
    /// It never ends by itself: if Hearth can't be reached, or nobody is signed in, it retries
    /// after a pause. `modes` emits the state.
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
                try await syncWhenDue()
                failures = 0
                if mode == .offline || mode == .stopped || mode == .signedOut { set(onlineMode) }
                try await waitForNext()
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

    /// Waits until something may have changed locally or on the server.
    private func waitForNext() async throws {
        let limit = try secondsUntilSending() ?? .infinity
        switch onlineMode {
        // A lost event delays changes, but is harmless: the engine still syncs at intervals.
        case .streaming: await wake.wait(atMostSeconds: min(limit, 5 * settings.pollSeconds))
        case .waiting: await waitAtServer(atMostSeconds: min(limit, 60))
        default: await wake.wait(atMostSeconds: min(limit, settings.pollSeconds))
        }
    }

    /// Runs a long poll, which ends early if the engine is woken.
    private func waitAtServer(atMostSeconds limit: Double) async {
        let start = Date()
        let outcome = await withTaskGroup(of: WaitOutcome.self) { group in
            group.addTask {
                do {
                    let isChanged = try await self.exclusively {
                        try await self.pull(waitSeconds: self.settings.waitSeconds)
                    }
                    return isChanged ? .changed : .quiet
                } catch {
                    return error is CancellationError ? .woken : .failed
                }
            }
            group.addTask {
                // Ends the long poll when a limited change can be sent.
                await self.wake.wait(atMostSeconds: limit)
                return .woken
            }
            let first = await group.next() ?? .woken
            group.cancelAll()
            return first
        }
        // An empty response at once means that something on the way prevents long polls.
        let isImpatient = outcome == .quiet && -start.timeIntervalSinceNow < 1
        if outcome == .failed || isImpatient {
            set(.polling)
            await wake.wait(atMostSeconds: settings.pollSeconds)
        } else if onlineMode == .waiting {
            set(.waiting)
        }
    }

    private enum WaitOutcome { case changed, quiet, woken, failed }
}

/// Durations and limits of a `SyncEngine`.
public struct SyncSettings: Sendable, Hashable {
    /// First pause after Hearth could not be reached; each further one is twice as long.
    public var firstPauseSeconds: Double
    /// Longest pause.
    public var longestPauseSeconds: Double
    /// Interval of polling if neither the event stream nor long polls work.
    public var pollSeconds: Double
    /// Seconds for which a long poll waits at the server, at most 30.
    public var waitSeconds: Int
    /// Seconds without a byte after which a stream counts as lost; the server sends one every 25.
    public var streamTimeoutSeconds: Double
    /// Number of failures of the stream after which the engine uses long polls. A stream that ends
    /// within `pollSeconds` counts as a failure.
    public var streamFailureLimit: Int
    /// Maximum number of changes in one request, at most 50.
    public var batchLimit: Int

    /// Creates settings; the defaults suit apps.
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

    /// Returns the number of consecutive failures after a stream has ended, with or without an
    /// error.
    ///
    /// A stream that was open for less than the interval of polling is a failure: otherwise a
    /// server or proxy that ends every stream immediately would be asked again and again.
    func streamFailures(after failures: Int, openFor duration: Duration) -> Int {
        duration < .seconds(pollSeconds) ? failures + 1 : 0
    }

    /// Pause after the given number of consecutive failures.
    func pauseSeconds(afterFailures failures: Int, chance: Double) -> Double {
        let doublings = Double(1 << min(max(0, failures - 1), 30))
        let bound = min(longestPauseSeconds, firstPauseSeconds * doublings)
        // At least half of the bound: devices spread out, and none retries too fast.
        return bound * (0.5 + chance / 2)
    }
}
