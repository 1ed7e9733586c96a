package import Postgres
import Repositories
import Synchronization
import Basics

/// Sends reads to standbys, and to the primary if no standby is certain to have everything that was
/// shown before. Changes wait until every standby in use has them.
///
/// One thread renews this process's row on the primary; one thread per standby checks it. A standby
/// serves reads while it shows renewals that are no older than a lease and that name it.
package final class StandbyReads: ReadRouter {
    /// An event that operators are notified of.
    package enum Event: Sendable {
        /// A standby begins to serve reads: its address.
        case serves(address: String)
        /// A standby stops serving. The error is nil if it is behind, or accepts writes.
        case doesNotServe(address: String, because: (any Error)?)
        /// Renewing the row on the primary failed. Reported once until a renewal succeeds.
        case notRenewed(any Error)
    }

    let database: Database
    private let standbys: [Standby]
    private let timing: StandbyTiming
    private let isStopped = Monitor(false)
    /// False after a failed renewal, so that the failure is reported once.
    private let isRenewing = Mutex(true)
    /// Offset of this process's turns, so that not all processes read from the same standby at a
    /// time.
    private let phase = Int.random(in: 0..<1_000_000_000)
    private let onEvent: @Sendable (Event) -> Void
    private let rounds: ReplicationRounds
    let registration: ReaderRegistration
    package let counts = StandbyReadCounts()

    /// - Parameters:
    ///   - primary: Connection settings of the primary, for renewals.
    ///   - standbys: Connection settings of the standbys; all hosts of each.
    package init(
        _ database: Database, primary: ConnectionSettings, standbys: ConnectionSettings,
        _ pool: Pool.Settings, _ timing: StandbyTiming = StandbyTiming(),
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        precondition(
            timing.leaseSeconds < timing.holdSeconds
                && timing.unawareSeconds < timing.announcementSeconds,
            "leases that last longer than others wait for them")
        self.database = database
        self.timing = timing
        self.onEvent = onEvent
        self.standbys = standbys.settingsPerHost.map { Standby($0, pool) }
        var smallPool = pool
        smallPool.size = 2
        registration = ReaderRegistration(Pool(primary, smallPool), timing)
        rounds = ReplicationRounds(timing)
    }

    /// Number of standbys, and number of those that serve reads.
    package var standbyCounts: (all: Int, serving: Int) {
        (standbys.count, standbys.count { $0.isServing })
    }

    /// Maximum age of the data when the reads of a page begin, plus the time for its three reads
    /// and for creating the response.
    package let longestLagSeconds = 5.0

    package func awaitReplication() { rounds.wait(for: self) }
    package var timedOutWaits: Int { rounds.timedOutCount }

    /// Starts the threads that renew and check; false if they could not be started.
    package func start() -> Bool {
        let loops =
            [{ @Sendable [self] in renew() }]
            + standbys.map { standby in
                { @Sendable [self] in probe(standby) }
            }
        return loops.allSatisfy { loop in
            SystemThread.startDetached { [self] in
                repeat { loop() } while waitForNextProbe()
            }
        }
    }

    /// Stops all reads from standbys. Deletes this process's row, so that no change waits for this
    /// process.
    package func stop() {
        isStopped.change { $0 = true }
        for standby in standbys { suspend(standby, because: nil) }
        // Without the primary the row has no use in any case.
        try? registration.end()
        for standby in standbys { standby.close() }
    }

    /// Whether a standby is known to show a renewal of this process.
    func hasReplayed(_ number: Int64, on started: Int64) -> Bool {
        guard let standby = standbys.first(where: { $0.started == started }) else { return false }
        do {
            let state = try standby.probe(for: registration, seconds: timing.responseSeconds)
            return state.isStandby && state.started == started && (state.number ?? 0) >= number
        } catch {
            suspend(standby, because: error)
            return false
        }
    }

    /// Waits until the next renewal or check; false at the end.
    private func waitForNextProbe() -> Bool {
        let next = Deadline.after(seconds: timing.renewalSeconds)
        return isStopped.wait { ($0 ? true : nil, next) } == nil
    }

    private func renew() {
        do {
            _ = try registration.renew()
            isRenewing.withLock { $0 = true }
        } catch {
            let wasRenewing = isRenewing.withLock { isRenewing in
                defer { isRenewing = false }
                return isRenewing
            }
            if wasRenewing { onEvent(.notRenewed(error)) }
        }
    }

    private func probe(_ standby: Standby) {
        let began = MonotonicClock.nanoseconds()
        do {
            let state = try standby.probe(for: registration, seconds: timing.responseSeconds)
            let age = registration.age(of: state, probedAt: began) ?? .infinity
            // Judged by age alone: before a renewal has named the standby, it shows no renewal by
            // which to judge more.
            let isGood = state.isStandby && age < timing.lagSeconds
            let (successfulProbes, former) = standby.recordProbe(of: state.started, isGood: isGood)
            if let former { registration.release(former) }
            guard isGood else { return suspend(standby, because: nil) }
            if successfulProbes >= timing.successfulProbes { registration.name(state.started) }
            let isServing = registration.refusal(of: state, readAt: began) == nil
            if standby.serve(isServing) {
                onEvent(
                    isServing
                        ? .serves(address: standby.address)
                        : .doesNotServe(address: standby.address, because: nil))
            }
        } catch {
            suspend(standby, because: error)
        }
    }

    private func suspend(_ standby: Standby, because error: (any Error)?) {
        let (started, hasServed) = standby.suspend(isAway: error != nil)
        if let started { registration.release(started) }
        if hasServed { onEvent(.doesNotServe(address: standby.address, because: error)) }
    }
}

