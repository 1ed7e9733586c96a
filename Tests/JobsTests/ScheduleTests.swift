import Jobs
import Postgres
import TestSupport
import Testing

@Suite("Schedules")
struct ScheduleTests {
    private let queue: QueueDatabase
    init() throws { queue = try QueueDatabase() }

    private func put(_ schedule: Schedule, nextAt: String) throws {
        var batch = Batch()
        schedule.upsert(in: &batch)
        _ = try Connection(queue.settings).send(batch, writes: true)
        try queue.execute("UPDATE jobs.schedules SET next_at = \(nextAt)::text::timestamptz")
    }

    /// Lets three workers tick concurrently at a given time; returns the number of jobs created.
    private func tick(at moment: String) throws -> Int {
        let settings = queue.settings
        let made = try onThreads(3) { _ in
            try Connection(settings).query("SELECT jobs.tick(\(moment)::text::timestamptz)")
                .scalar(Int.self)
        }.map { try $0.get() }
        // As if the job had run.
        try queue.execute("DELETE FROM jobs.live")
        return made.reduce(0, +)
    }

    @Test(
        "a daily schedule ticks once a day in local time, across clock changes and many workers"
    )
    func daylightSaving() throws {
        try put(
            Schedule(
                name: "nightly", queue: "work", kind: "noop",
                .daily(at: "02:30", zone: "Europe/Berlin")),
            nextAt: "2026-03-27 02:30 Europe/Berlin")
        // Clocks go forward on 29 March 2026 at 02:00, and back on 25 October at 03:00.
        var ticks: [String: Int] = [:]
        for (from, days) in [("2026-03-27", 5), ("2026-10-23", 5)] {
            try queue.execute(
                """
                UPDATE jobs.schedules SET next_at =
                    (\(from)::text::date + time '02:30') AT TIME ZONE 'Europe/Berlin'
                """)
            for minute in stride(from: 0, to: days * 24 * 60, by: 20) {
                let moment = try queue.text(
                    """
                    SELECT (\(from)::text::date::timestamp AT TIME ZONE 'Europe/Berlin'
                        + \(minute) * interval '1 minute')::text
                    """)
                guard let moment else { continue }
                let isDue = try queue.count(
                    """
                    SELECT count(*) FROM jobs.schedules
                    WHERE next_at <= \(moment)::text::timestamptz
                    """)
                guard isDue > 0 else { continue }
                let day = try queue.text(
                    """
                    SELECT (\(moment)::text::timestamptz AT TIME ZONE 'Europe/Berlin')::date::text
                    """)
                ticks[day ?? "", default: 0] += try tick(at: moment)
            }
        }
        #expect(ticks.count == 10 && ticks.values.allSatisfy { $0 == 1 }, "\(ticks)")
    }

    @Test("missed ticks run once, and the schedule then continues at its interval")
    func downtime() throws {
        try put(
            Schedule(name: "often", queue: "work", kind: "noop", .every(seconds: 60)),
            nextAt: "2026-11-21 10:00:00Z")
        let made = try tick(at: "2026-11-21 16:55:30Z")
        #expect(made == 1)
        let next = try queue.text("SELECT (next_at AT TIME ZONE 'UTC')::text FROM jobs.schedules")
        #expect(next == "2026-11-21 16:56:00")
        let early = try tick(at: "2026-11-21 16:55:59Z")
        let later = try tick(at: "2026-11-21 16:56:00Z")
        #expect(early == 0 && later == 1)
    }

    @Test("a next tick set by a clock far ahead is reset, and a small clock change causes no tick")
    func astray() throws {
        let often = Schedule(name: "often", queue: "work", kind: "noop", .every(seconds: 60))
        func next() throws -> String? {
            try queue.text("SELECT (next_at AT TIME ZONE 'UTC')::text FROM jobs.schedules")
        }
        try put(often, nextAt: "2027-11-21 10:00:00Z")
        let made = try tick(at: "2026-11-21 16:55:30Z")
        #expect(made == 0)
        #expect(try next() == "2026-11-21 16:56:00")
        try put(often, nextAt: "2026-11-21 17:01:00Z")
        let early = try tick(at: "2026-11-21 16:59:59Z")
        #expect(early == 0)
        #expect(try next() == "2026-11-21 17:01:00")
        try put(
            Schedule(
                name: "often", queue: "work", kind: "noop", .daily(at: "04:30", zone: "UTC")),
            nextAt: "2036-11-21 04:30:00Z")
        _ = try tick(at: "2026-11-21 16:55:30Z")
        #expect(try next() == "2026-11-22 04:30:00")
    }

