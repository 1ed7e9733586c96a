import Jobs
import Postgres
import TestSupport
import Basics
import Testing

@Suite("Leases")
struct LeaseTests {
    private let queue: QueueDatabase
    init() throws { queue = try QueueDatabase() }

    /// Makes a worker's lease look as if it had not been renewed for this long.
    private func age(_ worker: Int, seconds: Int = 20) throws {
        try queue.execute(
            """
            UPDATE jobs.workers SET renewed_at = renewed_at - \(seconds) * interval '1 second'
            WHERE id = \(worker)
            """)
    }

    /// Claims jobs directly for a worker.
    private func claim(_ worker: Int, _ count: Int) throws -> [(id: Int, token: Int)] {
        try queue.connection().query(
            """
            SELECT id, token FROM jobs.claim(\(worker)::integer, 'work', '{noop}',
                \(count)::integer, array_fill('-infinity'::timestamptz, ARRAY[4]),
                array_fill(0::bigint, ARRAY[4]), 0, '{}')
            """
        ).map { (row) throws(PostgresError) in (try row.read(), try row.read()) }
    }

    private func acquireLease() throws -> Int {
        try queue.count("SELECT jobs.acquire_lease('by-hand')")
    }

    private func heartbeat(_ worker: Int) throws -> Int {
        try queue.count(
            "SELECT coalesce(reclaimed, -1) FROM jobs.heartbeat(\(worker)::integer, '{work}', NULL)"
        )
    }

    @Test("a heartbeat renews only its own lease, and resets a lease far in the future")
    func renewed() throws {
        let workers = try (0..<3).map { _ in try acquireLease() }
        try age(workers[0], seconds: 5)
        try age(workers[1], seconds: 5)
        try age(workers[2], seconds: -120)
        #expect(try heartbeat(workers[0]) == 0)
        let ages = try workers.map { worker in
            try queue.count(
                """
                SELECT round(extract(epoch FROM clock_timestamp() - renewed_at) / 5)::bigint
                FROM jobs.workers WHERE id = \(worker)::integer
                """)
        }
        #expect(ages == [0, 1, 0])
    }

    @Test("a heartbeat with a channel notifies listeners")
    func told() throws {
        let worker = try acquireLease()
        let listener = Listener(queue.settings, channels: ["beats"])
        #expect(listener.next(deadline: .after(seconds: 10)) == .connected)
        try queue.execute("SELECT FROM jobs.heartbeat(\(worker)::integer, '{work}', NULL)")
        try queue.execute("SELECT FROM jobs.heartbeat(\(worker)::integer, '{work}', 'beats')")
        guard case .notification(let heard) = listener.next(deadline: .after(seconds: 10)) else {
            Issue.record("nothing was told")
            return
        }
        #expect(heard.payload == "\(worker)")
        #expect(listener.next(deadline: .after(seconds: 0)) == nil)
    }

    @Test("a lost lease frees its jobs, and reports made under it are ignored")
    func fenced() throws {
        try queue.enqueue(3)
        let gone = try acquireLease()
        let held = try claim(gone, 2)
        let other = try acquireLease()
        try age(gone)
        let reclaimed = try heartbeat(other)
        #expect(reclaimed == 2)
        let (ids, tokens) = (held.map { Int64($0.id) }, held.map { Int64($0.token) })
        let completed = try queue.count("SELECT jobs.complete(\(ids), \(tokens))")
        #expect(completed == 0)
        let started = try queue.connection().query("SELECT jobs.start(\(ids), \(tokens))").count
        #expect(started == 0)
        let settled = try queue.count(
            """
            SELECT jobs.finish(\(ids), \(tokens), ARRAY['dead', 'dead'], ARRAY[0::bigint, 0],
                ARRAY['', ''])
            """)
        #expect(settled == 0)
        #expect(throws: PostgresError.self) { try claim(gone, 1) }
        let again = try claim(other, 10)
        #expect(again.count == 3)
    }

    @Test("a lost lease counts a crash for each started job, and the third crash discards it")
    func crashes() throws {
        try queue.enqueue(2)
        for round in 1...3 {
            let worker = try acquireLease()
            let held = try claim(worker, 2)
            #expect(held.count == 2)
            let first = held.min { $0.id < $1.id }
            let (id, token) = (Int64(first?.id ?? 0), Int64(first?.token ?? 0))
            try queue.execute("SELECT jobs.start(\([id]), \([token]))")
            try age(worker)
            let other = try acquireLease()
            _ = try heartbeat(other)
            try queue.execute("DELETE FROM jobs.workers")
            let crashes = try queue.count(
                "SELECT coalesce(sum(crashes), 0) FROM jobs.live")
            #expect(crashes == (round < 3 ? round : 0))
        }
        let (dead, live) = (try queue.dead(), try queue.live("ready"))
        #expect(dead == 1 && live == 1)
    }

    @Test("a worker whose own heartbeat is late does not end another worker's lease")
    func bothLate() throws {
        let (first, second) = (try acquireLease(), try acquireLease())
        try age(first)
        try age(second)
        let late = try heartbeat(second)
        #expect(late == 0)
        let left = try queue.count("SELECT count(*) FROM jobs.workers")
        #expect(left == 2)
    }

