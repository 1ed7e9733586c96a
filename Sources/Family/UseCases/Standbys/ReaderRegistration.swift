import Postgres
import Repositories
import Synchronization
import Basics

/// The row that records that this process reads from standbys. A standby's data are judged by the
/// renewals of this row that the standby shows.
///
/// Each renewal has a number. A standby that shows the number has everything that was committed
/// before the renewal was sent, so its data are at most as old as the renewal. It may lack commits
/// made while the renewal was in progress, even by a process that did not see the renewal yet:
/// PostgreSQL writes the record of a commit before the commit becomes visible. A standby lacks no
/// such commit once it shows a later renewal, sent after the response to the first one.
final class ReaderRegistration: Sendable {
    /// Id of this process for as long as it runs.
    private let id = UInt128.random(in: .min ... .max)
    private let pool: Pool
    private let timing: StandbyTiming
    /// Held during a renewal, so that numbers reach the primary in order.
    private let renewalLock = Mutex(())
    private let state = Mutex(State())

    fileprivate struct State {
        var number: Int64 = 0
        /// Times at which the last renewals were sent, by number; monotonic clock.
        var sent: [Int64: Int] = [:]
        /// The standbys that the next renewal names.
        var requested: Set<Int64> = []
        /// First renewal that named a standby, by standby. Later ones were sent after its response.
        var firstNamed: [Int64: Int64] = [:]
        var lastDone: Int?
        /// The primary that responded last, identified by its start time.
        var primary: Int64?
        /// Time when all processes could first see that this one reads from standbys.
        var announced: Int?
        /// The first renewal that was sent after all other processes must have seen that this one
        /// reads from standbys.
        var firstUsable: Int64?
    }

    /// Number of renewals whose sending times are kept: far more than are sent during a lease.
    fileprivate static let sentLimit: Int64 = 1_000
    private static let responseSeconds = 1.0

    /// - Parameter pool: Connections to the primary for renewals alone, so that they never wait for
    ///   requests.
    init(_ pool: Pool, _ timing: StandbyTiming) {
        self.pool = pool
        self.timing = timing
    }

    /// Renews the row.
    ///
    /// - Returns: The renewal's number, and the standbys from which any process reads, according to
    ///   everything that was committed before the renewal.
    func renew() throws -> (number: Int64, inUse: StandbysInUse) {
        try renewalLock.withLock { _ in
            let (number, standbys, sent) = state.withLock { $0.begin() }
            let response = try pool.withConnection(deadline: .after(seconds: Self.responseSeconds))
            {
                try $0.run(
                    StandbyReaders.renew, id, number, standbys,
                    deadline: .after(seconds: Self.responseSeconds))
            }
            guard let response = response.first else {
                throw PostgresError(.unexpectedRows, "a renewal returned no row")
            }
            state.withLock {
                $0.end(number, naming: standbys, sent: sent, by: response.primary, timing)
            }
            return (number, response.inUse)
        }
    }

    /// Deletes the row. The process no longer reads from standbys.
    func end() throws {
        state.withLock {
            $0.requested = []
            $0.firstNamed = [:]
            $0.announced = nil
            $0.firstUsable = nil
        }
        _ = try renewalLock.withLock { _ in
            try pool.withConnection(deadline: .after(seconds: Self.responseSeconds)) {
                try $0.run(
                    StandbyReaders.end, id, deadline: .after(seconds: Self.responseSeconds))
            }
        }
    }

    /// Makes the next renewals name a standby.
    func name(_ standby: Int64) { state.withLock { _ = $0.requested.insert(standby) } }

    /// Stops reads from a standby. The next renewals don't name it.
    func release(_ standby: Int64) {
        state.withLock {
            $0.requested.remove(standby)
            $0.firstNamed[standby] = nil
        }
    }

    /// Adds the statement that reads a server's state, and the last renewal of this process that
    /// the server shows.
    func addStateQuery(to batch: inout Batch) -> Batch.ResultKey<StandbyState> {
        batch.add(StandbyReaders.state, id)
    }

    /// Returns how old a server's data could at most be at `moment`, when the check began, in
    /// seconds: the time since this process sent the last renewal that the server shows. Nil if the
    /// server shows none, or one that is no longer remembered.
    func age(of found: StandbyState, probedAt moment: Int) -> Double? {
        guard let number = found.number, let sent = state.withLock({ $0.sent[number] }) else {
            return nil
        }
        return Double(moment - sent) / 1e9
    }

