import Glibc
import Postgres
import Synchronization
import Basics

/// Observes a long statement of a run from a second session: the sessions that block it, and its
/// progress.
///
/// The second session is opened only when a statement turns out to be slow, so that a run of quick
/// ones costs nothing.
final class StatementWatcher: Sendable {
    /// State shared between the run and the watching thread.
    private struct State {
        var label = ""
        /// Start of the statement in nanoseconds of ``MonotonicClock``; nil while none runs.
        var startedAt: Int?
        var blockers: [String] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let settings: ConnectionSettings
    private let pid: Int32
    private let report: @Sendable (RunEvent) -> Void
    /// Time after which a running statement is observed, short enough to see its blockers before
    /// its lock timeout.
    private let delaySeconds: Double
    /// Seconds between two reports of a running statement.
    private let reportSeconds: Double
    private static let tickMilliseconds: Int32 = 50

    init(
        _ settings: ConnectionSettings, pid: Int32, limits: RunLimits, reportSeconds: Double,
        report: @escaping @Sendable (RunEvent) -> Void
    ) {
        self.settings = settings
        self.pid = pid
        self.report = report
        self.reportSeconds = reportSeconds
        delaySeconds = min(0.4, Double(limits.lockTimeoutMilliseconds) / 2000)
    }

    /// Runs `body` while a thread watches.
    func during<Value>(
        _ body: () throws(MigrationError) -> Value
    ) throws(MigrationError) -> Value {
        // Closing the pipe's writing end wakes the thread. If the process has no descriptors left
        // for a pipe, the thread notices the end a moment later.
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        let (wake, stop) = (ends[0], ends[1])
        let thread = try? SystemThread { self.watch(wake) }
        defer {
            state.withLock { $0.isStopped = true }
            if stop >= 0 { close(stop) }
            thread?.join()
            if wake >= 0 { close(wake) }
        }
        return try body()
    }

    /// Starts observing a statement or file.
    func begin(_ label: String) {
        state.withLock {
            $0.label = label
            $0.startedAt = MonotonicClock.nanoseconds()
            $0.blockers = []
        }
    }

    /// Stops observing; returns the sessions that were last seen blocking the statement.
    @discardableResult
    func end() -> [String] {
        state.withLock {
            $0.startedAt = nil
            return $0.blockers
        }
    }

    // MARK: - The thread

    private func watch(_ wake: Int32) {
        var observer = Observer(settings, pid: pid)
        var lastReport: (startedAt: Int, at: Int)?
        while true {
            var descriptor = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
            _ = poll(&descriptor, 1, Self.tickMilliseconds)
            let (label, begun, isStopped) = state.withLock {
                ($0.label, $0.startedAt, $0.isStopped)
            }
            if isStopped { return }
            guard let startedAt = begun else { continue }
            let seconds = MonotonicClock.seconds(since: startedAt)
            guard seconds >= delaySeconds else { continue }
            let observation = observer.observe()
            state.withLock {
                if $0.startedAt == startedAt && !observation.blockers.isEmpty {
                    $0.blockers = observation.blockers
                }
            }
            let lastReportAt =
                lastReport?.startedAt == startedAt ? lastReport?.at ?? startedAt : startedAt
            if MonotonicClock.seconds(since: lastReportAt) >= reportSeconds {
                lastReport = (startedAt, MonotonicClock.nanoseconds())
                report(
                    .stillRunning(
                        label: label, seconds: seconds, progress: observation.progress,
                        blockers: observation.blockers))
            }
        }
    }
}
