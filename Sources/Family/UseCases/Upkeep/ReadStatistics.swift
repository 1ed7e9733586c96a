package import Postgres
package import Repositories

/// Reads statistics of queues and database, for monitoring: only numbers, so the policy is not
/// involved.
package struct ReadStatistics: Sendable {
    /// Statistics of the database at one time.
    package struct Statistics: Sendable {
        package let queues: [QueueStatistics]
        /// Age of the oldest open transaction in seconds; nil if the database's owner may not see
        /// it.
        package let oldestTransactionSeconds: Double?
        package let webhooks: WebhookStatistics
        /// Rate of wrong codes, and whether approval is required because of them.
        package let guessing: GuessingState
        /// The latest result of each area that doctor examined.
        package let doctor: [DoctorResult]
    }

    private let pool: Pool

    package init(_ pool: Pool) { self.pool = pool }

    /// Reads the statistics. Waits a second for a connection and five for the result: a million
    /// jobs take a third of a second.
    package func callAsFunction() throws -> Statistics {
        try pool.withConnection(deadline: .after(seconds: 1)) { connection in
            var batch = Batch()
            let queues = batch.add(AdminJobs.stats)
            let oldest = batch.add(DatabaseStatistics.oldestTransactionSeconds)
            let webhooks = batch.add(Webhooks.statistics)
            let guessing = batch.add(FamilyCodes.guessingState)
            let doctor = batch.add(DoctorResults.latest)
            let results = try connection.send(batch, deadline: .after(seconds: 5))
            return Statistics(
                queues: try results.rows(queues),
                oldestTransactionSeconds: try results.row(oldest).value,
                webhooks: try results.row(webhooks), guessing: try results.row(guessing),
                doctor: try results.rows(doctor))
        }
    }
}
