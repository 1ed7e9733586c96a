package import Domain
package import FamilySettings
import JSON
import Postgres
package import Repositories

extension OperatorSession {
    /// Jobs of a queue, state and kind (nil: any), the newest first.
    ///
    /// - Parameter before: The id of the job that the page before ended with.
    package func jobs(
        queue: String?, state: String?, kind: String?, before: Int64?, limit: Int
    ) throws -> (jobs: [OperatedJob], hasMore: Bool) {
        let rows = try rows(OperatedJobs.page, queue, state, kind, before, Int32(limit + 1))
        return (Array(rows.prefix(limit)), rows.count > limit)
    }

    /// One job, dead or alive.
    package func job(_ id: Int64) throws -> OperatedJob {
        guard let job = try rows(OperatedJobs.one, id).first else {
            throw OperatorRefusal(
                .jobNotFound, "There is no job \(id).",
                details: ["Finished jobs are not listed."])
        }
        return job
    }

    /// The state of the queues.
    package func queueStatistics() throws -> [QueueStatistics] { try rows(OperatedJobs.stats) }

    /// Faults of the queues.
    package func queueFaults() throws -> [QueueFault] { try rows(OperatedJobs.faults) }

    /// Has a dead or waiting job done now. Returns the pause of its queue if that is paused: then
    /// the job waits for the pause to end, unless the next probe chooses it.
    package func retryJob(_ id: Int64) throws -> QueuePause? {
        let (isFound, pause) = try run(writes: true) { batch in
            let place = batch.add(OperatedJobs.retry, id)
            batch.add(OperatedJobs.wake, id)
            let pauses = batch.add(OperatedJobs.pauseOfJob, id)
            return { (try $0.row(place).value, try $0.rows(pauses).first) }
        }
        if !isFound { throw Self.noJob(id) }
        return pause
    }

    /// Takes a job away, also from under a worker.
    package func cancelJob(_ id: Int64) throws {
        if try !change(OperatedJobs.cancel, id) { throw Self.noJob(id) }
    }

    /// Addresses that get no e-mail, or none with invitations, the newest first.
    package func heldOffAddresses(limit: Int32) throws -> [HeldOffAddress] {
        try rows(OperatedJobs.heldOff, limit)
    }

    /// Stops all e-mail to an address.
    package func suppress(_ address: EmailAddress) throws {
        try run(writes: true) { batch in
            batch.know(address)
            batch.add(OperatedJobs.suppress, address.text)
            return { _ in }
        }
    }

    /// Lets e-mail go to an address again that a mail server, its owner or an operator refused.
    package func unsuppress(_ address: EmailAddress) throws {
        if try !change(OperatedJobs.unsuppress, address.mailbox) {
            throw OperatorRefusal(
                .addressNotSuppressed, "This address is not suppressed.")
        }
    }

    /// What a purge would remove now, by the names of ``ExpireAndPurge/Object``.
    package func purgeable(_ retention: Retention) throws -> [PurgeCount] {
        func days(_ count: Int) -> String { "\(count) days" }
        return try rows(
            OperatedJobs.purgeable, days(retention.closedInvitationsDays),
            days(retention.retiredCodesDays), days(retention.codeUsageLogDays),
            days(retention.rateLimitsDays), days(retention.idempotencyKeysDays),
            days(retention.removedMembersDays), days(retention.emptyFamiliesDays),
            days(retention.endedSessionsDays), days(retention.jobHistoryDays),
            retention.auditDays.map(days), retention.keepsUnexportedAudit)
    }

    /// Writes down in the trail that the operator purged, and how much.
    package func notePurge(_ counts: [(object: String, count: Int)]) throws {
        var json = JSONWriter()
        json.object { for (object, count) in counts { $0.member(object, count) } }
        try change(OperatedJobs.notePurge, PostgresJSON(utf8: json.bytes))
    }

    private static func noJob(_ id: Int64) -> OperatorRefusal {
        OperatorRefusal(
            .jobNotFound, "There is no job \(id) that can be retried or cancelled.",
            details: ["Finished jobs are not listed; a running job can't be retried."])
    }
}
