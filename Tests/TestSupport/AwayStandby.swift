package import Postgres
import Synchronization
import Basics

/// A synchronous standby that a server's commits wait for, and that may be unreachable. Each wait
/// is then cancelled at once, as by a client whose deadline has passed.
package final class AwayStandby: Sendable {
    private let server: ConnectionSettings
    private let isAway = Monitor(false)
    private let thread = Mutex<SystemThread?>(nil)

    /// - Parameter server: Connection settings of the server's superuser. The server's commits must
    ///   not wait for a standby yet.
    package init(of server: ConnectionSettings) {
        self.server = server
    }

    deinit { stop() }

    /// Makes commits wait for a standby that never connects, or for none; returns once the setting
    /// is in effect.
    ///
    /// - Parameter givesUp: Whether waits are cancelled for the waiting sessions.
    package func set(away: Bool, givesUp: Bool = true) throws {
        let connection = try Connection(server)
        try connection.execute(
            script: "ALTER SYSTEM SET synchronous_standby_names = '\(away ? "nobody" : "")'")
        try connection.execute(script: "SELECT pg_reload_conf()")
        if away, givesUp { try start() } else { stop() }
        try eventually { try isWaitedFor() == away }
    }

    /// Waits until no session waits for the standby any more.
    package func awaitNoWaiter() throws {
        let connection = try Connection(server)
        try eventually {
            try connection.query(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            ).scalar(Int.self) == 0
        }
    }

    /// Whether a commit waits for the standby.
    private func isWaitedFor() throws -> Bool {
        do {
            try Connection(server).query(
                "SELECT pg_logical_emit_message(true, 'test', '')", deadline: .after(seconds: 1))
            return false
        } catch  where [.commitUnknown, .deadlineExceeded].contains(error.code) {
            return true
        }
    }

    private func start() throws {
        stop()
        isAway.change { $0 = true }
        let started = try SystemThread { [server, isAway] in
            guard let connection = try? Connection(server) else { return }
            while isAway.withLock({ $0 }) {
                _ = try? connection.query(
                    """
                    SELECT pg_cancel_backend(pid) FROM pg_stat_activity
                    WHERE wait_event = 'SyncRep'
                    """)
                MonotonicClock.pause(seconds: 0.01)
            }
        }
        thread.withLock { $0 = started }
    }

    private func stop() {
        isAway.change { $0 = false }
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }
}
