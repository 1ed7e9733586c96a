import Postgres
import Service

/// A failure of the database as an operator is told it: in full, and with what to do.
struct DatabaseFailure: ExitCoded, CustomStringConvertible {
    let exitCode: Int32
    let description: String

    init(_ error: PostgresError) {
        let message = Redaction.clean(error.message)
        switch error.code {
        case .connectionFailed where Self.isRefusedSignIn(error.message):
            exitCode = ExitCode.configuration
            description = "the database doesn't let HEARTH_ADMIN_DATABASE_URL sign in\n  \(message)"
        case .connectionFailed, .connectionLost, .deadlineExceeded, .poolExhausted, .poolClosed:
            exitCode = ExitCode.unavailable
            description = "the database can't be reached\n  \(message)"
        case .commitUnknown:
            exitCode = ExitCode.unavailable
            description = "the database was lost: look whether the change was made\n  \(message)"
        case .server:
            exitCode = ExitCode.failure
            let state = error.sqlState.map { " [\($0)]" } ?? ""
            let hint = Self.hint(error.sqlState).map { "\n  \($0)" } ?? ""
            description = "the database refuses: \(message)\(state)\(hint)"
        case .decoding, .unexpectedRows, .settings:
            exitCode = ExitCode.failure
            description =
                "the database answers otherwise than expected\n  "
                + Redaction.clean(error.debugDescription)
        }
    }

    /// Whether a server answered that this role or password is none of its own.
    ///
    /// Only the text tells it: libpq keeps no SQLSTATE of a connection that was refused. Of a server
    /// that speaks another language than English it is an outage like any other.
    private static func isRefusedSignIn(_ message: String) -> Bool {
        ["FATAL:  role \"", "authentication failed for user", "no pg_hba.conf entry for"]
            .contains { message.contains($0) }
    }

    private static func hint(_ state: SQLState?) -> String? {
        guard let state else { return nil }
        if state == .insufficientPrivilege {
            return "HEARTH_ADMIN_DATABASE_URL must sign in as the role hearth_admin, and the "
                + "migrations of this release must have run."
        }
        // What is named is not there: class 42, and the schema that does not exist.
        if state.conditionClass == "42" || state == "3F000" {
            return "The database is not that of this release: run 'hearth-migrate up', or see "
                + "whether HEARTH_ADMIN_DATABASE_URL names the right one."
        }
        return nil
    }
}
