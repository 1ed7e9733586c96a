import Foundation
import Jobs
import Postgres
import Synchronization
import TestSupport
import Testing

/// A migrated database for one test, with access to the queue as its worker.
final class QueueDatabase: Sendable {
    let test: TestDatabase

    private let pool: Pool

    /// Creates the database.
    ///
    /// - Parameter server: Settings of the superuser; nil for the shared cluster.
    init(on server: ConnectionSettings? = nil) throws {
        test = try TestDatabase(.migrated, on: server)
        pool = Pool(test.settings())
    }

    deinit {
        pool.close()
        // A leftover database disappears with its throw-away cluster.
        try? test.drop()
    }

    var settings: ConnectionSettings { test.settings(as: "hearth_worker") }

    /// Connects as the cluster's superuser.
    func connection() throws -> Connection { try Connection(test.settings()) }

    func execute(_ sql: SQL) throws {
        try pool.withConnection { connection in _ = try connection.query(sql) }
    }

    func count(_ sql: SQL) throws -> Int {
        try pool.withConnection { try $0.query(sql).scalar(Int.self) }
    }

    func text(_ sql: SQL) throws -> String? {
        try pool.withConnection { try $0.query(sql).scalar(String?.self) }
    }

    /// Enqueues jobs as the API would, in one transaction.
    @discardableResult
    func enqueue(
        _ count: Int = 1, kind: String = "noop", queue: String = "work",
        _ adjust: (inout NewJob) -> Void = { _ in }
    ) throws -> [Int64?] {
        var batch = Batch()
        var places: [Batch.ResultKey<Scalar<Int64?>>] = []
        for number in 0..<count {
            var job = NewJob(
                queue: queue, kind: kind,
                payload: PostgresJSON(utf8: Array("{\"n\":\(number)}".utf8)))
            adjust(&job)
            places.append(batch.enqueue(job))
        }
        let results = try Connection(test.settings(as: "hearth_api")).send(batch, writes: true)
        return try places.map { try results.row($0).value }
    }

    /// Returns the number of jobs in the history with this outcome.
    func ended(_ outcome: String = "done") throws -> Int {
        try count("SELECT count(*) FROM jobs.history WHERE outcome = \(outcome)")
    }

    func live(_ state: String = "any") throws -> Int {
        try count("SELECT count(*) FROM jobs.live WHERE \(state) IN ('any', state)")
    }

    func dead() throws -> Int { try count("SELECT count(*) FROM jobs.dead") }

    /// Returns all jobs, one line each: kind, state or outcome, and other properties.
    func jobs() throws -> [String] {
        try pool.withConnection {
            try $0.lines(
                """
                SELECT concat_ws(' ', kind, state, 'by ' || worker,
                    CASE WHEN is_started THEN 'started' END,
                    CASE WHEN is_suspect THEN 'suspect' END, 'attempt ' || nullif(attempt, 0),
                    'crashes ' || nullif(crashes, 0), last_error,
                    CASE WHEN run_at > clock_timestamp() THEN 'later' END) AS line
                FROM jobs.live
                UNION ALL
                SELECT concat_ws(' ', kind, 'dead', 'attempt ' || nullif(attempt, 0),
                    'crashes ' || nullif(crashes, 0), last_error) FROM jobs.dead
                UNION ALL SELECT kind || ' ' || outcome FROM jobs.history ORDER BY line
                """)
        }
    }

    /// Starts a worker for the queue `work`.
    func worker(
        _ kinds: [JobKind], threads: Int = 2, batch: Int? = nil, capacity: Int? = nil,
        schedules: [Schedule] = [], listens: Bool = true, notes: Notes = Notes()
    ) throws -> Worker {
        try Worker(
            settings,
            queues: [
                QueueConfiguration(
                    name: "work", kinds: kinds, threads: threads, batch: batch,
                    capacity: capacity)
            ],
            schedules: schedules, label: "test", listens: listens, observe: { notes.add($0) })
    }
}

extension Connection {
    /// Returns the texts of a result's only column.
    func lines(_ sql: SQL) throws -> [String] {
        try query(sql).map { (row) throws(PostgresError) in try row.read(String.self) }
    }
}

/// Collects a worker's events.
final class Notes: Sendable {
    private let events = Mutex<[WorkerEvent]>([])
    func add(_ event: WorkerEvent) { events.withLock { $0.append(event) } }
    func count(_ matches: (WorkerEvent) -> Bool) -> Int {
        events.withLock { $0.count(where: matches) }
    }
    var leasesLost: Int {
        count { if case .leaseLost = $0 { true } else { false } }
    }
    var refusals: Int {
        count { if case .statementFailed = $0 { true } else { false } }
    }
    var stale: Int {
        events.withLock { events in
            events.reduce(0) {
                if case .stale(let count) = $1 { $0 + count } else { $0 }
            }
        }
    }
    var listening: Bool? {
        events.withLock { events in
            events.reduce(nil) {
                if case .listening(let isOn) = $1 { isOn } else { $0 }
            }
        }
    }
    var text: String { events.withLock { "\($0.map { "\($0)" }.joined(separator: "\n"))" } }
}

/// Counts runs by job id.
final class Tally: Sendable {
    private let counts = Mutex<[Int64: Int]>([:])
    func add(_ id: Int64) { counts.withLock { $0[id, default: 0] += 1 } }
    var total: Int { counts.withLock { $0.values.reduce(0, +) } }
    var distinct: Int { counts.withLock { $0.count } }
    var most: Int { counts.withLock { $0.values.max() ?? 0 } }
}

/// A gate at which jobs wait until the test opens it.
final class Gate: Sendable {
    private let isOpen = Mutex(false)
    private let arrivals = Mutex(0)
    private let change = NSCondition()

    func open() {
        isOpen.withLock { $0 = true }
        change.lock()
        change.broadcast()
        change.unlock()
    }

    var isOpened: Bool { isOpen.withLock { $0 } }
    var waiting: Int { arrivals.withLock { $0 } }

    /// Waits until the gate is open or `stop`, which is called repeatedly, returns true.
    func pass(unless stop: () -> Bool = { false }) {
        arrivals.withLock { $0 += 1 }
        let deadline = Date(timeIntervalSinceNow: 60)
        change.lock()
        while !isOpened, !stop(), Date() < deadline {
            _ = change.wait(until: Date(timeIntervalSinceNow: 0.02))
        }
        change.unlock()
    }
}
