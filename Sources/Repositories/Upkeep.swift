package import Postgres

/// What runs out and what is forgotten. Each works on a batch of so many rows and answers how many
/// it changed; those that forget take the age as an interval.
package enum Upkeep {
    package static let expireInvitations = Statement<Scalar<Int32>, Int32>(
        "SELECT app.expire_invitations($1)")
    package static let expireCodes = Statement<Scalar<Int32>, Int32>(
        "SELECT app.expire_codes($1)")
    package static let invitations = Statement<Scalar<Int32>, String, Int32>(
        "SELECT app.purge_invitations($1::text::interval, $2)")
    package static let retiredCodes = Statement<Scalar<Int32>, String, Int32>(
        "SELECT app.purge_retired_codes($1::text::interval, $2)")
    package static let codeUsageLog = Statement<Scalar<Int32>, String, Int32>(
        "SELECT app.purge_code_usage_log($1::text::interval, $2)")
    package static let rateLimits = Statement<Scalar<Int32>, String, Int32>(
        "SELECT app.purge_rate_limits($1::text::interval, $2)")
    package static let idempotencyKeys = Statement<Scalar<Int32>, String, Int32>(
        "SELECT app.purge_idempotency_keys($1::text::interval, $2)")
    package static let removedMembers = Statement<Scalar<Int32>, String, Int32>(
        "SELECT app.erase_removed_members($1::text::interval, $2)")
    package static let emptyFamilies = Statement<Scalar<Int32>, String, Int32>(
        "SELECT app.purge_empty_families($1::text::interval, $2)")
    /// Days of finished jobs dropped.
    package static let jobHistory = Statement<Scalar<Int32>, String>(
        "SELECT jobs.keep_history($1::text::interval)")
}
