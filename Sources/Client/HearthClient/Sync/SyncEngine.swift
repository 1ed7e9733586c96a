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