    @Test("a heartbeat resets ticks, probes and leases that a clock far ahead has set")
    func clockAhead() throws {
        let (vanished, worker) = (
            try queue.count("SELECT jobs.acquire_lease('vanished')"),
            try queue.count("SELECT jobs.acquire_lease('worker')")
        )
        try put(
            Schedule(name: "often", queue: "work", kind: "noop", .every(seconds: 60)),
            nextAt: "2099-01-01 00:00:00Z")
        try queue.execute(
            """
            INSERT INTO jobs.paused_queues (queue, reason, probe_at)
                VALUES ('work', 'x', clock_timestamp() + interval '1 year')
            """)
        try queue.execute(
            """
            UPDATE jobs.workers SET renewed_at = renewed_at + interval '1 year'
            WHERE id = \(vanished)
            """)
        _ = try queue.count(
            "SELECT reclaimed FROM jobs.heartbeat(\(worker)::integer, '{work}', NULL)")
        let mended = try queue.count(
            """
            SELECT count(*) FROM jobs.schedules, jobs.paused_queues, jobs.workers AS w
            WHERE next_at < clock_timestamp() + interval '2 minutes'
                AND probe_at <= clock_timestamp()
                AND w.id = \(vanished) AND w.renewed_at <= clock_timestamp()
            """)
        #expect(mended == 1)
    }

    @Test("a tick makes a job due that waits for its retry")
    func waitingRetry() throws {
        try put(
            Schedule(name: "often", queue: "work", kind: "noop", .every(seconds: 60)),
            nextAt: "2026-11-21 10:00:00Z")
        try queue.execute("SELECT jobs.tick(timestamptz '2026-11-21 10:00Z')")
        try queue.execute(
            "UPDATE jobs.live SET attempt = 9, run_at = clock_timestamp() + interval '50 minutes'")
        try queue.execute("SELECT jobs.tick(timestamptz '2026-11-21 10:01Z')")
        let due = try queue.count(
            "SELECT count(*) FROM jobs.live WHERE run_at <= clock_timestamp() AND attempt = 9")
        #expect(due == 1)
    }

    @Test("a tick enqueues no second job until the last one has ended")
    func overlap() throws {
        try put(
            Schedule(name: "often", queue: "work", kind: "noop", .every(seconds: 60)),
            nextAt: "2026-11-21 10:00:00Z")
        for minute in 1...3 {
            try queue.execute(
                "SELECT jobs.tick(timestamptz '2026-11-21 10:00Z' + \(minute) * interval '1 min')")
        }
        let live = try queue.live()
        #expect(live == 1)
    }

    @Test("storing an unchanged schedule keeps its next tick, and a changed rule resets it")
    func restated() throws {
        let often = Schedule(name: "s", queue: "work", kind: "noop", .every(seconds: 60))
        try put(often, nextAt: "2026-11-21 10:00:00Z")
        var batch = Batch()
        often.upsert(in: &batch)
        _ = try Connection(queue.settings).send(batch, writes: true)
        let kept = try queue.count(
            "SELECT count(*) FROM jobs.schedules WHERE next_at = '2026-11-21 10:00:00Z'")
        #expect(kept == 1)
        var other = Batch()
        Schedule(name: "s", queue: "work", kind: "noop", .every(seconds: 30)).upsert(in: &other)
        _ = try Connection(queue.settings).send(other, writes: true)
        let changed = try queue.count(
            """
            SELECT count(*) FROM jobs.schedules
            WHERE next_at BETWEEN clock_timestamp() - interval '1 hour'
                AND clock_timestamp() + interval '30 s'
            """)
        #expect(changed == 1)
    }

    @Test("three workers run each of three ticks exactly once")
    func workers() throws {
        let tally = Tally()
        // No regular tick in the next minutes, whatever the time.
        let schedule = Schedule(
            name: "s", queue: "work", kind: "noop", .every(seconds: 7 * 86_400))
        let workers = try (1...3).map { _ in
            try queue.worker(
                [
                    JobKind("noop") { job, _ in
                        tally.add(job.id)
                        return .done
                    }
                ], schedules: [schedule])
        }
        for number in 1...3 {
            try eventually { try queue.count("SELECT count(*) FROM jobs.schedules") == 1 }
            try queue.execute("UPDATE jobs.schedules SET next_at = clock_timestamp()")
            try eventually { tally.total == number }
            // A tick enqueues nothing while the last job has not ended.
            try eventually { try queue.live() == 0 }
        }
        for worker in workers { #expect(worker.stop(deadlineSeconds: 60)) }
        #expect(tally.total == 3)
    }
}
