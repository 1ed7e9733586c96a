import CPostgres

/// An error between a program and PostgreSQL.
///
/// `description` is safe to show to anyone: it contains only the kind of failure, and no statement,
/// constraint, data or server. `debugDescription` is for logs: SQLSTATE, message, constraint,
/// statement text and call site. It adds no bound value, but the server's message may quote a value
/// that SQL could not cast. The server's `detail` quotes values of rows; it is stored separately,
/// and neither description contains it.
@usableFromInline
package struct PostgresError: Error, Sendable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    /// The kind of failure, on which callers branch.
    package enum Code: Sendable {
        /// The connection could not be opened.
        case connectionFailed
        /// The connection broke while in use; whether the last statement took effect is unknown.
        /// See also `commitUnknown`.
        case connectionLost
        /// The server answered with an error, with its `sqlState`.
        case server
        /// The deadline passed; the statement was cancelled or the connection closed.
        case deadlineExceeded
        /// COMMIT was sent and no response came, or no other server confirmed the commit: the
        /// transaction may or may not be durable.
        case commitUnknown
        /// The deadline passed before a connection became free, or too many callers were waiting
        /// already.
        case poolExhausted
        /// The pool was closed.
        case poolClosed
        /// A value did not have the type or form that the decoder expects.
        case decoding
        /// A statement returned an unexpected number of rows.
        case unexpectedRows
        /// The settings are wrong; no connection was tried.
        case settings
    }

    private final class Details: Sendable {
        let code: Code
        let message: String
        let server: ServerFields?
        let query: String?
        let callSite: CallSite?
        init(
            _ code: Code, _ message: String, _ server: ServerFields?, _ query: String?,
            _ callSite: CallSite?
        ) {
            self.code = code
            self.message = message
            self.server = server
            self.query = query
            self.callSite = callSite
        }
    }

    /// The fields of a server's ErrorResponse.
    package struct ServerFields: Sendable {
        package var sqlState: SQLState
        /// `ERROR`, `FATAL` or `PANIC`, in English whatever the server's language.
        package var severity = ""
        /// Message in the server's language (`lc_messages`).
        package var message = ""
        /// Detail that may quote data of the row: don't log it where data must not appear.
        package var detail: String?
        /// The server's advice about the error; nil if there is none.
        package var hint: String?
        /// Call stack in the database's own code, such as functions: a line for each call, the
        /// innermost first. Nil outside of such code.
        package var context: String?
        /// One-based character position in the statement.
        package var position: Int?
        /// The schema of the object that the error is about; nil unless it is about one object.
        package var schema: String?
        /// The table that the error is about; nil unless it is about one table.
        package var table: String?
        /// The column that the error is about; nil unless it is about one column.
        package var column: String?
        /// The constraint that is violated, or the unique index; nil for other errors.
        package var constraint: String?
        /// The function in the server's source code that raised the error.
        package var sourceFunction: String?
    }

    private let details: Details

    package init(
        _ code: Code, _ message: String, server: ServerFields? = nil, query: String? = nil,
        at callSite: CallSite? = nil
    ) {
        details = Details(code, message, server, query, callSite)
    }

    package var code: Code { details.code }
    /// The message from the server, libpq or this module: for logs, not for clients.
    package var message: String { details.message }
    /// The fields of the server's response; nil unless the server reported the error.
    package var server: ServerFields? { details.server }
    /// The SQLSTATE; nil unless the server reported the error.
    package var sqlState: SQLState? { details.server?.sqlState }
    /// The constraint that is violated; nil for other errors.
    package var constraint: String? { details.server?.constraint }
    /// The text of the failed statement, without the values bound to it; nil if it is unknown.
    package var query: String? { details.query }
    /// The call in the program that failed; nil if it is unknown.
    package var callSite: CallSite? { details.callSite }

    @usableFromInline package var description: String {
        switch code {
        case .connectionFailed, .connectionLost: "The database is not reachable."
        case .server: "The database refused the operation."
        case .deadlineExceeded: "The database did not respond in time."
        case .commitUnknown: "It is unknown whether the change was stored."
        case .poolExhausted: "The service is busy."
        case .poolClosed: "The service is shutting down."
        case .decoding, .unexpectedRows: "The database returned an unexpected response."
        case .settings: "The database settings are wrong."
        }
    }

    @usableFromInline package var debugDescription: String {
        var text = "PostgresError.\(code): \(message)"
        if let server {
            text += " [\(server.sqlState)]"
            if let constraint = server.constraint { text += " constraint=\(constraint)" }
            if let table = server.table { text += " table=\(table)" }
            if let hint = server.hint { text += " hint=\(hint)" }
        }
        if needsServerRestart {
            text += " (PostgreSQL's files were replaced while it ran: restart PostgreSQL)"
        }
        if let query { text += " query=\(Self.abbreviated(query))" }
        if let callSite { text += " at \(callSite)" }
        return text
    }

    /// Whether the server could not load one of its own libraries because an upgrade has replaced
    /// its files while it ran. Sessions that had loaded the library continue; new ones fail until
    /// the server is restarted.
    package var needsServerRestart: Bool {
        guard let function = server?.sourceFunction else { return false }
        return [
            "internal_load_library", "incompatible_module_error", "load_external_function",
        ].contains(function)
    }

    /// Whether the same transaction, run again from its start, may succeed: a serialization
    /// failure or a deadlock that PostgreSQL resolved against it.
    package var isRetriable: Bool {
        sqlState == .serializationFailure || sqlState == .deadlockDetected
    }

    /// Whether the server refused because its disk is full.
    package var isOfFullDisk: Bool { sqlState == .diskFull }

    /// Whether the server is overloaded and may succeed a moment later: it lacks memory or
    /// connections (class 53), a lock did not become free, or a statement was cancelled before its
    /// end.
    ///
    /// libpq drops the SQLSTATE of a refused connection. The text is examined instead, which works
    /// only if the server's `lc_messages` is English.
    package var isOfBusyServer: Bool {
        if let sqlState {
            return sqlState.conditionClass == "53" && !isOfFullDisk
                || sqlState == .lockNotAvailable || sqlState == .queryCanceled
        }
        return code == .connectionFailed
            && ["too many clients", "too many connections", "remaining connection slots"]
                .contains { message.contains($0) }
    }

    /// Whether the connection is unusable after the error.
    package var breaksConnection: Bool {
        switch code {
        case .connectionLost, .connectionFailed, .commitUnknown, .deadlineExceeded: return true
        case .server: return server?.endsSession ?? false
        default: return false
        }
    }

    private static func abbreviated(_ query: String) -> String {
        let line = query.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count > 400 ? line.prefix(400) + "..." : line
    }
}

