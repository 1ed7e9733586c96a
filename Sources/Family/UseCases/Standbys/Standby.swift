import Postgres
import Repositories
import Synchronization
import Basics

/// A server that can serve reads.
final class Standby: Sendable {
    /// The server's address, for people.
    let address: String
    private let readPool: Pool
    /// Connections for checks of the server, so that they never wait for reads.
    private let probePool: Pool
    private let state = Mutex(State())

    private struct State {
        /// Start time of the server that last responded at the address; nil while none responds.
        var started: Int64?
        var successfulProbes = 0
        var isServing = false
    }

    /// Seconds that a read waits for a connection before it goes to the primary.
    private static let leaseSeconds = 0.2

    init(_ settings: ConnectionSettings, _ pool: Pool.Settings) {
        var settings = settings
        // The minimum of libpq.
        settings.connectTimeoutSeconds = 2
        address = settings.summary
        readPool = Pool(settings, pool)
        var smallPool = pool
        smallPool.size = 2
        probePool = Pool(settings, smallPool)
    }

    /// Whether reads may go to the standby.
    var isServing: Bool { state.withLock { $0.isServing } }

    /// Start time of the server last found at the address, which identifies the server; nil while
    /// none responds.
    var started: Int64? { state.withLock { $0.started } }

    /// Sends the statements of reads.
    func send(_ batch: Batch, seconds: Double) throws -> BatchResults {
        try readPool.withConnection(deadline: .after(seconds: Self.leaseSeconds)) {
            try $0.send(batch, deadline: .after(seconds: seconds))
        }
    }

    /// Reads the server's state, and the last renewal of a process that it shows.
    func probe(for registration: ReaderRegistration, seconds: Double) throws -> StandbyState {
        try probePool.withConnection(deadline: .after(seconds: seconds)) {
            var batch = Batch()
            let key = registration.addStateQuery(to: &batch)
            return try $0.send(batch, deadline: .after(seconds: seconds)).row(key)
        }
    }

    /// Records the result of a check, and counts successful ones in a row.
    ///
    /// - Returns: The result, and the previous server if another one has replaced it.
    func recordProbe(
        of started: Int64, isGood: Bool
    ) -> (successfulProbes: Int, former: Int64?) {
        state.withLock { state in
            let former = state.started == started ? nil : state.started
            if state.started != started { state.successfulProbes = 0 }
            state.started = started
            state.successfulProbes = isGood ? state.successfulProbes + 1 : 0
            if state.successfulProbes == 0 { state.isServing = false }
            return (state.successfulProbes, former)
        }
    }

    /// Starts or stops serving. Returns whether this changed the state.
    func serve(_ isServing: Bool) -> Bool {
        state.withLock { state in
            // Reads were stopped meanwhile.
            if isServing, state.successfulProbes == 0 { return false }
            defer { state.isServing = isServing }
            return state.isServing != isServing
        }
    }

    /// Stops reads until checks have found the standby good again. Returns the server, and whether
    /// it served.
    ///
    /// - Parameter isAway: Whether the server does not respond; if so, its start time is discarded.
    func suspend(isAway: Bool) -> (started: Int64?, hasServed: Bool) {
        let was = state.withLock { state in
            defer { state = State(started: isAway ? nil : state.started) }
            return (state.started, state.isServing)
        }
        // A server that hangs does not close its connections.
        if isAway { readPool.discardIdle() }
        return was
    }

    func close() {
        readPool.close()
        probePool.close()
    }
}

/// The reason why a read that could have gone to a standby went to the primary.
package enum StandbyRefusal: String, CaseIterable, Sendable {
    /// The process has no standby that serves reads.
    case noneServes = "none_serves"
    /// The standby did not respond in time, or with an error.
    case failed
    /// The server is not a standby, or no longer one.
    case noStandby = "no_standby"
    /// The standby does not show yet that this process reads from it.
    case notAnnounced = "not_announced"
    /// The standby's data may be older than a lease.
    case stale
    /// The standby may not know the caller as the primary does: a new account, a token with changed
    /// data, a session that has just begun.
    case unknownCaller = "unknown_caller"
}

/// Counts of reads by the server that served them, since the process began.
package final class StandbyReadCounts: Sendable {
    private let standby = Atomic(0)
    private let primary = Atomic(0)
    private let refused = Mutex<[StandbyRefusal: Int]>([:])

    /// Number of reads that a standby served.
    package var byStandby: Int { standby.load(ordering: .relaxed) }
    /// Number of reads that went to the primary.
    package var byPrimary: Int { primary.load(ordering: .relaxed) }
    /// Number of reads that went to the primary, by reason.
    package var refusals: [StandbyRefusal: Int] { refused.withLock { $0 } }

    func add(standby reads: Int) { standby.wrappingAdd(reads, ordering: .relaxed) }
    func add(primary reads: Int) { primary.wrappingAdd(reads, ordering: .relaxed) }
    func add(_ refusal: StandbyRefusal, _ reads: Int) {
        refused.withLock { $0[refusal, default: 0] += reads }
    }
}
