package import Postgres

/// What processes of the API read from: how many processes, and which standbys.
package struct StandbysInUse: RowDecodable, Sendable {
    /// How many processes read from standbys.
    package let readers: Int32
    /// Each by the moment at which its server started.
    package let standbys: [Int64]

    package static let row = RowDecoder(Self.init)
}

/// What a renewal returns.
package struct ReaderRenewal: RowDecodable, Sendable {
    /// What all processes read from.
    package let inUse: StandbysInUse
    /// When the primary started, in microseconds since 1970: another moment after a failover.
    package let primary: Int64

    package static let row = RowDecoder(Self.init)
}

/// What a server reports about itself to a process that reads from standbys.
package struct StandbyState: RowDecodable, Sendable {
    /// Whether the server is in recovery. Nobody reads from one that takes writes.
    package let isStandby: Bool
    /// When the server started, in microseconds since 1970: what it is known by.
    package let started: Int64
    /// The process's last renewal that the server has; nil if it has none.
    package let number: Int64?

    package static let row = RowDecoder(Self.init)
}

/// Which processes of the API read from standbys, and how fresh these are.
package enum StandbyReaders {
    private static let started =
        "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint"

    /// Renews a process's row on the primary: process, number, standbys that it reads from.
    /// Whatever was committed before is taken into account in the answer.
    package static let renew = Statement<ReaderRenewal, UInt128, Int64, [Int64]>(
        "SELECT readers, standbys, \(started) FROM app.renew_standby_reader($1, $2, $3)")

    /// Takes a process's row away.
    package static let end = Statement<NoRow, UInt128>("SELECT FROM app.end_standby_reader($1)")

    /// What all processes read from.
    package static let inUse = Statement<StandbysInUse>(
        "SELECT readers, standbys FROM app.standbys_in_use()")

    /// How many processes don't read from every standby that others read from.
    package static let apart = Statement<Scalar<Int32>>("SELECT app.readers_missing_standbys()")

    /// What a standby has of a process.
    package static let state = Statement<StandbyState, UInt128>(
        """
        SELECT pg_is_in_recovery(),
            \(started),
            (SELECT r.number FROM app.standby_readers AS r WHERE r.id = $1)
        """)
}
