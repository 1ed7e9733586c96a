import Postgres
import TestSupport
import Testing

/// Row-level effects of the lease functions, beside rows that they must not change.
@Suite("Effects of lease functions")
struct LeaseEffectsTests {
    private let queue: QueueDatabase
    private let connection: Connection
    private let mine: Int32, other: Int32

    init() throws {
        queue = try QueueDatabase()
        connection = try queue.connection()
        mine = try connection.query("SELECT jobs.acquire_lease('mine')").scalar(Int32.self)
        other = try connection.query("SELECT jobs.acquire_lease('other')").scalar(Int32.self)
    }

    private func renewed(_ worker: Int32, secondsAgo seconds: Double) throws {
        try connection.query(
            """
            UPDATE jobs.workers SET renewed_at = clock_timestamp() - \(seconds) * interval '1 s'
            WHERE id = \(worker)
            """)
    }

    /// Returns the labels of workers with a lease, and the seconds since its renewal, rounded to
    /// tens.
    private func leases() throws -> [String] {
        try connection.lines(
            """
            SELECT label || ' ' || round(extract(epoch FROM clock_timestamp() - renewed_at), -1)
            FROM jobs.workers ORDER BY 1
            """)
    }

    private func job(_ kind: String, of worker: Int32, started: Bool = false, crashes: Int = 0)
        throws
    {
        try connection.query(
            """
            INSERT INTO jobs.live (queue, kind, state, worker, token, is_started, crashes)
            VALUES ('work', \(kind), 'running', \(worker), 1, \(started), \(crashes))
            """)
    }

    /// Returns the result of a heartbeat: held, reclaimed, ticked, and the seconds until something
    /// is due.
    @discardableResult
    private func beat(_ worker: Int32? = nil) throws -> String {
        try connection.lines(
            """
            SELECT concat_ws(' ', held, reclaimed, ticked, round(wait_seconds::numeric, 0))
            FROM jobs.heartbeat(\(worker ?? mine), '{work,more}', NULL)
            """)[0]
    }

    @Test("a heartbeat returns the seconds until something is due that no notification announces")
    func due() throws {
        try connection.query("DELETE FROM jobs.workers WHERE id = \(other)")
        #expect(try beat() == "t 0 0")
        let third = try connection.query("SELECT jobs.acquire_lease('third')").scalar(Int32.self)
        try renewed(third, secondsAgo: 3)
        #expect(try beat() == "t 0 0 12")
        // Jobs of the queues that the worker asks about, of any priority.
        for (name, priority, seconds) in [
            ("work", 2, 11.0), ("work", 1, -5), ("foreign", 1, 4), ("more", 3, 10),
        ] {
            try queue.execute(
                """
                INSERT INTO jobs.live (queue, kind, priority, run_at)
                VALUES (\(name), 'a', \(priority),
                    clock_timestamp() + \(seconds) * interval '1 second')
                """)
        }
        #expect(try beat() == "t 0 0 10")
        for (name, seconds) in [("foreign", 3.0), ("work", 9)] {
            try connection.query(
                """
                INSERT INTO jobs.paused_queues (queue, reason, probe_at)
                VALUES (\(name), 'test', clock_timestamp() + \(seconds) * interval '1 second')
                """)
        }
        #expect(try beat() == "t 0 0 9")
        try connection.query(
            """
            INSERT INTO jobs.schedules (name, queue, kind, every, next_at)
            VALUES ('soon', 'work', 'a', '1 hour', clock_timestamp() + interval '8 seconds')
            """)
        #expect(try beat() == "t 0 0 8")
    }

