package import Postgres

/// Error of a runner's command.
package struct MigrationError: Error, Sendable {
    /// The kind of failure. Each kind has its own exit code; 0 is success.
    package enum Code: String, Sendable, CaseIterable {
        /// The command line or a setting can't be understood.
        case usage
        /// Migrations are pending (for `status` and `verify`).
        case pending
        /// Ledger, folder, database and `schema.sql` don't agree.
        case drift
        /// Another runner held the lock for the whole waiting time.
        case lockNotAcquired = "lock-not-had"
        /// A run failed after something was applied. The next run continues from there.
        case stoppedMidway = "stopped-midway"
        /// The folder's files can't be ordered.
        case folder
        /// Files break rules; nothing was run.
        case refused
        /// A file or program of the system is missing or fails.
        case system
        /// A pooler is between the runner and the server.
        case pooler
        /// The server refused a statement.
        case database
        /// The database can't be reached, or refuses connections.
        case unreachable
        /// A table is accessible to roles that must not see it.
        case exposed
        /// A commit was not confirmed by a synchronous standby in time. The commit is stored on
        /// this server, and lost if another server takes over.
        case unconfirmed

        /// The process's exit code.
        package var exitCode: Int32 {
            switch self {
            case .usage: 2
            case .pending: 3
            case .drift: 4
            case .lockNotAcquired: 5
            case .stoppedMidway: 6
            case .unreachable: 69
            case .unconfirmed: 75
            case .folder, .refused, .system, .pooler, .database, .exposed: 1
            }
        }
    }

    /// The kind of failure.
    package let code: Code
    /// The problem: one sentence without a full stop.
    package let message: String
    /// Lines with evidence, or with advice.
    package let details: [String]
    /// The server's or libpq's error, if that is the cause.
    package let underlying: PostgresError?

    /// Creates an error with a sentence and detail lines. An unconfirmed commit gets the code
    /// `unconfirmed`, whatever the given code is.
    package init(
        _ code: Code, _ message: String, details: [String] = [], underlying: PostgresError? = nil
    ) {
        self.code = underlying?.code == .commitUnknown ? .unconfirmed : code
        self.message = message
        self.details = details
        self.underlying = underlying
    }

    /// Returns the same failure for a run that had already changed something.
    func stoppedMidway(hint: String) -> MigrationError {
        MigrationError(
            .stoppedMidway, message, details: details + [hint], underlying: underlying)
    }
}

extension MigrationError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The message and its details. The runner's user owns the database, so this may quote the
    /// server's messages. It never contains a password.
    package var description: String { ([message] + details).joined(separator: "\n  ") }

    /// The description for logs: the kind, the message and the underlying error.
    package var debugDescription: String {
        "MigrationError.\(code): \(description)"
            + (underlying.map { " (\($0.debugDescription))" } ?? "")
    }
}

extension MigrationError {
    /// The meaning of each exit code, for the help text.
    package static let exitCodes: [(code: Int32, meaning: String)] = [
        (0, "done"),
        (1, "an error without a code of its own, such as a statement that the server refused"),
        (2, "the command line is wrong, or a required setting is missing or wrong"),
        (3, "migrations are pending (status, verify, schema)"),
        (4, "drift: ledger, files, database or schema.sql don't agree"),
        (5, "another runner held the lock for too long"),
        (6, "stopped midway: a part was applied; the next run continues from there"),
        (69, "the database can't be reached"),
        (
            75,
            "a commit is not confirmed by the synchronous standby after 30 s, or the connection "
                + "was lost during a commit, even if files were applied before"
        ),
        (78, "only with --check-config: a setting is missing or wrong"),
    ]
}
