package import Postgres

/// An event of a worker, for logs and metrics.
package enum WorkerEvent: Sendable {
    /// It has a lease; `isNew` false: in the place of one that its broken connection had.
    case enlisted(worker: Int32, isNew: Bool)
    /// It was too slow to renew its lease: its jobs are somebody else's now.
    case leaseLost
    /// The database did not answer; the worker keeps trying.
    case databaseAway(PostgresError)
    /// The queue's statements fail; the worker keeps trying.
    case refused(PostgresError)
    /// Notifications reach it; or they don't, and it polls alone.
    case listening(Bool)
    /// - Parameter seconds: How long the round trip took that claimed them.
    case claimed(queue: String, count: Int, seconds: Double)
    /// After `retry` as soon as the database has taken it: `dead` when that was the last attempt.
    case ended(kind: String, id: Int64, outcome: JobOutcome, attempt: Int, nanoseconds: Int)
    /// Its time was over before it was begun, or done: it is closed without being run.
    case expired(kind: String, id: Int64, attempt: Int)
    /// Results that came too late: another worker had taken the jobs over.
    case stale(count: Int)
    /// Jobs taken from workers that vanished.
    case reclaimed(count: Int)
    /// A job has reported that the whole queue can't work: ``JobOutcome/pauseQueue(_:)``.
    case paused(queue: String, reason: String)
}

/// The observer; called by several threads at once.
package typealias WorkerObserver = @Sendable (WorkerEvent) -> Void
