import Basics
import Postgres
import Repositories
import UseCases

/// The state that the overview and the page of jobs show, read once for all open pages.
///
/// Pages take the same snapshot for some seconds, and a change in this process ends it at once.
/// While pages are open, a thread reads it again, and resumes the streams of pages whose part has
/// changed, at most once a second. After a read it pauses two hundred times as long as the read
/// took, but at least 5 s and at most 60 s: the reads for any number of open pages cost the
/// database at most 0.5 % of a processor, unless one takes longer than 0.3 s.
final class ConsoleBoard: Sendable {
    /// A part of the console that open pages follow.
    enum Part: String, CaseIterable, Sendable {
        case overview, jobs, webhooks, doctor
    }

    /// The state of the database at the time of one read.
    struct Snapshot: Sendable {
        let troubles: ConsoleReader.Troubles
        /// Queues, dead jobs, schedules and workers, of which the overview shows the problems.
        let jobs: ConsoleReader.JobOverview
        /// Id of the last attempt at a webhook.
        let lastAttempt: Int64
    }

    /// A stream that waits for a change of its part.
    fileprivate struct Parked: Sendable {
        let part: Part
        /// The last version of the part that the stream has sent.
        let known: UInt64
        /// Time at which the stream is resumed even without a change, to send a comment and to
        /// check its session.
        let checkAt: Deadline
        let resume: @Sendable () -> Void
    }

    fileprivate struct State: Sendable {
        var snapshot: Snapshot?
        var lastsUntil = Deadline.after(seconds: 0)
        var isReading = false
        /// Number of changes that ended a snapshot.
        var epoch: UInt64 = 0
        var marks: [Part: [String]] = [:]
        /// Numbers that increase when a part changes.
        var versions: [Part: UInt64] = [:]
        /// Times until which the streams of a part are not resumed for another change.
        var restUntil: [Part: Deadline] = [:]
        var parked: [UInt64: Parked] = [:]
        /// The account of each stream.
        var streams: [UInt64: UInt128] = [:]
        var nextID: UInt64 = 0
        var isRunning = false
        var isStopped = false
        var reads = 0
    }

    /// Maximum number of groups of dead jobs.
    static let groupLimit = 50
    /// Maximum number of rows of each trouble.
    static let troubleLimit = 20
    /// Shortest pause between reads for open pages.
    private static let pauseSeconds = 5.0
    /// Longest pause between reads for open pages.
    private static let longestPauseSeconds = 60.0
    private static let restFactor = 200.0
    /// Minimum seconds between two updates that pages get about the same part.
    private static let changeSeconds = 1.0
    /// Seconds for which a page waits for the read of another one.
    private static let turnSeconds = 15.0
    /// Maximum number of streams, of all operators and of one.
    static let (streamLimit, accountLimit) = (128, 64)

    private let state = Monitor(State())
    private let pool: Pool
    /// Seconds in which pages show the same snapshot.
    private let freshSeconds: Double

    /// - Parameter pool: Connections as `hearth_viewer`, which shows what every role may see.
    init(_ pool: Pool, freshSeconds: Double) {
        self.pool = pool
        self.freshSeconds = freshSeconds
    }

    deinit { stop() }

    // MARK: Snapshots

    /// Number of reads of the database so far.
    var reads: Int { state.withLock { $0.reads } }

    /// Number of open streams.
    var streamCount: Int { state.withLock { $0.streams.count } }

    func version(of part: Part) -> UInt64 { state.withLock { $0.versions[part] ?? 0 } }

    /// Returns a snapshot that is at most a few seconds old. Of pages that need one at the same
    /// time, one reads and the others wait for it.
    func snapshot() throws -> Snapshot {
        enum Turn { case fresh(Snapshot), read(UInt64) }
        let deadline = Deadline.after(seconds: Self.turnSeconds)
        let turn: Turn? = state.wait { state in
            if let snapshot = state.snapshot, !state.lastsUntil.hasPassed {
                return (.fresh(snapshot), deadline)
            }
            if state.isReading { return (nil, deadline) }
            state.isReading = true
            state.reads += 1
            return (.read(state.epoch), deadline)
        }
        switch turn {
        case .fresh(let snapshot): return snapshot
        case nil: throw ConsoleBusy()
        case .read(let epoch): return try read(epoch)
        }
    }

    private func read(_ epoch: UInt64) throws -> Snapshot {
        let result = Result {
            try pool.withConnection { connection in
                let reader = ConsoleReader(on: connection)
                return Snapshot(
                    troubles: try reader.troubles(limit: Self.troubleLimit),
                    jobs: try reader.jobOverview(groups: Self.groupLimit),
                    lastAttempt: try reader.lastWebhookAttempt())
            }
        }
        state.change { state in
            state.isReading = false
            guard case .success(let snapshot) = result else { return }
            state.snapshot = snapshot
            // A change that was made during the read may be missing in it.
            state.lastsUntil = .after(seconds: state.epoch == epoch ? freshSeconds : 0)
            for (part, mark) in snapshot.marks where state.marks[part] != mark {
                state.marks[part] = mark
                state.versions[part, default: 0] += 1
            }
        }
        return try result.get()
    }

    /// Ends the snapshot, because this process has changed something.
    func invalidate() {
        state.change { state in
            state.epoch += 1
            state.lastsUntil = .after(seconds: 0)
        }
    }

    /// Records that a part has changed that is not in the snapshot.
    func bump(_ part: Part) { state.change { $0.versions[part, default: 0] += 1 } }

    // MARK: Streams

