import Postgres
import Basics

/// Second session of a run, which observes the first one.
struct Observer {
    /// The observed state of a session.
    struct Observation: Sendable, Equatable {
        /// The sessions that hold the locks that the observed session waits for, as text.
        var blockers: [String] = []
        /// The progress of a long command, as text.
        var progress: String?
    }

    private let settings: ConnectionSettings
    private let pid: Int32
    private var connection: Connection?
    /// Earliest time of the next attempt to connect.
    private var pausedUntil = Deadline.after(seconds: 0)
    private static let pauseSeconds = 1.0

    init(_ settings: ConnectionSettings, pid: Int32) {
        var settings = settings
        settings.applicationName = "hearth-migrate watch"
        settings.statementTimeoutSeconds = 2
        settings.connectTimeoutSeconds = 2
        self.settings = settings
        self.pid = pid
    }

    /// Observes the session. After a failure it returns an empty observation and connects again a
    /// little later, so that a failing observer does not stop the run.
    mutating func observe() -> Observation {
        guard pausedUntil.hasPassed else { return Observation() }
        do throws(PostgresError) {
            let connection = try openConnection()
            return Observation(
                blockers: try blockers(connection), progress: try progress(connection))
        } catch {
            connection = nil
            pausedUntil = .after(seconds: Self.pauseSeconds)
            return Observation()
        }
    }

    private mutating func openConnection() throws(PostgresError) -> Connection {
        if let connection { return connection }
        let new = try Connection(settings)
        connection = new
        return new
    }

    private func blockers(_ connection: Connection) throws(PostgresError) -> [String] {
        try connection.query(
            """
            SELECT pid, usename::text, application_name, client_addr::text,
                   coalesce(xact_start, backend_start)::timestamptz(0)::text, state,
                   left(query, 200)
              FROM pg_catalog.pg_stat_activity
             WHERE pid = ANY (pg_catalog.pg_blocking_pids(\(pid)))
             ORDER BY xact_start NULLS LAST, pid
             LIMIT 5
            """
        ).decode(as: Peer.self).map(\.description)
    }

    private func progress(_ connection: Connection) throws(PostgresError) -> String? {
        try connection.query(
            """
            SELECT phase, done, total
              FROM (SELECT phase, greatest(blocks_done, tuples_done) AS done,
                           CASE WHEN blocks_done >= tuples_done THEN blocks_total
                                ELSE tuples_total END AS total
                      FROM pg_catalog.pg_stat_progress_create_index WHERE pid = \(pid)
                    UNION ALL
                    SELECT phase, heap_blks_scanned, heap_blks_total
                      FROM pg_catalog.pg_stat_progress_cluster WHERE pid = \(pid)
                    UNION ALL
                    SELECT phase, heap_blks_scanned, heap_blks_total
                      FROM pg_catalog.pg_stat_progress_vacuum WHERE pid = \(pid)
                    UNION ALL
                    SELECT phase, sample_blks_scanned, sample_blks_total
                      FROM pg_catalog.pg_stat_progress_analyze WHERE pid = \(pid)) AS p
             LIMIT 1
            """
        ).map { (row) throws(PostgresError) in
            let phase = try row.read(String.self)
            let done = try row.read(Int64?.self) ?? 0
            let total = try row.read(Int64?.self) ?? 0
            guard total > 0 else { return phase }
            return "\(phase) \(min(100, 100 * done / total)) %"
        }.first
    }
}
