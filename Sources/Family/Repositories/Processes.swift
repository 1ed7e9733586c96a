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

/// A public key of Hearth's own tokens, as running processes of the API have reported it.
package struct ReportedSigningKey: RowDecodable, Sendable {
    /// The key's `kid`.
    package let id: String
    /// Time of its creation; nil if it is unknown.
    package let createdAt: Timestamp?
    /// Number of processes that sign with it, and of those that accept it.
    package let signers, processes: Int
    /// The key as a JSON Web Key.
    package let key: String

    package static let row = RowDecoder(Self.init)
}

/// Statements about processes.
package enum Processes {
    /// Renews a process's row and adds a sample. Parameters: id, program, version, revision, host,
    /// counters as a JSON object.
    package static let report = Statement<
        NoRow, ProcessID, String, String, String, String, PostgresJSON
    >("SELECT FROM app.report_process($1, $2, $3, $4, $5, $6)")
    /// Stores the public signing keys of a process that has reported. Parameters: id, JSON Web Key
    /// Set in which each key has the time of its creation, in seconds since 1970, as `createdAt`.
    package static let reportSigningKeys = Statement<NoRow, ProcessID, PostgresJSON>(
        "SELECT FROM app.report_signing_keys($1, $2)")
    /// Returns the signing keys of the processes that have reported in the last five minutes, those
    /// that sign first, then the newest. A time of creation is unknown if it is not a number, is
    /// before 1970, or is more than a day in the future.
    package static let signingKeys = Statement<ReportedSigningKey>(
        """
        SELECT coalesce(k.value ->> 'kid', 'without kid'),
            to_timestamp(min(
                CASE WHEN jsonb_typeof(k.value -> 'createdAt') = 'number' THEN
                    CASE WHEN (k.value ->> 'createdAt')::numeric
                        BETWEEN 0 AND extract(epoch FROM clock_timestamp() + interval '1 day')
                    THEN (k.value ->> 'createdAt')::float8 END
                END)),
            count(*) FILTER (WHERE k.position = 1), count(*), min(k.value::text)
        FROM app.processes AS p
        CROSS JOIN LATERAL jsonb_array_elements(p.signing_keys -> 'keys')
            WITH ORDINALITY AS k (value, position)
        WHERE p.seen_at > clock_timestamp() - interval '5 minutes'
            AND jsonb_typeof(k.value) = 'object'
        GROUP BY 1 ORDER BY 3 DESC, 2 DESC NULLS LAST, 1 LIMIT 100
        """)
    /// Maximum number of processes in a list. A program that is restarted again and again adds one
    /// each time.
    package static let listed = 500
    /// Returns the processes that have reported in the last week, the last seen first, at most
    /// ``listed``, and the last of each program.
    package static let all = Statement<AdminProcess>(
        """
        SELECT p.id, p.program, p.version, p.revision, p.host, p.since, p.seen_at,
            greatest(0, extract(epoch FROM clock_timestamp() - p.seen_at))::double precision
        FROM app.processes AS p
        WHERE p.id IN (
            (SELECT l.id FROM app.processes AS l ORDER BY l.seen_at DESC, l.id LIMIT \(listed))
            UNION
            (SELECT DISTINCT ON (n.program) n.id FROM app.processes AS n
             ORDER BY n.program, n.seen_at DESC, n.id))
        ORDER BY p.seen_at DESC, p.id
        """)
}