    /// Returns the reason why a server must not serve a read that began at `moment`; nil if it may.
    func refusal(of found: StandbyState, readAt moment: Int) -> StandbyRefusal? {
        guard found.isStandby else { return .noStandby }
        return state.withLock { state in
            guard let number = found.number, let firstNamed = state.firstNamed[found.started],
                let firstUsable = state.firstUsable, number > firstNamed, number >= firstUsable
            else { return .notAnnounced }
            guard let sent = state.sent[number],
                Double(moment - sent) / 1e9 < timing.leaseSeconds
            else { return .stale }
            return nil
        }
    }
}

extension ReaderRegistration.State {
    /// Begins the next renewal: its number, the standbys that it names, and the time of sending.
    fileprivate mutating func begin() -> (number: Int64, standbys: [Int64], sent: Int) {
        number += 1
        let now = MonotonicClock.nanoseconds()
        sent[number] = now
        sent[number - ReaderRegistration.sentLimit] = nil
        return (number, requested.sorted(), now)
    }

    /// Records that a renewal is committed and its response received. A new primary may lack
    /// earlier renewals: then this process announces itself anew.
    fileprivate mutating func end(
        _ number: Int64, naming standbys: [Int64], sent: Int, by answering: Int64,
        _ timing: StandbyTiming
    ) {
        let now = MonotonicClock.nanoseconds()
        let pause = lastDone.map { Double(now - $0) / 1e9 } ?? .infinity
        lastDone = now
        if pause > timing.longestPauseSeconds || answering != primary {
            announced = now
            firstUsable = nil
            primary = answering
        }
        if firstUsable == nil, let announced,
            Double(sent - announced) / 1e9 >= timing.announcementSeconds
        {
            firstUsable = number
        }
        for standby in standbys where requested.contains(standby) && firstNamed[standby] == nil {
            firstNamed[standby] = number
        }
    }
}

/// The times that reads from standbys rely on. docs/scaling.md explains why, with these times, no
/// read can miss anything that was shown before.
///
/// All of them are measured by the monotonic clock of one process; no two clocks are ever compared.
package struct StandbyTiming: Sendable {
    /// Seconds after sending a renewal during which its process may read from a standby that shows
    /// the renewal.
    package var leaseSeconds = 2.0
    /// Maximum time in seconds for which the response to a change waits for standbys; longer than a
    /// lease.
    package var holdSeconds = 3.0
    /// Seconds for which a process that reads from no standby relies on its last check that no
    /// other process reads from one.
    package var unawareSeconds = 2.0
    /// Seconds for which a process announces that it is going to read from standbys; longer than
    /// ``unawareSeconds``.
    package var announcementSeconds = 4.0
    /// Pause between renewals, in seconds, after which a process announces itself anew: the others
    /// consider it gone after a minute.
    package var longestPauseSeconds = 10.0
    /// Seconds between two renewals, and between two checks of a standby.
    package var renewalSeconds = 0.25
    /// Maximum age in seconds of a standby's data at a check. A standby that is further behind
    /// serves nothing until it has caught up, so that no response waits for it.
    package var lagSeconds = 1.0
    /// Number of successful checks in a row before a standby serves.
    package var successfulProbes = 4
    /// Seconds for which a read waits for a standby's response; after that it goes to the primary.
    package var responseSeconds = 0.5
    /// Seconds for which reads go to one standby before they go to the next. If each batch went to
    /// another one, the servers would evict each other's data from the processors' caches.
    package var rotationSeconds = 0.05

    package init() {}

    /// Waits until `holdSeconds` have passed since `began`. From then on, no standby serves data
    /// from before `began`.
    func waitUntilHeld(since began: Int) {
        MonotonicClock.pause(seconds: holdSeconds - MonotonicClock.seconds(since: began))
    }

    /// Returns the index of the standby whose turn it is at a time.
    package func standbyIndex(of count: Int, at nanoseconds: Int) -> Int {
        nanoseconds / max(1, Int(rotationSeconds * 1e9)) % max(1, count)
    }
}
