/// For how many days what has ended is kept.
package struct Retention: Sendable {
    package var closedInvitationsDays = 7
    package var retiredCodesDays = 30
    package var codeUsageLogDays = 90
    package var rateLimitsDays = 1
    package var idempotencyKeysDays = 1
    package var removedMembersDays = 30
    package var emptyFamiliesDays = 30
    package var endedSessionsDays = 30
    package var jobHistoryDays = 7
    /// Nil: the audit trail is kept for good.
    package var auditDays: Int?
    /// Whether an entry of the audit trail is kept, however old, until it has been exported.
    package var keepsUnexportedAudit = true

    package init() {}
}
