package import Postgres

/// The SQL statements of the queue. Almost all call a single SQL function that implements the rule,
/// so that plans stay on the server even where a pooler forbids prepared statements.
package enum Queue {
    /// The channel that announces the names of queues with new jobs.
    package static let channel = "hearth_jobs"

    static let enqueue = Statement<
        Scalar<Int64?>, String, String, UInt128?, PostgresJSON, Int16, PostgresTimestamp?,
        PostgresTimestamp?, String?, Int16
    >("SELECT jobs.enqueue($1, $2, $3, $4, $5, $6, $7, $8, $9)")

    static let notify = Statement<NoRow, String>(
        """
        SELECT FROM (SELECT set_config('synchronous_commit', 'off', true),
            pg_notify('hearth_jobs', $1)) AS sent
        """)

    static let notifyWithCommit = Statement<NoRow, String>(
        "SELECT FROM (SELECT pg_notify('hearth_jobs', $1)) AS sent")

    static let claim = Statement<
        Job, Int32, String, [String], Int32, [PostgresTimestamp], [Int64], Int32, [String]
    >(
        """
        SELECT id, token, kind, family_unit_id, priority, run_at, expired, attempt, careful,
            started, payload
        FROM jobs.claim($1, $2, $3, $4, $5, $6, $7, $8)
        """)

    static let complete = Statement<Scalar<Int32>, [Int64], [Int64], [Int32]>(
        "SELECT jobs.complete($1, $2, $3)")

    static let finish = Statement<
        Scalar<Int32>, [Int64], [Int64], [String], [Int64], [String], [Int32]
    >("SELECT jobs.finish($1, $2, $3, $4, $5, $6)")

    /// Returns which of the given jobs were discarded.
    static let discarded = Statement<Scalar<Int64>, [Int64]>(
        "SELECT id FROM jobs.dead WHERE id = ANY ($1)")

    static let start = Statement<Scalar<Int64>, [Int64], [Int64]>("SELECT jobs.start($1, $2)")
    static let pause = Statement<Scalar<Bool>, String, String>("SELECT jobs.pause($1, $2)")
    static let acquireLease = Statement<Scalar<Int32>, String, Int32, [String]>(
        "SELECT jobs.acquire_lease($1, $2, $3)")
    static let releaseLease = Statement<Scalar<Int32>, Int32>("SELECT jobs.release_lease($1)")
    static let takeOverLease = Statement<LeaseTakeover, Int32, String, [Int64], Int32, [String]>(
        "SELECT worker, was_held FROM jobs.take_over_lease($1, $2, $3, $4, $5)")
    static let heartbeat = Statement<Heartbeat, Int32, [String], String?>(
        "SELECT held, reclaimed, ticked, wait_seconds FROM jobs.heartbeat($1, $2, $3)")
    static let upsertSchedule = Statement<NoRow, String, String, String, String?, String?, String>(
        "SELECT FROM jobs.upsert_schedule($1, $2, $3, $4::text::interval, $5::text::time, $6)")
}

/// The result of a heartbeat.
struct Heartbeat: RowDecodable, Sendable {
    let isHeld: Bool
    /// Number of jobs taken over from workers that vanished.
    let reclaimed: Int
    /// Number of schedules that were due.
    let ticked: Int
    /// Seconds until something without a notification is due.
    let waitSeconds: Double?

    static let row = RowDecoder(Self.init)
}

/// The result of replacing an old lease with a new one.
struct LeaseTakeover: RowDecodable, Sendable {
    let worker: Int32
    /// Whether the old lease was still valid, so that its jobs continue.
    let wasHeld: Bool

    static let row = RowDecoder(Self.init)
}

/// A schedule that enqueues jobs.
package struct Schedule: Sendable {
    /// The interval or time of day at which jobs are enqueued.
    package enum Rule: Sendable {
        /// Fixed interval from one second to a week, counted from midnight UTC of 2000-01-01.
        case every(seconds: Int)
        /// Daily at a local time such as `02:30` in a zone such as `Europe/Berlin`.
        case daily(at: String, zone: String)
    }

    /// The schedule's name, unique in the database. Storing a schedule again replaces it.
    package let name: String
    /// Queue of the scheduled jobs: ``NewJob/queue``.
    package let queue: String
    /// Kind of the scheduled jobs: ``NewJob/kind``.
    package let kind: String
    package let rule: Rule

    package init(name: String, queue: String, kind: String, _ rule: Rule) {
        self.name = name
        self.queue = queue
        self.kind = kind
        self.rule = rule
    }

    /// Adds the statement that stores this schedule. If the rule is unchanged, the next tick stays.
    package func upsert(in batch: inout Batch) {
        switch rule {
        case .every(let seconds):
            batch.add(
                Queue.upsertSchedule, name, queue, kind, "\(seconds) seconds", nil, "UTC")
        case .daily(let time, let zone):
            batch.add(Queue.upsertSchedule, name, queue, kind, nil, time, zone)
        }
    }
}
