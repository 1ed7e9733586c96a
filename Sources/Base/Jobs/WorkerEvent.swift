package import Postgres

/// An event of a worker, for logs and metrics.
package enum WorkerEvent: Sendable {
    /// The worker acquired a lease. With `isNew` false it replaces the lease of a broken
    /// connection.
    case leaseAcquired(worker: Int32, isNew: Bool)
    /// The worker was too slow to renew its lease, and other workers take its jobs.
    case leaseLost
    /// The database did not respond; the worker keeps trying.
    case databaseUnreachable(PostgresError)
    /// The queue's statements fail; the worker keeps trying.
    case statementFailed(PostgresError)
    /// Notifications reach the worker; with false they don't, and it only polls.
    case listening(Bool)
    /// Jobs were claimed.
    ///
    /// - Parameter seconds: Duration of the round trip that claimed them.
    case claimed(queue: String, count: Int, seconds: Double)
    /// A job ended. A `retry` is reported once the database has stored it, as `dead` if it was the
    /// last attempt.
    case ended(kind: String, id: Int64, outcome: JobOutcome, attempt: Int, nanoseconds: Int)
    /// A job expired before it began, and was closed without being run.
    case expired(kind: String, id: Int64, attempt: Int)
    /// Results came too late, because another worker had taken the jobs over.
    case stale(count: Int)
    /// Jobs were taken over from workers that vanished.
    case reclaimed(count: Int)
    /// A job reported that the whole queue can't work: ``JobOutcome/pauseQueue(_:)``.
    case paused(queue: String, reason: String)
}

/// Observer of a worker's events; called by several threads at once.
package typealias WorkerObserver = @Sendable (WorkerEvent) -> Void
