import Foundation
import Migrations
import TestSupport

/// A folder of migrations that was written for another tool. It is applied to a database with
/// existing data.
struct Fixture {
    let path: String

    /// Opens the folder of that name in `Fixtures`.
    init(_ name: String) {
        path =
            SourceTree.root.appendingPathComponent("Tests/MigrationsTests/Fixtures/\(name)").path
    }

    /// Number of rows in the table of the other tool's users.
    static let rows: Int64 = 1_000

    /// Result of applying the folder.
    struct Outcome {
        /// The files that were applied.
        var applied: [String] = []
        /// The run's warnings.
        var warnings: [String] = []
        /// The error that ended the run; nil if it succeeded.
        var error: MigrationError?
        /// The indexes and triggers of the table, and its number of rows.
        var found: [String] = []
    }

    /// Applies the folder to a database in which the table `users` already exists, with its rows.
    func apply() throws -> Outcome {
        try TestDatabase.with(.empty) { database in
            try database.execute(
                """
                CREATE TABLE users (id bigserial PRIMARY KEY, email text NOT NULL);
                INSERT INTO users (email)
                SELECT n || '@example.com' FROM generate_series(1, \(Self.rows)) AS n;
                """)
            var outcome = Outcome()
            let events = Events()
            do throws(MigrationError) {
                outcome.applied = try MigrationRunner(
                    database.settings(), MigrationFolder(path: path), report: events.report
                ).up().applied
            } catch {
                outcome.error = error
            }
            outcome.warnings = events.warnings
            outcome.found = try database.column(
                """
                SELECT 'index ' || indexname FROM pg_indexes WHERE tablename = 'users'
                UNION ALL SELECT 'trigger ' || tgname FROM pg_trigger
                           WHERE tgrelid = 'users'::regclass
                UNION ALL SELECT 'rows ' || count(*) FROM users
                 ORDER BY 1
                """)
            return outcome
        }
    }
}
