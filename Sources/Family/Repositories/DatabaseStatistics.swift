package import Postgres

/// Statements that monitor the database as a whole.
package enum DatabaseStatistics {
    /// Returns the age of the oldest open transaction in seconds; 0 if none is open, nil if the
    /// database's owner may not see it.
    package static let oldestTransactionSeconds = Statement<Scalar<Double?>>(
        "SELECT app.oldest_transaction_seconds()")

    /// Returns how many connections of this database are open, and how many it may have. Those of
    /// the server's other databases are not counted. `reserved_connections` is a setting since
    /// PostgreSQL 16.
    package static let connections = Statement<UsedConnections>(
        """
        SELECT s.numbackends,
            least(current_setting('max_connections')::integer
                    - current_setting('superuser_reserved_connections')::integer
                    - coalesce(current_setting('reserved_connections', true)::integer, 0),
                CASE WHEN d.datconnlimit >= 0 THEN d.datconnlimit END)
        FROM pg_database AS d JOIN pg_stat_database AS s ON s.datid = d.oid
        WHERE d.datname = current_database()
        """)
}

/// The connections of a database.
package struct UsedConnections: RowDecodable, Sendable {
    /// Number of open connections.
    package let used: Int32
    /// Limit of the server or of the database, without reserved connections.
    package let limit: Int32

    package static let row = RowDecoder(Self.init)
}
