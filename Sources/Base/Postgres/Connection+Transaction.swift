import CPostgres
package import Basics

/// The guarantees of a transaction and the number of attempts.
package struct TransactionOptions: Sendable {
    /// PostgreSQL's isolation levels; READ UNCOMMITTED is the same as READ COMMITTED there.
    package enum Isolation: Sendable { case readCommitted, repeatableRead, serializable }

    package var isolation: Isolation = .readCommitted
    /// Whether PostgreSQL refuses every write, with 25006. If false, the same error means that the
    /// server is a standby, and the connection counts as broken.
    package var isReadOnly = false
    /// Maximum number of runs in all when PostgreSQL aborts the transaction with 40001 or 40P01.
    package var attempts = 3

    /// `attempts` must be at least 1; a smaller number is a programming error and ends the process.
    package init(
        isolation: Isolation = .readCommitted, isReadOnly: Bool = false, attempts: Int = 3
    ) {
        precondition(attempts > 0, "a transaction needs at least one attempt")
        self.isolation = isolation
        self.isReadOnly = isReadOnly
        self.attempts = attempts
    }

    var begin: PreparedText {
        switch (isolation, isReadOnly) {
        case (.readCommitted, false): .begin
        case (.readCommitted, true): .beginReadOnly
        case (.repeatableRead, false): .beginRepeatableRead
        case (.repeatableRead, true): .beginRepeatableReadReadOnly
        case (.serializable, false): .beginSerializable
        case (.serializable, true): .beginSerializableReadOnly
        }
    }
}

