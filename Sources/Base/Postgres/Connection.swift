import CPostgres
import Glibc
import Synchronization
package import Basics

/// One session with a PostgreSQL server.
///
/// Synchronous: a call returns when the server has answered or its deadline has passed. Confined
/// to one thread at a time, hence not Sendable; a ``Pool`` hands it around.
///
/// A broken connection stays broken (``isBroken``): every further call throws at once. It never
/// reconnects by itself, because its session is gone.
package final class Connection {
    /// libpq's handle; null once the connection is closed. libpq treats a null handle as a broken
    /// connection.
    private(set) var handle: OpaquePointer?
    package let settings: ConnectionSettings

    /// Cancels the statement that this connection runs; may be stored and used by other threads.
    package let canceller: Canceller

    /// Whether the session is unusable.
    package internal(set) var isBroken = false

    /// Number of completed statements of the last script; after an error, the index of the one that
    /// failed.
    package internal(set) var completedStatements = 0

    /// Called for each NOTICE or WARNING, on the thread that waits for the statement.
    package var onNotice: ((Notice) -> Void)?

    /// Whether a transaction that writes nothing waits for standbys at COMMIT like one that writes
    /// (`PreparedText.confirm`). False for reads. Reset at the end of the lease.
    package var confirmsCommits = false

    /// Whether the server may hang: another session of the same pool has broken.
    var isSuspect = false
    /// Whether something ran that may have changed the session beyond its transaction.
    var mayHaveSessionState = false
    /// Whether this session has prepared a statement, by statement number.
    var isPrepared: [Bool] = []
    /// Whether the server has warned that a commit is not confirmed.
    var sawUnconfirmedCommit = false
    /// Whether, in this lease, a commit was not confirmed or a statement was not answered in time.
    var missedConfirmation = false
    /// Index of the session's host in the list, recorded if the settings require a primary.
    private var hostIndex: Int?
    /// Monotonic time of the session's start, read by the pool.
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
            throw PostgresError(
                .connectionFailed, settings.withPoolerAdvice(reason.trimmingNewlines))
        }
        handle = opened
        canceller = Canceller(owning: cancel)
        hostIndex = settings.hosts.record(
            host: PQhost(opened).map { String(cString: $0) } ?? "",
            port: PQport(opened).map { String(cString: $0) } ?? "", of: settings.parameters)
        PQsetnonblocking(handle, 1)
        receiveNotices()
    }

    deinit { PQfinish(handle) }

    /// Ends the session now instead of with the last reference to it.
    func close() {
        isBroken = true
        PQfinish(handle)
        handle = nil
    }

    /// Whether new sessions try this session's host first. If not, another server has become the
    /// primary.
    var isWithPreferredHost: Bool {
        guard let hostIndex, let preferred = settings.hosts.current else { return true }
        return hostIndex == preferred
    }

    /// The server process of this session, as the protocol reported it at the start. Behind a
    /// pooler the number is made up; compare it with `pg_backend_pid()`.
    package var backendProcessID: Int32 { PQbackendPID(handle) }

    /// The server's version as a number, e.g. 150018 for 15.18.
    package var serverVersion: Int { Int(PQserverVersion(handle)) }

    /// A setting as the server last reported it; only for reported settings, such as
    /// `client_encoding`.
    package func reported(_ setting: String) -> String? {
        PQparameterStatus(handle, setting).map { String(cString: $0) }
    }

    /// The encoding of the database if it is not UTF8; nil for UTF8, in which programs send and
    /// read all text.
    package var foreignEncoding: String? {
        reported("server_encoding").flatMap { $0 == "UTF8" ? nil : $0 }
    }

    /// Whether a transaction is open, failed ones included.
    package var isInTransaction: Bool {
        let status = PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR || status == PQTRANS_ACTIVE
    }

    /// Runs one statement with bound values; its text is sent each time.
    ///
    /// - Parameter deadline: Time at which the statement is cancelled; by default, the settings'
    ///   statement timeout.
    /// - Throws: `PostgresError`. After `deadlineExceeded` the statement has been cancelled and
    ///   the connection is broken.
    @discardableResult
    package func query(
        _ sql: SQL, deadline: Deadline? = nil, file: StaticString = #fileID, line: UInt = #line
    ) throws(PostgresError) -> Rows {
        mayHaveSessionState = true
        let step = Batch.Step(
            statement: PreparedText(adHoc: sql.text), slots: 0..<sql.bindings.slotCount,
            callSite: PostgresError.CallSite(file, line))
        let result = try roundTrip([step], sql.bindings, deadline ?? defaultDeadline)[0]
        try confirmImplicitCommit(step.callSite)
        return result
    }

    /// Runs a prepared statement on its own: an implicit transaction of one statement.
    @discardableResult
    package func run<Row, each Parameter>(
        _ statement: Statement<Row, repeat each Parameter>,
        _ values: repeat each Parameter,
        deadline: Deadline? = nil, file: StaticString = #fileID, line: UInt = #line
    ) throws(PostgresError) -> [Row] {
        var batch = Batch()
        let key = batch.add(statement, repeat each values, file: file, line: line)
        return try send(batch, deadline: deadline).rows(key)
    }

    /// Sends the statements of a batch in one round trip and returns their results.
    ///
    /// All of them are one transaction: if one fails, none takes effect. A batch that PostgreSQL
    /// rolls back with 40001 or 40P01, because of another transaction, is sent again, with as many
    /// attempts as a transaction has. A statement whose plan a schema change has invalidated is
    /// prepared again, once.
    /// - Parameter writes: Whether the batch changes anything. If so, a lost response is reported
    ///   as an unknown outcome.
    /// - Throws: `PostgresError`; `commitUnknown` when the commit was not confirmed, or when a
    ///   batch that writes was sent and not answered.
    package func send(
        _ batch: Batch, deadline: Deadline? = nil, writes: Bool = false
    ) throws(PostgresError) -> BatchResults {
        if writes, settings.commitTimeoutSeconds != nil, !isInTransaction, !isBroken {
            return try sendThenCommit(batch, deadline)
        }
        let wasBroken = isBroken
        let isConfirmed = confirmsCommits && !isInTransaction
        let steps = isConfirmed ? batch.steps + [Transaction.step(.confirm)] : batch.steps
        let results: [Rows]
        do {
            results = try sendWithRetries(steps, batch.bindings, deadline ?? defaultDeadline)
        } catch {
            leaveReadOnlyServer(after: error)
            let isAboutCommit = writes || (isConfirmed && error.code == .deadlineExceeded)
            throw isAboutCommit && !wasBroken ? error.asCommitOutcome : error
        }
        try confirmImplicitCommit(batch.steps.first?.callSite)
        return BatchResults(results: results)
    }

    /// Sends the batch in a transaction whose COMMIT has a deadline of its own.
    private func sendThenCommit(
        _ batch: Batch, _ deadline: Deadline?
    ) throws(PostgresError) -> BatchResults {
        do {
            return try transaction(deadline: deadline) { try $0.sendAndCommit(batch) }
        } catch let error as PostgresError {
            throw error
        } catch {
            // The call above throws no other error.
            throw PostgresError(.connectionLost, "\(error)")
        }
    }

    private func sendWithRetries(
        _ steps: [Batch.Step], _ bindings: Bindings, _ deadline: Deadline
    ) throws(PostgresError) -> [Rows] {
        var attempt = 1
        var hasPreparedAgain = false
        while true {
            do {
                return try roundTrip(steps, bindings, deadline)
            } catch {
                // An open transaction would lack its earlier statements.
                if isInTransaction || isBroken || deadline.hasPassed { throw error }
                if error.isOutdatedPlan, !hasPreparedAgain {
                    try deallocatePreparedStatements(deadline)
                    hasPreparedAgain = true
                } else if error.isRetriable, attempt < TransactionOptions().attempts {
                    attempt += 1
                } else {
                    throw error
                }
            }
        }
    }

    /// Reports an implicit commit that was not confirmed.
    func confirmImplicitCommit(
        _ callSite: PostgresError.CallSite?
    ) throws(PostgresError) {
        guard sawUnconfirmedCommit, !isInTransaction else { return }
        throw PostgresError.unconfirmedCommit(at: callSite)
    }

    /// Removes the prepared statements of this session, on both sides.
    func deallocatePreparedStatements(_ deadline: Deadline) throws(PostgresError) {
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
        if notice.isUnconfirmedCommit {
            sawUnconfirmedCommit = true
            missedConfirmation = true
        }
        if notice.endsSession { isBroken = true }
        onNotice?(notice)
    }
}

