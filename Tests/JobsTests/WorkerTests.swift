import Glibc
import Jobs
import Postgres
import TestSupport
import Testing
import Basics

@Suite("Worker")
struct WorkerTests {
    private let queue: QueueDatabase
    init() throws { queue = try QueueDatabase() }

    @Test("a worker runs every job exactly once")
    func drains() throws {
        let tally = Tally()
        try queue.enqueue(500)
        let worker = try queue.worker(
            [
                JobKind("noop", recordsStart: false) { job, _ in
                    tally.add(job.id); return .done
                }
            ],
            batch: 50)
        try eventually { try queue.live() == 0 }
        #expect(worker.stop(deadlineSeconds: 60))
        #expect(tally.total == 500 && tally.most == 1)
        let done = try queue.ended()
        #expect(done == 500)
        let workers = try queue.count("SELECT count(*) FROM jobs.workers")
        #expect(workers == 0)
    }

    @Test("a worker reports how long a job ran, whether it succeeds or fails")
    func durations() throws {
        try queue.enqueue(2)
        let worker = try queue.worker([
            JobKind("noop") { job, _ in
                // The duration itself is under test.
                usleep(20_000)
                return job.id == 1 ? .done : .dead("hopeless")
            }
        ])
        try eventually { try queue.live() == 0 }
        #expect(worker.stop(deadlineSeconds: 60))
        let finished = try queue.count(
            "SELECT count(*) FROM jobs.history WHERE duration_ms BETWEEN 20 AND 60000")
        let failed = try queue.count(
            """
            SELECT count(*) FROM jobs.attempts
            WHERE duration_ms BETWEEN 20 AND 60000 AND attempt = 1 AND error = 'hopeless'
            """)
        #expect(finished == 1 && failed == 1)
    }

