package import Domain
package import Postgres

/// A job as operators see it.
package struct AdminJob: RowDecodable, Sendable {
    package let id: Int64
    /// State of the job: `ready`, `running` or `dead`.
    package let state: String
    package let queue: String
    /// Kind of the job, such as `mail.invitation`.
    package let kind: String
    /// The job's family; nil if it has none.
    package let family: FamilyID?
    /// Number of failures so far.
    package let attempt: Int16
    /// Maximum attempts before the job is discarded.
    package let maximumAttempts: Int16
    /// Number of times that the job's worker crashed.
    package let crashes: Int16
    /// Time at which the job was enqueued; nil if it was discarded by a release that did not record
    /// this time.
    package let enqueuedAt: Timestamp?
    /// Earliest start of the job.
    package let runAt: Timestamp
    /// Latest start of the job; nil for no limit.
    package let notAfter: Timestamp?
    /// Time at which the job was discarded; nil unless it is dead.
    package let diedAt: Timestamp?
    /// The last error; nil if it has never failed.
    package let lastError: String?
    /// A JSON object with ids, never secrets.
    package let payload: PostgresJSON

    package static let row = RowDecoder(Self.init)
}

/// The state of a queue that has jobs or is paused.
package struct QueueStatistics: RowDecodable, Sendable {
    package let queue: String
    /// Waiting jobs, due or not.
    package let ready: Int
    /// Jobs that a worker runs.
    package let running: Int
    /// Discarded jobs.
    package let dead: Int
    /// Seconds since the oldest due job was enqueued; nil if none is due.
    package let oldestReadySeconds: Double?
    /// The pause; nil unless the queue is paused.
    package let pause: QueuePause?

    package static let row = RowDecoder(Self.init)
}

/// The beginning of a queue's pause and its reason.
package struct QueuePause: RowDecodable, Sendable {
    package let since: Timestamp
    /// Seconds since then.
    package let seconds: Double
    /// The failure that affected every job.
    package let reason: String

    package static let row = RowDecoder(Self.init)
}

/// A fault of a queue.
package struct QueueFault: RowDecodable, Sendable {
    /// The kind: `jobs_dead`, `jobs_failing`, `jobs_overdue`, `queue_paused` or `worker_away`.
    package let kind: String
    /// The queue; empty with `worker_away`, which concerns all queues.
    package let queue: String
    /// Number of affected jobs; 1 for a paused queue.
    package let count: Int
    /// The kind of the jobs; only for `jobs_failing`.
    package let jobKind: String?
    /// The most frequent error for `jobs_failing`, the reason of the pause for `queue_paused`.
    package let error: String?
    /// The beginning of the pause; only for `queue_paused`.
    package let since: Timestamp?

    package static let row = RowDecoder(Self.init)
}

/// A kind of data that a purge changes or deletes, and its amount.
package struct PurgeCount: RowDecodable, Sendable {
    /// The object, by its raw value in ``ExpireAndPurge``.
    package let object: String
    /// Number of such objects.
    package let count: Int

    package static let row = RowDecoder(Self.init)
}