    @Test("a worker whose lease was ended drops its jobs and acquires a new lease")
    func noticed() throws {
        let (notes, gate, tally) = (Notes(), Gate(), Tally())
        try queue.enqueue(2)
        let worker = try queue.worker(
            [
                JobKind("noop") { job, context in
                    gate.pass { !context.isHeld }
                    tally.add(job.id)
                    return .done
                }
            ], notes: notes)
        try eventually { gate.waiting == 2 }
        let label = try queue.count("SELECT max(id) FROM jobs.workers")
        // The worker's own heartbeat may renew its lease in between.
        try eventually {
            let other = try acquireLease()
            try age(label)
            return try heartbeat(other) == 2
        }
        // The next heartbeat reports the loss; then the jobs run again.
        try eventually { notes.leasesLost >= 1 }
        gate.open()
        try eventually { try queue.ended() == 2 }
        // Results under the lost lease are counted but not reported.
        try eventually { notes.stale >= 2 }
        #expect(worker.stop(deadlineSeconds: 60))
        let crashes = try queue.count("SELECT count(*) FROM jobs.history")
        #expect(crashes == 2 && tally.distinct == 2 && tally.most >= 2)
    }

    @Test("a worker that loses its connection continues its jobs and runs none twice")
    func connectionLost() throws {
        let (notes, tally) = (Notes(), Tally())
        try queue.enqueue(400)
        let worker = try queue.worker(
            [
                JobKind("noop", recordsStart: false) { job, _ in
                    pause()
                    tally.add(job.id)
                    return .done
                }
            ], batch: 10, notes: notes)
        for _ in 1...5 {
            let before = tally.total
            try queue.execute(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND usename = 'hearth_worker'
                """)
            try eventually { try tally.total > before || queue.live() == 0 }
        }
        try eventually { try queue.live() == 0 }
        #expect(worker.stop(deadlineSeconds: 60))
        let done = try queue.ended()
        #expect(done == 400 && tally.distinct == 400 && tally.most == 1)
    }
}

@Suite("Worker shutdown")
struct ShutdownTests {
    private let queue: QueueDatabase
    init() throws { queue = try QueueDatabase() }

    @Test("stopping lets running jobs finish and releases the others without counting an attempt")
    func drains() throws {
        let gate = Gate()
        try queue.enqueue(6)
        let worker = try queue.worker(
            [
                JobKind("noop") { _, context in
                    gate.pass { context.shouldStop }
                    return .done
                }
            ], threads: 2, batch: 6)
        try eventually { gate.waiting == 2 }
        #expect(worker.stop(deadlineSeconds: 60))
        let (done, ready) = (try queue.ended(), try queue.live("ready"))
        #expect(done == 2 && ready == 4)
        let cost = try queue.count("SELECT sum(attempt + crashes) FROM jobs.live")
        #expect(cost == 0)
    }

    @Test("stopping releases running jobs when the deadline passes")
    func cutsOff() throws {
        let gate = Gate()
        try queue.enqueue()
        let worker = try queue.worker([
            JobKind("noop") { _, _ in
                gate.pass()
                return .done
            }
        ])
        try eventually { gate.waiting == 1 }
        #expect(!worker.stop(deadlineSeconds: 0.2))
        let ready = try queue.count(
            "SELECT count(*) FROM jobs.live WHERE state = 'ready' AND attempt + crashes = 0")
        #expect(ready == 1)
        gate.open()
    }
}

@Suite("Paused queues")
struct PauseTests {
    @Test("a paused queue tries one job every 30 s, without counting it, until one succeeds")
    func paused() throws {
        let queue = try QueueDatabase()
        let (works, tally) = (Gate(), Tally())
        try queue.enqueue(5)
        let worker = try queue.worker(
            [
                JobKind("noop") { job, _ in
                    tally.add(job.id)
                    return works.isOpened ? .done : .pauseQueue("no relay")
                }
            ], threads: 1, batch: 1)
        try eventually {
            try queue.count("SELECT count(*) FROM jobs.paused_queues") == 1
        }
        let attempts = tally.total
        try queue.execute("UPDATE jobs.paused_queues SET probe_at = clock_timestamp()")
        try queue.execute("SELECT pg_notify('hearth_jobs', 'work')")
        try eventually { tally.total > attempts }
        works.open()
        try eventually { try queue.live("running") == 0 }
        try queue.execute("UPDATE jobs.paused_queues SET probe_at = clock_timestamp()")
        try queue.execute("SELECT pg_notify('hearth_jobs', 'work')")
        try eventually { try queue.ended() == 5 }
        #expect(worker.stop(deadlineSeconds: 60))
        let costly = try queue.count("SELECT count(*) FROM jobs.history WHERE attempt > 0")
        let paused = try queue.count("SELECT count(*) FROM jobs.paused_queues")
        #expect(costly == 0 && paused == 0)
    }

    @Test("a process that can't run a queue's jobs starts no more, and other workers run them")
    func pausedHere() throws {
        let queue = try QueueDatabase()
        let tally = Tally()
        try queue.enqueue(20)
        let started = MonotonicClock.nanoseconds()
        let unable = try queue.worker(
            [
                JobKind("noop") { job, _ in
                    tally.add(job.id)
                    return .pauseProcess("no key")
                }
            ], threads: 1)
        try eventually {
            try queue.count("SELECT count(*) FROM jobs.live WHERE state = 'ready'") == 20
                && tally.total >= 1
        }
        let able = try queue.worker([JobKind("noop") { _, _ in .done }])
        try eventually { try queue.ended() == 20 }
        // The worker starts no further job for thirty seconds.
        #expect(Double(tally.total) <= 1 + MonotonicClock.seconds(since: started) / 30)
        for worker in [unable, able] { #expect(worker.stop(deadlineSeconds: 60)) }
        #expect(try queue.count("SELECT count(*) FROM jobs.history WHERE attempt > 0") == 0)
    }
}
