import Foundation
package import Postgres
import Synchronization
import Basics

/// Evaluates `condition` repeatedly until it holds: after 1 ms, then less often, finally every 20
/// ms.
///
/// - Throws: `TimedOut` if it does not hold within `seconds`; any error of `condition`.
package func eventually(
    within seconds: Double = 60, _ condition: () throws -> Bool
) throws {
    let deadline = Deadline.after(seconds: seconds)
    var pauseSeconds = 0.001
    while try !condition() {
        if deadline.hasPassed { throw TimedOut() }
        // Polling without a pause would take the processor from the awaited work.
        MonotonicClock.pause(seconds: pauseSeconds)
        pauseSeconds = min(2 * pauseSeconds, 0.02)
    }
}

/// The awaited condition did not become true.
package struct TimedOut: Error {
    package init() {}
}

/// Work on a separate thread.
package final class BackgroundWork<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    fileprivate init() {}

    /// Waits for the end and returns the value, or throws the work's error.
    package func wait(seconds: Double = 60) throws -> Value {
        guard done.wait(timeout: .now() + seconds) == .success,
            let result = result.withLock({ $0 })
        else { throw TimedOut() }
        done.signal()
        return try result.get()
    }

    fileprivate func finish(_ outcome: Result<Value, any Error>) {
        result.withLock { $0 = outcome }
        done.signal()
    }
}

/// Starts `body` on a separate thread.
package func inBackground<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) -> BackgroundWork<Value> {
    let work = BackgroundWork<Value>()
    Thread.detachNewThread { work.finish(Result { try body() }) }
    return work
}

extension TestDatabase {
    /// Connection settings of the cluster itself, for tests that leave nothing behind.
    package static func cluster() throws -> ConnectionSettings {
        guard let url = getenv("HEARTH_TEST_DATABASE_URL") else { throw TestSetupError() }
        var settings = try ConnectionSettings(url: String(cString: url))
        settings.connectTimeoutSeconds = TestDatabase.connectSeconds
        return settings
    }
}
