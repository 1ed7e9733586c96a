import Jobs
import Postgres
import TestSupport
import Testing

@Suite("Claims")
struct ClaimTests {
    private let queue: QueueDatabase
    init() throws { queue = try QueueDatabase() }

    @Test(
        "a claim scans its index in order, whatever the table's statistics are",
        arguments: ["none", "empty", "stale", "million"])
    func plan(statistics: String) throws {
        let connection = try queue.connection()
        let worker = try connection.query("SELECT jobs.acquire_lease('plan')").scalar(Int32.self)
        try connection.query("ALTER TABLE jobs.live SET (autovacuum_enabled = off)")
        switch statistics {
        case "empty": try connection.query("ANALYZE jobs.live")
        case "stale":
            try fill(connection, 5)
            try connection.query("ANALYZE jobs.live")
        case "million":
            // As if the table had been this large at the last ANALYZE.
            try fill(connection, 5)
            try connection.query("ANALYZE jobs.live")
            try connection.query(
                """
                UPDATE pg_class SET reltuples = 1e6, relpages = 60000
                WHERE oid = 'jobs.live'::regclass
                """)
        default: break
        }
        if statistics != "million" { try fill(connection, 20_000) }
        try connection.query("SELECT pg_stat_reset()")
        var claimed = 0
        for _ in 1...5 {
            claimed += try connection.query(
                """
                SELECT id FROM jobs.claim(\(worker), 'work', '{noop}', 1,
                    array_fill('-infinity'::timestamptz, ARRAY[4]),
                    array_fill(0::bigint, ARRAY[4]), 0, '{}')
                """
            ).count
        }
        #expect(claimed == 5)
        try connection.query("SELECT pg_stat_force_next_flush()")
        let (walks, entries) = try queue.connection().query(
            """
            SELECT idx_scan, idx_tup_read FROM pg_stat_user_indexes
            WHERE indexrelid = 'jobs.live_next'::regclass
            """
        ).map { (row) throws(PostgresError) in (try row.read(Int.self), try row.read(Int.self)) }[0]
        let scans = try queue.count(
            "SELECT seq_scan FROM pg_stat_user_tables WHERE relid = 'jobs.live'::regclass")
        #expect(scans == 0)
        // At most one scan per priority and claim, each starting after the jobs claimed before.
        #expect(walks >= 5 && walks <= 20 && entries < 60)
    }

    private func fill(_ connection: Connection, _ count: Int) throws {
        try connection.query(
            """
            INSERT INTO jobs.live (queue, kind, run_at)
            SELECT 'work', 'noop', clock_timestamp() + CASE
                WHEN n % 4 = 0 THEN interval '-1 minute' ELSE interval '1 hour' END
            FROM generate_series(0, \(count * 4 - 1)) AS n
            """)
    }

    @Test(
        "a claim records the start of jobs that begin at once, if their kind or state requires it")
    func starting() throws {
        for (kind, change) in [
            ("noop", ""), ("light", ""), ("light", "is_suspect = true"), ("light", "crashes = 1"),
            ("noop", "not_after = now() - interval '1 second'"), ("noop", ""),
        ] {
            try queue.enqueue(kind: kind)
            guard !change.isEmpty else { continue }
            try queue.execute(
                SQL(
                    unsafe: """
                        UPDATE jobs.live SET \(change) WHERE id = (SELECT max(id) FROM jobs.live)
                        """))
        }
        try queue.execute(
            """
            SELECT jobs.claim(jobs.acquire_lease('by-hand'), 'work', '{noop,light}', 6,
                array_fill('-infinity'::timestamptz, ARRAY[4]),
                array_fill(0::bigint, ARRAY[4]), 5, '{noop}')
            """)
        let started = try queue.text(
            "SELECT string_agg(is_started::text, ' ' ORDER BY id) FROM jobs.live")
        #expect(started == "true false true true false false")
    }

    @Test("a worker runs a job that becomes visible after it has claimed later jobs")
    func late() throws {
        let tally = Tally()
        // The worker polls, and continues after the jobs that it has already claimed.
        let worker = try queue.worker(
            [
                JobKind("noop") { job, _ in
                    tally.add(job.id)
                    return .done
                }
            ], batch: 10, listens: false)
        try queue.connection().transaction { transaction in
            // Enqueued first, visible last.
            try transaction.query(
                """
                INSERT INTO jobs.live (queue, kind, run_at)
                VALUES ('work', 'noop', clock_timestamp() - interval '1 minute')
                """)
            try queue.enqueue(50)
            try eventually { tally.total == 50 }
        }
        try eventually { tally.total == 51 }
        #expect(tally.distinct == 51 && tally.most == 1)
        #expect(worker.stop(deadlineSeconds: 60))
    }

    @Test("concurrent workers run every job exactly once")
    func shared() throws {
        let tally = Tally()
        try queue.enqueue(1000)
        let workers = try (1...3).map { _ in
            try queue.worker(
                [
                    JobKind("noop", recordsStart: false) { job, _ in
                        tally.add(job.id)
                        return .done
                    }
                ], batch: 20)
        }
        try eventually { try queue.live() == 0 }
        for worker in workers { #expect(worker.stop(deadlineSeconds: 60)) }
        #expect(tally.distinct == 1000 && tally.most == 1)
    }

    @Test("the API can't use the queue's tables and functions, and workers can't write its tables")
    func privileges() throws {
        try queue.enqueue()
        let connection = try Connection(queue.test.settings(as: "hearth_api"))
        for sql in [
            "SELECT * FROM jobs.live", "DELETE FROM jobs.live", "SELECT jobs.acquire_lease('x')",
            "SELECT jobs.complete('{1}', '{1}')", "SELECT * FROM jobs.dead",
            "INSERT INTO jobs.live (queue, kind) VALUES ('a', 'b')", "SELECT jobs.tick(now())",
        ] {
            let error = #expect(throws: PostgresError.self) {
                try connection.query(SQL(unsafe: sql))
            }
            #expect(error?.sqlState == .insufficientPrivilege, "\(sql)")
        }
        let worker = try Connection(queue.settings)
        for sql in [
            "DELETE FROM jobs.live", "UPDATE jobs.live SET token = 1", "TRUNCATE jobs.live",
        ] {
            let error = #expect(throws: PostgresError.self) { try worker.query(SQL(unsafe: sql)) }
            #expect(error?.sqlState == .insufficientPrivilege, "\(sql)")
        }
    }
}
