import Postgres
import Service

/// A failure of the database as an operator is told it: in full, and with what to do.
struct DatabaseFailure: ExitCoded, CustomStringConvertible {
    let exitCode: Int32
    let description: String

    init(_ error: PostgresError) {
        let message = Redaction.clean(error.message)
        switch error.code {
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
