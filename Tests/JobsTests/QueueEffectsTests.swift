import Postgres
import TestSupport
import Testing

/// Row-level effects of the queue's functions, beside rows that they must not change.
@Suite("Effects of queue functions")
struct QueueEffectsTests {
    private let queue: QueueDatabase
    private let connection: Connection
    private let worker: Int32

    init() throws {
        queue = try QueueDatabase()
        connection = try queue.connection()
        worker = try connection.query("SELECT jobs.acquire_lease('one')").scalar(Int32.self)
    }

    private func claim(_ name: String = "work", _ limit: Int32 = 10) throws -> [String] {
        try connection.lines(
            """
            SELECT kind || CASE WHEN expired THEN ' expired' ELSE '' END
            FROM jobs.claim(\(worker), \(name), '{a,b,c,d}', \(limit),
                array_fill('-infinity'::timestamptz, ARRAY[4]), array_fill(0::bigint, ARRAY[4]),
                0, '{}')
            """)
    }

    /// Returns the id and token of a claimed job.
    private func held(_ kind: String) throws -> (id: Int64, token: Int64) {
        try connection.query("SELECT id, token FROM jobs.live WHERE kind = \(kind)").map {
            (row) throws(PostgresError) in (try row.read(Int64.self), try row.read(Int64.self))
        }[0]
    }

    private func pause(_ queue: String, probeInSeconds seconds: Double) throws {
        try connection.query(
            """
            INSERT INTO jobs.paused_queues (queue, reason, probe_at)
            VALUES (\(queue), 'test', clock_timestamp() + \(seconds) * interval '1 second')
            """)
    }

    private func pausedQueues() throws -> [String] {
        try connection.lines("SELECT queue FROM jobs.paused_queues ORDER BY 1")
    }

