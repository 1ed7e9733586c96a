package import Postgres
import Repositories
import Synchronization
import Threads

/// Sends reads to standbys, and to the primary where no standby is certain to have everything that
/// was answered before.
///
/// A thread renews this process's row on the primary; one for each standby looks at it. A standby
/// serves while it shows renewals that are not older than a lease, and that name it.
package final class StandbyReads: Sendable {
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
    }

    /// How many standbys there are, and how many of them serve.
    package var standbyCounts: (all: Int, serving: Int) {
        (standbys.count, standbys.count { $0.isServing })
    }

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
    /// Runs a read in a round trip and a transaction of its own.
    ///
    /// - Throws: As ``Database/run(_:)``.
    package func run<Value>(_ read: Read<Value>) throws -> Value {
        if let standby = chosen(for: 1), let answer = attempt([read], at: standby)?.results.first,
            let answer
        {
            return try answer.get()
        }
        counts.note(primary: 1)
        return try database.run(read)
    }

    /// Runs reads of several callers in one round trip: as ``Database/run(together:)``.
    package func run<Value>(
        together reads: [Read<Value>]
    ) throws -> [Result<Value, any Error>?] {
        if let standby = chosen(for: reads.count), let answers = attempt(reads, at: standby) {
            return answers.results
        }
        counts.note(primary: reads.count)
        return try database.run(together: reads)
    }

    /// The standby for so many reads; nil, and counted, if none serves.
    private func chosen(for reads: Int) -> Standby? {
        let standby = choose()
        if standby == nil { counts.note(.noneServes, reads) }
        return standby
    }

    /// A standby's answers, and how new they are; nil where the primary has to be asked.
    func attempt<Value>(
        _ reads: [Read<Value>], at standby: Standby
    ) -> (results: [Result<Value, any Error>?], state: StandbyState)? {
        let began = MonotonicClock.nanoseconds()
        var batch = Batch()
        let state = registration.look(in: &batch)
        let together = ReadsTogether(reads, in: &batch)
        do {
            let answers = try standby.send(batch, seconds: timing.answerSeconds)
            let shown = try answers.row(state)
            if let refusal = registration.refusal(of: shown, readAt: began) {
                counts.note(refusal, reads.count)
                return nil
            }
            let results = try together.results(of: answers) { found, context in
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
    func choose() -> Standby? {
        let first = timing.turn(of: standbys.count, at: MonotonicClock.nanoseconds() + phase)
        return (0..<standbys.count).lazy.map { self.standbys[(first + $0) % self.standbys.count] }
            .first { $0.isServing }
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
