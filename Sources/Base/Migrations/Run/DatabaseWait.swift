import Postgres
import Basics

/// Waits for a database that can't be reached yet, because a machine may boot before its database
/// does.
struct DatabaseWait {
    private static let longestPauseSeconds = 2.0

    private let settings: ConnectionSettings
    private let waitSeconds: Double
    private let interruption: Interruption
    private let report: @Sendable (RunEvent) -> Void

    init(
        _ settings: ConnectionSettings, waitSeconds: Double, interruption: Interruption,
        report: @escaping @Sendable (RunEvent) -> Void
    ) {
        self.settings = settings
        self.waitSeconds = waitSeconds
        self.interruption = interruption
        self.report = report
    }

    /// Returns as soon as a session can be opened. With a waiting time of 0 it tries once. Reports
    /// each new reason for a failure.
    ///
    /// - Throws: `unreachable` when the waiting time is over or the run is interrupted.
    func run() throws(MigrationError) {
        guard waitSeconds > 0 else { return }
        let deadline = Deadline.after(seconds: waitSeconds)
        var (pauseSeconds, lastReported) = (0.1, "")
        while true {
            let failure: PostgresError
            do throws(PostgresError) {
                _ = try Connection(settings)
                return
            } catch {
                failure = error
            }
            if deadline.hasPassed || interruption.isRequested {
                throw Session.unreachable(failure, settings)
            }
            if failure.message != lastReported {
                lastReported = failure.message
                report(
                    .waitingForDatabase(reason: lastReported, seconds: deadline.remainingSeconds))
            }
            MonotonicClock.pause(seconds: min(pauseSeconds, deadline.remainingSeconds))
            pauseSeconds = min(2 * pauseSeconds, Self.longestPauseSeconds)
        }
    }
}
