import Glibc
package import Postgres
import Repositories

/// Lets expire what has run out, and forgets what was kept long enough.
///
/// Nothing depends on it being in time: what has expired is refused by the clock. Works in batches,
/// a transaction each; may be cut off anywhere and run again.
package struct ExpireAndPurge: Sendable {
    /// The queue of the jobs that do it.
    package static let queue = "upkeep"

    /// What was changed or removed, by name.
    package enum Object: String, Sendable, CaseIterable {
        case expiredInvitations = "expired_invitations"
        case expiredCodes = "expired_codes"
        case closedInvitations = "closed_invitations"
        case retiredCodes = "retired_codes"
        case codeUsageLog = "code_usage_log"
        case rateLimits = "rate_limits"
        case idempotencyKeys = "idempotency_keys"
        case removedMembers = "removed_members"
        case emptyFamilies = "empty_families"
        case jobHistoryDays = "job_history_days"
    }

    /// Rows that a transaction changes at most.
    private static let batch: Int32 = 1_000

    private let pool: Pool
    private let retention: Retention
    private let operatorName: String?

    /// - Parameters:
    ///   - pool: As the role hearth_worker; with an operator, as hearth_admin.
    ///   - operatorName: In whose name it is done, where it isn't the worker that does it.
    package init(
        _ pool: Pool, _ retention: Retention = Retention(), operatorName: String? = nil
    ) {
        self.pool = pool
        self.retention = retention
        self.operatorName = operatorName
    }

    /// Closes invitations and retires codes whose time is over.
    ///
    /// - Parameters:
    ///   - shouldStop: Asked between batches.
    ///   - report: Told after each batch that changed anything.
    /// - Returns: Whether it went through to the end.
    package func expire(
        shouldStop: () -> Bool, report: (Object, Int) -> Void
    ) throws -> Bool {
        try inBatches(.expiredInvitations, days: 0, shouldStop, report) {
            $0.add(Upkeep.expireInvitations, Self.batch)
        }
            && inBatches(.expiredCodes, days: 0, shouldStop, report) {
                $0.add(Upkeep.expireCodes, Self.batch)
            }
    }

    /// Removes what has been kept for as long as it should be.
    ///
    /// - Returns: As ``expire(shouldStop:report:)``.
    package func purge(shouldStop: () -> Bool, report: (Object, Int) -> Void) throws -> Bool {
        let statements: [(Object, Statement<Scalar<Int32>, String, Int32>, days: Int)] = [
            (.closedInvitations, Upkeep.invitations, retention.closedInvitationsDays),
            (.retiredCodes, Upkeep.retiredCodes, retention.retiredCodesDays),
            (.codeUsageLog, Upkeep.codeUsageLog, retention.codeUsageLogDays),
            (.rateLimits, Upkeep.rateLimits, retention.rateLimitsDays),
            (.idempotencyKeys, Upkeep.idempotencyKeys, retention.idempotencyKeysDays),
            (.removedMembers, Upkeep.removedMembers, retention.removedMembersDays),
            (.emptyFamilies, Upkeep.emptyFamilies, retention.emptyFamiliesDays),
        ]
        for (object, statement, days) in statements {
            let isWhole = try inBatches(object, days: days, shouldStop, report) {
                $0.add(statement, "\(days) days", Self.batch)
            }
            guard isWhole else { return false }
        }
        let days = retention.jobHistoryDays
        let dropped = try change(.jobHistoryDays, days: days) {
            $0.add(Upkeep.jobHistory, "\(days) days")
        }
        if dropped > 0 { report(.jobHistoryDays, Int(dropped)) }
        return true
    }

    /// One transaction: what the worker's statement does, or the same in an operator's name.
    private func change(
        _ object: Object, days: Int,
        _ add: (inout Batch) -> Batch.Place<Scalar<Int32>>
    ) throws -> Int32 {
        try pool.withConnection { connection in
            var batch = Batch()
            let place: Batch.Place<Scalar<Int32>>
            if let operatorName {
                batch.add(OperatorSessions.begin, operatorName)
                place = batch.add(
                    OperatedJobs.purge, object.rawValue, "\(days) days", Self.batch)
            } else {
                place = add(&batch)
            }
            return try connection.send(batch, writes: true).row(place).value
        }
    }

    private func inBatches(
        _ object: Object, days: Int, _ shouldStop: () -> Bool, _ report: (Object, Int) -> Void,
        _ add: (inout Batch) -> Batch.Place<Scalar<Int32>>
    ) throws -> Bool {
        while true {
            if shouldStop() { return false }
            let began = Deadline.after(seconds: 0)
            let count = try change(object, days: days, add)
            if count > 0 { report(object, Int(count)) }
            if count < Self.batch { return true }
            // Half of the time is left to those who are served meanwhile. A rest, not a wait for
            // something; half a second at most, so that it never holds up a shutdown.
            let took = Deadline.after(seconds: 0).nanoseconds - began.nanoseconds
            usleep(UInt32(min(took / 1_000, 500_000)))
        }
    }
}