    /// Registers a stream of an account; nil if there are too many.
    func open(of account: UInt128) -> UInt64? {
        let (id, isFirst): (UInt64?, Bool) = state.change { state in
            let own = state.streams.values.count { $0 == account }
            guard !state.isStopped, state.streams.count < Self.streamLimit,
                own < Self.accountLimit
            else { return (nil, false) }
            state.nextID += 1
            state.streams[state.nextID] = account
            defer { state.isRunning = true }
            return (state.nextID, !state.isRunning)
        }
        guard isFirst else { return id }
        let isStarted = SystemThread.startDetached { [weak self] in
            while let self, self.follow() {}
        }
        if isStarted { return id }
        state.change { state in
            state.isRunning = false
            if let id { state.streams[id] = nil }
        }
        return nil
    }

    func close(_ id: UInt64) {
        state.change { state in
            state.streams[id] = nil
            state.parked[id] = nil
        }
    }

    /// Parks a stream until its part has another version than `known`, or until `checkAt`.
    func park(
        _ id: UInt64, _ part: Part, known: UInt64, checkAt: Deadline,
        _ resume: @escaping @Sendable () -> Void
    ) {
        let isStopped = state.change { state in
            if !state.isStopped {
                state.parked[id] = Parked(
                    part: part, known: known, checkAt: checkAt, resume: resume)
            }
            return state.isStopped
        }
        if isStopped { resume() }
    }

    /// Forgets the function that resumes a stream, which is running again.
    func unpark(_ id: UInt64) { state.withLock { $0.parked[id] = nil } }

    /// Ends all streams.
    func stop() {
        let parked = state.change { state in
            state.isStopped = true
            defer { state.parked = [:] }
            return Array(state.parked.values)
        }
        for one in parked { one.resume() }
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Reads once, and then resumes the streams that are due until the next read. Returns false
    /// when no page is open any more.
    private func follow() -> Bool {
        let began = MonotonicClock.nanoseconds()
        // The reason is of interest to the page that is opened next, which fails in the same way.
        _ = try? snapshot()
        let took = MonotonicClock.seconds(since: began)
        let next = Deadline.after(
            seconds: min(
                Self.longestPauseSeconds, max(Self.pauseSeconds, took * Self.restFactor)))
        while !next.hasPassed {
            let due: [Parked]? = state.wait { state in
                if state.isStopped || state.streams.isEmpty {
                    state.isRunning = false
                    return ([], next)
                }
                let (due, nextDue) = state.takeDue(resting: Self.changeSeconds)
                return (due.isEmpty ? nil : due, min(next, nextDue))
            }
            guard let due else { continue }
            if due.isEmpty { return false }
            for one in due { one.resume() }
        }
        return true
    }
}

extension ConsoleBoard.State {
    /// Removes and returns the streams whose part has changed, or whose check is due, and the time
    /// at which the next of the others is due.
    fileprivate mutating func takeDue(
        resting seconds: Double
    ) -> (due: [ConsoleBoard.Parked], next: Deadline) {
        var due: [ConsoleBoard.Parked] = []
        var next = Deadline.never
        var changed: Set<ConsoleBoard.Part> = []
        for (id, one) in parked {
            let isChanged = versions[one.part, default: 0] != one.known
            let rest = restUntil[one.part]
            let at = isChanged ? min(rest ?? one.checkAt, one.checkAt) : one.checkAt
            if at.hasPassed || isChanged && rest == nil {
                due.append(one)
                parked[id] = nil
                if isChanged { changed.insert(one.part) }
            } else {
                next = min(next, at)
            }
        }
        for part in changed { restUntil[part] = .after(seconds: seconds) }
        return (due, next)
    }
}

/// Error when the read of another page has not ended in time.
struct ConsoleBusy: Error, CustomStringConvertible {
    var description: String { "the read of another page has not ended in time" }
}

extension ConsoleBoard.Snapshot {
    /// The content of each part's page, without ages. A part has changed if its content differs
    /// from the last snapshot's.
    fileprivate var marks: [ConsoleBoard.Part: [String]] {
        var overview = troubles.findings.map { "\($0.area) \($0.findings)" }
        for queue in self.jobs.queues {
            let waited = queue.oldestReadySeconds.map { $0 > 900 ? Int($0 / 60) : 0 } ?? 0
            overview.append(
                "\(queue.name) \(queue.pausedSince != nil ? queue.ready : 0) \(waited) "
                    + "\(queue.failure ?? "")")
        }
        overview += self.jobs.deadGroups.prefix(ConsoleBoard.troubleLimit).map {
            "\($0.kind) \($0.count) \($0.error)"
        }
        overview += troubles.webhooks.map { "\($0.id) \($0.pausedAt == nil)" }
        overview.append(
            "\(troubles.readers > 0) \(troubles.standbys) \(troubles.apart > 0)")
        overview += troubles.processes.map {
            "\($0.id) \($0.silentSeconds <= OverviewScreen.silenceSeconds)"
        }
        var jobs = self.jobs.states.map { "\($0.state) \($0.count)" }
        jobs += self.jobs.queues.map {
            "\($0.name) \($0.ready) \($0.running) \($0.dead) \($0.pausedSince == nil) "
                + "\($0.isPausedByOperator) \($0.failure ?? "")"
        }
        jobs += self.jobs.deadGroups.map { "\($0.kind) \($0.count) \($0.error)" }
        jobs += self.jobs.schedules.map { "\($0.name) \($0.nextAt)" }
        jobs += self.jobs.workers.map { "\($0.id) \($0.isAlive) \($0.held)" }
        return [.overview: overview, .jobs: jobs, .webhooks: ["\(lastAttempt)"]]
    }
}
