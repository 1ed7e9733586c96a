import Postgres
import Synchronization

/// A request to stop a run, for example by a signal: the running statement is cancelled, and no
/// other begins.
package final class Interruption: Sendable {
    private struct State {
        var isRequested = false
        var canceller: Canceller?
    }

    private let state = Mutex(State())

    /// Creates an interruption that is not requested yet.
    package init() {}

    /// Whether the run should stop.
    package var isRequested: Bool { state.withLock(\.isRequested) }

    /// Stops the run. May be called from any thread, more than once.
    package func request() {
        let canceller = state.withLock { state in
            state.isRequested = true
            return state.canceller
        }
        // A lost cancel request need not be reported: the run still stops after the statement.
        try? canceller?.cancel()
    }

    /// Lets later requests cancel the statement that this connection runs.
    func attach(_ canceller: Canceller) {
        state.withLock { $0.canceller = canceller }
    }
}
