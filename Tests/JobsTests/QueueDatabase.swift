import Foundation
import Jobs
import Postgres
import Synchronization
import TestSupport
import Testing

/// A migrated database of a test's own, with the queue as its worker sees it.
final class QueueDatabase: Sendable {
    let test: TestDatabase

    private let pool: Pool

    /// - Parameter server: Where, as its superuser; the cluster unless said.
    init(on server: ConnectionSettings? = nil) throws {
        test = try TestDatabase(.migrated, on: server)
        pool = Pool(test.settings())
    }

    deinit {
        pool.close()
        // A database left behind goes with its throw-away cluster.
        try? test.drop()
    }

    var settings: ConnectionSettings { test.settings(as: "hearth_worker") }

    /// A connection as the cluster's superuser.
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

    /// Enqueues so many jobs as the API would, in one transaction.
    @discardableResult
    func enqueue(
        _ count: Int = 1, kind: String = "noop", queue: String = "work",
        _ adjust: (inout NewJob) -> Void = { _ in }
    ) throws -> [Int64?] {
        var batch = Batch()
        var places: [Batch.Place<Scalar<Int64?>>] = []
        for number in 0..<count {
            var job = NewJob(
                queue: queue, kind: kind,
                payload: PostgresJSON(utf8: Array("{\"n\":\(number)}".utf8)))
            adjust(&job)
            places.append(batch.enqueue(job))
        }
        let answers = try Connection(test.settings(as: "hearth_api")).send(batch, writes: true)
        return try places.map { try answers.row($0).value }
    }

    /// How many jobs of the history ended so.
    func ended(_ outcome: String = "done") throws -> Int {
        try count("SELECT count(*) FROM jobs.history WHERE outcome = \(outcome)")
    }

    func live(_ state: String = "any") throws -> Int {
        try count("SELECT count(*) FROM jobs.live WHERE \(state) IN ('any', state)")
    }

    func dead() throws -> Int { try count("SELECT count(*) FROM jobs.dead") }

    /// All jobs, a line each: its kind, its state or how it ended, and what else there is of it.
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
    /// The texts of a result's one column.
    func lines(_ sql: SQL) throws -> [String] {
        try query(sql).map { (row) throws(PostgresError) in try row.read(String.self) }
    }
}

/// What a worker told, kept.
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
        count { if case .refused = $0 { true } else { false } }
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

/// Counts, by name.
final class Tally: Sendable {
    private let counts = Mutex<[Int64: Int]>([:])
    func add(_ id: Int64) { counts.withLock { $0[id, default: 0] += 1 } }
    var total: Int { counts.withLock { $0.values.reduce(0, +) } }
    var distinct: Int { counts.withLock { $0.count } }
    var most: Int { counts.withLock { $0.values.max() ?? 0 } }
}

/// Where jobs wait until the test opens it.
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

    /// Waits until it is open, or `stop` says so, which is asked now and then.
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
