package import Postgres

/// What a batch of upkeep came to.
package struct UpkeepBatch: RowDecodable, Sendable {
    /// Rows changed or removed.
    package let count: Int32
    /// The moment at which the last of them had fallen due: where the next batch begins. Nil where
    /// there were none.
    package let reached: PostgresTimestamp?
    /// How long the server took, the way to it and back left out.
    package let microseconds: Int64

    package init(row: inout RowReader) throws(PostgresError) {
        count = try row.read()
        reached = try row.read()
        microseconds = try row.read()
    }

    /// The columns of a function that answers `changed` and `reached`.
    static let columns = "changed, reached, \(took)"
    static let took = """
        (extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000000)::bigint
        """
}

/// What runs out and what is forgotten. Each works on a batch of so many rows, in the order in which
/// they fell due, from a moment on (null: from the start); those that forget take the age as an
/// interval before.
package enum Upkeep {
    /// Ends the transaction without waiting for the disk, or for a standby: what is lost with the
    /// server is done again.
    package static let unawaited = Statement<NoRow>(
        "SELECT FROM (SELECT set_config('synchronous_commit', 'off', true)) AS setting")
    package static let expireInvitations = Statement<UpkeepBatch, Int32, PostgresTimestamp?>(
        "SELECT \(UpkeepBatch.columns) FROM app.expire_invitations($1, $2)")
    package static let expireCodes = Statement<UpkeepBatch, Int32, PostgresTimestamp?>(
        "SELECT \(UpkeepBatch.columns) FROM app.expire_codes($1, $2)")
    package static let invitations = Statement<UpkeepBatch, String, Int32, PostgresTimestamp?>(
        "SELECT \(UpkeepBatch.columns) FROM app.purge_invitations($1::text::interval, $2, $3)")
    package static let retiredCodes = Statement<UpkeepBatch, String, Int32, PostgresTimestamp?>(
        "SELECT \(UpkeepBatch.columns) FROM app.purge_retired_codes($1::text::interval, $2, $3)")
    package static let codeUsageLog = Statement<UpkeepBatch, String, Int32, PostgresTimestamp?>(
        "SELECT \(UpkeepBatch.columns) FROM app.purge_code_usage_log($1::text::interval, $2, $3)")
    package static let rateLimits = Statement<UpkeepBatch, String, Int32, PostgresTimestamp?>(
        "SELECT \(UpkeepBatch.columns) FROM app.purge_rate_limits($1::text::interval, $2, $3)")
    package static let codeLookups = Statement<UpkeepBatch, String, Int32, PostgresTimestamp?>(
        "SELECT \(UpkeepBatch.columns) FROM app.purge_code_lookups($1::text::interval, $2, $3)")
    package static let idempotencyKeys = Statement<UpkeepBatch, String, Int32, PostgresTimestamp?>(
        "SELECT \(UpkeepBatch.columns) FROM app.purge_idempotency_keys($1::text::interval, $2, $3)")
    package static let removedMembers = Statement<UpkeepBatch, String, Int32, PostgresTimestamp?>(
        "SELECT \(UpkeepBatch.columns) FROM app.erase_removed_members($1::text::interval, $2, $3)")
    package static let emptyFamilies = Statement<UpkeepBatch, String, Int32, PostgresTimestamp?>(
        "SELECT \(UpkeepBatch.columns) FROM app.purge_empty_families($1::text::interval, $2, $3)")
    /// Days of finished jobs dropped.
    package static let jobHistory = Statement<UpkeepBatch, String>(
        "SELECT jobs.keep_history($1::text::interval), NULL::timestamptz, \(UpkeepBatch.took)")
}
