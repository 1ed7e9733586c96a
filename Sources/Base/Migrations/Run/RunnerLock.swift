import Crypto
import Glibc
import Postgres
import Basics

/// Advisory lock that allows only one runner per ledger.
///
/// The lock is polled, because a statement that waits for a lock keeps a snapshot open, and a
/// CREATE INDEX CONCURRENTLY of the runner with the lock would wait for that snapshot.
struct RunnerLock {
    /// The lock's number, derived from the name of the ledger's schema.
    fileprivate let key: Int64

    init(ledgerSchema: String) {
        key = RunnerLock.key(ofLedgerIn: ledgerSchema)
    }

    static func key(ofLedgerIn schema: String) -> Int64 {
        SHA256Digest(of: "hearth-migrate ledger \(schema)").bytes.prefix(8)
            .reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Acquires the lock, or throws `lockNotAcquired` when the waiting time is over. The session
    /// holds the lock until the session ends.
    func acquire(
        on session: Session, waitSeconds: Double, interruption: Interruption = Interruption(),
        report: (RunEvent) -> Void
    ) throws(MigrationError) {
        let deadline = Deadline.after(seconds: waitSeconds)
        var pauseSeconds = 0.02
        var lastHolder: String?
        do throws(PostgresError) {
            while true {
                if try session.connection.query("SELECT pg_try_advisory_lock(\(key))")
                    .scalar(Bool.self)
                {
                    session.hold(self)
                    return
                }
                let holder = try self.holder(on: session.connection)
                if let holder, holder != lastHolder {
                    report(.waitingForLock(holder: holder, seconds: deadline.remainingSeconds))
                    lastHolder = holder
                }
                if deadline.hasPassed || interruption.isRequested { break }
                MonotonicClock.pause(seconds: min(pauseSeconds, deadline.remainingSeconds))
                pauseSeconds = min(pauseSeconds * 1.5, 0.5)
            }
        } catch {
            throw .database(error, "the runner's lock can't be requested")
        }
        if interruption.isRequested {
            throw MigrationError(
                .lockNotAcquired, "stopped on request while waiting for another runner")
        }
        throw MigrationError(
            .lockNotAcquired,
            "another runner still holds the lock after \(waitSeconds.shortSeconds)",
            details: [lastHolder ?? "its identity is unknown", "Wait longer with --lock-wait."])
    }

    /// Returns a description of the session that holds the lock.
    private func holder(on connection: Connection) throws(PostgresError) -> String? {
        let high = Int64(UInt64(bitPattern: key) >> 32)
        let low = key & 0xFFFF_FFFF
        return try connection.query(
            """
            SELECT l.pid, a.usename::text, a.application_name, a.client_addr::text,
                   a.backend_start::timestamptz(0)::text, a.state, left(a.query, 200)
              FROM pg_catalog.pg_locks AS l
              LEFT JOIN pg_catalog.pg_stat_activity AS a USING (pid)
             WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
               AND l.classid = \(high)::oid AND l.objid = \(low)::oid
               AND l.database =
                   (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
             ORDER BY l.pid LIMIT 1
            """
        ).decode(as: Peer.self).first?.description
    }
}

/// Advisory locks of a session, which outlive the transaction of the file that took them.
struct AdvisoryLocks {
    let connection: Connection

    /// Releases every lock of the session except the runner's. A lock that was taken several times
    /// must be released as often.
    func release(except lock: RunnerLock?) throws(PostgresError) {
        let keptKey = lock.map { $0.key } ?? 0
        var isDone = false
        while !isDone {
            let released = try connection.query(
                """
                SELECT CASE
                       WHEN objsubid = 1 AND mode = 'ExclusiveLock'
                       THEN pg_advisory_unlock(key)
                       WHEN objsubid = 1 THEN pg_advisory_unlock_shared(key)
                       WHEN mode = 'ExclusiveLock'
                       THEN pg_advisory_unlock(high, low)
                       ELSE pg_advisory_unlock_shared(high, low) END
                  FROM (\(unsafe: AdvisoryLocks.held)) AS l
                 WHERE NOT (\(lock != nil) AND objsubid = 1 AND mode = 'ExclusiveLock'
                        AND key = \(keptKey))
                """
            ).map { (row) throws(PostgresError) in try row.read(Bool.self) }
            isDone = !released.contains(true)
        }
    }

    /// Whether the session holds the runner's lock.
    func contain(_ lock: RunnerLock) throws(PostgresError) -> Bool {
        try connection.query(
            """
            SELECT EXISTS (
                SELECT FROM (\(unsafe: AdvisoryLocks.held)) AS l
                 WHERE objsubid = 1 AND mode = 'ExclusiveLock' AND key = \(lock.key))
            """
        ).scalar(Bool.self)
    }

    /// Query for the session's locks. A lock has one number of 64 bits or two of 32.
    private static let held = """
        SELECT classid::int8 << 32 | objid::int8 AS key, classid::int8::bit(32)::int4 AS high,
               objid::int8::bit(32)::int4 AS low, objsubid, mode
          FROM pg_catalog.pg_locks
         WHERE locktype = 'advisory' AND granted AND pid = pg_catalog.pg_backend_pid()
        """
}

extension Double {
    /// Seconds as text: `250 ms`, `2 s`, `1.5 s`.
    var shortSeconds: String {
        if self < 1 { return "\(Int((self * 1000).rounded())) ms" }
        let tenths = (self * 10).rounded() / 10
        return tenths == tenths.rounded() ? "\(Int(tenths)) s" : "\(tenths) s"
    }
}