/// Statements that read and change background jobs for operators.
package enum AdminJobs {
    /// Live and dead jobs in one list.
    private static let selectAll = """
        SELECT id, state, queue, kind, family_unit_id, attempt, max_attempts, crashes,
            enqueued_at, run_at, not_after, NULL::timestamptz AS died_at, last_error, payload
        FROM jobs.live
        UNION ALL
        SELECT id, 'dead', queue, kind, family_unit_id, attempt, max_attempts, crashes,
            enqueued_at, run_at, not_after, died_at, last_error, payload
        FROM jobs.dead
        """

    /// Returns a page of jobs, newest first. Parameters: queue, state and kind (null: any), id of
    /// the job before which to begin (null: from the newest), maximum number.
    package static let page = Statement<
        AdminJob, String?, String?, String?, Int64?, Int32
    >(
        """
        SELECT * FROM (\(selectAll)) AS j
        WHERE ($1::text IS NULL OR queue = $1) AND ($2::text IS NULL OR state = $2)
            AND ($3::text IS NULL OR kind = $3) AND ($4::bigint IS NULL OR id < $4)
        ORDER BY id DESC LIMIT $5
        """)

    /// Returns a job, live or dead; no row if there is none.
    package static let one = Statement<AdminJob, Int64>(
        "SELECT * FROM (\(selectAll)) AS j WHERE id = $1 ORDER BY state LIMIT 1")

    /// Returns the state of each queue, as `jobs.stats` counts it, with its pause.
    package static let stats = Statement<QueueStatistics>(
        """
        SELECT queue, coalesce(s.ready, 0), coalesce(s.running, 0), coalesce(s.dead, 0),
            s.oldest_ready_seconds, p.since, p.seconds, p.reason
        FROM jobs.stats() AS s FULL JOIN jobs.pauses() AS p USING (queue) ORDER BY queue
        """)

    /// Returns the pause of a job's queue; no row if the queue is not paused or there is no such
    /// job.
    package static let pauseOfJob = Statement<QueuePause, Int64>(
        """
        SELECT p.since, p.seconds, p.reason
        FROM jobs.pauses() AS p JOIN jobs.live AS j USING (queue) WHERE j.id = $1
        """)

    /// Returns the faults: dead jobs; jobs that fail repeatedly, by kind; jobs that should have
    /// started 15 minutes ago; paused queues; and waiting jobs while no worker has been active for
    /// a minute.
    ///
    /// For a job that was never tried, or was tried only to probe a paused queue, the time counts
    /// from when it was enqueued.
    ///
    /// With the delays between attempts, the eighth failure comes about ten minutes after the
    /// first.
    package static let faults = Statement<QueueFault>(
        """
        SELECT 'jobs_dead', queue, count(*), NULL::text, NULL::text, NULL::timestamptz
            FROM jobs.dead GROUP BY queue
        UNION ALL
        SELECT 'jobs_failing', queue, count(*), kind, mode() WITHIN GROUP (ORDER BY last_error),
                NULL
            FROM jobs.live WHERE attempt >= 8 AND last_error IS NOT NULL
            GROUP BY queue, kind
        UNION ALL
        SELECT 'jobs_overdue', queue, count(*), NULL, NULL, NULL FROM jobs.live
            WHERE state = 'ready' AND run_at <= clock_timestamp()
                AND CASE WHEN attempt = 0 THEN least(enqueued_at, run_at) ELSE run_at END
                    < clock_timestamp() - interval '15 minutes'
            GROUP BY queue
        UNION ALL
        SELECT 'queue_paused', queue, 1, NULL, reason, since FROM jobs.pauses()
        UNION ALL
        SELECT 'worker_away', '', count(*), NULL, NULL, NULL FROM jobs.live
            WHERE run_at < clock_timestamp() - interval '1 minute' AND NOT EXISTS (
                SELECT FROM jobs.workers
                WHERE renewed_at BETWEEN clock_timestamp() - interval '1 minute'
                    AND clock_timestamp() + interval '1 minute')
            HAVING count(*) > 0
        ORDER BY 1, 2, 4
        """)

    /// Retries a dead job, or makes a waiting one due now; returns false if there is neither.
    package static let retry = Statement<Scalar<Bool>, Int64>("SELECT app.operator_retry_job($1)")
    /// Notifies the workers of a live job's queue after the commit of this transaction.
    package static let notifyWorkers = Statement<NoRow, Int64>(
        """
        SELECT FROM (SELECT pg_notify('hearth_jobs', j.queue)
                     FROM jobs.live AS j WHERE j.id = $1) AS told
        """)
    /// Deletes a job in any state; the result of a running one is ignored. Returns false if there
    /// is none.
    package static let cancel = Statement<Scalar<Bool>, Int64>(
        "SELECT app.operator_cancel_job($1)")
    /// Purges a batch of an object. Parameters: its name, then as for `Upkeep.batch`.
    package static let purge = Statement<
        UpkeepBatch, String, String?, Int32, PostgresTimestamp?
    >(
        """
        SELECT \(UpkeepBatch.columns)
        FROM app.operator_purge($1, $2::text::interval, $3, $4)
        """)
    /// Stops all e-mail to an address.
    package static let suppress = Statement<NoRow, String>(
        "SELECT FROM app.operator_suppress_address($1)")
    /// Returns the addresses that get no e-mail, those on hold, and those that want no invitations,
    /// newest first.
    package static let heldOff = Statement<HeldOffAddress, Int32>(
        """
        SELECT h.email, h.state, h.since, h.until, h.reason, h.family_unit_id
        FROM (
            SELECT x.email, 'suppressed' AS state, x.since, NULL::timestamptz AS until, x.reason,
                NULL::uuid AS family_unit_id
            FROM app.suppressed_addresses AS x
            UNION ALL
            SELECT v.mailbox, 'held_off', v.held_since, v.held_since + app.mail_hold_time(),
                v.reason, NULL
            FROM app.mail_verdicts AS v
            WHERE app.is_within(v.held_since, app.mail_hold_time())
            UNION ALL
            SELECT r.email, 'no_invitations', r.since, NULL, 'wants no invitations',
                r.family_unit_id
            FROM app.refused_invitations AS r) AS h
        ORDER BY h.since DESC, h.email, h.state, h.family_unit_id LIMIT $1
        """)
    /// Allows all e-mail to an address again, including invitations; returns false if nothing
    /// stopped it.
    package static let unsuppress = Statement<Scalar<Bool>, String>(
        "SELECT app.operator_unsuppress_address($1)")

    /// Returns the amounts that a purge would delete. Parameters: ages in the order of the
    /// functions' parameters, each as an interval (null: kept forever), and whether only exported
    /// entries of the audit log are deleted.
    package static let countPurgeable = Statement<
        PurgeCount, String, String, String, String, String, String, String, String, String,
        String?, Bool
    >(
        """
        SELECT object, due FROM app.count_purgeable(
            $1::text::interval, $2::text::interval, $3::text::interval, $4::text::interval,
            $5::text::interval, $6::text::interval, $7::text::interval,
            $8::text::interval)
        UNION ALL
        SELECT object, due FROM app.count_purgeable_parts(
            $9::text::interval, $10::text::interval, $11)
        """)

    /// Writes the audit entry of a purge. Parameter: counts by name, as a JSON object.
    package static let recordPurge = Statement<NoRow, PostgresJSON>(
        "SELECT FROM app.record_purge($1)")
}
