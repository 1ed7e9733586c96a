import CPostgres
import Glibc
import Synchronization
package import Basics

/// A bounded set of connections that threads borrow.
///
/// A borrower waits its turn, first come first served, until its deadline; more than
/// `maximumWaiters` are refused at once. A returned connection is reset: an open transaction is
/// rolled back and changed session state is discarded. A broken connection is closed, and the next
/// lease opens another.
package final class Pool: Sendable {
    /// The pool's bounds.
    package struct Settings: Sendable {
        /// Maximum number of connections.
        package var size = 8
        /// Maximum number of waiting borrowers.
        package var maximumWaiters = 1_000
        /// Lease timeout in seconds for a borrower without a deadline of its own.
        package var leaseTimeoutSeconds = 5.0
        /// Maximum age of a connection in seconds, after which it is replaced when it is returned,
        /// so that no server process grows without limit.
        package var maximumAgeSeconds = 1_800.0
        /// Seconds within which an idle connection has to answer when another connection has missed
        /// its deadline.
        package var probeSeconds = 1.0

        package init() {}
    }

    /// Counts of the pool's connections and borrowers.
    package struct Statistics: Sendable, Equatable {
        /// Connections that are leased, or being opened for a borrower.
        package var inUse = 0
        /// Open connections that nobody has borrowed.
        package var idle = 0
        /// Borrowers that wait for a connection.
        package var waiting = 0
        /// Connections opened since the pool was created, including those that were closed since.
        package var opened = 0

        package init(inUse: Int = 0, idle: Int = 0, waiting: Int = 0, opened: Int = 0) {
            self.inUse = inUse
            self.idle = idle
            self.waiting = waiting
            self.opened = opened
        }
    }

    private struct State {
        /// Last in, first out: the most recent session has the warmest caches.
        var idle: [PooledConnection] = []
        var waiters: [Waiter] = []
        /// Connections that exist or are being opened, leased or idle.
        var count = 0
        var opened = 0
        /// Whether another server may have become the primary.
        var mayBeReplaced = false
        var isClosed = false
    }

    /// Settings of the pool's connections.
    package let connectionSettings: ConnectionSettings
    private let settings: Settings
    private let state = Mutex(State())

    /// Creates a pool that opens its connections when they are first needed.
    package init(_ connection: ConnectionSettings, _ settings: Settings = Settings()) {
        precondition(settings.size > 0, "a pool needs at least one connection")
        connectionSettings = connection
        self.settings = settings
    }

    /// The current counts.
    package var statistics: Statistics {
        state.withLock {
            Statistics(
                inUse: $0.count - $0.idle.count, idle: $0.idle.count, waiting: $0.waiters.count,
                opened: $0.opened)
        }
    }

    /// Lends a connection to `body`.
    ///
    /// - Parameter deadline: Time until which to wait for a free connection; opening one may add
    ///   the connect timeout of the settings, and asking which of several hosts is the primary four
    ///   seconds for each host.
    /// - Throws: `PostgresError` with code `poolExhausted`, `poolClosed` or `connectionFailed`, or
    ///   the error of `body`.
    package func withConnection<Value>(
        deadline: Deadline? = nil, _ body: (Connection) throws -> Value
    ) throws -> Value {
        let connection = try traced {
            () throws(PostgresError) in
            try acquire(deadline ?? .after(seconds: settings.leaseTimeoutSeconds))
        }
        // Only an acquisition without a deadline ends without a connection.
        guard let connection else { preconditionFailure("a lease ends with a result or an error") }
        defer { release(connection) }
        return try body(connection)
    }

    /// Lends a connection to `body` if one is free or may be opened; otherwise returns nil at once.
    ///
    /// - Throws: Like ``withConnection(deadline:_:)``, but never `poolExhausted`.
    package func withFreeConnection<Value>(_ body: (Connection) throws -> Value) throws -> Value? {
        guard let connection = try traced({ () throws(PostgresError) in try acquire(nil) })
        else { return nil }
        defer { release(connection) }
        return try body(connection)
    }

    /// Adds the wait for a connection to the traces of the current thread.
    private func traced(
        _ acquire: () throws(PostgresError) -> Connection?
    ) throws(PostgresError) -> Connection? {
        let recordings = TraceScope.current
        if recordings.isEmpty { return try acquire() }
        let start = MonotonicClock.nanoseconds()
        func record(_ failure: String?) {
            let end = MonotonicClock.nanoseconds()
            for recording in recordings {
                recording.add("wait for a connection", start: start, end: end, failure: failure)
            }
        }
        do throws(PostgresError) {
            let connection = try acquire()
            // A caller that does not wait has waited for nothing.
            if connection != nil { record(nil) }
            return connection
        } catch {
            record("\(error.code)")
            throw error
        }
    }

    /// Closes idle connections now and leased ones when they are returned. Waiters are refused.
    package func close() {
        let (waiters, idle) = state.withLock { state in
            state.isClosed = true
            defer {
                state.count -= state.idle.count
                state.idle = []
                state.waiters = []
            }
            return (state.waiters, state.idle)
        }
        for waiter in waiters { waiter.resume(with: .closed) }
        withExtendedLifetime(idle) {}
    }

    /// Closes idle connections now; the next leases open new ones.
    ///
    /// For a caller that has found the server unreachable by other means. A server that hangs
    /// closes nothing, and each session with it would have to miss a deadline first.
    package func discardIdle() {
        let idle = state.withLock { state in
            defer {
                state.count -= state.idle.count
                state.idle = []
            }
            return state.idle
        }
        for pooled in idle { pooled.connection.close() }
    }

    /// Moves to another host of the list if it has become the primary.
    ///
    /// A former primary that is cut off from the other servers, or whose cluster manager hangs, may
    /// still accept connections and writes that no standby confirms. Its sessions would stay.
    private func leaveReplacedPrimary() {
        if connectionSettings.preferNewestPrimary() { discardIdle() }
    }

    private enum Step {
        case use(PooledConnection)
        case lookForPrimary
        case open
        case wait(Waiter)
        case refuse(PostgresError)
        /// None is free, and the caller does not wait.
        case giveUp
    }

    /// - Parameter deadline: Time until which to wait; nil for a caller that gets nil instead of
    ///   waiting.
    private func acquire(_ deadline: Deadline?) throws(PostgresError) -> Connection? {
        while true {
            switch nextStep(waits: deadline != nil) {
            case .giveUp:
                return nil
            case .use(let pooled):
                // Another pool of this process may have found the new primary first.
                if pooled.connection.isWithPreferredHost, pooled.connection.isStillAlive,
                    pooled.connection.hasAnsweredIfSuspect(within: settings.probeSeconds)
                {
                    return pooled.connection
                }
                // It died while idle, so another may be opened in its place.
                if pooled.connection.isSuspect { discardIdle() }
                pooled.connection.close()
                state.withLock { $0.count -= 1 }
            case .lookForPrimary:
                leaveReplacedPrimary()
            case .open:
                return try open()
            case .refuse(let error):
                throw error
            case .wait(let waiter):
                guard let grant = wait(for: waiter, deadline ?? .never) else {
                    throw PostgresError(
                        .poolExhausted, "none of \(settings.size) connections became free in time")
                }
                switch grant {
                case .connection(let pooled): return pooled.connection
                case .slot: return try open()
                case .closed: throw PostgresError(.poolClosed, "the pool was closed")
                }
            }
        }
    }

    private func nextStep(waits: Bool) -> Step {
        state.withLock { state in
            if state.isClosed {
                return .refuse(PostgresError(.poolClosed, "the pool was closed"))
            }
            if state.mayBeReplaced {
                state.mayBeReplaced = false
                return .lookForPrimary
            }
            if let pooled = state.idle.popLast() { return .use(pooled) }
            if state.count < settings.size {
                state.count += 1
                return .open
            }
            guard waits else { return .giveUp }
            guard state.waiters.count < settings.maximumWaiters else {
                return .refuse(
                    PostgresError(
                        .poolExhausted, "\(settings.maximumWaiters) callers are already waiting"))
            }
            let waiter = Waiter()
            state.waiters.append(waiter)
            return .wait(waiter)
        }
    }

    /// Waits for a connection or the right to open one; returns nil if the deadline passes first.
    private func wait(for waiter: Waiter, _ deadline: Deadline) -> Waiter.ConnectionGrant? {
        if let grant = waiter.wait(until: deadline) { return grant }
        let wasQueued = state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else {
                return false
            }
            state.waiters.remove(at: index)
            return true
        }
        // The waiter is no longer in the queue: another thread is handing over a connection at this
        // moment, which must not be lost.
        if wasQueued { return nil }
        return waiter.wait(until: .never)
    }

    private func open() throws(PostgresError) -> Connection {
        let mayBeReplaced = state.withLock { state in
            defer { state.mayBeReplaced = false }
            return state.mayBeReplaced
        }
        if mayBeReplaced { leaveReplacedPrimary() }
        do {
            let connection = try Connection(connectionSettings)
            state.withLock { $0.opened += 1 }
            return connection
        } catch {
            passSlotOn()
            throw error
        }
    }

    private func release(_ connection: Connection) {
        if connection.missedConfirmation {
            connection.missedConfirmation = false
            if connectionSettings.choosesPrimary {
                state.withLock { $0.mayBeReplaced = true }
            }
        }
        let isReusable =
            connection.isCleanAfterLease && connection.isWithPreferredHost
            && age(of: connection) < maximumAge
        guard isReusable else {
            // The same cause may have ended the idle sessions, so they are checked before they are
            // lent.
            if connection.isBroken {
                state.withLock { for pooled in $0.idle { pooled.connection.isSuspect = true } }
            }
            // Closed before another thread may open one, so that there are never more than `size`.
            connection.close()
            return passSlotOn()
        }
        let pooled = PooledConnection(connection)
        let waiter: Waiter? = state.withLock { state in
            if state.isClosed {
                state.count -= 1
                return nil
            }
            if !state.waiters.isEmpty { return state.waiters.removeFirst() }
            state.idle.append(pooled)
            return nil
        }
        waiter?.resume(with: .connection(pooled))
    }

    /// After a connection was closed, gives the first waiting thread the right to open a new one.
    private func passSlotOn() {
        let waiter: Waiter? = state.withLock { state in
            if !state.isClosed, !state.waiters.isEmpty { return state.waiters.removeFirst() }
            state.count -= 1
            return nil
        }
        waiter?.resume(with: .slot)
    }

    private var maximumAge: Int { Int(settings.maximumAgeSeconds * 1e9) }

    private func age(of connection: Connection) -> Int {
        MonotonicClock.nanoseconds() - connection.openedAt
    }
}

