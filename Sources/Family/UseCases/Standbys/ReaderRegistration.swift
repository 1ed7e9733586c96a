import Postgres
import Repositories
import Synchronization
import Threads

/// A process's row among those that read from standbys, and what follows from what standbys show of
/// it.
///
/// Each renewal has a number. A standby that shows the number has everything that was committed
/// before the renewal was sent, so what it shows is at most as old as the renewal. It may lack what
/// was committed while the renewal was under way, even by somebody who did not see the renewal yet:
/// PostgreSQL writes the record of a commit before anybody sees what was committed. A standby lacks
/// nothing of that kind once it shows a renewal that was sent after the answer to this one.
final class ReaderRegistration: Sendable {
    /// Of this process, as long as it runs.
    private let id = UInt128.random(in: .min ... .max)
    private let pool: Pool
    private let timing: StandbyTiming
    /// Held while a renewal is under way: numbers reach the primary in their order.
    private let turn = Mutex(())
    private let state = Mutex(State())

    fileprivate struct State {
        var number: Int64 = 0
        /// By the monotonic clock: when each of the last renewals was sent.
        var sent: [Int64: Int] = [:]
        /// The standbys that the next renewal is to name.
        var wanted: Set<Int64> = []
        /// By standby, the first renewal that named it. Later ones were sent after its answer.
        var named: [Int64: Int64] = [:]
        var lastDone: Int?
        /// The primary that answered last, by the moment at which it started.
        var primary: Int64?
        /// Since when all processes can see that this one reads from standbys.
        var announced: Int?
        /// The first renewal that was sent when all of them had to know.
        var first: Int64?
    }

    /// Renewals whose time of sending is kept: far more than there are in a lease.
    fileprivate static let kept: Int64 = 1_000
    private static let answerSeconds = 1.0

    /// - Parameter pool: Of the primary, for renewals alone, so that they never wait for requests.
    init(_ pool: Pool, _ timing: StandbyTiming) {
        self.pool = pool
        self.timing = timing
    }

    /// Renews the row.
    ///
    /// - Returns: The renewal's number, and what all processes read from, with everything that was
    ///   committed before taken into account.
    func renew() throws -> (number: Int64, inUse: StandbysInUse) {
        try turn.withLock { _ in
            let (number, standbys, sent) = state.withLock { $0.begin() }
            let answer = try pool.withConnection(deadline: .after(seconds: Self.answerSeconds)) {
                try $0.run(
                    StandbyReaders.renew, id, number, standbys,
                    deadline: .after(seconds: Self.answerSeconds))
            }
            guard let answer = answer.first else {
                throw PostgresError(.unexpectedRows, "a renewal without an answer")
            }
            state.withLock {
                $0.end(number, naming: standbys, sent: sent, by: answer.primary, timing)
            }
            return (number, answer.inUse)
        }
    }

    /// Takes the row away. Nothing is read from standbys any more.
    func end() throws {
        state.withLock {
            $0.wanted = []
            $0.named = [:]
            $0.announced = nil
            $0.first = nil
        }
        _ = try turn.withLock { _ in
            try pool.withConnection(deadline: .after(seconds: Self.answerSeconds)) {
                try $0.run(
                    StandbyReaders.end, id, deadline: .after(seconds: Self.answerSeconds))
            }
        }
    }

    /// Has the next renewals name a standby.
    func name(_ standby: Int64) { state.withLock { _ = $0.wanted.insert(standby) } }

    /// Nothing is read from a standby from now on; the next renewals don't name it.
    func release(_ standby: Int64) {
        state.withLock {
            $0.wanted.remove(standby)
            $0.named[standby] = nil
        }
    }

    /// Adds the statement that shows what a server has of this process.
    func look(in batch: inout Batch) -> Batch.Place<StandbyState> {
        batch.add(StandbyReaders.state, id)
    }