/// An open transaction, valid only inside the closure that receives it.
///
/// BEGIN travels with the first statements and COMMIT can travel with the last
/// (``sendAndCommit(_:)``), so a transaction that knows all its statements beforehand is
/// one round trip.
package final class Transaction {
    /// The session. Statements sent through it directly, before the transaction's first statement,
    /// are not part of the transaction.
    package let connection: Connection
    private let begin: PreparedText
    private var pendingBegin: PreparedText?
    fileprivate private(set) var isCommitted = false
    /// If true, the code that set it sends more statements; until it is false again,
    /// ``sendAndCommit(_:)`` does not commit.
    package var isHeldOpen = false
    private let isReadOnly: Bool
    private let deadline: Deadline

    fileprivate init(_ connection: Connection, _ options: TransactionOptions, _ deadline: Deadline)
    {
        self.connection = connection
        begin = options.begin
        pendingBegin = begin
        isReadOnly = options.isReadOnly
        self.deadline = deadline
    }

    /// Sends statements in one round trip.
    package func send(_ batch: Batch) throws(PostgresError) -> BatchResults {
        try send(batch, thenCommit: false)
    }

    /// Sends the last statements and the COMMIT in one round trip. Nothing may follow.
    ///
    /// - Throws: `PostgresError`; with code `commitUnknown` if the COMMIT was sent and no response
    ///   came, or if it was not confirmed.
    package func sendAndCommit(_ batch: Batch) throws(PostgresError) -> BatchResults {
        try send(batch, thenCommit: !isHeldOpen)
    }

    /// Rolls back all statements sent so far. The transaction begins again with the next
    /// statements.
    package func startOver() throws(PostgresError) {
        precondition(!isCommitted, "a committed transaction can't start over")
        try connection.rollBackIfOpen()
        pendingBegin = begin
    }

    /// Runs one prepared statement.
    @discardableResult
    package func run<Row, each Parameter>(
        _ statement: Statement<Row, repeat each Parameter>,
        _ values: repeat each Parameter,
        file: StaticString = #fileID, line: UInt = #line
    ) throws(PostgresError) -> [Row] {
        var batch = Batch()
        let key = batch.add(statement, repeat each values, file: file, line: line)
        return try send(batch).rows(key)
    }

    /// Runs one statement whose values are bound.
    @discardableResult
    package func query(
        _ sql: SQL, file: StaticString = #fileID, line: UInt = #line
    ) throws(PostgresError) -> Rows {
        connection.mayHaveSessionState = true
        let step = Batch.Step(
            statement: PreparedText(adHoc: sql.text), slots: 0..<sql.bindings.slotCount,
            callSite: PostgresError.CallSite(file, line))
        let begin = takeBegin()
        let results = try connection.roundTrip(begin + [step], sql.bindings, deadline)
        return results[begin.count]
    }

    private func send(
        _ batch: Batch, thenCommit: Bool
    ) throws(PostgresError) -> BatchResults {
        precondition(!isCommitted, "a committed transaction can't run a statement")
        let begin = takeBegin()
        var steps = begin.isEmpty ? batch.steps : begin + batch.steps
        var (deadline, begun) = (self.deadline, [Rows]())
        if thenCommit, let seconds = connection.settings.commitTimeoutSeconds {
            if !steps.isEmpty {
                begun = try connection.roundTrip(steps, batch.bindings, deadline)
                steps = []
            }
            deadline = min(deadline, .after(seconds: seconds))
        }
        if thenCommit {
            if connection.confirmsCommits, !isReadOnly { steps.append(Self.step(.confirm)) }
            steps.append(Self.step(.commit))
        }
        let results: [Rows]
        do {
            results = begun + (try connection.roundTrip(steps, batch.bindings, deadline))
        } catch  where thenCommit {
            throw error.asCommitOutcome
        }
        if thenCommit {
            isCommitted = true
            try connection.confirmCommit(results.last)
        }
        return BatchResults(results: Array(results.dropFirst(begin.count)))
    }

    private func takeBegin() -> [Batch.Step] {
        guard let begin = pendingBegin else { return [] }
        pendingBegin = nil
        return [Self.step(begin)]
    }

    fileprivate func commit() throws(PostgresError) {
        // No statement was sent: there is no transaction to end.
        if isCommitted || pendingBegin != nil { return }
        _ = try send(Batch(), thenCommit: true)
    }

    static func step(_ statement: PreparedText) -> Batch.Step {
        Batch.Step(
            statement: statement, slots: 0..<0, callSite: PostgresError.CallSite(#fileID, #line))
    }
}

extension Connection {
    /// Runs `body` in a transaction and commits it.
    ///
    /// When `body` throws, the transaction is rolled back and the error is rethrown. If PostgreSQL
    /// aborts the transaction with 40001 or 40P01, it runs again from its start, up to
    /// `options.attempts` times, and once more if a schema change has invalidated the plan of one
    /// of its statements. `body` must have no effects outside the database.
    ///
    /// - Parameter deadline: Deadline for all attempts together; by default, the settings'
    ///   statement timeout.
    package func transaction<Value>(
        _ options: TransactionOptions = TransactionOptions(), deadline: Deadline? = nil,
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        guard !isBroken else {
            throw PostgresError(.connectionLost, "the connection is broken")
        }
        precondition(!isInTransaction, "transactions do not nest")
        let deadline = deadline ?? defaultDeadline
        var attempt = 1
        var hasPreparedAgain = false
        while true {
            let transaction = Transaction(self, options, deadline)
            do {
                let value = try body(transaction)
                try transaction.commit()
                return value
            } catch {
                // A connection that can't be rolled back is broken from here on; the caller needs
                // the error of the body.
                do { try rollBackIfOpen() } catch { isBroken = true }
                leaveReadOnlyServer(after: error, isReadOnlyByChoice: options.isReadOnly)
                guard let failure = error as? PostgresError, !isBroken, !deadline.hasPassed,
                    !transaction.isCommitted
                else { throw error }
                if failure.isOutdatedPlan, !hasPreparedAgain {
                    try deallocatePreparedStatements(deadline)
                    hasPreparedAgain = true
                } else if failure.isRetriable, attempt < options.attempts {
                    attempt += 1
                } else {
                    throw error
                }
            }
        }
    }

    /// Marks the connection as broken if the server refused a write as read-only: it has become a
    /// standby, and a new session finds the primary.
    func leaveReadOnlyServer(after error: any Error, isReadOnlyByChoice: Bool = false) {
        let state = (error as? PostgresError)?.sqlState
        if state == .readOnlyTransaction, !isReadOnlyByChoice { isBroken = true }
    }

    /// Checks that a COMMIT did commit. In a failed transaction the server answers ROLLBACK; when
    /// the wait for a synchronous standby is cancelled, it answers COMMIT with a warning.
    fileprivate func confirmCommit(_ result: Rows?) throws(PostgresError) {
        guard result?.commandTag == "COMMIT" else {
            throw PostgresError(
                .server, "the transaction had failed and was rolled back",
                server: .init(sqlState: .failedTransaction))
        }
        if sawUnconfirmedCommit { throw PostgresError.unconfirmedCommit() }
    }
}

extension PreparedText {
    /// Writes a WAL record in a transaction that has written nothing, so that its COMMIT waits for
    /// a synchronous standby, like the COMMIT of any transaction that writes. On a standby it fails
    /// with 25006, like every write.
    ///
    /// Such a transaction may read a commit that no standby has, because the wait for its
    /// confirmation was cancelled. COMMIT does not wait in a transaction without an id. A response
    /// that reports what was read could then be wrong after a failover.
    static let confirm = PreparedText(
        """
        SELECT pg_logical_emit_message(true, 'hearth', pg_current_xact_id()::text)
        WHERE pg_current_xact_id_if_assigned() IS NULL
            AND current_setting('synchronous_standby_names') <> ''
        """, parameterTypes: [])
}

extension PostgresError {
    /// The error of a commit that is stored on this server but that no synchronous standby has
    /// confirmed.
    static func unconfirmedCommit(at callSite: CallSite? = nil) -> PostgresError {
        PostgresError(
            .commitUnknown, "the synchronous standby did not confirm the commit", at: callSite)
    }

    /// This failure as the outcome of a COMMIT that was already sent.
    var asCommitOutcome: PostgresError {
        switch code {
        case .connectionLost, .deadlineExceeded:
            PostgresError(
                .commitUnknown, message, server: server, query: query, at: callSite)
        default: self
        }
    }
}