/// A connection between two leases.
///
/// Sendable although `Connection` is not: it belongs to one owner at a time, the idle list or a
/// waiter, and moves between threads under the pool's or the waiter's lock.
struct PooledConnection: @unchecked Sendable {
    let connection: Connection
    init(_ connection: Connection) { self.connection = connection }
}

/// A thread that waits once for a connection, or for the right to open one.
final class Waiter: Sendable {
    enum ConnectionGrant: Sendable {
        case connection(PooledConnection)
        /// The right to open a connection.
        case slot
        case closed
    }

    private let grant = Monitor<ConnectionGrant?>(nil)

    /// Hands the grant over and wakes the thread.
    func resume(with grant: ConnectionGrant) { self.grant.change { $0 = grant } }

    /// Waits for the grant; returns nil when the deadline passes first.
    func wait(until deadline: Deadline) -> ConnectionGrant? {
        grant.wait { grant in
            defer { grant = nil }
            return (grant, deadline)
        }
    }
}

// Checks before a lease and after its return.

extension Connection {
    /// Whether the session is alive, as far as can be known without a round trip.
    ///
    /// Before a server closes a session, it sends a message. An idle session receives hardly any
    /// other, so a message that has arrived is examined.
    var isStillAlive: Bool {
        guard !isBroken else { return false }
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, 0) > 0 else { return true }
        // PQisBusy reads what has arrived: a FATAL message reaches the receiver of notices.
        if PQconsumeInput(handle) != 1 || PQisBusy(handle) != 0
            || PQstatus(handle) != CONNECTION_OK
        {
            isBroken = true
        }
        return !isBroken
    }

    /// Whether the server responds in time; checked only if the connection is suspect.
    ///
    /// A server that hangs closes no session, and each session would have to miss a deadline first.
    func hasAnsweredIfSuspect(within seconds: Double) -> Bool {
        guard isSuspect else { return true }
        let step = Batch.Step(
            statement: PreparedText(adHoc: "SELECT"), slots: 0..<0,
            callSite: PostgresError.CallSite(#fileID, #line))
        do {
            _ = try roundTrip([step], Bindings(), .after(seconds: seconds))
            isSuspect = false
        } catch {
            // The reason does not matter: the connection is closed, and the next lease opens
            // another.
            isBroken = true
        }
        return !isSuspect
    }

    /// Resets the session after a lease; false if the connection can't be lent again.
    var isCleanAfterLease: Bool {
        onNotice = nil
        confirmsCommits = false
        guard !isBroken else { return false }
        do {
            try rollBackIfOpen()
            if mayHaveSessionState {
                // Prepared statements are session state too and are discarded with it.
                try runScript(
                    "DISCARD ALL", .after(seconds: 5), PostgresError.CallSite(#fileID, #line))
                isPrepared.removeAll(keepingCapacity: true)
                mayHaveSessionState = false
            }
            return !isBroken
        } catch {
            // The borrower has its result already; the session is replaced, so nothing is lost.
            return false
        }
    }

    /// Rolls back a transaction that was left open. A connection that can't be rolled back is
    /// broken.
    func rollBackIfOpen() throws(PostgresError) {
        guard !isBroken, isInTransaction else { return }
        do {
            let step = Batch.Step(
                statement: .rollback, slots: 0..<0, callSite: PostgresError.CallSite(#fileID, #line)
            )
            _ = try roundTrip([step], Bindings(), .after(seconds: 5))
        } catch {
            isBroken = true
            throw error
        }
    }
}
