import CPostgres

/// An error between a program and PostgreSQL.
///
/// `description` is safe to show to anyone: it contains only the kind of failure, nothing about the
/// statement, the constraint, the data or the server. `debugDescription` is for logs: SQLSTATE,
/// message, constraint, statement text and call site, but never a bound value. The server's own
/// `detail` may quote values, so it is kept apart and neither of them prints it.
@usableFromInline
package struct PostgresError: Error, Sendable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    /// The kind of failure, for decisions that a caller takes.
    package enum Code: Sendable {
        /// No connection could be made.
        case connectionFailed
        /// The connection broke while in use; whether the last statement took effect is unknown
        /// unless `commitUnknown` says more.
        case connectionLost
        /// The server answered with an error; `sqlState` says which.
        case server
        /// The wait ended by its deadline; the statement was cancelled or the connection closed.
        case deadlineExceeded
        /// COMMIT was sent and no answer came, or the server gave up waiting for its standby:
        /// the transaction may or may not be durable.
        case commitUnknown
        /// No connection became free in time, or too many callers were waiting already.
        case poolExhausted
        /// The pool was closed.
        case poolClosed
        /// A value did not have the type or form that the decoder expects.
        case decoding
        /// A statement gave another number of rows than was promised.
        case unexpectedRows
        /// The settings are wrong; nothing was tried.
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
        package var severity = ""
        package var message = ""
        /// May quote data of the row in question: don't log it where data must not appear.
        package var detail: String?
        package var hint: String?
        package var context: String?
        /// One-based character position in the statement.
        package var position: Int?
        package var schema: String?
        package var table: String?
        package var column: String?
        package var constraint: String?
        /// The function of the server's own source that said it.
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
    package var message: String { details.message }
    package var server: ServerFields? { details.server }
    package var sqlState: SQLState? { details.server?.sqlState }
    package var constraint: String? { details.server?.constraint }
    package var query: String? { details.query }
    package var callSite: CallSite? { details.callSite }

    @usableFromInline package var description: String {
        switch code {
        case .connectionFailed, .connectionLost: "The database is not reachable."
        case .server: "The database refused the operation."
        case .deadlineExceeded: "The database did not answer in time."
        case .commitUnknown: "It is not known whether the change was stored."
        case .poolExhausted: "The service is busy."
        case .poolClosed: "The service is shutting down."
        case .decoding, .unexpectedRows: "The database gave an answer of an unexpected form."
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
        if let query { text += " query=\(Self.abbreviated(query))" }
        if let callSite { text += " at \(callSite)" }
        return text
    }

    /// Whether the same transaction, run again from its start, may succeed: a serialization
    /// failure or a deadlock that PostgreSQL resolved against it.
    package var isRetriable: Bool {
        sqlState == .serializationFailure || sqlState == .deadlockDetected
    }

    /// Whether the connection is unusable afterwards.
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

    /// The state with this text; anything but five ASCII characters gives `00000`-like nonsense
    /// that equals no real state, which is what an unknown state is.
    package init(_ text: some StringProtocol) {
        var value: UInt64 = 0
        for byte in text.utf8.prefix(5) { value = value << 8 | UInt64(byte) }
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
    package static let serializationFailure: SQLState = "40001"
    package static let deadlockDetected: SQLState = "40P01"
    package static let insufficientPrivilege: SQLState = "42501"
    package static let lockNotAvailable: SQLState = "55P03"
    package static let queryCanceled: SQLState = "57014"
    package static let readOnlyTransaction: SQLState = "25006"
    package static let failedTransaction: SQLState = "25P02"
    package static let undefinedPreparedStatement: SQLState = "26000"
    package static let featureNotSupported: SQLState = "0A000"
}

/// A message of the server besides results: a NOTICE, WARNING or INFO.
package struct Notice: Sendable {
    package let severity: String
    package let sqlState: SQLState
    package let message: String
    /// The function of the server's own source that said it.
    let sourceFunction: String?

    /// Whether the server ends the session with it: an error for a running statement arrives as a
    /// notice in an idle session.
    var endsSession: Bool { severity == "FATAL" || severity == "PANIC" }

    /// Whether it says that a commit is stored here but not confirmed by the synchronous standby:
    /// the warnings of SyncRepWaitForLSN, in PostgreSQL's syncrep.c.
    var isUnconfirmedCommit: Bool {
        severity == "WARNING" && sourceFunction == "SyncRepWaitForLSN"
    }
}

/// A notification that some session sent with NOTIFY.
package struct Notification: Sendable, Equatable {
    package let channel: String
    package let payload: String
    /// The process id of the session that sent it.
    package let processID: Int32
}

extension PostgresError.ServerFields {
    /// The fields of a failed result.
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
