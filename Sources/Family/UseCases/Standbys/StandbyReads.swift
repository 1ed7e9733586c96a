package import Postgres
import Repositories
import Synchronization
import Threads

/// Sends reads to standbys, and to the primary where no standby is certain to have everything that
/// was answered before. Changes wait until every standby in use has them.
///
/// A thread renews this process's row on the primary; one for each standby looks at it. A standby
/// serves while it shows renewals that are not older than a lease, and that name it.
package final class StandbyReads: ReadRouter {
    /// Something that operators want to know.
    package enum Note: Sendable {
        /// A standby serves reads from now on: its address.
        case serves(place: String)
        /// Nil: it is behind, or a server that takes writes.
        case doesNotServe(place: String, because: (any Error)?)
        /// The row on the primary could not be renewed. Reported once until a renewal succeeds.
        case notRenewed(any Error)
    }

    let database: Database
    private let standbys: [Standby]
    private let timing: StandbyTiming
    private let isStopped = Monitor(false)
    /// False after a renewal has failed, so that this is reported once.
    private let isRenewing = Mutex(true)
    /// Where in its turns this process begins, so that not all ask the same standby at a time.
    private let phase = Int.random(in: 0..<1_000_000_000)
    private let onNote: @Sendable (Note) -> Void
    private let rounds: ReplicationRounds
    let registration: ReaderRegistration
    package let counts = StandbyReadCounts()

    /// - Parameters:
    ///   - primary: How the primary is reached, for renewals.
    ///   - standbys: How they are reached; all hosts of each.
    package init(
        _ database: Database, primary: ConnectionSettings, standbys: ConnectionSettings,
        _ pool: Pool.Settings, _ timing: StandbyTiming = StandbyTiming(),
        onNote: @escaping @Sendable (Note) -> Void
    ) {
        precondition(
            timing.leaseSeconds < timing.holdSeconds
                && timing.unawareSeconds < timing.announcementSeconds,
            "leases that last longer than others wait for them")
        self.database = database
        self.timing = timing
        self.onNote = onNote
        self.standbys = standbys.hostsApart.map { Standby($0, pool) }
        var few = pool
        few.size = 2
        registration = ReaderRegistration(Pool(primary, few), timing)
        rounds = ReplicationRounds(timing)
    }

    /// How many standbys there are, and how many of them serve.
    package var standbyCounts: (all: Int, serving: Int) {
        (standbys.count, standbys.count { $0.isServing })
    }

    /// What a lease allows when a page's reads begin, and the time of its three reads and of making
    /// the answer.
    package let longestLagSeconds = 5.0

    package func awaitReplication() { rounds.wait(for: self) }
    package var timedOutWaits: Int { rounds.timedOutCount }

    /// Begins to renew and to look; false if no threads could be started.
    package func start() -> Bool {
        let works =
            [{ @Sendable [self] in renew() }]
            + standbys.map { standby in
                { @Sendable [self] in look(at: standby) }
            }
        return works.allSatisfy { work in
            SystemThread.startDetached { [self] in
                repeat { work() } while rest()
            }
        }
    }

    /// Reads from no standby any more. Takes this process's row away, so that nobody waits for it.
    package func stop() {
        isStopped.change { $0 = true }
        for standby in standbys { giveUp(standby, because: nil) }
        // Without the primary the row is of no more use in any case.
        try? registration.end()
        for standby in standbys { standby.close() }
    }

    /// Whether a standby is known to have a renewal of this process.
    func shows(_ number: Int64, on started: Int64) -> Bool {
        guard let standby = standbys.first(where: { $0.started == started }) else { return false }
        do {
            let found = try standby.look(for: registration, seconds: timing.answerSeconds)
            return found.isStandby && found.started == started && (found.number ?? 0) >= number
        } catch {
            giveUp(standby, because: error)
            return false
        }
    }

    /// False at the end.
    private func rest() -> Bool {
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
            if wasRenewing { onNote(.notRenewed(error)) }
        }
    }

    private func look(at standby: Standby) {
        let began = MonotonicClock.nanoseconds()
        do {
            let found = try standby.look(for: registration, seconds: timing.answerSeconds)
            let age = registration.age(of: found, lookedAt: began) ?? .infinity
            // Until it has been announced a standby shows no renewal of which it could be said.
            let isGood = found.isStandby && age < timing.lagSeconds
            let (goodLooks, former) = standby.note(found.started, isGood: isGood)
            if let former { registration.release(former) }
            guard isGood else { return giveUp(standby, because: nil) }
            if goodLooks >= timing.goodLooks { registration.name(found.started) }
            let isServing = registration.refusal(of: found, readAt: began) == nil
            if standby.serve(isServing) {
                onNote(
                    isServing
                        ? .serves(place: standby.place)
                        : .doesNotServe(place: standby.place, because: nil))
            }
        } catch {
            giveUp(standby, because: error)
        }
    }

    private func giveUp(_ standby: Standby, because error: (any Error)?) {
        let (started, hasServed) = standby.giveUp(isAway: error != nil)
        if let started { registration.release(started) }
        if hasServed { onNote(.doesNotServe(place: standby.place, because: error)) }
    }
}

