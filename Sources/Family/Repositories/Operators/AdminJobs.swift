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
    /// The last error; nil if the job has never failed.
    package let lastError: String?
    /// A JSON object with ids, never secrets.
    package let payload: PostgresJSON

    package static let row = RowDecoder(Self.init)
}

/// A finished job; the queue keeps no payload of it.
package struct FinishedJob: RowDecodable, Sendable {
    package let id: Int64
    package let queue: String
    package let kind: String
    /// `done`, `expired` or `cancelled`.
    package let outcome: String
    /// The job's family; nil if it has none.
    package let family: FamilyID?
    /// Number of failures before the job finished.
    package let attempt: Int16
    /// Time at which the job was enqueued; nil if it finished under an earlier release.
    package let enqueuedAt: Timestamp?
    /// Time at which the last run began; nil if the job never began.
    package let begunAt: Timestamp?
    package let finishedAt: Timestamp
    /// Duration of the last run; nil if the job never began.
    package let milliseconds: Int32?
    /// The worker that ran the job; nil if none did.
    package let worker: Int32?

    package static let row = RowDecoder(Self.init)
}

/// A failed attempt of a job.
package struct JobAttempt: RowDecodable, Sendable {
    /// Number of the attempt, from 1; 0 if the worker vanished.
    package let attempt: Int16
    package let failedAt: Timestamp
    /// Duration of the run; nil if the worker vanished.
    package let milliseconds: Int32?
    /// The worker that ran the job.
    package let worker: Int32?
    /// The error, without addresses.
    package let error: String

    package static let row = RowDecoder(Self.init)
}

