import Postgres
import Basics

/// Retries work that didn't get its locks, with pauses between attempts.
struct Attempts {
    let session: Session
    let watcher: StatementWatcher
    let interruption: Interruption
    let report: (RunEvent) -> Void

    /// Runs `body` until it gets its locks, or the retries are used up.
    ///
    /// A second session observes the work, so that reports and the last error can name the holders
    /// of the locks.
    ///
    /// - Parameter explain: Turns the last error and the blocking sessions into the reported error.
    func run(
        _ label: String, file: String, body: () throws(PostgresError) -> Void,
        explain: (PostgresError, [String]) -> MigrationError
    ) throws(MigrationError) {
        let retries = session.limits.lockRetries
        for attempt in 1... {
            watcher.begin(label)
            do throws(PostgresError) {
                try body()
                watcher.end()
                return
            } catch {
                let blockers = watcher.end()
                guard error.isWorthAnotherAttempt, attempt <= retries, !interruption.isRequested
                else {
                    throw explain(error, blockers)
                }
                let pause = RunLimits.pauseSeconds(
                    afterAttempt: attempt, jitter: Double.random(in: 0...1))
                report(
                    .retries(
                        file: file, attempt: attempt, of: retries, pauseSeconds: pause,
                        blockers: blockers))
                MonotonicClock.pause(seconds: pause)
                try session.checkLock(after: file)
            }
        }
    }
}

extension PostgresError {
    /// Whether the only cause was a conflict with other sessions.
    fileprivate var isWorthAnotherAttempt: Bool {
        code == .server && (sqlState == .lockNotAvailable || isRetriable)
    }
}
