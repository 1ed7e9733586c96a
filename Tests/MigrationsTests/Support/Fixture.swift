import Foundation
import Migrations
import TestSupport

/// A folder as users of another tool have it, applied to a database that they have worked with.
struct Fixture {
    let path: String

    /// The folder of that name below `Fixtures`.
    init(_ name: String) {
        path =
            SourceTree.root.appendingPathComponent("Tests/MigrationsTests/Fixtures/\(name)").path
    }

    /// How many rows the other tool's users have in their table.
    static let rows: Int64 = 1_000

    /// What applying the folder came to.
    struct Outcome {
        /// The files that were applied.
        var applied: [String] = []
        /// What the run warned of.
        var warnings: [String] = []
        /// Why it ended, line by line.
        var error: MigrationError?
        /// The indexes and triggers of the table, and the rows in it.
        var found: [String] = []
    }

    /// Applies the folder to a database in which the table `users` stands already, with its rows.
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
