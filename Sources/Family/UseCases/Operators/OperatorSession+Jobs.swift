package import Domain
package import FamilySettings
import JSON
import Postgres
package import Repositories

extension OperatorSession {
    /// Returns jobs of a queue, state and kind (nil: any), the newest first.
    ///
    /// - Parameter before: Id of the last job on the previous page.
    package func jobs(
        queue: String?, state: String?, kind: String?, before: Int64?, limit: Int
    ) throws -> (jobs: [AdminJob], hasMore: Bool) {
        let rows = try rows(AdminJobs.page, queue, state, kind, before, Int32(limit + 1))
        return (Array(rows.prefix(limit)), rows.count > limit)
    }

    /// Returns a job in any state.
    package func job(_ id: Int64) throws -> AdminJob {
        guard let job = try rows(AdminJobs.one, id).first else {
            throw OperatorRefusal(
                .jobNotFound, "There is no job \(id).",
                details: ["Finished jobs are not listed."])
        }
        return job
    }

    /// Returns a finished job; nil if the history has none with this id.
    package func finishedJob(_ id: Int64) throws -> FinishedJob? {
        try rows(AdminJobs.finished, id).first
    }

    /// Returns the failed attempts of a job, the newest first.
    package func attempts(ofJob id: Int64, limit: Int) throws -> [JobAttempt] {
        try rows(AdminJobs.attempts, id, Int32(limit))
    }

    /// Returns the discarded jobs, grouped by queue, kind and error.
    package func deadJobGroups(limit: Int) throws -> [DeadJobGroup] {
        try rows(AdminJobs.deadGroups, Int32(limit))
    }

    /// Returns the queues with their pauses.
    package func queues() throws -> [AdminQueue] { try rows(AdminJobs.queues) }

    /// Returns the schedules that enqueue jobs.
    package func schedules() throws -> [AdminSchedule] { try rows(AdminJobs.schedules) }

    /// Returns the worker processes that hold a lease.
    package func workers() throws -> [AdminWorker] { try rows(AdminJobs.workers) }

    /// Retries all dead jobs whose last error contains a text, in one transaction per 500 jobs.
    ///
    /// - Parameter isGroup: Whether `error` is that of a ``DeadJobGroup``, and only the jobs of the
    ///   group are retried.
    /// - Returns: The number of retried jobs, and of those that stay dead because another job with
    ///   their unique key is waiting or running.
    package func retryJobs(
        withError error: String, isGroup: Bool = false, queue: String?, kind: String?
    ) throws -> (retried: Int, skipped: Int) {
        var (retried, skipped, after) = (0, 0, Int64(0))
        while true {
            let batch = try run(writes: true) { batch in
                let key = batch.add(
                    AdminJobs.retryAll, error, isGroup, queue, kind, 500, after)
                return { try $0.row(key) }
            }
            retried += Int(batch.retried)
            skipped += Int(batch.skipped)
            guard let reached = batch.reached else { return (retried, skipped) }
            after = reached
        }
    }

    /// Returns the statistics of the queues.
    package func queueStatistics() throws -> [QueueStatistics] { try rows(AdminJobs.stats) }

    /// Returns faults of the queues.
    package func queueFaults() throws -> [QueueFault] { try rows(AdminJobs.faults) }

    /// Retries a dead or waiting job at once. Returns the pause of its queue if there is one: then
    /// the job waits until the pause ends, unless the queue's next probe runs it.
    package func retryJob(_ id: Int64) throws -> JobPause? {
        let (isFound, pause) = try run(writes: true) { batch in
            let key = batch.add(AdminJobs.retry, id)
            batch.add(AdminJobs.notifyWorkers, id)
            let pauses = batch.add(AdminJobs.pauseOfJob, id)
            return { (try $0.row(key).value, try $0.rows(pauses).first) }
        }
        if !isFound { throw Self.noJob(id) }
        return pause
    }

    /// Pauses a queue until an operator resumes it. A pause after a failure, which ends by itself,
    /// is replaced. Returns false if an operator has paused the queue already.
    package func pauseQueue(_ name: String, reason: String) throws -> Bool {
        try change(AdminJobs.pauseQueue, name, reason)
    }

    /// Resumes a queue at once. Returns false if it is not paused.
    package func resumeQueue(_ name: String) throws -> Bool {
        try change(AdminJobs.resumeQueue, name)
    }

    /// Makes a schedule due now.
    package func runSchedule(_ name: String) throws {
        if try !change(AdminJobs.runSchedule, name) {
            throw OperatorRefusal(.jobNotFound, "There is no schedule '\(name)'.")
        }
    }

    /// Cancels a job, even while a worker runs it.
    package func cancelJob(_ id: Int64) throws {
        if try !change(AdminJobs.cancel, id) { throw Self.noJob(id) }
    }

    /// Returns addresses that get no e-mail, are on hold, or want no invitations, the newest first.
    package func heldOffAddresses(limit: Int32) throws -> [HeldOffAddress] {
        try rows(AdminJobs.heldOff, limit)
    }

    /// Stops all e-mail to an address.
    package func suppress(_ address: EmailAddress) throws {
        try run(writes: true) { batch in
            batch.storeLabel(of: address)
            batch.add(AdminJobs.suppress, address.text)
            return { _ in }
        }
    }

    /// Records a message that the operator is about to send to an address, to test the delivery.
    ///
    /// - Throws: ``OperatorRefusal`` if the address gets no e-mail.
    package func recordTestMail(to address: EmailAddress) throws {
        try run(writes: true) { batch in
            batch.storeLabel(of: address)
            batch.add(AdminJobs.testMail, address.text)
            return { _ in }
        }
    }

    /// Resumes e-mail to an address that a mail server, its owner or an operator refused.
    package func unsuppress(_ address: EmailAddress) throws {
        if try !change(AdminJobs.unsuppress, address.mailbox) {
            throw OperatorRefusal(
                .addressNotSuppressed, "This address is not suppressed.")
        }
    }

    /// Returns the number of rows that a purge would delete now, by the names of
    /// ``ExpireAndPurge/Object``.
    package func purgeable(_ retention: Retention) throws -> [PurgeCount] {
        func days(_ count: Int) -> String { "\(count) days" }
        return try rows(
            AdminJobs.countPurgeable, days(retention.closedInvitationsDays),
            days(retention.retiredCodesDays), days(retention.codeUsageLogDays),
            days(retention.rateLimitsDays), days(retention.idempotencyKeysDays),
            days(retention.removedMembersDays), days(retention.emptyFamiliesDays),
            days(retention.endedSessionsDays), days(retention.signInsDays),
            days(retention.jobHistoryDays),
            retention.auditDays.map(days), retention.keepsUnexportedAudit)
    }

    /// Records in the audit log that the operator purged data, and how much.
    package func recordPurge(_ counts: [(object: String, count: Int)]) throws {
        var json = JSONWriter()
        json.object { for (object, count) in counts { $0.member(object, count) } }
        try change(AdminJobs.recordPurge, PostgresJSON(utf8: json.bytes))
    }

    private static func noJob(_ id: Int64) -> OperatorRefusal {
        OperatorRefusal(
            .jobNotFound, "There is no job \(id) that can be retried or cancelled.",
            details: ["Finished jobs are not listed; a running job can't be retried."])
    }
}
