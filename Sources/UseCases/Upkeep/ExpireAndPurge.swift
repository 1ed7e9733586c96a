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

    /// Seconds between two reports of the same thing.
    private static let reportSeconds = 1.0

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
    ///   - report: Told what was changed since it was told last: every second, and at the end,
    ///     be that an error's.
    /// - Returns: Whether it went through to the end.
    package func expire(
        shouldStop: () -> Bool, report: (Object, Int) -> Void
    ) throws -> Bool {
        try inBatches(.expiredInvitations, days: 0, shouldStop, report) {
            $0.add(Upkeep.expireInvitations, $1, $2)
        }
            && inBatches(.expiredCodes, days: 0, shouldStop, report) {
                $0.add(Upkeep.expireCodes, $1, $2)
            }
    }

    /// Removes what has been kept for as long as it should be.
    ///
    /// - Returns: As ``expire(shouldStop:report:)``.
    package func purge(shouldStop: () -> Bool, report: (Object, Int) -> Void) throws -> Bool {
        let statements: [(Object, Forgetting, days: Int)] = [
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
                $0.add(statement, "\(days) days", $1, $2)
            }
            guard isWhole else { return false }
        }
        let days = retention.jobHistoryDays
        let dropped = try change(.jobHistoryDays, days: days, size: 0, from: nil) { batch, _, _ in
            batch.add(Upkeep.jobHistory, "\(days) days")
        }.count
        if dropped > 0 { report(.jobHistoryDays, Int(dropped)) }
        return true
    }

    /// Takes an age as an interval, rows at most, and where to begin.
    private typealias Forgetting = Statement<UpkeepBatch, String, Int32, PostgresTimestamp?>
    private typealias Place = Batch.Place<UpkeepBatch>
    /// Adds a statement that changes so many rows, from a moment on.
    private typealias Adding = (inout Batch, _ size: Int32, _ from: PostgresTimestamp?) -> Place

    /// One transaction: what the worker's statement does, or the same in an operator's name.
    private func change(
        _ object: Object, days: Int, size: Int32, from: PostgresTimestamp?, _ add: Adding
    ) throws -> UpkeepBatch {
        try pool.withConnection { connection in
            var batch = Batch()
            batch.add(Upkeep.unawaited)
            let place: Place
            if let operatorName {
                batch.add(OperatorSessions.begin, operatorName)
                place = batch.add(
                    OperatedJobs.purge, object.rawValue, "\(days) days", size, from)
            } else {
                place = add(&batch, size, from)
            }
            return try connection.send(batch, writes: true).row(place)
        }
    }

    private func inBatches(
        _ object: Object, days: Int, _ shouldStop: () -> Bool, _ report: (Object, Int) -> Void,
        _ add: Adding
    ) throws -> Bool {
        var pace = Pace()
        var reached: PostgresTimestamp?
        var unreported = 0
        func tell() {
            if unreported > 0 { report(object, unreported) }
            unreported = 0
        }
        defer { tell() }
        var nextReport = Deadline.after(seconds: Self.reportSeconds)
        while true {
            if shouldStop() { return false }
            let size = pace.size
            let batch = try change(object, days: days, size: size, from: reached, add)
            unreported += Int(batch.count)
            if batch.count < size { return true }
            if nextReport.hasPassed {
                tell()
                nextReport = .after(seconds: Self.reportSeconds)
            }
            reached = batch.reached
            // A rest, not a wait for something.
            usleep(UInt32(pace.rest(after: UInt64(max(0, batch.microseconds)))))
        }
    }
}
