package import Domain
package import Postgres

/// A job as operators see it.
package struct OperatedJob: RowDecodable, Sendable {
    package let id: Int64
    /// `ready`, `running` or `dead`.
    package let state: String
    package let queue: String
    /// What it does, such as `mail.invitation`.
    package let kind: String
    /// Nil for a job that is no family's.
    package let family: FamilyID?
    /// How often it has failed.
    package let attempt: Int16
    /// With how many failures it is given up.
    package let maximumAttempts: Int16
    /// How often it was in the hands of a worker that vanished.
    package let crashes: Int16
    /// When it was enqueued; nil for a dead one that was given up before that was kept.
    package let enqueuedAt: Timestamp?
    /// Not begun before this.
    package let runAt: Timestamp
    /// Not begun after this.
    package let notAfter: Timestamp?
    /// When it was given up; nil unless it is dead.
    package let diedAt: Timestamp?
    /// What it last failed with; nil if it never has.
    package let lastError: String?
    /// A JSON object; ids, never secrets.
    package let payload: PostgresJSON

    package static let row = RowDecoder(Self.init)
}

/// The state of a queue that has jobs or is paused.
package struct QueueStatistics: RowDecodable, Sendable {
    package let queue: String
    /// Jobs that wait, due or not.
    package let ready: Int
    /// Jobs that a worker has in hand.
    package let running: Int
    /// Jobs that were given up.
    package let dead: Int
    /// How long ago the oldest job that is due was enqueued; nil if none is due.
    package let oldestReadySeconds: Double?
    /// Nil unless the queue is paused.
    package let pause: QueuePause?

    package static let row = RowDecoder(Self.init)
}

/// Since when and why a queue is paused.
package struct QueuePause: RowDecodable, Sendable {
    package let since: Timestamp
    /// The time since then.
    package let seconds: Double
    /// The failure that concerned every job.
    package let reason: String

    package static let row = RowDecoder(Self.init)
}

/// Something that is wrong with a queue.
package struct QueueFault: RowDecodable, Sendable {
    /// `jobs_dead`, `jobs_failing`, `jobs_overdue`, `queue_paused` or `worker_away`.
    package let kind: String
    /// Empty with `worker_away`, which is about all queues.
    package let queue: String
    /// How many jobs are concerned; 1 for a paused queue.
    package let count: Int
    /// The kind of the jobs; for `jobs_failing` alone.
    package let jobKind: String?
    /// The most frequent error for `jobs_failing`, the reason of the pause for `queue_paused`.
    package let error: String?
    /// The beginning of the pause; for `queue_paused` alone.
    package let since: Timestamp?

    package static let row = RowDecoder(Self.init)
}

/// Something that a purge changes or removes, and how much of it.
package struct PurgeCount: RowDecodable, Sendable {
    /// As ``ExpireAndPurge`` names it: the raw value of an object.
    package let object: String
    /// How many there are of it.
    package let count: Int

    package static let row = RowDecoder(Self.init)
}

