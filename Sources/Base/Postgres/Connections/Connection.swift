import CPostgres
import Glibc
package import Threads

/// One session with a PostgreSQL server.
///
/// Synchronous: a call returns when the server has answered or its deadline has passed. Confined
/// to one thread at a time, hence not Sendable; a ``Pool`` hands it around.
///
/// A connection that broke stays broken (``isBroken``): every further call throws at once. It
/// never reconnects by itself, because the session it had is gone.
package final class Connection {
    /// Null once it is closed; libpq takes a null for a connection that is broken.
    private(set) var handle: OpaquePointer?
    package let settings: ConnectionSettings

    /// Cancels what this connection runs; may be kept and used by other threads.
    package let canceller: Canceller

    /// Whether the session is unusable.
    package internal(set) var isBroken = false

    /// How many statements of the last script were completed: after an error, the place of the one
    /// that failed.
    package internal(set) var completedStatements = 0

    /// Called for each NOTICE or WARNING, on the thread that waits for the statement.
    package var onNotice: ((Notice) -> Void)?

    /// Whether the server may have gone without a word, as far as its owner has noticed elsewhere.
    var isSuspect = false
    /// Whether something ran that may have changed the session beyond its transaction.
    var mayHaveSessionState = false
    /// By statement number: whether this session has it prepared.
    var isPrepared: [Bool] = []
    /// Set by a warning that a commit is not confirmed by the synchronous standby.
    var sawUnconfirmedCommit = false
    /// Monotonic time of the session's start, for its owner.
    let openedAt = MonotonicClock.nanoseconds()

    /// Opens a session.
    ///
    /// Waits at most `connectTimeoutSeconds` for each host of the settings.
    /// - Throws: `PostgresError` with code `connectionFailed`; its message is the server's or
    ///   libpq's own reason and names no password.
    package init(_ settings: ConnectionSettings) throws(PostgresError) {
        self.settings = settings
        let parameters = settings.completed
        let keywords = parameters.map { strdup($0.keyword) } + [nil]
        let values = parameters.map { strdup($0.value) } + [nil]
        defer { for pointer in keywords + values { free(pointer) } }
        let opened = PQconnectdbParams(
            keywords.map { UnsafePointer($0) }, values.map { UnsafePointer($0) }, 0)
        guard let opened else {
            throw PostgresError(.connectionFailed, "out of memory")
        }
        guard PQstatus(opened) == CONNECTION_OK, let cancel = PQgetCancel(opened) else {
            defer { PQfinish(opened) }
            let reason = PQerrorMessage(opened).map { String(cString: $0) } ?? "unknown"
            throw PostgresError(.connectionFailed, reason.trimmingNewlines)
        }
        handle = opened
        canceller = Canceller(owning: cancel)
        settings.hosts.note(
            host: PQhost(opened).map { String(cString: $0) } ?? "",
            port: PQport(opened).map { String(cString: $0) } ?? "", of: settings.parameters)
        PQsetnonblocking(handle, 1)
        receiveNotices()
    }

    deinit { PQfinish(handle) }

    /// Ends the session now rather than with the last reference to it.
    func close() {
        isBroken = true
        PQfinish(handle)
        handle = nil
    }

    /// The server process of this session, as the protocol reported at its start. Behind a pooler
    /// the number is made up; compare it with `pg_backend_pid()`.
    package var backendProcessID: Int32 { PQbackendPID(handle) }

    /// The server's version as a number, e.g. 150018 for 15.18.
    package var serverVersion: Int { Int(PQserverVersion(handle)) }

    /// A setting as the server last reported it; only for reported settings, such as
    /// `client_encoding`.
    package func reported(_ setting: String) -> String? {
        PQparameterStatus(handle, setting).map { String(cString: $0) }
    }

    /// Whether a transaction is open, failed ones included.
    package var isInTransaction: Bool {
        let status = PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR || status == PQTRANS_ACTIVE
    }

    /// Runs one statement whose values are bound, with its text sent each time.
    ///
    /// - Parameter deadline: When to give up; without one, the settings' statement timeout.
    /// - Throws: `PostgresError`. After `deadlineExceeded` the statement has been cancelled and
    ///   the connection is broken.
    @discardableResult
    package func query(
        _ sql: SQL, deadline: Deadline? = nil, file: StaticString = #fileID, line: UInt = #line
    ) throws(PostgresError) -> Rows {
        mayHaveSessionState = true
        let step = Batch.Step(
            statement: PreparedText(adHoc: sql.text), slots: 0..<sql.bindings.slots.count,
            callSite: PostgresError.CallSite(file, line))
        let result = try roundTrip([step], sql.bindings, deadline ?? defaultDeadline)[0]
        try confirmImplicitCommit(step.callSite)
        return result
    }

    /// Runs a prepared statement by itself: an implicit transaction of one statement.
    @discardableResult
    package func run<Row, each Parameter>(
        _ statement: Statement<Row, repeat each Parameter>,
        _ values: repeat each Parameter,
        deadline: Deadline? = nil, file: StaticString = #fileID, line: UInt = #line
    ) throws(PostgresError) -> [Row] {
        var batch = Batch()
        let place = batch.add(statement, repeat each values, file: file, line: line)
        return try send(batch, deadline: deadline).rows(place)
    }

    /// Sends the statements of a batch in one round trip and returns what they answered.
    ///
    /// All of them are one transaction: if one fails, none took effect. A batch that PostgreSQL rolls
    /// back with 40001 or 40P01, because of another transaction, is sent again, as often as a
    /// transaction is run. A statement whose plan a schema change has invalidated is prepared again,
    /// once.
    /// - Parameter writes: Whether the batch changes anything. If so, a lost response is reported
    ///   as an unknown outcome.
    /// - Throws: `PostgresError`; `commitUnknown` when a synchronous standby did not confirm, or
    ///   when a batch that writes was sent and not answered.
    package func send(
        _ batch: Batch, deadline: Deadline? = nil, writes: Bool = false
    ) throws(PostgresError) -> Answers {
        let wasBroken = isBroken
        let results: [Rows]
        do {
            results = try sendUntilKept(batch, deadline ?? defaultDeadline)
        } catch {
            leaveReadOnlyServer(after: error)
            throw writes && !wasBroken ? error.asCommitOutcome : error
        }
        try confirmImplicitCommit(batch.steps.first?.callSite)
        return Answers(results: results)
    }

    private func sendUntilKept(
        _ batch: Batch, _ deadline: Deadline
    ) throws(PostgresError) -> [Rows] {
        var attempt = 1
        var hasPreparedAnew = false
        while true {
            do {
                return try roundTrip(batch.steps, batch.bindings, deadline)
            } catch {
                // In a transaction that is open, what came before would be missing.
                if isInTransaction || isBroken || deadline.hasPassed { throw error }
                if error.isOutdatedPlan, !hasPreparedAnew {
                    try forgetPreparedStatements(deadline)
                    hasPreparedAnew = true
                } else if error.isRetriable, attempt < TransactionOptions().attempts {
                    attempt += 1
                } else {
                    throw error
                }
            }
        }
    }

    /// Tells an implicit commit that the synchronous standby did not confirm.
    func confirmImplicitCommit(
        _ callSite: PostgresError.CallSite?
    ) throws(PostgresError) {
        guard sawUnconfirmedCommit, !isInTransaction else { return }
        throw PostgresError(
            .commitUnknown, "the synchronous standby did not confirm the commit", at: callSite)
    }

    /// Drops what this session has prepared, on both sides.
    func forgetPreparedStatements(_ deadline: Deadline) throws(PostgresError) {
        isPrepared.removeAll(keepingCapacity: true)
        try runScript("DEALLOCATE ALL", deadline, PostgresError.CallSite(#fileID, #line))
    }

    var defaultDeadline: Deadline {
        settings.statementTimeoutSeconds.map { Deadline.after(seconds: $0) } ?? .never
    }

    private func receiveNotices() {
        // The receiver runs inside this object's own calls into libpq and ends with the handle,
        // so the unretained reference is alive whenever it is used.
        PQsetNoticeReceiver(
            handle,
            { context, result in
                guard let context else { return }
                let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
                let fields = PostgresError.ServerFields(result: result)
                connection.receive(
                    Notice(
                        severity: fields.severity, sqlState: fields.sqlState,
                        message: fields.message, sourceFunction: fields.sourceFunction))
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func receive(_ notice: Notice) {
        if notice.isUnconfirmedCommit { sawUnconfirmedCommit = true }
        if notice.endsSession { isBroken = true }
        onNotice?(notice)
    }
}

extension PostgresError {
    /// Whether a prepared statement no longer fits the schema or is not known to the server
    /// (RevalidateCachedQuery in PostgreSQL's plancache.c is the only place of the former).
    var isOutdatedPlan: Bool {
        sqlState == .undefinedPreparedStatement
            || (sqlState == .featureNotSupported && message.contains("cached plan"))
    }
}

extension StringProtocol {
    /// The text without line breaks at its end, and with spaces for those within.
    var trimmingNewlines: String {
        split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
