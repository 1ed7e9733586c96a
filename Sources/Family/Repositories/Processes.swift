package import Domain
package import Postgres

/// A process of the API, a worker or the console.
package struct AdminProcess: RowDecodable, Sendable {
    package let id: ProcessID
    /// Name of the program, such as `hearth-api`.
    package let program: String
    package let version: String
    /// The revision from which the program was built.
    package let revision: String
    /// Host name and process id.
    package let host: String
    package let since: Timestamp
    /// Time of the last report; a process reports every minute.
    package let seenAt: Timestamp
    /// Seconds since the last report.
    package let silentSeconds: Double

    package static let row = RowDecoder(Self.init)
}

/// Statements about processes.
package enum Processes {
    /// Renews a process's row and adds a sample. Parameters: id, program, version, revision, host,
    /// counters as a JSON object.
    package static let report = Statement<
        NoRow, ProcessID, String, String, String, String, PostgresJSON
    >("SELECT FROM app.report_process($1, $2, $3, $4, $5, $6)")
    /// Returns the processes that have reported in the last week, the last seen first.
    package static let all = Statement<AdminProcess>(
        """
        SELECT p.id, p.program, p.version, p.revision, p.host, p.since, p.seen_at,
            greatest(0, extract(epoch FROM clock_timestamp() - p.seen_at))::double precision
        FROM app.processes AS p ORDER BY p.seen_at DESC, p.id
        """)
}