    @Test("a claim takes due jobs of its queue and kinds, and no others")
    func claimed() throws {
        try queue.enqueue(kind: "a")
        try queue.enqueue(kind: "b", queue: "other")
        try queue.enqueue(kind: "foreign")
        try queue.enqueue(kind: "c")
        try queue.enqueue(kind: "d")
        try queue.execute(
            """
            UPDATE jobs.live SET run_at = clock_timestamp() + interval '1 hour' WHERE kind = 'c'
            """)
        try queue.execute(
            "UPDATE jobs.live SET not_after = now() - interval '1 second' WHERE kind = 'd'")
        #expect(try claim() == ["a", "d expired"])
        // Claimed jobs are not claimed again.
        #expect(try claim() == [])
        #expect(
            try queue.jobs() == [
                "a running by \(worker)", "b ready", "c ready later", "d running by \(worker)",
                "foreign ready",
            ])
    }

    @Test("a paused queue returns one job when a probe is due, and other queues are unaffected")
    func paused() throws {
        for name in ["work", "other", "free", "empty"] {
            for kind in ["a", "b"] where name != "empty" {
                try queue.enqueue(kind: kind, queue: name)
            }
        }
        try pause("work", probeInSeconds: 20)
        try pause("other", probeInSeconds: -1)
        try pause("empty", probeInSeconds: -1)
        #expect(try claim("work") == [])
        #expect(try claim("free") == ["a", "b"])
        #expect(try claim("empty") == [])
        #expect(try claim("other") == ["a"])
        // The next probe is due half a minute later; those of other queues stay.
        #expect(
            try connection.lines(
                """
                SELECT queue || ' ' || round(extract(epoch FROM probe_at - clock_timestamp()), -1)
                FROM jobs.paused_queues ORDER BY 1
                """) == ["empty 0", "other 30", "work 20"])
    }

    @Test("a pause without probes returns no job, and only resuming the queue ends it")
    func pausedUntilResumed() throws {
        for kind in ["a", "b"] { try queue.enqueue(kind: kind) }
        #expect(try claim("work", 1) == ["a"])
        func pause(_ arguments: String) throws -> Bool {
            try connection.query(SQL(unsafe: "SELECT jobs.pause(\(arguments))")).scalar(Bool.self)
        }
        #expect(try pause("'work', 'failure'"))
        #expect(try pause("'work', 'by hand', false"))
        #expect(try !pause("'work', 'again', false") && !pause("'work', 'failure'"))
        #expect(try connection.lines("SELECT reason FROM jobs.paused_queues") == ["by hand"])
        #expect(try claim() == [])
        // A job that was running when the queue was paused doesn't end the pause.
        let a = try held("a")
        let finished = try connection.query("SELECT jobs.complete(\([a.id]), \([a.token]))")
            .scalar(Int32.self)
        #expect(finished == 1)
        #expect(try pausedQueues() == ["work"] && claim() == [])
        #expect(try connection.query("SELECT jobs.resume('work')").scalar(Bool.self))
        #expect(try claim() == ["b"])
    }

    @Test("a claim without a valid lease is refused")
    func lost() throws {
        try queue.enqueue(kind: "a")
        try connection.query("SELECT jobs.acquire_lease('two')")
        try connection.query("DELETE FROM jobs.workers WHERE id = \(worker)")
        #expect(throws: PostgresError.self) { try claim() }
        #expect(try queue.jobs() == ["a ready"])
    }

    @Test("a start is recorded only with the job's current token")
    func started() throws {
        for kind in ["a", "b", "c"] { try queue.enqueue(kind: kind) }
        #expect(try claim() == ["a", "b", "c"])
        let (a, b) = (try held("a"), try held("b"))
        let begun = try connection.query(
            "SELECT jobs.start(\([a.id, b.id]), \([a.token, b.token + 1_000]))"
        ).map { (row) throws(PostgresError) in try row.read(Int64.self) }
        #expect(begun == [a.id])
        #expect(
            try queue.jobs() == [
                "a running by \(worker) started", "b running by \(worker)",
                "c running by \(worker)",
            ])
    }

    @Test("completing claimed jobs moves them to the history and resumes their paused queue")
    func completed() throws {
        for kind in ["a", "b"] { try queue.enqueue(kind: kind) }
        for kind in ["c", "d"] { try queue.enqueue(kind: kind, queue: "other") }
        #expect(try claim() == ["a", "b"] && claim("other") == ["c", "d"])
        try pause("work", probeInSeconds: 20)
        try pause("other", probeInSeconds: 20)
        func complete(_ ids: [Int64], _ tokens: [Int64]) throws -> Int32 {
            try connection.query("SELECT jobs.complete(\(ids), \(tokens))").scalar(Int32.self)
        }
        let (a, b, c) = (try held("a"), try held("b"), try held("c"))
        #expect(try complete([a.id], [a.token + 1_000]) == 0)
        #expect(try complete([a.id + 1_000], [a.token]) == 0)
        #expect(try pausedQueues() == ["other", "work"])
        #expect(try complete([a.id, b.id], [a.token, b.token + 1_000]) == 1)
        #expect(try pausedQueues() == ["other"])
        #expect(
            try queue.jobs() == [
                "a done", "b running by \(worker)", "c running by \(worker)",
                "d running by \(worker)",
            ])
        #expect(try complete([b.id, c.id], [b.token, c.token]) == 2)
        #expect(try pausedQueues() == [])
    }

    @Test("finishing jobs stores the reported outcomes, and leaves other jobs unchanged")
    func settled() throws {
        for kind in ["a", "b"] { try queue.enqueue(kind: kind) }
        func finish(_ kind: String, _ outcome: String, _ error: String, by token: Int64 = 0) throws
            -> Int32
        {
            let job = try held(kind)
            return try connection.query(
                """
                SELECT jobs.finish(\([job.id]), \([job.token + token]), \([outcome]),
                    \([60_000 as Int64]), \([error]))
                """
            ).scalar(Int32.self)
        }
        func again() throws {
            try queue.execute("UPDATE jobs.live SET run_at = now() WHERE state = 'ready'")
            #expect(try claim().contains("a"))
        }
        _ = try claim()
        #expect(try finish("a", "retry", "stale", by: 1_000) == 0)
        #expect(try finish("a", "released", "not now") == 1)
        #expect(try queue.jobs() == ["a ready not now later", "b running by \(worker)"])
        try again()
        // Without a new error the last one stays.
        #expect(try finish("a", "released", "") == 1)
        #expect(try queue.jobs() == ["a ready not now later", "b running by \(worker)"])
        try again()
        #expect(try finish("a", "retry", "failed") == 1)
        #expect(try queue.jobs() == ["a ready attempt 1 failed later", "b running by \(worker)"])
        try again()
        #expect(throws: PostgresError.self) { try finish("a", "unheard of", "") }
        #expect(try finish("a", "dead", "hopeless") == 1)
        #expect(try queue.jobs() == ["a dead attempt 2 hopeless", "b running by \(worker)"])
        try queue.execute("UPDATE jobs.live SET max_attempts = 1")
        #expect(try finish("b", "retry", "last") == 1)
        #expect(try queue.jobs() == ["a dead attempt 2 hopeless", "b dead attempt 1 last"])
    }

    @Test("finishing expired and cancelled jobs moves them to the history")
    func ended() throws {
        for kind in ["a", "b", "c"] { try queue.enqueue(kind: kind) }
        _ = try claim()
        let (a, b) = (try held("a"), try held("b"))
        let count = try connection.query(
            """
            SELECT jobs.finish(\([a.id, b.id]), \([a.token, b.token]),
                '{expired,cancelled}', '{0,0}', '{"",""}')
            """
        ).scalar(Int32.self)
        #expect(count == 2)
        #expect(
            try queue.jobs() == ["a expired", "b cancelled", "c running by \(worker)"])
    }

    @Test("the history has the times and the worker of finished jobs, and no failed attempts")
    func life() throws {
        for kind in ["a", "b", "c", "d"] { try queue.enqueue(kind: kind) }
        _ = try claim()
        let (a, b, c) = (try held("a"), try held("b"), try held("c"))
        _ = try connection.query(
            "SELECT jobs.complete(\([a.id]), \([a.token]), \([1_234 as Int32]))")
        _ = try connection.query(
            """
            SELECT jobs.finish(\([b.id, c.id]), \([b.token, c.token]), '{expired,cancelled}',
                '{0,0}', '{"",""}', '{0,7}')
            """)
        _ = try connection.query("SELECT jobs.cancel(id) FROM jobs.live WHERE kind = 'd'")
        let lines = try connection.lines(
            """
            SELECT concat_ws(' ', kind, coalesce(duration_ms::text, '-'),
                worker = \(worker), enqueued_at < finished_at)
            FROM jobs.history ORDER BY kind
            """)
        #expect(lines == ["a 1234 t t", "b - t t", "c 7 t t", "d - t t"])
        #expect(try queue.count("SELECT count(*) FROM jobs.attempts") == 0)
    }

    @Test("the history has the account of an e-mail, however it ended, and of no other job")
    func recipients() throws {
        let account = "11111111-1111-4111-8111-111111111111"
        for kind in ["a", "b", "c", "d"] {
            try connection.query(
                """
                SELECT jobs.enqueue('mail', \(kind), NULL,
                    jsonb_build_object('recipient', \(account)::text))
                """)
        }
        let others: [SQL] = [
            "SELECT jobs.enqueue('work', 'e', NULL, '{\"recipient\": \"\(unsafe: account)\"}')",
            "SELECT jobs.enqueue('mail', 'f', NULL, '{\"recipient\": \"somebody\"}')",
            "SELECT jobs.enqueue('mail', 'g', NULL, '{\"recipient\": null}')",
            "SELECT jobs.enqueue('mail', 'h', NULL, '{}')",
        ]
        for other in others { try connection.query(other) }
        _ = try claim("mail")
        let (a, b, c) = (try held("a"), try held("b"), try held("c"))
        _ = try connection.query("SELECT jobs.complete(\([a.id]), \([a.token]))")
        _ = try connection.query(
            """
            SELECT jobs.finish(\([b.id, c.id]), \([b.token, c.token]), '{expired,cancelled}',
                '{0,0}', '{"",""}')
            """)
        _ = try connection.query("SELECT jobs.cancel(id) FROM jobs.live")
        let lines = try connection.lines(
            """
            SELECT concat_ws(' ', kind, outcome, coalesce(recipient::text, '-'))
            FROM jobs.history ORDER BY kind
            """)
        #expect(
            lines == [
                "a done \(account)", "b expired \(account)", "c cancelled \(account)",
                "d cancelled \(account)", "e cancelled -", "f cancelled -", "g cancelled -",
                "h cancelled -",
            ])
    }

    @Test("a queue fails after three failed attempts without a success since the first of them")
    func failing() throws {
        func failing() throws -> [String] {
            try connection.lines("SELECT concat_ws(' ', queue, error) FROM jobs.failing_queues()")
        }
        func begin(_ kind: String) throws -> (id: Int64, token: Int64) {
            try queue.execute("UPDATE jobs.live SET run_at = now() WHERE state = 'ready'")
            _ = try claim()
            let job = try held(kind)
            return (job.id, job.token)
        }
        func fail(_ kind: String, _ error: String) throws {
            let job = try begin(kind)
            _ = try connection.query(
                """
                SELECT jobs.finish(\([job.id]), \([job.token]), '{retry}', '{60000}', \([error]))
                """)
        }
        func succeed(_ kind: String) throws {
            try queue.enqueue(kind: kind)
            let job = try begin(kind)
            _ = try connection.query(
                "SELECT jobs.complete(\([job.id]), \([job.token]), '{1}'::integer[])")
        }
        func release() throws {
            try queue.execute(
                """
                UPDATE jobs.live SET state = 'ready', worker = NULL, token = NULL,
                    is_started = false WHERE state = 'running'
                """)
        }
        try succeed("d")
        for kind in ["a", "b"] { try queue.enqueue(kind: kind) }
        try fail("a", "451 later")
        try release()
        try fail("b", "451 later")
        try release()
        #expect(try failing() == [])
        try fail("a", "451 <ann@example.com> not now")
        #expect(try failing() == ["work 451 <<address>> not now"])
        // While the jobs are tried again, nothing is known that is new.
        try release()
        _ = try begin("a")
        #expect(try failing() == ["work 451 <<address>> not now"])
        try release()
        try pause("work", probeInSeconds: 30)
        #expect(try failing() == [])
        try queue.execute("SELECT jobs.resume('work')")
        #expect(try failing().count == 1)
        try succeed("c")
        #expect(try failing() == [])
        // One more failure is no sign, because the success is later than the other two.
        try release()
        try fail("a", "timeout")
        #expect(try failing() == [])
        for _ in 1...2 {
            try release()
            try fail("b", "connection refused")
        }
        #expect(try failing() == ["work connection refused"])
        try queue.execute("UPDATE jobs.attempts SET failed_at = failed_at - interval '121 minutes'")
        #expect(try failing() == [])
        // Failures of jobs that are not to be done any more do not count.
        try queue.execute("UPDATE jobs.attempts SET failed_at = clock_timestamp()")
        #expect(try failing().count == 1)
        try release()
        try queue.execute("SELECT jobs.cancel(id) FROM jobs.live")
        #expect(try failing() == [])
    }

    @Test("failed attempts are recorded without addresses, up to a limit per job")
    func attempts() throws {
        try queue.enqueue(kind: "a") { $0.maxAttempts = 100 }
        let id = try queue.count("SELECT id FROM jobs.live")
        let error = "at RCPT: 550 <a.b@example.com> unknown; write to 'x@y.example', bye"
        func fail(_ attempts: ClosedRange<Int>) throws {
            for attempt in attempts {
                try queue.execute("UPDATE jobs.live SET run_at = now() WHERE state = 'ready'")
                _ = try claim()
                let job = try held("a")
                _ = try connection.query(
                    """
                    SELECT jobs.finish(\([job.id]), \([job.token]), '{retry}', '{0}', \([error]),
                        \([Int32(attempt)]))
                    """)
            }
        }
        try fail(1...45)
        let attempts = try connection.lines(
            "SELECT attempt || ' ' || duration_ms FROM jobs.attempts WHERE job = \(id) ORDER BY id")
        #expect(attempts == (6...45).map { "\($0) \($0)" })
        let texts = try connection.lines("SELECT DISTINCT error FROM jobs.attempts")
        let expected = "at RCPT: 550 <<address>> unknown; write to '<address>', bye"
        #expect(texts == [expected])
        #expect(try connection.lines("SELECT last_error FROM jobs.live") == [expected])
        try connection.query("SELECT jobs.discard(\(id), \(error))")
        #expect(try connection.lines("SELECT last_error FROM jobs.dead") == [expected])
        try connection.query("SELECT jobs.retry(\(id))")
        let workers = try queue.count(
            "SELECT count(*) FROM jobs.attempts WHERE worker = \(worker)")
        #expect(workers == 40)
        // As after a retry by an operator.
        try queue.execute("UPDATE jobs.live SET attempt = 0")
        try fail(1...5)
        #expect(try queue.count("SELECT count(*) FROM jobs.attempts") == 40)
        #expect(try queue.count("SELECT max(attempt) FROM jobs.attempts") == 45)
    }

    @Test("old failed attempts are purged, and so are recent ones beyond the maximum that is kept")
    func purgedAttempts() throws {
        try queue.execute(
            """
            INSERT INTO jobs.attempts (job, attempt, queue, kind, error, failed_at)
            SELECT n, 1, 'work', 'a', 'failed', CASE WHEN n <= 3 THEN now() - interval '8 days'
                ELSE now() END FROM generate_series(1, 5) AS n
            """)
        func purge() throws { try queue.execute("SELECT jobs.maintain_history('7 days')") }
        try purge()
        #expect(try connection.lines("SELECT job::text FROM jobs.attempts") == ["4", "5"])
        try queue.execute(
            """
            CREATE OR REPLACE FUNCTION jobs.max_all_attempts_kept() RETURNS bigint
            LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 1
            """)
        try purge()
        #expect(try connection.lines("SELECT job::text FROM jobs.attempts") == ["5"])
    }

    @Test("an operator's cancellation or retry affects a single job")
    func operators() throws {
        for kind in ["a", "b", "c", "d"] { try queue.enqueue(kind: kind) }
        for kind in ["c", "d"] {
            try connection.query(
                """
                SELECT jobs.discard(id, 'lost') FROM jobs.live WHERE kind = \(kind)
                """)
        }
        let cancelled = try connection.query(
            "SELECT jobs.cancel(id) FROM jobs.live WHERE kind = 'a'"
        ).scalar(Bool.self)
        let revived = try connection.query(
            "SELECT jobs.retry(id) FROM jobs.dead WHERE kind = 'c'"
        ).scalar(Bool.self)
        #expect(cancelled && revived)
        #expect(try queue.jobs() == ["a cancelled", "b ready", "c ready lost", "d dead lost"])
        for statement in ["SELECT jobs.cancel(-1)", "SELECT jobs.retry(-1)"] {
            #expect(try !connection.query(SQL(unsafe: statement)).scalar(Bool.self))
        }
    }

    @Test("pausing a queue again keeps the first reason, and resuming affects only that queue")
    func pausing() throws {
        func ask(_ statement: String) throws -> Bool {
            try connection.query(SQL(unsafe: "SELECT jobs." + statement)).scalar(Bool.self)
        }
        #expect(try ask("pause('work', 'first')") && ask("pause('other', 'too')"))
        #expect(try !ask("pause('work', 'second')"))
        #expect(
            try connection.lines("SELECT reason FROM jobs.paused_queues ORDER BY 1") == [
                "first", "too",
            ])
        #expect(try ask("resume('work')"))
        #expect(try !ask("resume('work')"))
        #expect(try pausedQueues() == ["other"])
    }

    @Test("a job that fails as a probe of a paused queue counts as waiting since it was enqueued")
    func waiting() throws {
        try queue.enqueue(kind: "a")
        try queue.execute(
            """
            UPDATE jobs.live SET enqueued_at = clock_timestamp() - interval '14 minutes',
                run_at = clock_timestamp() - interval '1 minute'
            """)
        try pause("work", probeInSeconds: -1)
        #expect(try claim() == ["a"])
        let job = try held("a")
        try connection.query(
            "SELECT jobs.finish(\([job.id]), \([job.token]), '{released}', '{0}', '{530}')")
        let (waits, isPaused) = try connection.query(
            """
            SELECT s.oldest_ready_seconds, p.seconds BETWEEN 0 AND 60 AND p.reason = 'test'
            FROM jobs.stats() AS s JOIN jobs.pauses() AS p USING (queue)
            """
        ).map { (row) throws(PostgresError) in
            (try row.read(Double.self), try row.read(Bool.self))
        }[0]
        #expect(waits >= 840 && waits < 900 && isPaused)
        // A dead job keeps the time; a job that is retried starts to wait again.
        try connection.query("SELECT jobs.discard(id, 'lost') FROM jobs.live")
        let kept = try queue.count(
            "SELECT count(*) FROM jobs.dead WHERE enqueued_at < now() - interval '14 minutes'")
        #expect(kept == 1)
        try connection.query("SELECT jobs.retry(id) FROM jobs.dead")
        let anew = try queue.count(
            "SELECT count(*) FROM jobs.live WHERE enqueued_at > now() - interval '1 minute'")
        #expect(anew == 1)
    }

    @Test("queue statistics show waiting, running and dead jobs, and how long jobs have waited")
    func stats() throws {
        for kind in ["a", "b", "c", "d"] { try queue.enqueue(kind: kind) }
        try queue.enqueue(kind: "a", queue: "other")
        try connection.query(
            "SELECT jobs.discard(id, 'lost') FROM jobs.live WHERE kind = 'd'")
        try queue.execute(
            "UPDATE jobs.live SET run_at = now() + interval '1 hour' WHERE kind = 'b'")
        try queue.execute(
            """
            UPDATE jobs.live SET run_at = now() - interval '100 seconds'
            WHERE kind = 'c' OR queue = 'other'
            """)
        try queue.execute(
            """
            UPDATE jobs.live SET state = 'running', worker = \(worker), token = 1 WHERE kind = 'c'
            """)
        #expect(
            try connection.lines(
                """
                SELECT queue || ': ' || ready || ' ' || running || ' ' || dead || ' since '
                    || round(oldest_ready_seconds::numeric, -2) FROM jobs.stats()
                """) == ["other: 1 0 0 since 100", "work: 2 1 1 since 0"])
    }
}
