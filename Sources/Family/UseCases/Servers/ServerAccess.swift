import Basics
import Crypto
import Domain
import Policy
package import Postgres
import Repositories

/// The access of apps' servers to the database: as the role `hearth_server`, with connections of
/// its own, so that servers and people don't wait for each other.
package final class ServerAccess: Sendable {
    /// Name of the limit of requests in headers and metrics.
    package static let limitName = "api-key"
    /// Name of the limit of requests with keys that the process doesn't know.
    package static let unknownLimitName = "unknown-api-keys"
    /// Time between two records of the requests that were served.
    private static let recordSeconds = 2.0

    package let database: Database
    private let meter = KeyMeter()
    private let onRecordFailure: @Sendable (any Error) -> Void
    private let state = Monitor(State())

    private struct State {
        var isStarted = false
        var isStopped = false
    }

    /// - Parameter onRecordFailure: Called when the number of served requests could not be stored;
    ///   they are stored later.
    package init(_ pool: Pool, onRecordFailure: @escaping @Sendable (any Error) -> Void) {
        database = Database(pool)
        self.onRecordFailure = onRecordFailure
    }

    deinit { stop() }

    /// Starts the thread that records the number of served requests; false if that fails.
    package func start() -> Bool {
        var isFirst = false
        state.update { state in
            isFirst = !state.isStarted
            state.isStarted = true
            return false
        }
        guard isFirst else { return true }
        let (state, meter, database, onFailure) = (state, meter, database, onRecordFailure)
        return SystemThread.startDetached {
            while true {
                let isStopped = Self.rests(.after(seconds: Self.recordSeconds), state)
                Self.record(meter, database, onFailure)
                if isStopped { return }
            }
        }
    }

    /// Stops the thread, records the requests that it has not recorded yet, and closes the
    /// connections.
    package func stop() {
        state.update { state in
            state.isStopped = true
            return true
        }
        record()
        database.pool.close()
    }

    /// Records the requests that were served.
    package func record() { Self.record(meter, database, onRecordFailure) }

    private static func rests(_ deadline: Deadline, _ state: Monitor<State>) -> Bool {
        state.wait { ($0.isStopped ? true : nil, deadline) } ?? false
    }

    private static func record(
        _ meter: KeyMeter, _ database: Database, _ onFailure: (any Error) -> Void
    ) {
        let served = meter.takeServed()
        if served.isEmpty { return }
        do {
            _ = try database.query(
                Servers.recordUses, served.map { PostgresBytes($0.key.bytes) }, served.map(\.count))
        } catch {
            meter.putBack(served)
            onFailure(error)
        }
    }

    /// Runs statements for a key in one round trip and one transaction.
    ///
    /// - Parameter add: Adds the statements and returns a closure that reads their results, given
    ///   the key's scopes.
    /// - Throws: ``Refusal``: `invalidAPIKey`, `insufficientScope`, `keyLimitReached`.
    func run<Value>(
        _ action: ServerAction, by context: ServerContext, writes: Bool = false,
        _ add: (inout Batch) -> (BatchResults, Set<KeyScope>) throws -> Value
    ) throws -> Value {
        try counting(context) {
            try database.withConnection { connection in
                var batch = Batch()
                let begun = Self.begin(action, context, &batch)
                let read = add(&batch)
                let results = try connection.send(batch, writes: writes)
                let scopes = try require(action, try results.row(begun), context)
                return try read(results, scopes)
            }
        }
    }

    /// Runs `body` in a transaction of several steps.
    ///
    /// - Throws: Like ``run(_:by:writes:_:)``.
    func transaction<Value>(
        _ action: ServerAction, by context: ServerContext,
        _ body: (Set<KeyScope>, Transaction) throws -> Value
    ) throws -> Value {
        try counting(context) {
            try database.withConnection { connection in
                try connection.transaction { transaction in
                    var batch = Batch()
                    let begun = Self.begin(action, context, &batch)
                    let begin = try transaction.send(batch).row(begun)
                    return try body(try require(action, begin, context), transaction)
                }
            }
        }
    }

    private static func begin(
        _ action: ServerAction, _ context: ServerContext, _ batch: inout Batch
    ) -> Batch.ResultKey<BegunServerRequest> {
        let key = PostgresBytes(context.key.bytes)
        guard let request = Database.changingRequest else {
            return batch.add(Servers.begin, key, action.scope)
        }
        return batch.add(Servers.beginChange, key, action.scope, request)
    }

    private func counting<Value>(
        _ context: ServerContext, _ body: () throws -> Value
    ) throws -> Value {
        try meter.count(context.key) { wanted in
            try database.query(
                Servers.takeUses, PostgresBytes(context.key.bytes), Int32(wanted)
            ).first
        }
        do {
            return try body()
        } catch let refusal as Refusal where refusal.code == .invalidAPIKey {
            meter.forget(context.key)
            throw refusal
        }
    }

    /// Requires that the policy allows the action for the key's scopes. The database decides the
    /// same again for each row.
    private func require(
        _ action: ServerAction, _ begun: BegunServerRequest, _ context: ServerContext
    ) throws(Refusal) -> Set<KeyScope> {
        guard begun.outcome != .unknown, let key = begun.key else {
            throw Refusal(.invalidAPIKey)
        }
        context.trace?.record(key: key)
        try decide(action, begun.scopes).require()
        return begun.scopes
    }
}

/// The context of a request with an API key.
package struct ServerContext: Sendable {
    /// SHA-256 of the key.
    let key: SHA256Digest
    /// Collects data about the request for its log line; nil if not needed.
    let trace: RequestTrace?

    package init(_ key: APIKeySecret, trace: RequestTrace? = nil) {
        self.key = key.hash
        self.trace = trace
    }
}

extension Decision {
    /// Throws a ``Refusal`` if the decision is a refusal.
    func require() throws(Refusal) {
        if case .refused(let code) = self { throw Refusal(code) }
    }
}