/// Work in the background, as operators read and change it.
package enum OperatedJobs {
    /// Live and dead ones under one roof.
    private static let all = """
        SELECT id, state, queue, kind, family_unit_id, attempt, max_attempts, crashes,
            enqueued_at, run_at, not_after, NULL::timestamptz AS died_at, last_error, payload
        FROM jobs.live
        UNION ALL
        SELECT id, 'dead', queue, kind, family_unit_id, attempt, max_attempts, crashes,
            enqueued_at, run_at, not_after, died_at, last_error, payload
        FROM jobs.dead
        """

    /// Those of a queue, state and kind (null: any), the newest first, from before the one of an id
    /// (null: from the newest), so many.
    package static let page = Statement<
        OperatedJob, String?, String?, String?, Int64?, Int32
    >(
        """
        SELECT * FROM (\(all)) AS j
        WHERE ($1::text IS NULL OR queue = $1) AND ($2::text IS NULL OR state = $2)
            AND ($3::text IS NULL OR kind = $3) AND ($4::bigint IS NULL OR id < $4)
        ORDER BY id DESC LIMIT $5
        """)

    /// The job of an id, live or dead; no row for none.
    package static let one = Statement<OperatedJob, Int64>(
        "SELECT * FROM (\(all)) AS j WHERE id = $1 ORDER BY state LIMIT 1")

    /// The state of each queue, as `jobs.stats` counts, with the pauses.
    package static let stats = Statement<QueueStatistics>(
        """
        SELECT queue, coalesce(s.ready, 0), coalesce(s.running, 0), coalesce(s.dead, 0),
            s.oldest_ready_seconds, p.since, p.seconds, p.reason
        FROM jobs.stats() AS s FULL JOIN jobs.pauses() AS p USING (queue) ORDER BY queue
        """)

    /// The pause of a job's queue; no row if it works, or if there is no such job.
    package static let pauseOfJob = Statement<QueuePause, Int64>(
        """
        SELECT p.since, p.seconds, p.reason
        FROM jobs.pauses() AS p JOIN jobs.live AS j USING (queue) WHERE j.id = $1
        """)

    /// Dead jobs; jobs that fail repeatedly, by kind; jobs that should have begun 15 minutes ago;
    /// paused queues; and whether work waits while no worker has been active for a minute.
    ///
    /// A job that was not tried yet, or only to probe a paused queue, counts from when it was
    /// enqueued.
    ///
    /// By the delays between attempts, the eighth failure comes some ten minutes after the first.
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

    /// Revives a dead job, or makes a waiting one due now; false if there is neither.
    package static let retry = Statement<Scalar<Bool>, Int64>("SELECT app.operator_retry_job($1)")
    /// Notifies workers of a live job's queue after this transaction's commit.
    package static let wake = Statement<NoRow, Int64>(
        """
        SELECT FROM (SELECT pg_notify('hearth_jobs', j.queue)
                     FROM jobs.live AS j WHERE j.id = $1) AS told
        """)
    /// Deletes a job in any state; of a running one the result is ignored. False if there is none.
    package static let cancel = Statement<Scalar<Bool>, Int64>(
        "SELECT app.operator_cancel_job($1)")
    /// A batch of the worker's purge, by the name of the reported object.
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
    /// The newest first: those that get no e-mail, those that are held off, and those that want no
    /// invitations.
    package static let heldOff = Statement<HeldOffAddress, Int32>(
        """
        SELECT h.email, h.state, h.since, h.until, h.reason, h.family_unit_id
        FROM (
            SELECT x.email, 'suppressed' AS state, x.since, NULL::timestamptz AS until, x.reason,
                NULL::uuid AS family_unit_id
            FROM app.suppressed_addresses AS x
            UNION ALL
            SELECT v.mailbox, 'held_off', v.held_since, v.held_since + app.hold_off_time(),
                v.reason, NULL
            FROM app.mail_verdicts AS v
            WHERE app.is_within(v.held_since, app.hold_off_time())
            UNION ALL
            SELECT r.email, 'no_invitations', r.since, NULL, 'wants no invitations',
                r.family_unit_id
            FROM app.refused_invitations AS r) AS h
        ORDER BY h.since DESC, h.email, h.state, h.family_unit_id LIMIT $1
        """)
    /// Allows e-mail to an address again, invitations included; false if nothing stopped it.
    package static let unsuppress = Statement<Scalar<Bool>, String>(
        "SELECT app.operator_unsuppress_address($1)")

    /// Ages in the order of the functions' parameters, each as an interval (null: kept for good),
    /// and whether only what was exported of the audit trail goes.
    package static let purgeable = Statement<
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

    /// Counts by name, as a JSON object.
    package static let notePurge = Statement<NoRow, PostgresJSON>("SELECT FROM app.note_purge($1)")
}
