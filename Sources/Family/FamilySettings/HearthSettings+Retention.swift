package import Configuration

extension HearthSettings {
    /// For how long what has ended is kept.
    package static let closedInvitationsDays = days(
        "HEARTH_KEEP_INVITATIONS_DAYS", 7, "ended invitations are kept")
    /// For how long a code that was given up stays taken.
    package static let retiredCodesDays = days(
        "HEARTH_KEEP_RETIRED_CODES_DAYS", 30, "retired family codes are kept")
    /// For how long the use of codes is known.
    package static let codeUsageLogDays = days(
        "HEARTH_KEEP_CODE_LOG_DAYS", 90, "the log of code use is kept")
    /// For how long answers to repeated requests are known.
    package static let idempotencyKeysDays = days(
        "HEARTH_KEEP_IDEMPOTENCY_KEYS_DAYS", 1,
        "responses under an Idempotency-Key stay stored; replay ends after 24 hours in any case")
    /// For how long a removed child's name and preferences are known.
    package static let removedMembersDays = days(
        "HEARTH_KEEP_REMOVED_MEMBERS_DAYS", 30, "a removed child's data is kept")
    /// For how long a family without members stays.
    package static let emptyFamiliesDays = days(
        "HEARTH_KEEP_EMPTY_FAMILIES_DAYS", 30, "families without members are kept")
    /// For how long a session is known that has ended.
    package static let endedSessionsDays = days(
        "HEARTH_KEEP_SESSIONS_DAYS", 30, "ended sessions are kept")
    /// For how long finished jobs are known.
    package static let jobHistoryDays = days(
        "HEARTH_KEEP_JOB_HISTORY_DAYS", 7, "finished jobs are kept")

    /// For how long the audit trail is known.
    package static let auditDays = Setting<Int?>.optional(
        "HEARTH_KEEP_AUDIT_DAYS", .integer(31...36_500),
        "How many days the audit trail is kept; whole months are dropped. Default: for good.")
    /// Whether entries of the audit trail stay until they were exported.
    package static let keepsUnexportedAudit = Setting<Bool>.defaulted(
        "HEARTH_KEEP_UNEXPORTED_AUDIT", .toggle, default: "on",
        "Whether the audit trail is kept, however old, until 'hearth-admin audit export' has "
            + "exported it.")

    static func days(_ name: String, _ standard: Int, _ what: String) -> Setting<Int> {
        .defaulted(
            name, .integer(1...3650), default: "\(standard)",
            "How many days \(what).")
    }

    /// How long what has ended is kept.
    package static let retention: [any DeclaredSetting] = [
        closedInvitationsDays, retiredCodesDays, codeUsageLogDays, idempotencyKeysDays,
        removedMembersDays, emptyFamiliesDays, endedSessionsDays, jobHistoryDays, auditDays,
        keepsUnexportedAudit,
    ]
}

/// How many days each kind of ended data is kept.
package struct Retention: Sendable {
    /// Ended invitations, family codes that were given up, and the log of the use of codes.
    package let closedInvitationsDays, retiredCodesDays, codeUsageLogDays: Int
    /// Of rate limits, and of what else counts for minutes or hours. No setting has it.
    package let rateLimitsDays = 1
    /// Responses under an `Idempotency-Key`, removed children's data, families without members.
    package let idempotencyKeysDays, removedMembersDays, emptyFamiliesDays: Int
    /// Ended sessions, and finished jobs.
    package let endedSessionsDays, jobHistoryDays: Int
    /// Nil: the audit trail is kept for good.
    package let auditDays: Int?
    /// Whether an entry of the audit trail is kept, however old, until it has been exported.
    package let keepsUnexportedAudit: Bool

    /// What the settings say, which ``HearthSettings/retention`` lists.
    package init(_ settings: Settings) {
        closedInvitationsDays = settings[HearthSettings.closedInvitationsDays]
        retiredCodesDays = settings[HearthSettings.retiredCodesDays]
        codeUsageLogDays = settings[HearthSettings.codeUsageLogDays]
        idempotencyKeysDays = settings[HearthSettings.idempotencyKeysDays]
        removedMembersDays = settings[HearthSettings.removedMembersDays]
        emptyFamiliesDays = settings[HearthSettings.emptyFamiliesDays]
        endedSessionsDays = settings[HearthSettings.endedSessionsDays]
        jobHistoryDays = settings[HearthSettings.jobHistoryDays]
        auditDays = settings[HearthSettings.auditDays]
        keepsUnexportedAudit = settings[HearthSettings.keepsUnexportedAudit]
    }
}