extension StandbyReads {
    package func run<Value>(_ read: Read<Value>) throws -> Value {
        if let standby = chosen(for: 1), let answer = attempt([read], at: standby)?.results.first,
            let answer
        {
            return try answer.get()
        }
        counts.note(primary: 1)
        return try database.run(read)
    }

    package func run<Value>(
        together reads: [Read<Value>]
    ) throws -> [Result<Value, any Error>?] {
        if let standby = chosen(for: reads.count), let answers = attempt(reads, at: standby) {
            return answers.results
        }
        counts.note(primary: reads.count)
        return try database.run(together: reads)
    }

    /// Runs all of the reads on one standby or, where that can't be, all of them on the primary.
    package func runInOrder<Value>(_ body: (any ReadServer) throws -> Value?) throws -> Value {
        if let standby = chosen(for: 1) {
            do {
                if let value = try body(StandbyVisit(self, standby)) { return value }
            } catch is StandbyVisit.Ended {}
        }
        counts.note(primary: 1)
        return try database.runInOrder(body)
    }

    /// The standby for so many reads; nil, and counted, if none serves.
    private func chosen(for reads: Int) -> Standby? {
        let standby = choose()
        if standby == nil { counts.note(.noneServes, reads) }
        return standby
    }

    /// A standby's answers, and how new they are; nil where the primary has to be asked.
    fileprivate func attempt<Value>(
        _ reads: [Read<Value>], at standby: Standby
    ) -> (results: [Result<Value, any Error>?], state: StandbyState)? {
        let began = MonotonicClock.nanoseconds()
        var batch = Batch()
        let state = registration.look(in: &batch)
        let reading = ReadBatch(reads, in: &batch)
        do {
            let answers = try standby.send(batch, seconds: timing.answerSeconds)
            let shown = try answers.row(state)
            if let refusal = registration.refusal(of: shown, readAt: began) {
                counts.note(refusal, reads.count)
                return nil
            }
            let results = try reading.results(of: answers) { found, context in
                if found.outcome == .known || context.caller.isAnonymous { return false }
                counts.note(.unknownCaller, 1)
                return true
            }
            counts.note(standby: results.count { $0 != nil })
            return (results, shown)
        } catch {
            counts.note(.failed, reads.count)
            // A read that is cancelled so that replaying can go on says nothing about the next one.
            if (error as? PostgresError)?.tellsOfServer == true { giveUp(standby, because: error) }
            return nil
        }
    }

    /// The standby whose turn it is, or the next one that serves.
    private func choose() -> Standby? {
        let first = timing.turn(of: standbys.count, at: MonotonicClock.nanoseconds() + phase)
        return (0..<standbys.count).lazy.map { self.standbys[(first + $0) % self.standbys.count] }
            .first { $0.isServing }
    }
}

/// A standby that answers reads that belong together, as long as it is the same server and not too
/// old.
private final class StandbyVisit: ReadServer {
    /// A failure of the standby to answer, as the primary has to.
    struct Ended: Error {}

    private let reads: StandbyReads
    private let standby: Standby
    private var last: StandbyState?
    /// Another server may have shown more than this one has yet.
    let isCurrent = false

    init(_ reads: StandbyReads, _ standby: Standby) {
        self.reads = reads
        self.standby = standby
    }

    /// - Throws: ``Ended``; refusals as ``Database/run(_:)``.
    func run<Value>(_ read: Read<Value>) throws -> Value {
        guard let (results, state) = reads.attempt([read], at: standby),
            last.map({ state.follows($0) }) ?? true, let result = results[0]
        else { throw Ended() }
        last = state
        return try result.get()
    }
}

extension StandbyState {
    /// Whether this was shown by the same server, and no earlier. A server that was restarted may
    /// show older data than before.
    fileprivate func follows(_ earlier: StandbyState) -> Bool {
        guard started == earlier.started, let number, let before = earlier.number else {
            return false
        }
        return number >= before
    }
}

extension PostgresError {
    /// Whether it is the server that fails, and not one statement.
    fileprivate var tellsOfServer: Bool {
        switch code {
        case .connectionFailed, .connectionLost, .deadlineExceeded: true
        default: false
        }
    }
}
