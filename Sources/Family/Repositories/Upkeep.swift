package import Postgres

/// The outcome of a batch of upkeep.
package struct UpkeepBatch: RowDecodable, Sendable {
    /// Rows changed or removed.
    package let count: Int32
    /// The moment at which the last of them had fallen due: where the next batch begins. Nil where
    /// there were none.
    package let reached: PostgresTimestamp?
    /// How long the server took, the way to it and back left out.
    package let microseconds: Int64

    package static let row = RowDecoder(Self.init)

    /// The columns of a function that answers `changed` and `reached`.
    static let columns = "changed, reached, \(took)"
    static let took = """
        (extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000000)::bigint
        """
}

/// What runs out and what is forgotten.
package enum Upkeep {
    /// Commits without waiting until the commit is durable: lost work is done again.
    package static let unawaited = Statement<NoRow>(
        "SELECT FROM (SELECT set_config('synchronous_commit', 'off', true)) AS setting")
    /// Changes or removes so many rows of what the name says, in the order in which they fell due,
    /// from a moment on (null: from the start). The age is an interval (null: none is old enough).
    package static let batch = Statement<UpkeepBatch, String, String?, Int32, PostgresTimestamp?>(
        "SELECT \(UpkeepBatch.columns) FROM app.upkeep_batch($1, $2::text::interval, $3, $4)")
}