/// A five-character SQLSTATE, as PostgreSQL's Appendix A lists them.
///
/// A value type of eight bytes, so that errors compare it without touching the heap.
package struct SQLState: Hashable, Sendable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    private let packed: UInt64

    /// Creates the state of five characters. A text of another length gives a state that equals no
    /// real one.
    package init(_ text: some StringProtocol) {
        var value: UInt64 = 0
        if text.utf8.count == 5 {
            for byte in text.utf8 { value = value << 8 | UInt64(byte) }
        }
        packed = value
    }

    package init(stringLiteral value: StaticString) {
        self.init(value.description)
    }

    package var description: String {
        let shifts: [UInt64] = [32, 24, 16, 8, 0]
        let bytes = shifts.map { UInt8(truncatingIfNeeded: packed >> $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first two characters: the class of the condition, e.g. `23` for integrity violations.
    package var conditionClass: String { String(description.prefix(2)) }

    package static let uniqueViolation: SQLState = "23505"
    /// The transaction can't be ordered with concurrent ones; it may succeed if it is run again.
    package static let serializationFailure: SQLState = "40001"
    package static let deadlockDetected: SQLState = "40P01"
    /// The role lacks a privilege, or a row-level security policy refuses the new row.
    package static let insufficientPrivilege: SQLState = "42501"
    package static let diskFull: SQLState = "53100"
    /// `lock_timeout` has passed, or `NOWAIT` met a lock.
    package static let lockNotAvailable: SQLState = "55P03"
    /// The statement was cancelled by request or by `statement_timeout`.
    package static let queryCanceled: SQLState = "57014"
    /// A write in a read-only transaction; on a server in recovery every transaction is one.
    package static let readOnlyTransaction: SQLState = "25006"
    /// An earlier statement has failed: the transaction can only be rolled back.
    package static let failedTransaction: SQLState = "25P02"
    /// The session has no prepared statement of that name, as after `DISCARD ALL`.
    package static let undefinedPreparedStatement: SQLState = "26000"
    package static let duplicatePreparedStatement: SQLState = "42P05"
    /// The feature is not supported. Also raised for a prepared statement whose columns have
    /// changed with the schema.
    package static let featureNotSupported: SQLState = "0A000"
}

/// A message of the server that is not a result: a NOTICE, WARNING or INFO.
package struct Notice: Sendable {
    /// Severity, in English whatever the server's language; `FATAL` or `PANIC` if the session ends
    /// with it.
    package let severity: String
    package let sqlState: SQLState
    package let message: String
    /// The function in the server's source code that raised the notice.
    let sourceFunction: String?

    /// Whether the server ends the session with the notice. In an idle session, an error arrives as
    /// a notice.
    var endsSession: Bool { severity == "FATAL" || severity == "PANIC" }

    /// Whether the notice says that a commit is stored on this server but not confirmed by another
    /// one. SyncRepWaitForLSN in PostgreSQL's syncrep.c sends such warnings.
    var isUnconfirmedCommit: Bool {
        severity == "WARNING" && sourceFunction == "SyncRepWaitForLSN"
    }
}

/// A notification that a session sent with NOTIFY.
package struct Notification: Sendable, Equatable {
    package let channel: String
    /// The payload, less than 8,000 bytes; empty if the sender passed none.
    package let payload: String
    /// The process id of the session that sent it.
    package let processID: Int32
}

extension PostgresError.ServerFields {
    /// Reads the fields of a failed result.
    init(result: OpaquePointer?) {
        func field(_ code: Int32) -> String? {
            PQresultErrorField(result, code).map { String(cString: $0) }
        }
        // The letters are those of the protocol's ErrorResponse; postgres_ext.h names them
        // PG_DIAG_..., as character constants that Swift does not import.
        func code(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }
        sqlState = SQLState(field(code("C")) ?? "")
        severity = field(code("V")) ?? field(code("S")) ?? ""
        message = field(code("M")) ?? ""
        detail = field(code("D"))
        hint = field(code("H"))
        context = field(code("W"))
        position = field(code("P")).flatMap { Int($0) }
        schema = field(code("s"))
        table = field(code("t"))
        column = field(code("c"))
        constraint = field(code("n"))
        sourceFunction = field(code("R"))
    }
}
