package import Configuration

extension HearthSettings {
    /// Number of days that ended invitations are kept.
    package static let closedInvitationsDays = days(
        "HEARTH_KEEP_INVITATIONS_DAYS", 7, "ended invitations are kept")
    /// Number of days that a retired family code can't be assigned again.
    package static let retiredCodesDays = days(
        "HEARTH_KEEP_RETIRED_CODES_DAYS", 30, "retired family codes are kept")
    /// Number of days that the log of code use is kept.
    package static let codeUsageLogDays = days(
        "HEARTH_KEEP_CODE_LOG_DAYS", 90, "the log of code uses is kept")
    /// Number of days that responses under an idempotency key are kept.
    package static let idempotencyKeysDays = days(
        "HEARTH_KEEP_IDEMPOTENCY_KEYS_DAYS", 1,
        "responses with an Idempotency-Key are kept; they are replayed for 24 hours only")
    /// Number of days that a removed child's name and preferences are kept.
    package static let removedMembersDays = days(
        "HEARTH_KEEP_REMOVED_MEMBERS_DAYS", 30, "a removed child's data is kept")
    /// Number of days that a family without members is kept.
    package static let emptyFamiliesDays = days(
        "HEARTH_KEEP_EMPTY_FAMILIES_DAYS", 30, "families without members are kept")
    /// Number of days that ended sessions are kept.
    package static let endedSessionsDays = days(
        "HEARTH_KEEP_SESSIONS_DAYS", 30, "ended sessions are kept")
    /// Number of days that the log of sign-ins is kept.
    package static let signInsDays = days(
        "HEARTH_KEEP_SIGN_INS_DAYS", 90, "the log of sign-ins is kept")
    /// Number of days that finished jobs are kept.
    package static let jobHistoryDays = days(
        "HEARTH_KEEP_JOB_HISTORY_DAYS", 7, "finished jobs are kept")

    /// Number of days that the audit log is kept.
    package static let auditDays = Setting<Int?>.optional(
        "HEARTH_KEEP_AUDIT_DAYS", .integer(31...36_500),
        "The number of days that the audit log is kept; it is dropped by whole months. Default: "
            + "forever.")
    /// Whether entries of the audit log are kept until they have been exported.
    package static let keepsUnexportedAudit = Setting<Bool>.defaulted(
        "HEARTH_KEEP_UNEXPORTED_AUDIT", .toggle, default: "on",
        "Whether audit log entries, however old, are kept until 'hearth-admin audit export' has "
            + "exported them.")

    static func days(_ name: String, _ standard: Int, _ what: String) -> Setting<Int> {
        .defaulted(
            name, .integer(1...3650), default: "\(standard)",
            "The number of days that \(what).")
    }

    /// The settings for how long ended data is kept.
    package static let retention: [any DeclaredSetting] = [
        closedInvitationsDays, retiredCodesDays, codeUsageLogDays, idempotencyKeysDays,
        removedMembersDays, emptyFamiliesDays, endedSessionsDays, signInsDays, jobHistoryDays,
        auditDays, keepsUnexportedAudit,
    ]
}

/// Number of days that each kind of ended data is kept.
package struct Retention: Sendable {
    /// Days for ended invitations, retired family codes, and the log of code use.
    package let closedInvitationsDays, retiredCodesDays, codeUsageLogDays: Int
    /// Days for rate limits and other counters of minutes or hours. Not configurable.
    package let rateLimitsDays = 1
    /// Days for responses under an `Idempotency-Key`, removed children's data, empty families.
    package let idempotencyKeysDays, removedMembersDays, emptyFamiliesDays: Int
    /// Days for ended sessions, the log of sign-ins, and finished jobs.
    package let endedSessionsDays, signInsDays, jobHistoryDays: Int
    /// Days for the audit log; nil keeps it forever.
    package let auditDays: Int?
    /// Whether an entry of the audit log is kept, however old, until it has been exported.
    package let keepsUnexportedAudit: Bool

    /// Reads the values of ``HearthSettings/retention``.
    package init(_ settings: Settings) {
        closedInvitationsDays = settings[HearthSettings.closedInvitationsDays]
        retiredCodesDays = settings[HearthSettings.retiredCodesDays]
        codeUsageLogDays = settings[HearthSettings.codeUsageLogDays]
        idempotencyKeysDays = settings[HearthSettings.idempotencyKeysDays]
        removedMembersDays = settings[HearthSettings.removedMembersDays]
        emptyFamiliesDays = settings[HearthSettings.emptyFamiliesDays]
        endedSessionsDays = settings[HearthSettings.endedSessionsDays]
        signInsDays = settings[HearthSettings.signInsDays]
        jobHistoryDays = settings[HearthSettings.jobHistoryDays]
        auditDays = settings[HearthSettings.auditDays]
        keepsUnexportedAudit = settings[HearthSettings.keepsUnexportedAudit]
    }
}
