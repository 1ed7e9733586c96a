package import Postgres

/// A job to be done once the transaction that enqueues it has committed.
package struct NewJob: Sendable {
    /// Which queue it waits in; lower-case letters, digits, `_.-`.
    package var queue: String
    /// The kind of work.
    package var kind: String
    /// Whose work it is, such as a tenant's: the column `family_unit_id`. Nil for nobody's.
    package var group: UInt128?
    /// A JSON object of at most 16 KiB. Ids, never secrets: it is shown to operators.
    package var payload: PostgresJSON
    /// 0 is the most urgent, 3 the least.
    package var priority: Int16 = 1
    /// Not before this; nil is at once. A day ahead at most: what is further ahead is taken for the
    /// mistake of a clock, and is due at once.
    package var runAt: PostgresTimestamp?
    /// Not begun after this: it is then closed as expired.
    package var notAfter: PostgresTimestamp?
    /// While a job of the kind with the same key is there, no other is taken.
    package var uniqueKey: String?
    /// How often it may fail before it is given up.
    package var maxAttempts: Int16 = 20

    package init(queue: String, kind: String, payload: PostgresJSON, group: UInt128? = nil) {
        self.queue = queue
        self.kind = kind
        self.payload = payload
        self.group = group
    }
}

extension Batch {
    /// Adds the statement that enqueues a job. The job exists if, and only if, the batch's
    /// transaction commits. Returns its id, or null if a job with the same unique key is waiting.
    ///
    /// Workers find it by polling; ``WakeUps`` notifies them at once.
    @discardableResult
    package mutating func enqueue(_ job: NewJob) -> Place<Scalar<Int64?>> {
        add(
            Queue.enqueue, job.queue, job.kind, job.group, job.payload, job.priority, job.runAt,
            job.notAfter, job.uniqueKey, job.maxAttempts)
    }

    /// Notifies workers of a queue as soon as this transaction has committed.
    ///
    /// For rare events: on the whole server, transactions that notify commit one after another.
    /// Frequent events use ``WakeUps``.
    package mutating func wake(_ queue: String) { add(Queue.notifyWithCommit, queue) }
}
