package import Postgres
import Repositories

/// The way from an operator's command to the database.
///
/// Every transaction begins with the operator's name, for the audit trail. The module Policy is not
/// used: the database's functions for operators state what operators may do, and every invariant
/// holds for them too. Confined to one thread, as its connection is.
package final class OperatorSession {
    /// What is sent on it directly does not begin with the operator's name.
    package let connection: Connection
    /// Without the `operator:` that the trail puts before it.
    package let operatorName: String
    /// Off for changes that take nothing from anybody and come by the hundred.
    var holdsAnswers = true

    /// Connects as the role for operators.
    package init(_ settings: ConnectionSettings, operatorName: String) throws(PostgresError) {
        connection = try Connection(settings)
        self.operatorName = operatorName
    }

    /// Runs statements in the operator's name, in one round trip and one transaction.
    ///
    /// - Throws: ``OperatorRefusal`` for what is refused on purpose, `PostgresError` for the rest.
    func run<Value>(
        writes: Bool = false, _ add: (inout Batch) throws -> (Answers) throws -> Value
    ) throws -> Value {
        let answer = Result {
            try Self.refusing {
                var batch = Batch()
                batch.add(OperatorSessions.begin, operatorName)
                let read = try add(&batch)
                return try read(
                    try connection.confirming(writes) { try $0.send(batch, writes: writes) })
            }
        }
        if writes, holdsAnswers, !answer.isOutage { awaitReplication() }
        return try answer.get()
    }

    /// As ``Connection/awaitReplication()``.
    func awaitReplication() { connection.awaitReplication() }

    /// A refusal by what was read, when it may be told: where the answer to a command was lost, the
    /// refusal of the repeated command is what tells that the change was made.
    func held(_ refusal: OperatorRefusal) -> OperatorRefusal {
        awaitReplication()
        return refusal
    }

    /// The rows of one statement.
    func rows<Row, each Parameter>(
        _ statement: Statement<Row, repeat each Parameter>, _ values: repeat each Parameter
    ) throws -> [Row] {
        var batch = Batch()
        let place = batch.add(statement, repeat each values)
        return try connection.send(batch).rows(place)
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

    /// The same, for a statement that answers one value.
    func change<Value, each Parameter>(
        _ statement: Statement<Scalar<Value>, repeat each Parameter>,
        _ values: repeat each Parameter
    ) throws -> Value {
        try run(writes: true) { batch in
            let place = batch.add(statement, repeat each values)
            return { try $0.row(place).value }
        }
    }

    /// Runs `body` in a transaction of several steps, in the operator's name.
    ///
    /// It may run more than once, because PostgreSQL aborts transactions that conflict.
    func transaction<Value>(
        _ options: TransactionOptions = TransactionOptions(),
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        try Self.refusing {
            try connection.confirming {
                try $0.transaction(options) { transaction in
                    var batch = Batch()
                    batch.add(OperatorSessions.begin, operatorName)
                    _ = try transaction.send(batch)
                    return try body(transaction)
                }
            }
        }
    }

    private static func refusing<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PostgresError {
            throw OperatorRefusal(error) ?? error
        }
    }
}

extension Connection {
    /// Runs `body`, whose commits tell of a change: also one that finds it made already is
    /// confirmed (``confirmsCommits``).
    func confirming<Value, Failure>(
        _ isChange: Bool = true, _ body: (Connection) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        confirmsCommits = isChange
        defer { confirmsCommits = false }
        return try body(self)
    }
}

extension Result where Failure == any Error {
    /// Whether it is a failure of ours, which tells nothing of any change; a refusal does.
    fileprivate var isOutage: Bool {
        if case .failure(let error) = self { return error is PostgresError }
        return false
    }
}
