import Postgres
import Configuration

/// A database failure as shown to an operator: in full, with advice.
struct DatabaseFailure: ExitCoded, CustomStringConvertible {
    let exitCode: Int32
    let description: String

    /// - Parameter task: The command's current task, if it has several.
    init(_ error: PostgresError, during task: String? = nil) {
        let (exitCode, text) = Self.describe(error)
        self.exitCode = exitCode
        description = task.map { "\($0): \(text)" } ?? text
    }

    private static func describe(_ error: PostgresError) -> (exitCode: Int32, text: String) {
        let message = Redaction.clean(error.message)
        switch error.code {
        case .connectionFailed where isRefusedSignIn(error.message):
            return (
                ExitCode.configuration,
                "the database refuses the login of HEARTH_ADMIN_DATABASE_URL\n  \(message)"
            )
        case .connectionFailed, .connectionLost, .deadlineExceeded, .poolExhausted, .poolClosed:
            return (ExitCode.unavailable, "the database can't be reached\n  \(message)")
        case .commitUnknown:
            return (
                ExitCode.unconfirmed,
                "it is unknown whether the change was stored; check before you repeat it\n  "
                    + message
            )
        case .server:
            let state = error.sqlState.map { " [\($0)]" } ?? ""
            let hint = hint(error.sqlState).map { "\n  \($0)" } ?? ""
            return (ExitCode.failure, "the database refuses: \(message)\(state)\(hint)")
        case .decoding, .unexpectedRows, .settings:
            return (
                ExitCode.failure,
                "the database returned an unexpected response\n  "
                    + Redaction.clean(error.debugDescription)
            )
        }
    }

    /// Whether a server or pooler refused the role, password or database, the role may not connect,
    /// or a required password is missing.
    ///
    /// Only the text shows this, because libpq drops the SQLSTATE of a refused connection. If the
    /// server's messages are not in English, a refused login looks like any other outage.
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
            return "HEARTH_ADMIN_DATABASE_URL must log in as the role hearth_admin, and the "
                + "migrations of this release must have been applied. 'hearth-admin doctor' finds "
                + "missing grants."
        }
        // A named object does not exist: class 42, and the code for a missing schema.
        if state.conditionClass == "42" || state == "3F000" {
            return "The database's schema belongs to another release: run 'hearth-migrate up', or "
                + "check that HEARTH_ADMIN_DATABASE_URL names the right database."
        }
        return nil
    }
}