/// Discarded jobs with the same error.
package struct DeadJobGroup: RowDecodable, Sendable {
    package let queue: String
    package let kind: String
    /// The beginning of the last error.
    package let error: String
    package let count: Int
    /// Time at which the first and the last of them were discarded.
    package let firstAt: Timestamp
    package let lastAt: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// A schedule that enqueues jobs.
package struct AdminSchedule: RowDecodable, Sendable {
    package let name: String
    package let queue: String
    package let kind: String
    /// The rule, such as `every 00:01:00` or `daily at 07:30:00 UTC`.
    package let rule: String
    package let nextAt: Timestamp
    /// Time of the last tick; nil before the first.
    package let lastAt: Timestamp?

    package static let row = RowDecoder(Self.init)
}

/// A queue with its pause.
package struct AdminQueue: RowDecodable, Sendable {
    package let name: String
    /// Waiting jobs, due or not.
    package let ready: Int
    /// Jobs that a worker runs.
    package let running: Int
    /// Discarded jobs.
    package let dead: Int
    /// Seconds since the oldest due job was enqueued; nil if none is due.
    package let oldestReadySeconds: Double?
    /// The beginning of the pause; nil unless the queue is paused.
    package let pausedSince: Timestamp?
    /// Time from which one job is tried; nil unless the queue is paused because of a failure.
    package let probeAt: Timestamp?
    /// The reason of the pause.
    package let reason: String?
    /// The last error, if no job of the queue succeeds; nil otherwise.
    package let failure: String?

    /// Whether an operator paused the queue: the pause lasts until somebody resumes it.
    package var isPausedByOperator: Bool { pausedSince != nil && probeAt == nil }

    package static let row = RowDecoder(Self.init)
}

/// A worker process that holds a lease.
package struct AdminWorker: RowDecodable, Sendable {
    package let id: Int32
    /// Name of the process.
    package let label: String
    package let startedAt: Timestamp
    /// Last renewal of the lease, which expires 15 seconds later.
    package let renewedAt: Timestamp
    /// Whether the lease is valid.
    package let isAlive: Bool
    /// Number of jobs that the worker holds.
    package let held: Int
    /// Number of jobs that it runs at the same time; nil if it has not reported it.
    package let threads: Int32?

    package static let row = RowDecoder(Self.init)
}

/// The result of one batch of retried jobs.
package struct RetriedJobs: RowDecodable, Sendable {
    package let retried: Int32
    /// Jobs that stay dead, because another one with their unique key is live.
    package let skipped: Int32
    /// Id of the last job; nil if there was none.
    package let reached: Int64?

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
    /// Whether jobs wait to be tried again, and none succeeds.
    package let isFailing: Bool

    package static let row = RowDecoder(Self.init)
}

/// The beginning of a queue's pause and its reason.
package struct QueuePause: RowDecodable, Sendable {
    package let since: Timestamp
    /// Seconds since the beginning of the pause.
    package let seconds: Double
    /// The failure that affected every job, or the reason that an operator has given.
    package let reason: String

    package static let row = RowDecoder(Self.init)
}

/// The pause of a job's queue.
package struct JobPause: RowDecodable, Sendable {
    package let since: Timestamp
    /// The failure that affected every job, or the reason that an operator has given.
    package let reason: String
    /// Whether one job is tried every 30 seconds; false if an operator paused the queue.
    package let isProbed: Bool

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
    /// Whether an operator paused the queue; only for `queue_paused`.
    package let isByOperator: Bool?

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

    /// Returns a finished job; no row if it is not in the history.
    package static let finished = Statement<FinishedJob, Int64>(
        """
        SELECT h.id, h.queue, h.kind, h.outcome, h.family_unit_id, h.attempt, h.enqueued_at,
            h.finished_at - h.duration_ms * interval '1 millisecond', h.finished_at,
            h.duration_ms, h.worker
        FROM jobs.history AS h WHERE h.id = $1 ORDER BY h.finished_at DESC LIMIT 1
        """)
    /// Returns the failed attempts of a job, the newest first.
    package static let attempts = Statement<JobAttempt, Int64, Int32>(
        """
        SELECT a.attempt, a.failed_at, a.duration_ms, a.worker, a.error
        FROM jobs.attempts AS a WHERE a.job = $1 ORDER BY a.id DESC LIMIT $2
        """)
    /// Returns the discarded jobs by queue, kind and error, the most frequent error first.
    package static let deadGroups = Statement<DeadJobGroup, Int32>(
        """
        SELECT d.queue, d.kind, d.error, d.jobs, d.first_at, d.last_at
        FROM app.console_dead_jobs AS d ORDER BY d.jobs DESC, 1, 2, 3 LIMIT $1
        """)
    /// Returns each queue that has jobs, a pause, a schedule or a registered worker. The jobs are
    /// counted once.
    package static let queues = Statement<AdminQueue>(
        """
        WITH stats AS MATERIALIZED (SELECT * FROM jobs.stats())
        SELECT n.queue, coalesce(s.ready, 0), coalesce(s.running, 0), coalesce(s.dead, 0),
            s.oldest_ready_seconds, p.since, p.probe_at, p.reason, f.error
        FROM (SELECT queue FROM stats UNION SELECT queue FROM jobs.paused_queues
              UNION SELECT queue FROM jobs.schedules
              UNION SELECT unnest(queues) FROM jobs.workers) AS n
        LEFT JOIN stats AS s USING (queue)
        LEFT JOIN jobs.paused_queues AS p USING (queue)
        LEFT JOIN jobs.failing_queues() AS f USING (queue) ORDER BY n.queue
        """)
    /// Returns the schedules, the next one first.
    package static let schedules = Statement<AdminSchedule>(
        """
        SELECT s.name, s.queue, s.kind, coalesce('every ' || s.every,
            'daily at ' || s.at_local || ' ' || s.zone), s.next_at, s.last_at
        FROM jobs.schedules AS s ORDER BY s.next_at, s.name
        """)
    /// Returns the workers, the oldest first.
    package static let workers = Statement<AdminWorker>(
        """
        SELECT w.id, w.label, w.started_at, w.renewed_at,
            w.renewed_at > clock_timestamp() - interval '15 seconds',
            (SELECT count(*) FROM jobs.live AS j WHERE j.worker = w.id), w.threads
        FROM jobs.workers AS w ORDER BY w.started_at, w.id
        """)
    /// Retries a batch of dead jobs. Parameters: a part of their last error, whether it is the text
    /// of a group, queue and kind (null: any), maximum number, id of the job after which to begin.
    package static let retryAll = Statement<
        RetriedJobs, String, Bool, String?, String?, Int32, Int64
    >(
        """
        SELECT retried, skipped, reached
        FROM app.operator_retry_jobs($1, $2, $3, $4, $5, $6)
        """)

    /// Returns the state of each queue, as `jobs.stats` counts it, with its pause.
    package static let stats = Statement<QueueStatistics>(
        """
        SELECT queue, coalesce(s.ready, 0), coalesce(s.running, 0), coalesce(s.dead, 0),
            s.oldest_ready_seconds, p.since, p.seconds, p.reason, f.queue IS NOT NULL
        FROM jobs.stats() AS s FULL JOIN jobs.pauses() AS p USING (queue)
        LEFT JOIN jobs.failing_queues() AS f USING (queue) ORDER BY queue
        """)

    /// Returns the pause of a job's queue; no row if the queue is not paused or there is no such
    /// job.
    package static let pauseOfJob = Statement<JobPause, Int64>(
        """
        SELECT p.since, p.reason, p.probe_at IS NOT NULL
        FROM jobs.paused_queues AS p JOIN jobs.live AS j USING (queue) WHERE j.id = $1
        """)

    /// Returns the faults: dead jobs; jobs that fail repeatedly, by kind; jobs that should have
    /// started 15 minutes ago; paused queues; and waiting jobs while no worker has been active for
    /// a minute.
    ///
    /// For a job that was never tried, or was tried only to probe a paused queue, the 15 minutes
    /// begin when it was enqueued.
    ///
    /// A job fails repeatedly if it has failed at least eight times. With the delays between
    /// attempts, the eighth failure comes about ten minutes after the first.
    package static let faults = Statement<QueueFault>(
        """
        SELECT 'jobs_dead', queue, count(*), NULL::text, NULL::text, NULL::timestamptz,
                NULL::boolean
            FROM jobs.dead GROUP BY queue
        UNION ALL
        SELECT 'jobs_failing', queue, count(*), kind, mode() WITHIN GROUP (ORDER BY last_error),
                NULL, NULL
            FROM jobs.live WHERE attempt >= 8 AND last_error IS NOT NULL
            GROUP BY queue, kind
        UNION ALL
        SELECT 'jobs_overdue', queue, count(*), NULL, NULL, NULL, NULL FROM jobs.live
            WHERE state = 'ready' AND run_at <= clock_timestamp()
                AND CASE WHEN attempt = 0 THEN least(enqueued_at, run_at) ELSE run_at END
                    < clock_timestamp() - interval '15 minutes'
            GROUP BY queue
        UNION ALL
        SELECT 'queue_paused', queue, 1, NULL, reason, since, probe_at IS NULL
            FROM jobs.paused_queues
        UNION ALL
        SELECT 'worker_away', '', count(*), NULL, NULL, NULL, NULL FROM jobs.live
            WHERE run_at < clock_timestamp() - interval '1 minute' AND NOT EXISTS (
                SELECT FROM jobs.workers
                WHERE renewed_at BETWEEN clock_timestamp() - interval '1 minute'
                    AND clock_timestamp() + interval '1 minute')
            HAVING count(*) > 0
        ORDER BY 1, 2, 4
        """)

    /// Retries a dead job, or makes a waiting one due now; returns false if there is neither.
    package static let retry = Statement<Scalar<Bool>, Int64>("SELECT app.operator_retry_job($1)")
    /// Pauses a queue until it is resumed, with a reason; returns false if an operator has paused
    /// it already.
    package static let pauseQueue = Statement<Scalar<Bool>, String, String>(
        "SELECT app.operator_pause_queue($1, $2)")
    /// Resumes a queue; returns false if it is not paused.
    package static let resumeQueue = Statement<Scalar<Bool>, String>(
        "SELECT app.operator_resume_queue($1)")
    /// Makes a schedule due now; returns false if there is none of this name.
    package static let runSchedule = Statement<Scalar<Bool>, String>(
        "SELECT app.operator_run_schedule($1)")
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
    /// Records a message that is sent to test the delivery to an address. Refused if the address
    /// gets no e-mail.
    package static let testMail = Statement<NoRow, String>(
        "SELECT FROM app.operator_test_mail($1)")
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

    /// Returns the amounts of data that a purge would delete. Parameters: ages in the order of the
    /// functions' parameters, each as an interval (null: kept forever), and whether only exported
    /// entries of the audit log are deleted.
    package static let countPurgeable = Statement<
        PurgeCount, String, String, String, String, String, String, String, String, String, String,
        String?, Bool
    >(
        """
        SELECT object, due FROM app.count_purgeable(
            $1::text::interval, $2::text::interval, $3::text::interval, $4::text::interval,
            $5::text::interval, $6::text::interval, $7::text::interval,
            $8::text::interval, $9::text::interval)
        UNION ALL
        SELECT object, due FROM app.count_purgeable_parts(
            $10::text::interval, $11::text::interval, $12)
        """)

    /// Writes the audit entry of a purge. Parameter: counts by name, as a JSON object.
    package static let recordPurge = Statement<NoRow, PostgresJSON>(
        "SELECT FROM app.record_purge($1)")
}
