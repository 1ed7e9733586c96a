import Basics
package import Postgres
package import Repositories

/// The connection of an operator's command to the database.
///
/// Every transaction begins with the operator's name, for the audit log. The module Policy is not
/// used: the database's functions for operators decide what operators may do, and every invariant
/// holds for operators too. Confined to one thread, like its connection.
package final class OperatorSession {
    /// The connection. Statements sent on it directly don't begin with the operator's name.
    package let connection: Connection
    /// The operator in whose name every transaction is made.
    package let identity: OperatorIdentity
    /// Whether each change waits for standbys. False during many small changes that revoke nobody's
    /// access.
    var waitsForStandbys = true

    /// Connects as the role for operators.
    package init(_ settings: ConnectionSettings, operatorName: String) throws(PostgresError) {
        connection = try Connection(settings)
        identity = .named(operatorName)
    }

    /// Connects as the role for operators.
    package init(_ settings: ConnectionSettings, as identity: OperatorIdentity)
        throws(PostgresError)
    {
        connection = try Connection(settings)
        self.identity = identity
    }

    /// Uses a connection of the role for operators, such as one leased from a pool.
    package init(on connection: Connection, as identity: OperatorIdentity) {
        self.connection = connection
        self.identity = identity
    }

    /// The operator's name, without the `operator:` that precedes it in the audit log.
    package var operatorName: String { identity.name }

    /// Runs statements in the operator's name, in one round trip and one transaction.
    ///
    /// - Parameter deadline: The time at which the statements are cancelled; nil for the
    ///   connection's default.
    /// - Throws: ``OperatorRefusal`` for intended refusals, `PostgresError` for everything else.
    func run<Value>(
        writes: Bool = false, deadline: Deadline? = nil,
        _ add: (inout Batch) throws -> (BatchResults) throws -> Value
    ) throws -> Value {
        let answer = Result {
            try Self.translatingRefusals {
                var batch = Batch()
                identity.begin(&batch, locks: writes)
                let read = try add(&batch)
                return try read(
                    try connection.confirmingCommits(writes) {
                        try $0.send(batch, deadline: deadline, writes: writes)
                    })
            }
        }
        if writes, waitsForStandbys, !answer.isOutage { awaitReplication() }
        return try answer.get()
    }

    /// Waits like ``Connection/awaitReplication()``.
    func awaitReplication() { connection.awaitReplication() }

    /// Waits until standbys show the data on which a refusal is based, and returns the refusal. If
    /// the response to a command was lost, the operator learns of the change from the refusal of
    /// the repeated command.
    func afterReplication(_ refusal: OperatorRefusal) -> OperatorRefusal {
        awaitReplication()
        return refusal
    }

    /// Returns the rows of one statement.
    func rows<Row, each Parameter>(
        _ statement: Statement<Row, repeat each Parameter>, _ values: repeat each Parameter
    ) throws -> [Row] {
        var batch = Batch()
        let key = batch.add(statement, repeat each values)
        return try connection.send(batch).rows(key)
    }

    /// Runs one statement that changes something, in the operator's name.
    func change<each Parameter>(
        _ statement: Statement<NoRow, repeat each Parameter>, _ values: repeat each Parameter
    ) throws {
        try run(writes: true) { batch in
            batch.add(statement, repeat each values)
            return { _ in }
        }
    }

    /// Runs one statement that changes something and returns one value, in the operator's name.
    func change<Value, each Parameter>(
        _ statement: Statement<Scalar<Value>, repeat each Parameter>,
        _ values: repeat each Parameter
    ) throws -> Value {
        try run(writes: true) { batch in
            let key = batch.add(statement, repeat each values)
            return { try $0.row(key).value }
        }
    }

    /// Runs `body` in a transaction of several steps, in the operator's name.
    ///
    /// `body` may run more than once, because PostgreSQL aborts transactions that conflict.
    func transaction<Value>(
        _ options: TransactionOptions = TransactionOptions(),
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        try Self.translatingRefusals {
            try connection.confirmingCommits {
                try $0.transaction(options) { transaction in
                    var batch = Batch()
                    identity.begin(&batch, locks: true)
                    _ = try transaction.send(batch)
                    return try body(transaction)
                }
            }
        }
    }

    /// Translates a database refusal into an operator's.
    package static func translatingRefusals<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PostgresError {
            throw OperatorRefusal(error) ?? error
        }
    }
}

extension Connection {
    /// Runs `body` and, for a change, confirms its commits, even if `body` finds that the change
    /// was already made (``confirmsCommits``).
    func confirmingCommits<Value, Failure>(
        _ isChange: Bool = true, _ body: (Connection) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        confirmsCommits = isChange
        defer { confirmsCommits = false }
        return try body(self)
    }
}

extension Result where Failure == any Error {
    /// Whether the result is an outage. Unlike a refusal, an outage reveals nothing about the
    /// change.
    fileprivate var isOutage: Bool {
        if case .failure(let error) = self { return error is PostgresError }
        return false
    }
}
