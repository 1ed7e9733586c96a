import Postgres
import Repositories
import Synchronization
import Threads

/// A server that reads can go to.
final class Standby: Sendable {
    /// Where it is, for people.
    let place: String
    private let reads: Pool
    /// For looks at the server, so that they never wait for reads.
    private let looks: Pool
    private let state = Mutex(State())

    private struct State {
        /// The server that was found there last; nil while none answers.
        var started: Int64?
        var goodLooks = 0
        var isServing = false
    }

    /// Seconds that a read waits for a connection before the primary is asked.
    private static let leaseSeconds = 0.2

    init(_ settings: ConnectionSettings, _ pool: Pool.Settings) {
        var settings = settings
        // The least that libpq takes.
        settings.connectTimeoutSeconds = 2
        place = settings.summary
        reads = Pool(settings, pool)
        var few = pool
        few.size = 2
        looks = Pool(settings, few)
    }

    /// Whether reads may be tried there.
    var isServing: Bool { state.withLock { $0.isServing } }

    /// The server that was found there last, by the moment at which it started; nil while none
    /// answers.
    var started: Int64? { state.withLock { $0.started } }

    /// Sends reads.
    func send(_ batch: Batch, seconds: Double) throws -> Answers {
        try reads.withConnection(deadline: .after(seconds: Self.leaseSeconds)) {
            try $0.send(batch, deadline: .after(seconds: seconds))
        }
    }

    /// Asks the server what it has of a process.
    func look(for registration: ReaderRegistration, seconds: Double) throws -> StandbyState {
        try looks.withConnection(deadline: .after(seconds: seconds)) {
            var batch = Batch()
            let place = registration.look(in: &batch)
            return try $0.send(batch, deadline: .after(seconds: seconds)).row(place)
        }
    }

    /// Notes what a look has found; how many looks in a row were good.
    ///
    /// - Returns: Also the server that was there before, if it is another one now.
    func note(
        _ started: Int64, isGood: Bool
    ) -> (goodLooks: Int, former: Int64?) {
        state.withLock { state in
            let former = state.started == started ? nil : state.started
            if state.started != started { state.goodLooks = 0 }
            state.started = started
            state.goodLooks = isGood ? state.goodLooks + 1 : 0
            if state.goodLooks == 0 { state.isServing = false }
            return (state.goodLooks, former)
        }
    }

    /// Whether it serves from now on; whether that is a change.
    func serve(_ isServing: Bool) -> Bool {
        state.withLock { state in
            // It was given up meanwhile.
            if isServing, state.goodLooks == 0 { return false }
            defer { state.isServing = isServing }
            return state.isServing != isServing
        }
    }

    /// No read is tried there until looks have found it good again. The server that it was, and
    /// whether it served.
    ///
    /// - Parameter isAway: Whether the server does not answer: then it is not known any more.
    func giveUp(isAway: Bool) -> (started: Int64?, hasServed: Bool) {
        let was = state.withLock { state in
            defer { state = State(started: isAway ? nil : state.started) }
            return (state.started, state.isServing)
        }
        // One that hangs closes nothing.
        if isAway { reads.discardIdle() }
        return was
    }

    func close() {
        reads.close()
        looks.close()
    }
}

/// Why a read that could have gone to a standby went to the primary.
package enum StandbyRefusal: String, CaseIterable, Sendable {
    /// No standby serves.
    case noneServes = "none_serves"
    /// The standby did not answer in time, or with an error.
    case failed
    /// The server is no standby, or not any more.
    case noStandby = "no_standby"
    /// The standby has not shown yet that this process reads from it.
    case notAnnounced = "not_announced"
    /// What the standby shows may be older than a lease.
    case stale
    /// The standby does not know the caller as the primary may: a new account, a token that brings
    /// changes, a session that has just begun.
    case unknownCaller = "unknown_caller"
}

/// Where reads were answered, since the process began.
package final class StandbyReadCounts: Sendable {
    private let standby = Atomic(0)
    private let primary = Atomic(0)
    private let refused = Mutex<[StandbyRefusal: Int]>([:])

    /// Reads that a standby has answered.
    package var byStandby: Int { standby.load(ordering: .relaxed) }
    /// Reads that went to the primary.
    package var byPrimary: Int { primary.load(ordering: .relaxed) }
    /// Why reads went to the primary.
    package var refusals: [StandbyRefusal: Int] { refused.withLock { $0 } }

    func note(standby reads: Int) { standby.wrappingAdd(reads, ordering: .relaxed) }
    func note(primary reads: Int) { primary.wrappingAdd(reads, ordering: .relaxed) }
    func note(_ refusal: StandbyRefusal, _ reads: Int) {
        refused.withLock { $0[refusal, default: 0] += reads }
    }
}