    @Test("a heartbeat resets renewals and probes far in the future, and leaves others unchanged")
    func ahead() throws {
        let third = try connection.query("SELECT jobs.acquire_lease('third')").scalar(Int32.self)
        try renewed(mine, secondsAgo: 5)
        try renewed(other, secondsAgo: -120)
        try renewed(third, secondsAgo: -40)
        for (name, seconds) in [("far", 120.0), ("near", 40)] {
            try connection.query(
                """
                INSERT INTO jobs.paused_queues (queue, reason, probe_at)
                VALUES (\(name), 'test', clock_timestamp() + \(seconds) * interval '1 second')
                """)
        }
        try beat()
        #expect(try leases() == ["mine 0", "other 0", "third -40"])
        #expect(
            try connection.lines(
                """
                SELECT queue || ' ' || round(extract(epoch FROM probe_at - clock_timestamp()), -1)
                FROM jobs.paused_queues ORDER BY 1
                """) == ["far 0", "near 40"])
    }

    @Test("an expired lease counts a crash for each started job, and the third crash discards it")
    func reclaimed() throws {
        let third = try connection.query("SELECT jobs.acquire_lease('third')").scalar(Int32.self)
        try job("a", of: other, started: true)
        try job("b", of: other)
        try job("c", of: other, started: true, crashes: 2)
        try job("d", of: other, crashes: 2)
        try job("e", of: third, started: true)
        try job("f", of: mine, started: true)
        try renewed(other, secondsAgo: 16)
        try renewed(third, secondsAgo: 14)
        #expect(try beat().hasPrefix("t 4 0"))
        #expect(
            try queue.jobs() == [
                "a ready suspect crashes 1", "b ready suspect",
                "c dead crashes 3 Its worker vanished three times while it ran.",
                "d ready suspect crashes 2", "e running by \(third) started",
                "f running by \(mine) started",
            ])
        #expect(try leases() == ["mine 0", "third 10"])
    }

    @Test("an overdue worker ends no other lease, and the lease of a claiming worker is not ended")
    func spared() throws {
        try job("a", of: other, started: true)
        try renewed(other, secondsAgo: 16)
        try renewed(mine, secondsAgo: 16)
        #expect(try beat().hasPrefix("t 0 0"))
        try queue.connection().transaction { transaction in
            let lock: SQL =
                "SELECT pg_advisory_xact_lock_shared(jobs.lease_lock_class(), \(other))"
            try transaction.query(lock)
            #expect(try beat().hasPrefix("t 0 0"))
        }
        #expect(try leases() == ["mine 0", "other 20"])
        #expect(try beat().hasPrefix("t 1 0"))
        #expect(try leases() == ["mine 0"])
    }

    @Test("a heartbeat without a valid lease has no other effect")
    func lost() throws {
        try connection.query("DELETE FROM jobs.workers WHERE id = \(mine)")
        try renewed(other, secondsAgo: 16)
        try connection.query(
            """
            INSERT INTO jobs.schedules (name, queue, kind, every, next_at)
            VALUES ('due', 'work', 'a', '1 hour', now() - interval '1 second')
            """)
        #expect(try beat() == "f 0 0")
        #expect(try leases() == ["other 20"])
        #expect(try queue.jobs() == [])
        #expect(try beat(other).hasPrefix("t 0 1"))
        #expect(try queue.jobs() == ["a ready"])
    }

    @Test("a worker that replaces its valid lease keeps the jobs that it names")
    func succeeded() throws {
        try job("a", of: mine, started: true)
        try job("b", of: mine, started: true)
        try job("c", of: other, started: true)
        let known = try connection.query(
            "SELECT array_agg(id) FROM jobs.live WHERE kind IN ('a', 'c')"
        ).scalar([Int64].self)
        func takeOverLease(_ worker: Int32) throws -> (worker: Int32, wasHeld: Bool) {
            try connection.query(
                "SELECT worker, was_held FROM jobs.take_over_lease(\(worker), 'next', \(known))"
            ).map { (row) throws(PostgresError) in
                (worker: try row.read(Int32.self), wasHeld: try row.read(Bool.self))
            }[0]
        }
        let next = try takeOverLease(mine)
        #expect(next.wasHeld && next.worker != mine)
        let jobs = [
            "a running by \(next.worker) started", "b ready", "c running by \(other) started",
        ]
        #expect(try queue.jobs() == jobs)
        #expect(try leases() == ["next 0", "other 0"])
        // The old lease is gone, so its number gives access to nothing.
        #expect(try !takeOverLease(mine).wasHeld)
        #expect(try queue.jobs() == jobs)
        #expect(try leases() == ["next 0", "next 0", "other 0"])
    }

    @Test("releasing a lease makes its jobs ready again without counting a crash")
    func retired() throws {
        try job("a", of: mine, started: true, crashes: 1)
        try job("b", of: other, started: true)
        let count = try connection.query("SELECT jobs.release_lease(\(mine))").scalar(Int32.self)
        #expect(count == 1)
        #expect(try queue.jobs() == ["a ready crashes 1", "b running by \(other) started"])
        #expect(try leases() == ["other 0"])
    }
}
