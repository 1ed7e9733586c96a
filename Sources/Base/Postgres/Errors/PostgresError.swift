/// An error between a program and PostgreSQL.
///
/// `description` is safe to show to anyone: it contains only the kind of failure, nothing about the
/// statement, the constraint, the data or the server. `debugDescription` is for logs: SQLSTATE,
/// message, constraint, statement text and call site, but never a bound value. The server's own
/// `detail` may quote values, so it is kept apart and neither of them prints it.
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

    package var description: String {
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

    package var debugDescription: String {
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
