package import Postgres

/// The standbys from which any process of the API reads, and the number of these processes.
package struct StandbysInUse: RowDecodable, Sendable {
    /// Number of processes that read from standbys.
    package let readers: Int32
    /// The standbys, each identified by the start time of its server.
    package let standbys: [Int64]

    package static let row = RowDecoder(Self.init)
}

/// Result of a renewal.
package struct ReaderRenewal: RowDecodable, Sendable {
    /// The standbys from which any process reads.
    package let inUse: StandbysInUse
    /// Start time of the primary, in microseconds since 1970; it differs after a failover.
    package let primary: Int64

    package static let row = RowDecoder(Self.init)
}

/// State that a server reports to a process that reads from standbys.
package struct StandbyState: RowDecodable, Sendable {
    /// Whether the server is in recovery. Processes don't read from a server that accepts writes.
    package let isStandby: Bool
    /// Start time of the server, in microseconds since 1970, which identifies it.
    package let started: Int64
    /// Number of the process's last renewal that has reached the server; nil if there is none.
    package let number: Int64?

    package static let row = RowDecoder(Self.init)
}

/// Statements that record which processes of the API read from standbys, and how current the
/// standbys are.
package enum StandbyReaders {
    private static let started =
        "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint"

    /// Renews a process's row on the primary. Parameters: process, number, standbys from which it
    /// reads. The result reflects everything that was committed before.
    package static let renew = Statement<ReaderRenewal, UInt128, Int64, [Int64]>(
        "SELECT readers, standbys, \(started) FROM app.renew_standby_reader($1, $2, $3)")

    /// Deletes a process's row.
    package static let end = Statement<NoRow, UInt128>("SELECT FROM app.end_standby_reader($1)")

    /// Returns the standbys from which any process reads.
    package static let inUse = Statement<StandbysInUse>(
        "SELECT readers, standbys FROM app.standbys_in_use()")

    /// Returns the number of processes that don't read from all the standbys that others read from.
    package static let missingStandbys = Statement<Scalar<Int32>>(
        "SELECT app.readers_missing_standbys()")

    /// Returns a standby's state and the last renewal of a process that has reached it.
    package static let state = Statement<StandbyState, UInt128>(
        """
        SELECT pg_is_in_recovery(),
            \(started),
            (SELECT r.number FROM app.standby_readers AS r WHERE r.id = $1)
        """)
}
