import Basics
import Glibc
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("Connection pool")
struct PoolTests {
    private func pool(
        size: Int, waiters: Int = 100, age: Double = 1_800, probe: Double = 1
    ) throws -> Pool {
        var settings = Pool.Settings()
        settings.size = size
        settings.maximumWaiters = waiters
        settings.maximumAgeSeconds = age
        settings.leaseTimeoutSeconds = 60
        settings.probeSeconds = probe
        return Pool(try TestDatabase.cluster(), settings)
    }

    @Test("a few connections serve many threads")
    func manyThreads() throws {
        let pool = try pool(size: 4)
        let results = onThreads(32) { index in
            for _ in 0..<50 {
                let value = try pool.withConnection {
                    try $0.query("SELECT \(index)").scalar(Int.self)
                }
                guard value == index else { throw TimedOut() }
            }
        }
        for result in results { try result.get() }
        let statistics = pool.statistics
        #expect(statistics.opened <= 4 && statistics.inUse == 0 && statistics.waiting == 0)
        #expect(statistics.idle == statistics.opened)
    }

    @Test("a caller that does not wait gets a free connection, and nil while all are lent")
    func notWaiting() throws {
        let pool = try pool(size: 1)
        let process = try pool.withFreeConnection { connection in
            // The second caller is neither refused nor queued, which would take a minute.
            let began = MonotonicClock.nanoseconds()
            let second = try pool.withFreeConnection { _ in true }
            #expect(second == nil && MonotonicClock.seconds(since: began) < 30)
            return connection.backendProcessID
        }
        #expect(try pool.withFreeConnection { $0.backendProcessID } == process)
        #expect(pool.statistics == Pool.Statistics(idle: 1, opened: 1))
        pool.close()
        let error = #expect(throws: PostgresError.self) {
            try pool.withFreeConnection { _ in true }
        }
        #expect(error?.code == .poolClosed)
    }

    /// Opens three sessions in the pool and leaves them idle.
    private func idle(in pool: Pool) throws -> Set<Int32> {
        try pool.withConnection { first in
            try pool.withConnection { second in
                try pool.withConnection { third in
                    Set([first, second, third].map(\.backendProcessID))
                }
            }
        }
    }

    /// Breaks one of the pool's connections and returns its process id.
    @discardableResult
    private func missDeadline(in pool: Pool) throws -> Int32 {
        var broken: Int32 = 0
        #expect(throws: PostgresError.self) {
            try pool.withConnection {
                broken = $0.backendProcessID
                try $0.query("SELECT pg_sleep(60)", deadline: .after(seconds: 0.05))
            }
        }
        return broken
    }

    @Test("idle connections that respond are kept after another connection missed its deadline")
    func doubtsOthers() throws {
        let pool = try pool(size: 3, probe: 30)
        let sessions = try idle(in: pool)
        try missDeadline(in: pool)
        #expect(pool.statistics.idle == 2 && pool.statistics.inUse == 0)
        for _ in 0..<2 {
            let lent = try pool.withConnection { $0.backendProcessID }
            #expect(sessions.contains(lent))
        }
        #expect(pool.statistics.opened == 3)
    }

    @Test(
        "all idle connections are discarded if one of them no longer responds",
        .enabled(if: geteuid() == 0, "stopping the server's processes takes root"))
    func hangingServer() throws {
        let pool = try pool(size: 3)
        let sessions = try idle(in: pool)
        defer { for session in sessions { kill(session, SIGCONT) } }
        let broken = try missDeadline(in: pool)
        // Not the broken session: its process is ending, and stopping it with a lock would block
        // the others.
        for session in sessions where session != broken { kill(session, SIGSTOP) }
        let lent = try pool.withConnection { connection in
            let one = try connection.query("SELECT 1::int8").scalar(Int.self)
            #expect(one == 1)
            return connection.backendProcessID
        }
        #expect(!sessions.contains(lent))
        #expect(pool.statistics.idle == 1 && pool.statistics.opened == 4)
    }

    @Test("a borrower is refused at its deadline")
    func exhausted() throws {
        let pool = try pool(size: 1)
        try pool.withConnection { _ in
            let error = #expect(throws: PostgresError.self) {
                try pool.withConnection(deadline: .after(seconds: 0.05)) { _ in }
            }
            #expect(error?.code == .poolExhausted)
        }
        #expect(try pool.withConnection { try $0.query("SELECT 1::int8").scalar(Int.self) } == 1)
    }

    @Test("borrowers are refused at once when too many wait")
    func tooManyWaiters() throws {
        let pool = try pool(size: 1, waiters: 1)
        try pool.withConnection { _ in
            let waiting = inBackground { try pool.withConnection { _ in } }
            try eventually { pool.statistics.waiting == 1 }
            let error = #expect(throws: PostgresError.self) {
                try pool.withConnection(deadline: .after(seconds: 60)) { _ in }
            }
            #expect(error?.code == .poolExhausted)
            _ = waiting
        }
    }

    @Test("a borrower gets a live connection if the idle one was terminated")
    func terminatedWhileIdle() throws {
        let pool = try pool(size: 1)
        let id = try pool.withConnection { Int($0.backendProcessID) }
        let observer = try Connection(try TestDatabase.cluster())
        try observer.query("SELECT pg_terminate_backend(\(Int32(id)))")
        try eventually {
            try observer.query("SELECT count(*) FROM pg_stat_activity WHERE pid = \(id)")
                .scalar(Int.self) == 0
        }
        let next = try pool.withConnection { connection in
            _ = try connection.query("SELECT 1")
            return Int(connection.backendProcessID)
        }
        #expect(next != id)
    }

    @Test("a connection that broke while lent is replaced")
    func brokenDuringLease() throws {
        let pool = try pool(size: 1)
        #expect(throws: PostgresError.self) {
            try pool.withConnection {
                try $0.query("SELECT pg_terminate_backend(pg_backend_pid())")
            }
        }
        #expect(try pool.withConnection { try $0.query("SELECT 1::int8").scalar(Int.self) } == 1)
        #expect(pool.statistics.opened == 2)
    }

    @Test("no session state passes from one borrower to the next")
    func sessionState() throws {
        let pool = try pool(size: 1)
        let id = try pool.withConnection { connection in
            try connection.execute(
                script: """
                    SET search_path = pg_temp; SET app.secret = 'x'; SET ROLE pg_monitor;
                    CREATE TEMP TABLE left_behind (n int); LISTEN left_behind;
                    SELECT pg_advisory_lock(4711); PREPARE left_behind AS SELECT 1;
                    BEGIN;
                    """)
            connection.onNotice = { _ in Issue.record("a receiver of another lease") }
            return connection.backendProcessID
        }
        try pool.withConnection { connection in
            #expect(connection.backendProcessID == id && !connection.isInTransaction)
            let leftovers = try connection.query(
                """
                SELECT current_setting('app.secret', true) <> '' AS setting,
                    current_user <> session_user AS role,
                    current_setting('search_path') = 'pg_temp' AS path,
                    to_regclass('left_behind') IS NOT NULL AS tables,
                    EXISTS (SELECT FROM pg_listening_channels()) AS channels,
                    EXISTS (SELECT FROM pg_prepared_statements) AS statements,
                    EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory'
                        AND pid = pg_backend_pid()) AS locks
                """)
            let row = try leftovers.map { (row) throws(PostgresError) in
                var found: [Bool?] = []
                for _ in 0..<7 { found.append(try row.read(Bool?.self)) }
                return found
            }
            #expect(row.first?.allSatisfy { $0 != true } == true)
            try connection.execute(script: "DO $$ BEGIN RAISE NOTICE 'x'; END $$")
        }
    }

    @Test("a transaction-local setting ends with its batch")
    func transactionLocal() throws {
        let pool = try pool(size: 1)
        let set = Statement<Scalar<String>, String>(
            "SELECT set_config('hearth.test', $1, true)")
        let get = Statement<Scalar<String?>>(
            "SELECT nullif(current_setting('hearth.test', true), '')")
        let (inside, after) = try pool.withConnection { connection in
            var batch = Batch()
            batch.add(set, "me")
            let seen = batch.add(get)
            let inside = try connection.send(batch).row(seen).value
            return (inside, try connection.run(get).first?.value)
        }
        #expect(inside == "me" && after == nil)
        let next = try pool.withConnection { try $0.run(get).first?.value }
        #expect(next == nil)
    }

    @Test("an unreachable database fails every lease without losing a slot")
    func databaseAway() throws {
        var poolSettings = Pool.Settings()
        poolSettings.size = 2
        let pool = Pool(try ConnectionSettings(url: "host=127.0.0.1 port=1"), poolSettings)
        for _ in 0..<10 {
            let error = #expect(throws: PostgresError.self) { try pool.withConnection { _ in } }
            #expect(error?.code == .connectionFailed)
        }
        #expect(pool.statistics == Pool.Statistics())
    }

    @Test("connections past their maximum age are replaced")
    func age() throws {
        let pool = try pool(size: 1, age: 0)
        let first = try pool.withConnection { $0.backendProcessID }
        let second = try pool.withConnection { $0.backendProcessID }
        #expect(first != second)
    }

    @Test("closing refuses waiters and newcomers, and closes returned connections")
    func closing() throws {
        let pool = try pool(size: 1)
        try pool.withConnection { _ in
            let waiting = inBackground { try pool.withConnection { _ in } }
            try eventually { pool.statistics.waiting == 1 }
            pool.close()
            let error = #expect(throws: PostgresError.self) { try waiting.wait() }
            #expect(error?.code == .poolClosed)
        }
        #expect(pool.statistics.idle == 0 && pool.statistics.inUse == 0)
        #expect(throws: PostgresError.self) { try pool.withConnection { _ in } }
    }

    @Test("no connection leaks when a borrower's deadline passes during a return")
    func crossing() throws {
        let pool = try pool(size: 2)
        let outcomes = onThreads(16) { index in
            var turnedAway = 0
            for round in 0..<100 {
                let seconds = Double((index * 7 + round) % 5) * 0.0002
                do {
                    try pool.withConnection(deadline: .after(seconds: seconds)) {
                        _ = try $0.query("SELECT 1")
                    }
                } catch let error as PostgresError where error.code == .poolExhausted {
                    turnedAway += 1
                }
            }
            return turnedAway
        }
        for outcome in outcomes { _ = try outcome.get() }
        #expect(pool.statistics.inUse == 0 && pool.statistics.waiting == 0)
        try pool.withConnection { _ = try $0.query("SELECT 1") }
    }
}