    /// How old what a server shows can be, for who has begun to look at it at a moment; nil if it
    /// has nothing of this process.
    func age(of found: StandbyState, lookedAt moment: Int) -> Double? {
        guard let number = found.number, let sent = state.withLock({ $0.sent[number] }) else {
            return nil
        }
        return Double(moment - sent) / 1e9
    }

    /// Why a server must not answer a read that was begun at a moment; nil if it may.
    func refusal(of found: StandbyState, readAt moment: Int) -> StandbyRefusal? {
        guard found.isStandby else { return .noStandby }
        return state.withLock { state in
            guard let number = found.number, let named = state.named[found.started],
                let first = state.first, number > named, number >= first
            else { return .notAnnounced }
            guard let sent = state.sent[number],
                Double(moment - sent) / 1e9 < timing.leaseSeconds
            else { return .stale }
            return nil
        }
    }
}

extension ReaderRegistration.State {
    /// The next renewal: its number, whom it names, and when it is sent.
    fileprivate mutating func begin() -> (number: Int64, standbys: [Int64], sent: Int) {
        number += 1
        let now = MonotonicClock.nanoseconds()
        sent[number] = now
        sent[number - ReaderRegistration.kept] = nil
        return (number, wanted.sorted(), now)
    }

    /// A renewal is committed, and answered. Another primary may not have the ones before: then
    /// this process announces itself anew.
    fileprivate mutating func end(
        _ number: Int64, naming standbys: [Int64], sent: Int, by answering: Int64,
        _ timing: StandbyTiming
    ) {
        let now = MonotonicClock.nanoseconds()
        let pause = lastDone.map { Double(now - $0) / 1e9 } ?? .infinity
        lastDone = now
        if pause > timing.longestPauseSeconds || answering != primary {
            announced = now
            first = nil
            primary = answering
        }
        if first == nil, let announced,
            Double(sent - announced) / 1e9 >= timing.announcementSeconds
        {
            first = number
        }
        for standby in standbys where wanted.contains(standby) && named[standby] == nil {
            named[standby] = number
        }
    }
}

/// How long things take where reads go to standbys. docs/scaling.md says why nothing that was
/// answered can be missing from a read if they are as they are here.
///
/// All of it is measured by the monotonic clock of one process; no two clocks are ever compared.
package struct StandbyTiming: Sendable {
    /// How long after it was sent a renewal lets its process read from a standby that shows it.
    package var leaseSeconds = 2.0
    /// How long the answer to a change is held at most; longer than a lease.
    package var holdSeconds = 3.0
    /// How long a process that reads from no standby relies on having seen that nobody does.
    package var unawareSeconds = 2.0
    /// How long a process announces that it is going to read from standbys; longer than that.
    package var announcementSeconds = 4.0
    /// After such a pause between renewals a process announces itself anew: the others count it as
    /// gone after a minute.
    package var longestPauseSeconds = 10.0
    /// Time between two renewals, and between two looks at a standby.
    package var renewalSeconds = 0.25
    /// How old what a standby shows may be when it is looked at. One that is further behind serves
    /// nothing until it has caught up, so that no answer has to be held for it.
    package var lagSeconds = 1.0
    /// How many looks in a row have to find a standby good before it serves.
    package var goodLooks = 4
    /// How long a standby has for an answer; after that the primary is asked.
    package var answerSeconds = 0.5
    /// How long reads go to one standby before they go to the next. If each batch went to another
    /// one, the servers would displace each other's data in the processors' caches.
    package var turnSeconds = 0.05

    package init() {}

    /// Waits until `holdSeconds` after a moment: then no standby serves what was before it.
    func waitOut(since began: Int) {
        MonotonicClock.pause(seconds: holdSeconds - MonotonicClock.seconds(since: began))
    }

    /// Which of so many standbys has its turn at a time.
    package func turn(of count: Int, at nanoseconds: Int) -> Int {
        nanoseconds / max(1, Int(turnSeconds * 1e9)) % max(1, count)
    }
}