extension PostgresError {
    /// Whether a prepared statement no longer fits the schema or is unknown to the server.
    /// PostgreSQL raises the former error only in RevalidateCachedQuery, in plancache.c.
    var isOutdatedPlan: Bool {
        sqlState == .undefinedPreparedStatement
            || (sqlState == .featureNotSupported && message.contains("cached plan"))
    }
}

extension StringProtocol {
    /// The text on one line: inner line breaks become spaces, those at the end are removed.
    var trimmingNewlines: String {
        split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

extension Connection {
    /// The error of a failed result.
    func error(of result: OpaquePointer, _ step: Batch.Step?) -> PostgresError {
        let fields = PostgresError.ServerFields(result: result)
        guard PQstatus(handle) == CONNECTION_OK, !fields.endsSession else {
            // The reason is the server's last message, otherwise libpq's.
            let reason =
                fields.message.isEmpty
                ? PQerrorMessage(handle).map { String(cString: $0).trimmingNewlines } ?? ""
                : fields.message
            return PostgresError(
                .connectionLost, reason, server: fields, query: step?.statement.text,
                at: step?.callSite)
        }
        return PostgresError(
            .server, fields.message, server: fields, query: step?.statement.text,
            at: step?.callSite)
    }

    /// Marks the connection as broken and returns the error: the socket failed, or the protocol is
    /// out of step.
    func lost(_ step: Batch.Step?) -> PostgresError {
        isBroken = true
        let reason = PQerrorMessage(handle).map { String(cString: $0).trimmingNewlines } ?? ""
        return PostgresError(
            .connectionLost, reason.isEmpty ? "the connection was closed" : reason,
            query: step?.statement.text, at: step?.callSite)
    }

    /// Cancels the statement after its deadline, marks the connection as broken and returns the
    /// error.
    func deadlineExceeded(_ step: Batch.Step?) -> PostgresError {
        isBroken = true
        missedConfirmation = true
        if settings.commitTimeoutSeconds == nil {
            canceller.cancelInBackground()
        } else {
            canceller.cancel(within: 2)
        }
        return PostgresError(
            .deadlineExceeded, "no response before the deadline; the statement was cancelled",
            query: step?.statement.text, at: step?.callSite)
    }
}

extension PostgresError.ServerFields {
    /// Whether the server closes the session after the error: its severity says so, whatever the
    /// SQLSTATE.
    var endsSession: Bool { severity == "FATAL" || severity == "PANIC" }
}

/// Asks the server to stop the statement that a connection is running.
///
/// Safe to use from any thread, even while the connection waits and after it has ended.
package final class Canceller: @unchecked Sendable {
    // PGcancel is written once, by PQgetCancel, and only read afterwards; libpq documents
    // PQcancel as safe to call from any thread. Freed when the last reference is gone.
    private let handle: OpaquePointer

    init(owning handle: OpaquePointer) { self.handle = handle }

    deinit { PQfreeCancel(handle) }

    /// Sends the request and waits until the server has accepted it. The statement's own result
    /// shows whether it was still running and whether it stopped.
    ///
    /// - Throws: `PostgresError` with code `connectionFailed` when the server can't be reached.
    package func cancel() throws(PostgresError) {
        var buffer = [CChar](repeating: 0, count: 256)
        guard PQcancel(handle, &buffer, Int32(buffer.count)) == 1 else {
            let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw PostgresError(
                .connectionFailed, String(decoding: bytes, as: UTF8.self).trimmingNewlines)
        }
    }

    /// Cancels like ``cancelInBackground()``, and waits up to `seconds` until the server has
    /// accepted the request: for a process that ends afterwards.
    func cancel(within seconds: Double) {
        let isDone = Monitor(false)
        let hasStarted = SystemThread.startDetached {
            try? self.cancel()
            isDone.change { $0 = true }
        }
        guard hasStarted else { return }
        let deadline = Deadline.after(seconds: seconds)
        _ = isDone.wait { isDone -> (Bool?, Deadline) in (isDone ? true : nil, deadline) }
    }

    /// Sends the request from a separate thread, for a caller that has no time left: libpq 15 opens
    /// a connection without a deadline for it. A failure does not matter to the caller, because the
    /// connection is closed in any case.
    ///
    /// At most ``maximumInBackground`` requests run at a time. A server that accepts no connections
    /// gets no more requests; it ends the statement when it notices that the client is gone.
    func cancelInBackground() {
        guard
            Self.inBackground.wrappingAdd(1, ordering: .relaxed).newValue
                <= Self.maximumInBackground
        else {
            Self.inBackground.wrappingSubtract(1, ordering: .relaxed)
            return
        }
        let hasStarted = SystemThread.startDetached {
            try? self.cancel()
            Self.inBackground.wrappingSubtract(1, ordering: .relaxed)
        }
        if !hasStarted { Self.inBackground.wrappingSubtract(1, ordering: .relaxed) }
    }

    private static let maximumInBackground = 16
    private static let inBackground = Atomic<Int>(0)
}
