package import FamilySettings
package import Postgres
import Repositories
import Basics

/// Expires overdue invitations and codes, and deletes data whose retention period is over.
///
/// It need not run on time, because requests check expiry by the clock. Works in batches, one
/// transaction each; it may be interrupted at any point and run again.
package struct ExpireAndPurge: Sendable {
    /// The queue of upkeep jobs.
    package static let queue = "upkeep"

    /// A kind of data that upkeep changes or deletes, by its name for `app.upkeep_batch`.
    package enum Object: String, Sendable, CaseIterable {
        case expiredInvitations = "expired_invitations"
        case expiredCodes = "expired_codes"
        case closedInvitations = "closed_invitations"
        case retiredCodes = "retired_codes"
        case codeUsageLog = "code_usage_log"
        case rateLimits = "rate_limits"
        case codeLookups = "code_lookups"
        case idempotencyKeys = "idempotency_keys"
        case removedMembers = "removed_members"
        case emptyFamilies = "empty_families"
        case endedSessions = "ended_sessions"
        case signInsLog = "sign_ins_log"
        case emailTokens = "mailed_tickets"
        case familyChanges = "family_changes"
        case userChanges = "user_changes"
        case answeredChallenges = "answered_challenges"
        case wrongCodes = "wrong_codes"
        case jobHistoryDays = "job_history_days"
        case auditMonths = "audit_months"
        case auditEntries = "audit_entries"
        case unexportedAuditMonths = "unexported_audit_months"
        case unexportedAuditEntries = "unexported_audit_entries"
    }

    /// Seconds between two reports about the same kind of data.
    private static let reportSeconds = 1.0

    private let pool: Pool
    private let retention: Retention
    private let operatorName: String?

    /// - Parameters:
    ///   - pool: Connections as the role hearth_worker; for an operator, as hearth_admin.
    ///   - operatorName: The operator's name; nil if the worker runs it.
    package init(_ pool: Pool, _ retention: Retention, operatorName: String? = nil) {
        self.pool = pool
        self.retention = retention
        self.operatorName = operatorName
    }

    /// Closes invitations and retires codes that have expired.
    ///
    /// - Parameters:
    ///   - shouldStop: Called between batches.
    ///   - report: Called every second with the changes since its last call, and at the end, also
    ///     after an error.
    /// - Returns: Whether all work was done, without a stop.
    package func expire(
        shouldStop: () -> Bool, report: (Object, Int) -> Void
    ) throws -> Bool {
        try run(
            [PurgeTask(object: .expiredInvitations), PurgeTask(object: .expiredCodes)], shouldStop,
            report)
    }

    /// Deletes data whose retention period is over.
    ///
    /// - Returns: Like ``expire(shouldStop:report:)``.
    package func purge(shouldStop: () -> Bool, report: (Object, Int) -> Void) throws -> Bool {
        try run(
            [
                PurgeTask(object: .closedInvitations, days: retention.closedInvitationsDays),
                PurgeTask(object: .retiredCodes, days: retention.retiredCodesDays),
                PurgeTask(object: .codeUsageLog, days: retention.codeUsageLogDays),
                PurgeTask(object: .rateLimits, days: retention.rateLimitsDays),
                PurgeTask(object: .codeLookups, days: retention.rateLimitsDays),
                PurgeTask(object: .idempotencyKeys, days: retention.idempotencyKeysDays),
                PurgeTask(object: .removedMembers, days: retention.removedMembersDays),
                PurgeTask(object: .emptyFamilies, days: retention.emptyFamiliesDays),
                PurgeTask(object: .endedSessions, days: retention.endedSessionsDays),
                PurgeTask(object: .signInsLog, days: retention.signInsDays),
                PurgeTask(object: .emailTokens, days: retention.rateLimitsDays),
                // The database determines how long these are kept.
                PurgeTask(object: .familyChanges), PurgeTask(object: .userChanges),
                PurgeTask(object: .answeredChallenges, days: retention.rateLimitsDays),
                PurgeTask(object: .wrongCodes),
                PurgeTask(object: .jobHistoryDays, days: retention.jobHistoryDays),
            ] + auditTasks, shouldStop, report)
    }

    /// Tasks for the audit log. Partitions for coming months are created whatever the retention.
    private var auditTasks: [PurgeTask] {
        let days = retention.auditDays
        let (months, entries): (Object, Object) =
            retention.keepsUnexportedAudit
            ? (.auditMonths, .auditEntries) : (.unexportedAuditMonths, .unexportedAuditEntries)
        return [PurgeTask(object: months, days: days)]
            + (days == nil ? [] : [PurgeTask(object: entries, days: days)])
    }

    /// The work for one kind of object.
    private struct PurgeTask {
        let object: Object
        /// Minimum age in days of deleted data; unused for data that expire. Nil: nothing is
        /// deleted.
        var days: Int? = 0
    }

    /// Runs the tasks one after the other until `shouldStop` returns true. A failure does not stop
    /// the others, unless the database can't be reached; the first error is thrown at the end.
    private func run(
        _ tasks: [PurgeTask], _ shouldStop: () -> Bool, _ report: (Object, Int) -> Void
    ) throws -> Bool {
        var failure: UpkeepError?
        for task in tasks {
            do throws(UpkeepError) {
                guard try inBatches(task, shouldStop, report) else {
                    if let failure { throw failure }
                    return false
                }
            } catch {
                failure = failure ?? error
                if error.isUnreachable { break }
            }
        }
        if let failure { throw failure }
        return true
    }

    /// Runs a batch in one transaction, with the worker's statement or the operator's.
    private func change(
        _ task: PurgeTask, size: Int32, from: PostgresTimestamp?
    ) throws(UpkeepError) -> UpkeepBatch {
        do {
            return try pool.withConnection { connection in
                var batch = Batch()
                batch.add(Upkeep.commitAsynchronously)
                if let operatorName { batch.add(OperatorSessions.begin, operatorName) }
                let key = batch.add(
                    operatorName == nil ? Upkeep.batch : AdminJobs.purge, task.object.rawValue,
                    task.days.map { "\($0) days" }, size, from)
                return try connection.send(batch, writes: true).row(key)
            }
        } catch {
            throw UpkeepError(object: task.object, underlying: error)
        }
    }

    private func inBatches(
        _ task: PurgeTask, _ shouldStop: () -> Bool, _ report: (Object, Int) -> Void
    ) throws(UpkeepError) -> Bool {
        var unreported = 0
        func reportProgress() {
            if unreported > 0 { report(task.object, unreported) }
            unreported = 0
        }
        defer { reportProgress() }
        var nextReport = Deadline.after(seconds: Self.reportSeconds)
        return try BatchPacing.inBatches(
            of: task.object.isPartition ? 1 : nil, shouldStop: shouldStop
        ) { (size, reached) throws(UpkeepError) in
            let batch = try change(task, size: size, from: reached)
            unreported += Int(batch.count)
            if nextReport.hasPassed {
                reportProgress()
                nextReport = .after(seconds: Self.reportSeconds)
            }
            return batch
        }
    }
}

extension ExpireAndPurge.Object {
    /// Whether the data are a partition that is dropped as a whole. This locks the parent table, so
    /// each is dropped in a separate transaction.
    fileprivate var isPartition: Bool {
        switch self {
        case .jobHistoryDays, .auditMonths, .unexportedAuditMonths: true
        default: false
        }
    }
}
