import Postgres
import Repositories
import Synchronization
import Basics

/// Decides which server serves a read, and when every reader sees a change.
///
/// The API has one router (`Services.reads`). No other code depends on which servers there are.
/// There are two implementations: ``PrimaryReads`` and ``StandbyReads``.
package protocol ReadRouter: Sendable {
    /// Runs a read in a round trip and a transaction of its own.
    ///
    /// - Throws: Like ``Database/run(_:)``.
    func run<Value>(_ read: Read<Value>) throws -> Value

    /// Runs reads of several callers in one round trip.
    ///
    /// - Returns: Like ``Database/run(batched:)``, which also says what it throws.
    func run<Value>(batched reads: [Read<Value>]) throws -> [Result<Value, any Error>?]

    /// Runs related reads in order: a later one never shows older data than an earlier one.
    ///
    /// - Parameter body: Is called again from the beginning, with another server, if a read on the
    ///   first server fails or if `body` returns nil. It may return nil only if the server is not
    ///   `isCurrent`.
    func runInOrder<Value>(_ body: (any ReadServer) throws -> Value?) throws -> Value

    /// Maximum age of data at the time at which the client receives them.
    var longestLagSeconds: Double { get }

    /// Waits until every read that begins later, in any process, sees all data that are committed
    /// now. The wait ends at a deadline, after which no server shows older data.
    func awaitReplication()

    /// Number of waits that ended at their deadline.
    var timedOutWaits: Int { get }

    /// Starts the router's threads; false if they could not be started.
    func start() -> Bool

    /// Stops the threads of ``start()``. All later reads go to the primary.
    func stop()
}

/// A server that serves related reads, one after the other.
///
/// Not thread-safe: it belongs to the thread that handles the request.
package protocol ReadServer {
    /// Whether this server has all data that anybody was shown before.
    var isCurrent: Bool { get }

    /// Runs a read in a round trip and a transaction of its own.
    func run<Value>(_ read: Read<Value>) throws -> Value
}

extension Database: ReadServer {
    package var isCurrent: Bool { true }
}

/// Sends all reads to the primary.
///
/// Other processes of the API may still read from standbys, and changes wait for those.
package final class PrimaryReads: ReadRouter {
    private let database: Database
    private let timing: StandbyTiming
    /// Time of the last check that found no process reading from standbys; nil before the first
    /// one.
    private let lastSeenUnused = Mutex<Int?>(nil)
    private let timedOut = Atomic(0)

    package init(_ database: Database, _ timing: StandbyTiming = StandbyTiming()) {
        self.database = database
        self.timing = timing
    }

    package func run<Value>(_ read: Read<Value>) throws -> Value { try database.run(read) }

    package func run<Value>(batched reads: [Read<Value>]) throws -> [Result<Value, any Error>?] {
        try database.run(batched: reads)
    }

    package func runInOrder<Value>(_ body: (any ReadServer) throws -> Value?) throws -> Value {
        try database.runInOrder(body)
    }

    package let longestLagSeconds = 0.0
    package var timedOutWaits: Int { timedOut.load(ordering: .relaxed) }

    package func awaitReplication() {
        let began = MonotonicClock.nanoseconds()
        let known = lastSeenUnused.withLock { $0 }
        if let known, Double(began - known) / 1e9 < timing.unawareSeconds { return }
        let inUse = try? database.pool.withConnection { try $0.run(StandbyReaders.inUse) }.first
        if let inUse, inUse.readers == 0 {
            lastSeenUnused.withLock { $0 = began }
            return
        }
        if let inUse, inUse.standbys.isEmpty { return }
        timedOut.wrappingAdd(1, ordering: .relaxed)
        timing.waitUntilHeld(since: began)
    }

    package func start() -> Bool { true }
    package func stop() {}
}

extension Database {
    /// Runs related reads like ``ReadRouter/runInOrder(_:)``.
    func runInOrder<Value>(_ body: (any ReadServer) throws -> Value?) throws -> Value {
        guard let value = try body(self) else {
            preconditionFailure("reads on the primary always return a value")
        }
        return value
    }
}

extension Connection {
    /// Waits like ``ReadRouter/awaitReplication()``, for a program that does not serve reads.
    func awaitReplication() {
        let began = MonotonicClock.nanoseconds()
        let inUse = try? run(StandbyReaders.inUse).first
        if let inUse, inUse.standbys.isEmpty { return }
        StandbyTiming().waitUntilHeld(since: began)
    }
}
