/// Limits of a run's waiting times.
package struct RunLimits: Sendable, Equatable {
    /// Maximum wait for a database that can't be reached.
    package var databaseWaitSeconds: Double = 0
    /// Maximum wait for another runner to finish.
    package var lockWaitSeconds: Double = 60
    /// Maximum time that a statement waits for a lock on a table or row while other sessions wait
    /// behind it. Nil: 2 s, and 10 minutes for statements that run CONCURRENTLY, which wait without
    /// blocking others and must start over after a timeout.
    package var lockTimeoutSeconds: Double?
    /// Maximum number of retries of a file or statement that didn't get its locks.
    package var lockRetries = 10
    /// Maximum wait for a commit's confirmation by a synchronous standby.
    package var commitWaitSeconds: Double = 30
    /// Maximum duration of a statement; nil for no limit.
    package var statementTimeoutSeconds: Double?

    /// Creates the default limits.
    package init() {}

    /// The lock timeout of statements that block others while they wait.
    var lockTimeoutMilliseconds: Int { Int((lockTimeoutSeconds ?? 2) * 1000) }
    /// The lock timeout of statements that wait without blocking others.
    var concurrentLockTimeoutMilliseconds: Int { Int((lockTimeoutSeconds ?? 600) * 1000) }
    var statementTimeoutMilliseconds: Int { Int((statementTimeoutSeconds ?? 0) * 1000) }

    /// Returns the pause before the next attempt. It doubles from a quarter of a second to 5 s, and
    /// is shortened by up to a quarter, so that two conflicting sessions don't meet again.
    static func pauseSeconds(afterAttempt attempt: Int, jitter: Double) -> Double {
        min(5, 0.25 * Double(1 << min(attempt - 1, 10))) * (1 - 0.25 * jitter)
    }
}
