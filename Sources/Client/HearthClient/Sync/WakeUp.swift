import Foundation

/// Wakes one who waits. Calls that come while nobody waits are remembered as one.
final class WakeUp: Sendable {
    private struct State {
        var isCalled = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var next = 0
    }

    private let state = Locked(State())

    func call() {
        let waiting = state.withLock { state in
            let waiting = Array(state.waiting.values)
            state.isCalled = waiting.isEmpty
            state.waiting = [:]
            return waiting
        }
        waiting.forEach { $0.resume() }
    }

    /// Waits for a call, at most so long. Ends at once if the task is cancelled.
    func wait(atMostSeconds seconds: Double) async {
        let timer = Task { [weak self] in
            // A timer that is cancelled wakes nobody.
            if (try? await Task.sleep(nanoseconds: UInt64(max(0, seconds) * 1e9))) != nil {
                self?.call()
            }
        }
        defer { timer.cancel() }
        await waitForCall()
    }

    /// Waits for a call. Ends at once if the task is cancelled.
    func waitForCall() async {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.isCalled || Task.isCancelled {
                        state.isCalled = false
                        return true
                    }
                    state.waiting[number] = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}
