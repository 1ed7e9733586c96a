import Basics
import Synchronization
import Telemetry
import UseCases

/// Raises an alarm when more wrong family codes arrive than people mistype: somebody is guessing
/// from many accounts and addresses, each of which stays within its limits.
///
/// The alarm refuses nothing and counts only this process's requests; the counters of several
/// processes can be summed in the metrics. The database counts the wrong codes of all processes,
/// and decides how to react.
final class CodeAlarm: Sendable {
    /// Number of wrong codes that a window may have without an alarm.
    static let budget = 300
    static let windowNanoseconds = 300_000_000_000

    private struct Window {
        var start = Int.min
        var failures = 0
    }

    private let window = Mutex(Window())
    private let failures: Counter
    private let alarms: Counter
    private let log: Log

    init(_ metrics: Metrics, _ log: Log) {
        failures = metrics.counter(
            "hearth_code_failures_total", "Wrong or expired family codes.")
        alarms = metrics.counter(
            "hearth_code_alarms_total",
            "Windows of five minutes with more than 300 wrong family codes.")
        self.log = log
    }

    /// Counts a refusal if it is about a family code that somebody has tried. Mailed codes and
    /// links expire with the same error code, and anybody can have one mailed: they are not
    /// counted.
    ///
    /// - Parameter now: Nanoseconds of ``MonotonicClock``.
    func count(_ refusal: Refusal, now: Int = MonotonicClock.nanoseconds()) {
        switch (refusal.code, refusal.parameter) {
        case (.codeExpired, .mailedCode), (.codeExpired, .noCode): return
        case (.codeUnknown, _), (.codeExpired, _): break
        default: return
        }
        failures.add()
        let isOverBudget = window.withLock { window in
            if window.start == Int.min || now - window.start >= Self.windowNanoseconds {
                window = Window(start: now, failures: 0)
            }
            window.failures += 1
            return window.failures == Self.budget + 1
        }
        if isOverBudget {
            alarms.add()
            log.warning(
                "this process received more wrong family codes in five minutes than the limit",
                [.limit(Self.budget)])
        }
    }
}