    @Test("a worker reports its queues and threads, even with a lease that it takes over")
    func threads() throws {
        let kinds = [JobKind("noop") { _, _ in .done }]
        let worker = try Worker(
            queue.settings,
            queues: [
                QueueConfiguration(name: "work", kinds: kinds, threads: 3),
                QueueConfiguration(name: "other", kinds: kinds, threads: 2),
            ],
            label: "test", observe: { _ in })
        func leases() throws -> Int {
            try queue.count(
                """
                SELECT count(*) FROM jobs.workers
                WHERE threads = 5 AND queues = '{work,other}'
                """)
        }
        try eventually { try leases() == 1 }
        let first = try queue.count("SELECT max(id) FROM jobs.workers")
        try queue.execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND usename = 'hearth_worker'
            """)
        try eventually { try queue.count("SELECT max(id) FROM jobs.workers") > first }
        #expect(try leases() == 1)
        #expect(worker.stop(deadlineSeconds: 60))
    }

    @Test("a worker runs urgent jobs first")
    func urgency() throws {
        let order = Order()
        for priority in [Int16(3), 0, 2, 1] {
            try queue.enqueue { $0.priority = priority }
        }
        let worker = try queue.worker(
            [
                JobKind("noop", recordsStart: false) { job, _ in
                    order.add(job.id); return .done
                }
            ],
            threads: 1, batch: 4)
        try eventually { try queue.live() == 0 }
        #expect(worker.stop(deadlineSeconds: 60))
        #expect(order.ids == [2, 4, 3, 1])
    }

    @Test("a notified worker starts a new job without waiting for a poll")
    func notified() throws {
        let notes = Notes()
        let tally = Tally()
        let worker = try queue.worker(
            [
                JobKind("noop", recordsStart: false) { job, _ in
                    tally.add(job.id); return .done
                }
            ],
            notes: notes)
        try eventually { worker.isListening }
        let pool = Pool(queue.test.settings(as: "hearth_api"))
        defer { pool.close() }
        let notifier = JobNotifier(pool)
        // A listening worker polls only with its heartbeats. A job that began between two
        // heartbeats was therefore started by a notification; for a job around a heartbeat this is
        // unknown.
        let heartbeat: SQL = "SELECT max(renewed_at)::text FROM jobs.workers"
        var prompt = 0
        for number in 1...40 where prompt < 10 {
            let last = try queue.text(heartbeat)
            try queue.enqueue()
            notifier.notifyWorkers("work")
            try eventually { tally.total == number }
            if try queue.text(heartbeat) == last { prompt += 1 }
        }
        #expect(prompt == 10)
        #expect(worker.stop(deadlineSeconds: 60))
    }

    @Test("a worker that can't listen finds jobs by polling")
    func polls() throws {
        let worker = try queue.worker(
            [JobKind("noop") { _, _ in .done }], listens: false)
        try eventually { try queue.count("SELECT count(*) FROM jobs.workers") == 1 }
        try queue.enqueue(3)
        try eventually { try queue.ended() == 3 }
        #expect(!worker.isListening)
        #expect(worker.stop(deadlineSeconds: 60))
    }

    @Test("a worker leaves jobs of unknown kinds to others")
    func unknownKinds() throws {
        try queue.enqueue(kind: "later")
        try queue.enqueue(kind: "noop")
        let first = try queue.worker([JobKind("noop") { _, _ in .done }])
        try eventually { try queue.ended() == 1 }
        #expect(first.stop(deadlineSeconds: 60))
        let left = try queue.live("ready")
        #expect(left == 1)
        let second = try queue.worker([JobKind("later") { _, _ in .done }])
        try eventually { try queue.ended() == 2 }
        #expect(second.stop(deadlineSeconds: 60))
    }

    @Test("a worker retries a failed job, and discards it after its last attempt")
    func retries() throws {
        let tally = Tally()
        let notes = Notes()
        try queue.enqueue { $0.maxAttempts = 2 }
        let worker = try queue.worker(
            [
                JobKind("noop") { job, _ in
                    tally.add(job.id)
                    return .retry("it was \0 not to be")
                }
            ], notes: notes)
        try eventually { try queue.dead() == 1 }
        #expect(worker.stop(deadlineSeconds: 60))
        #expect(tally.total == 2)
        let error = try queue.text("SELECT last_error FROM jobs.dead")
        #expect(error == "it was  not to be")
        let attempts = try queue.count("SELECT attempt FROM jobs.dead")
        #expect(attempts == 2)
        // Observers see one retry and then the discarded job.
        let retried = notes.count {
            if case .ended(_, _, .retry, 1, _) = $0 { true } else { false }
        }
        let givenUp = notes.count {
            if case .ended(_, _, .dead, 2, _) = $0 { true } else { false }
        }
        #expect(retried == 1 && givenUp == 1, "\(notes.text)")
    }

    @Test("a job can be postponed repeatedly without counting an attempt")
    func postpones() throws {
        let tally = Tally()
        try queue.enqueue { $0.maxAttempts = 1 }
        let worker = try queue.worker([
            JobKind("noop") { job, _ in
                tally.add(job.id)
                return tally.total < 3 ? .postpone("not yet") : .done
            }
        ])
        try eventually { try queue.ended() == 1 }
        #expect(worker.stop(deadlineSeconds: 60))
        let attempts = try queue.count("SELECT attempt FROM jobs.history")
        #expect(tally.total == 3 && attempts == 0)
    }

    @Test("a permanently failed job is discarded at once, and an operator can retry it")
    func dies() throws {
        try queue.enqueue()
        let first = try queue.worker([JobKind("noop") { _, _ in .dead("no such thing") }])
        try eventually { try queue.dead() == 1 }
        #expect(first.stop(deadlineSeconds: 60))
        try queue.execute("SELECT jobs.retry(id) FROM jobs.dead")
        let second = try queue.worker([JobKind("noop") { _, _ in .done }])
        try eventually { try queue.ended() == 1 }
        #expect(second.stop(deadlineSeconds: 60))
    }

    @Test("a worker skips expired jobs and waits for jobs that are not due yet")
    func times() throws {
        let tally = Tally()
        let now = try queue.connection().query("SELECT clock_timestamp()")
            .scalar(PostgresTimestamp.self).microsecondsSince2000
        try queue.enqueue {
            $0.notAfter = PostgresTimestamp(microsecondsSince2000: now - 1_000_000)
        }
        try queue.enqueue {
            $0.runAt = PostgresTimestamp(microsecondsSince2000: now + 1_500_000)
        }
        let worker = try queue.worker([
            JobKind("noop") { job, _ in
                tally.add(job.id); return .done
            }
        ])
        try eventually { try queue.ended("expired") == 1 }
        try eventually { try queue.ended() == 1 }
        let early = try queue.count(
            "SELECT count(*) FROM jobs.history WHERE outcome = 'done' AND finished_at < to_timestamp(946684800 + \(now + 1_500_000) / 1e6)"
        )
        #expect(early == 0)
        #expect(worker.stop(deadlineSeconds: 60))
        #expect(tally.total == 1)
    }

    @Test("a second job with the same unique key is accepted only after the first has ended")
    func uniqueKeys() throws {
        let ids = try queue.enqueue(2) { $0.uniqueKey = "one" }
        #expect(ids[0] != nil && ids[1] == nil)
        let worker = try queue.worker([JobKind("noop") { _, _ in .done }])
        try eventually { try queue.live() == 0 }
        let third = try queue.enqueue { $0.uniqueKey = "one" }
        #expect(third[0] != nil)
        #expect(worker.stop(deadlineSeconds: 60))
    }
}
