package import Postgres
import Synchronization
import Basics

/// Checks whether new sessions of the server can still run functions.
///
/// An upgrade of PostgreSQL's packages replaces its files while it runs. Sessions that have loaded
/// the language of the functions continue to work, new ones fail at their first function. So the
/// check opens a session of its own, at most once in ten seconds.
package final class ServerFilesProbe: Sendable {
    private static let intervalSeconds = 10.0
    /// A statement that loads the library of PL/pgSQL and uses no object of the schema.
    private static let statement = "DO $$ BEGIN END $$"

    private struct ProbeResult {
        var needsRestart = false
        var validUntil = Deadline.after(seconds: 0)
    }

    private let connection: ConnectionSettings
    private let result = Mutex(ProbeResult())

    /// Creates a probe of the server with these settings.
    package init(_ connection: ConnectionSettings) { self.connection = connection }

    /// Whether PostgreSQL has to be restarted; also false if that can't be determined.
    package func needsRestart() -> Bool {
        let known: Bool? = result.withLock { result in
            guard result.validUntil.hasPassed else { return result.needsRestart }
            // During this probe, other callers use the last result.
            result.validUntil = .after(seconds: Self.intervalSeconds)
            return nil
        }
        if let known { return known }
        let needsRestart = probe()
        result.withLock { $0.needsRestart = needsRestart }
        return needsRestart
    }

    private func probe() -> Bool {
        do throws(PostgresError) {
            try Connection(connection).execute(
                script: Self.statement, deadline: .after(seconds: 2))
            return false
        } catch {
            return error.needsServerRestart
        }
    }
}
