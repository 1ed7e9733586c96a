import Postgres
import Configuration

/// A failure of the database as an operator is told it: in full, and with what to do.
struct DatabaseFailure: ExitCoded, CustomStringConvertible {
    let exitCode: Int32
    let description: String

    /// - Parameter task: What the command was busy with, where it does more than one thing.
    init(_ error: PostgresError, during task: String? = nil) {
        let (exitCode, text) = Self.telling(error)
        self.exitCode = exitCode
        description = task.map { "\($0): \(text)" } ?? text
    }

    private static func telling(_ error: PostgresError) -> (exitCode: Int32, text: String) {
        let message = Redaction.clean(error.message)
        switch error.code {
        case .connectionFailed where isRefusedSignIn(error.message):
            return (
                ExitCode.configuration,
                "the database doesn't let HEARTH_ADMIN_DATABASE_URL sign in\n  \(message)"
            )
        case .connectionFailed, .connectionLost, .deadlineExceeded, .poolExhausted, .poolClosed:
            return (ExitCode.unavailable, "the database can't be reached\n  \(message)")
        case .commitUnknown:
            return (
                ExitCode.unavailable,
                "the database was lost: look whether the change was made\n  \(message)"
            )
        case .server:
            let state = error.sqlState.map { " [\($0)]" } ?? ""
            let hint = hint(error.sqlState).map { "\n  \($0)" } ?? ""
            return (ExitCode.failure, "the database refuses: \(message)\(state)\(hint)")
        case .decoding, .unexpectedRows, .settings:
            return (
                ExitCode.failure,
                "the database answers otherwise than expected\n  "
                    + Redaction.clean(error.debugDescription)
            )
        }
    }

    /// Whether a server, or a pooler before it, answered that this role, password or database is none
    /// of its own, or that the role may not enter; or none was given where it asks for one.
    ///
    /// Only the text tells it: libpq keeps no SQLSTATE of a connection that was refused. Of a server
    /// that speaks another language than English it is an outage like any other.
    private static func isRefusedSignIn(_ message: String) -> Bool {
        [
            "FATAL:  role \"", "authentication failed", "no pg_hba.conf entry for",
            "no password supplied", "FATAL:  permission denied for database \"",
            "no such database: ", "no such user",
        ].contains { message.contains($0) }
            || message.contains("FATAL:  database \"") && message.contains("\" does not exist")
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
