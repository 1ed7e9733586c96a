package import Postgres
import Synchronization
import Threads

/// Finds out whether new sessions of the server can still run functions.
///
/// An upgrade of PostgreSQL's packages replaces its files while it runs. Sessions that have loaded
/// the language of the functions go on, new ones fail at their first function. So a session of its
/// own is opened for this, at most once in ten seconds.
package final class ServerFilesProbe: Sendable {
    private static let intervalSeconds = 10.0
    /// Needs the language's library and nothing of the schema.
    private static let statement = "DO $$ BEGIN END $$"

    private struct Found {
        var needsRestart = false
        var lastsUntil = Deadline.after(seconds: 0)
    }

    private let connection: ConnectionSettings
    private let found = Mutex(Found())

    /// A probe of the server that these settings lead to.
    package init(_ connection: ConnectionSettings) { self.connection = connection }

    /// Whether PostgreSQL has to be restarted; false as well if that can't be found out.
    package func needsRestart() -> Bool {
        let known: Bool? = found.withLock { found in
            guard found.lastsUntil.hasPassed else { return found.needsRestart }
            // Others go on with what is known meanwhile.
            found.lastsUntil = .after(seconds: Self.intervalSeconds)
            return nil
        }
        if let known { return known }
        let needsRestart = ask()
        found.withLock { $0.needsRestart = needsRestart }
        return needsRestart
    }

    private func ask() -> Bool {
        do throws(PostgresError) {
            try Connection(connection).execute(
                script: Self.statement, deadline: .after(seconds: 2))
            return false
        } catch {
            return error.needsServerRestart
        }
    }
}
