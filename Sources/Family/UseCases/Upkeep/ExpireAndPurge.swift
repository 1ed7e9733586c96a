package import FamilySettings
package import Postgres
import Repositories
import Basics

/// Expires overdue invitations and codes, and deletes data whose retention period is over.
///
/// Nothing depends on it being on time: requests check expiry by the clock. Works in batches,
/// one transaction each; it may be interrupted at any point and run again.
package struct ExpireAndPurge: Sendable {
    /// The queue of the jobs that do it.
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
        case mailedTickets = "mailed_tickets"
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
        try each(
            [Work(object: .expiredInvitations), Work(object: .expiredCodes)], shouldStop, report)
    }

    /// Deletes data whose retention period is over.
    ///
    /// - Returns: Like ``expire(shouldStop:report:)``.
    package func purge(shouldStop: () -> Bool, report: (Object, Int) -> Void) throws -> Bool {
        try each(
            [
                Work(object: .closedInvitations, days: retention.closedInvitationsDays),
                Work(object: .retiredCodes, days: retention.retiredCodesDays),
                Work(object: .codeUsageLog, days: retention.codeUsageLogDays),
                Work(object: .rateLimits, days: retention.rateLimitsDays),
                Work(object: .codeLookups, days: retention.rateLimitsDays),
                Work(object: .idempotencyKeys, days: retention.idempotencyKeysDays),
                Work(object: .removedMembers, days: retention.removedMembersDays),
                Work(object: .emptyFamilies, days: retention.emptyFamiliesDays),
                Work(object: .endedSessions, days: retention.endedSessionsDays),
                Work(object: .mailedTickets, days: retention.rateLimitsDays),
                // The database fixes how long these are kept.
                Work(object: .familyChanges), Work(object: .userChanges),
                Work(object: .answeredChallenges, days: retention.rateLimitsDays),
                Work(object: .wrongCodes),
                Work(object: .jobHistoryDays, days: retention.jobHistoryDays),
            ] + auditWorks, shouldStop, report)
    }

    /// Works for the audit log. Its months are created ahead, whatever the retention.
    private var auditWorks: [Work] {
        let days = retention.auditDays
        let (months, entries): (Object, Object) =
            retention.keepsUnexportedAudit
            ? (.auditMonths, .auditEntries) : (.unexportedAuditMonths, .unexportedAuditEntries)
        return [Work(object: months, days: days)]
            + (days == nil ? [] : [Work(object: entries, days: days)])
    }

    /// The work for one kind of object.
    private struct Work {
        let object: Object
        /// Minimum age in days of deleted data; without meaning for data that expire. Nil: nothing
        /// is deleted.
        var days: Int? = 0
    }

    /// Runs works one after the other until `shouldStop` returns true. A failure does not stop the
    /// others, unless the database can't be reached; the first error is thrown at the end.
    private func each(
        _ works: [Work], _ shouldStop: () -> Bool, _ report: (Object, Int) -> Void
    ) throws -> Bool {
        var failure: UpkeepError?
        for work in works {
            do throws(UpkeepError) {
                guard try inBatches(work, shouldStop, report) else {
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

    /// Runs a batch in one transaction: the worker's statement, or the operator's version of it.
    private func change(
        _ work: Work, size: Int32, from: PostgresTimestamp?
    ) throws(UpkeepError) -> UpkeepBatch {
        do {
            return try pool.withConnection { connection in
                var batch = Batch()
                batch.add(Upkeep.unawaited)
                if let operatorName { batch.add(OperatorSessions.begin, operatorName) }
                let place = batch.add(
                    operatorName == nil ? Upkeep.batch : AdminJobs.purge, work.object.rawValue,
                    work.days.map { "\($0) days" }, size, from)
                return try connection.send(batch, writes: true).row(place)
            }
        } catch {
            throw UpkeepError(object: work.object, underlying: error)
        }
    }

    private func inBatches(
        _ work: Work, _ shouldStop: () -> Bool, _ report: (Object, Int) -> Void
    ) throws(UpkeepError) -> Bool {
        var unreported = 0
        func tell() {
            if unreported > 0 { report(work.object, unreported) }
            unreported = 0
        }
        defer { tell() }
        var nextReport = Deadline.after(seconds: Self.reportSeconds)
        return try BatchPacing.inBatches(
            of: work.object.isPart ? 1 : nil, shouldStop: shouldStop
        ) { (size, reached) throws(UpkeepError) in
            let batch = try change(work, size: size, from: reached)
            unreported += Int(batch.count)
            if nextReport.hasPassed {
                tell()
                nextReport = .after(seconds: Self.reportSeconds)
            }
            return batch
        }
    }
}

extension ExpireAndPurge.Object {
    /// Whether the data are a partition that is dropped as a whole. This locks the parent table, so
    /// each is dropped in a separate transaction.
    fileprivate var isPart: Bool {
        switch self {
        case .jobHistoryDays, .auditMonths, .unexportedAuditMonths: true
        default: false
        }
    }
}
