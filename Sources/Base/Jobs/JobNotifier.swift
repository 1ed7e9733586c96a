package import Postgres
import Basics

/// Notifies workers of new jobs after the transaction that enqueued them has committed.
///
/// It sends at most one notification per queue in 25 ms, from a separate thread. NOTIFY takes a
/// lock that all notifying transactions of a server share, so it must not be part of the caller's
/// transaction. A notification that can't be sent is dropped, because workers poll within seconds.
package final class JobNotifier: Sendable {
    /// Minimum seconds between two notifications of the same queue.
    static let intervalSeconds = 0.025

    private struct State: Sendable {
        var pending: Set<String> = []
        var sentAt: [String: Deadline] = [:]
        var isClosed = false
        var hasThread = false
    }

    private enum Step: Sendable {
        case notify(String)
        case end
    }

    private let state = Monitor(State())
    private let pool: Pool

    /// Creates a notifier that borrows a connection from the pool for each notification.
    package init(_ pool: Pool) { self.pool = pool }

    deinit { close() }

    /// Notifies workers of a queue, and returns at once. If no thread can be started, no
    /// notification is sent.
    package func notifyWorkers(_ queue: String) {
        var isFirst = false
        state.update { state in
            isFirst = !state.hasThread
            state.hasThread = true
            return state.pending.insert(queue).inserted
        }
        if isFirst { startThread() }
    }

    private func startThread() {
        let (state, pool) = (state, pool)
        // Without a thread no notification is sent, and workers find the job by polling.
        _ = SystemThread.startDetached {
            while case .notify(let queue)? = Self.next(state) {
                // A failed notification is dropped: see above.
                try? pool.withConnection(deadline: .after(seconds: 1)) { connection in
                    _ = try connection.run(Queue.notify, queue, deadline: .after(seconds: 1))
                }
            }
        }
    }

    /// Ends the thread and drops pending notifications.
    package func close() {
        state.update {
            $0.isClosed = true
            return true
        }
    }

    private static func next(_ state: Monitor<State>) -> Step? {
        state.wait { state in
            if state.isClosed { return (.end, .never) }
            var soonest = Deadline.never
            for queue in state.pending {
                let allowed = state.sentAt[queue]?.adding(seconds: intervalSeconds)
                guard let allowed, !allowed.hasPassed else {
                    state.pending.remove(queue)
                    state.sentAt[queue] = .after(seconds: 0)
                    return (.notify(queue), .never)
                }
                soonest = min(soonest, allowed)
            }
            return (nil, soonest)
        }
    }
}
