/// How long a run waits, and for what.
package struct RunLimits: Sendable, Equatable {
    /// How long to wait for a database that can't be reached.
    package var databaseWaitSeconds: Double = 0
    /// How long to wait for another runner to finish.
    package var lockWaitSeconds: Double = 60
    /// How long a statement may wait for a lock on a table or row while others wait behind it. Nil:
    /// 2 s, and 10 minutes for statements that run CONCURRENTLY, which wait without blocking others
    /// and must start over after a timeout.
    package var lockTimeoutSeconds: Double?
    /// How often a file or statement that didn't get its locks is tried again.
    package var lockRetries = 10
    /// The time that a commit may take to be confirmed by another server, where commits are.
    package var commitWaitSeconds: Double = 30
    /// How long a statement may run. Nil: as long as it takes.
    package var statementTimeoutSeconds: Double?

    /// The usual limits.
    package init() {}

    /// The lock timeout of statements that block others while they wait.
    var lockTimeoutMilliseconds: Int { Int((lockTimeoutSeconds ?? 2) * 1000) }
    /// The lock timeout of statements that don't.
    var concurrentLockTimeoutMilliseconds: Int { Int((lockTimeoutSeconds ?? 600) * 1000) }
    var statementTimeoutMilliseconds: Int { Int((statementTimeoutSeconds ?? 0) * 1000) }

    /// The pause before the next attempt: doubling from a quarter of a second to 5 s, and up to a
    /// quarter shorter, so that two who are in each other's way don't meet again.
    static func pauseSeconds(afterAttempt attempt: Int, jitter: Double) -> Double {
        min(5, 0.25 * Double(1 << min(attempt - 1, 10))) * (1 - 0.25 * jitter)
    }
}