extension StandbyReads {
    package func run<Value>(_ read: Read<Value>) throws -> Value {
        if let standby = standby(for: 1), let answer = attempt([read], at: standby)?.results.first,
            let answer
        {
            return try answer.get()
        }
        counts.add(primary: 1)
        return try database.run(read)
    }

    package func run<Value>(
        batched reads: [Read<Value>]
    ) throws -> [Result<Value, any Error>?] {
        if let standby = standby(for: reads.count), let batchResults = attempt(reads, at: standby) {
            return batchResults.results
        }
        counts.add(primary: reads.count)
        return try database.run(batched: reads)
    }

    /// Runs all of the reads on one standby or, if that fails, all of them on the primary.
    package func runInOrder<Value>(_ body: (any ReadServer) throws -> Value?) throws -> Value {
        if let standby = standby(for: 1) {
            do {
                if let value = try body(StandbyReadServer(self, standby)) { return value }
            } catch is StandbyReadServer.Unusable {}
        }
        counts.add(primary: 1)
        return try database.runInOrder(body)
    }

    /// Returns the standby for a number of reads; nil, with the refusal counted, if none serves.
    private func standby(for reads: Int) -> Standby? {
        let standby = nextServing()
        if standby == nil { counts.add(.noneServes, reads) }
        return standby
    }

    /// Returns a standby's results and how current they are; nil if the read must go to the
    /// primary.
    fileprivate func attempt<Value>(
        _ reads: [Read<Value>], at standby: Standby
    ) -> (results: [Result<Value, any Error>?], state: StandbyState)? {
        let began = MonotonicClock.nanoseconds()
        var batch = Batch()
        let state = registration.addStateQuery(to: &batch)
        let reading = ReadBatch(reads, in: &batch)
        do {
            let batchResults = try standby.send(batch, seconds: timing.responseSeconds)
            let shown = try batchResults.row(state)
            if let refusal = registration.refusal(of: shown, readAt: began) {
                counts.add(refusal, reads.count)
                return nil
            }
            let results = try reading.results(of: batchResults) { account, context in
                if account.outcome == .known || context.caller.isAnonymous { return false }
                counts.add(.unknownCaller, 1)
                return true
            }
            counts.add(standby: results.count { $0 != nil })
            return (results, shown)
        } catch {
            counts.add(.failed, reads.count)
            // A read that is cancelled so that replay can continue says nothing about the next one.
            if (error as? PostgresError)?.isServerFailure == true {
                suspend(standby, because: error)
            }
            return nil
        }
    }

    /// Returns the standby whose turn it is, or the next one that serves.
    private func nextServing() -> Standby? {
        let first = timing.standbyIndex(
            of: standbys.count, at: MonotonicClock.nanoseconds() + phase)
        return (0..<standbys.count).lazy.map { self.standbys[(first + $0) % self.standbys.count] }
            .first { $0.isServing }
    }
}

/// A standby that serves related reads, as long as it is the same server and current enough.
private final class StandbyReadServer: ReadServer {
    /// The error of a standby that can't serve a read, which then goes to the primary.
    struct Unusable: Error {}

    private let reads: StandbyReads
    private let standby: Standby
    private var last: StandbyState?
    /// False because another server may have shown newer data.
    let isCurrent = false

    init(_ reads: StandbyReads, _ standby: Standby) {
        self.reads = reads
        self.standby = standby
    }

    /// - Throws: ``Unusable``; refusals like ``Database/run(_:)``.
    func run<Value>(_ read: Read<Value>) throws -> Value {
        guard let (results, state) = reads.attempt([read], at: standby),
            last.map({ state.follows($0) }) ?? true, let result = results[0]
        else { throw Unusable() }
        last = state
        return try result.get()
    }
}

extension StandbyState {
    /// Whether this state and an earlier one are of the same server, and this one is at least as
    /// recent. A server that was restarted may show older data than before.
    fileprivate func follows(_ earlier: StandbyState) -> Bool {
        guard started == earlier.started, let number, let before = earlier.number else {
            return false
        }
        return number >= before
    }
}

extension PostgresError {
    /// Whether the error means that the server fails, not a single statement.
    fileprivate var isServerFailure: Bool {
        switch code {
        case .connectionFailed, .connectionLost, .deadlineExceeded: true
        default: false
        }
    }
}
