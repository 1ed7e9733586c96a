package import Postgres

/// A job, which can run as soon as the transaction that enqueues it has committed.
package struct NewJob: Sendable {
    /// The queue's name: lower-case letters, digits, `_.-`.
    package var queue: String
    /// The kind of work, which selects the handler.
    package var kind: String
    /// The owner of the work, such as a tenant, stored in the column `family_unit_id`. Nil for
    /// none.
    package var group: UInt128?
    /// A JSON object of at most 16 KiB. It may contain ids but no secrets, because operators can
    /// see it.
    package var payload: PostgresJSON
    /// 0 is the most urgent, 3 the least.
    package var priority: Int16 = 1
    /// Earliest start; nil for at once. A time more than a day ahead is treated as a clock error,
    /// and the job is due at once.
    package var runAt: PostgresTimestamp?
    /// Latest start; after it the job is closed as expired.
    package var notAfter: PostgresTimestamp?
    /// While a job of the same kind and key exists, no other is enqueued.
    package var uniqueKey: String?
    /// Number of failures after which the job is discarded.
    package var maxAttempts: Int16 = 20

    package init(queue: String, kind: String, payload: PostgresJSON, group: UInt128? = nil) {
        self.queue = queue
        self.kind = kind
        self.payload = payload
        self.group = group
    }
}

extension Batch {
    /// Adds the statement that enqueues a job. The job exists if and only if the batch's
    /// transaction commits. The statement returns the job's id, or null if a job with the same
    /// unique key is waiting.
    ///
    /// Workers find the job by polling; ``JobNotifier`` notifies them at once.
    @discardableResult
    package mutating func enqueue(_ job: NewJob) -> ResultKey<Scalar<Int64?>> {
        add(
            Queue.enqueue, job.queue, job.kind, job.group, job.payload, job.priority, job.runAt,
            job.notAfter, job.uniqueKey, job.maxAttempts)
    }

    /// Notifies workers of a queue when this transaction commits.
    ///
    /// Only for rare events, because transactions that notify commit one after another on the whole
    /// server. Frequent events use ``JobNotifier``.
    package mutating func notifyWorkers(_ queue: String) { add(Queue.notifyWithCommit, queue) }
}
