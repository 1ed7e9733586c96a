package import Postgres

/// The outcome of a batch of upkeep.
package struct UpkeepBatch: RowDecodable, Sendable {
    /// Number of rows changed or deleted.
    package let count: Int32
    /// Due time of the last of these rows, where the next batch begins; nil if there were none.
    package let reached: PostgresTimestamp?
    /// Time that the server took in microseconds, without the network.
    package let microseconds: Int64

    package static let row = RowDecoder(Self.init)

    /// The columns of a function that returns `changed` and `reached`.
    static let columns = "changed, reached, \(elapsed)"
    static let elapsed = """
        (extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000000)::bigint
        """
}

/// Statements that expire and delete old data.
package enum Upkeep {
    /// Makes the commit return before it is durable: work that a crash loses is done again.
    package static let commitAsynchronously = Statement<NoRow>(
        "SELECT FROM (SELECT set_config('synchronous_commit', 'off', true)) AS setting")
    /// Changes or deletes rows in the order of their due times. Parameters: name of the data, age
    /// as an interval (null: no row is old enough), maximum number, time from which to begin (null:
    /// from the start).
    package static let batch = Statement<UpkeepBatch, String, String?, Int32, PostgresTimestamp?>(
        "SELECT \(UpkeepBatch.columns) FROM app.upkeep_batch($1, $2::text::interval, $3, $4)")
}
