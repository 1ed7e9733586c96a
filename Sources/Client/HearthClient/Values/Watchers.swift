import Foundation

/// A value that threads share, behind a lock.
///
/// It replaces the standard library's `Mutex`, which needs iOS 18. `@unchecked Sendable` holds
/// since the value is accessed only in `withLock`, by one thread at a time.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Runs `body` while holding the lock. `body` must be short, and must not call `withLock`.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

/// The consumers of one of the library's streams. Each gets every value that is sent after it
/// subscribed.
///
/// It is safe to use from any thread. A consumer that stops iterating is removed. All streams end
/// when this object is deinitialised, together with its owner.
final class Watchers<Element: Sendable>: Sendable {
    private struct State {
        var streams: [Int: AsyncStream<Element>.Continuation] = [:]
        var last = 0
    }

    private let state = Locked(State())

    deinit {
        // Finish outside the lock: finishing a stream calls its termination handler.
        state.withLock { $0.streams }.values.forEach { $0.finish() }
    }

    var isEmpty: Bool { state.withLock { $0.streams.isEmpty } }

    /// Returns a stream for another consumer.
    ///
    /// - Parameters:
    ///   - policy: Buffering of values that the consumer has not received yet.
    ///   - first: Values to send at once.
    func stream(
        _ policy: AsyncStream<Element>.Continuation.BufferingPolicy, first: [Element] = []
    ) -> AsyncStream<Element> {
        AsyncStream(bufferingPolicy: policy) { watcher in
            for element in first { watcher.yield(element) }
            let number = state.withLock { state in
                state.last += 1
                state.streams[state.last] = watcher
                return state.last
            }
            watcher.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.streams.removeValue(forKey: number) }
            }
        }
    }

    /// Sends a value to every consumer. Values arrive in the order in which they were sent.
    func send(_ element: Element) {
        state.withLock { state in
            for watcher in state.streams.values { watcher.yield(element) }
        }
    }
}

/// A signal that wakes a waiting task. Calls while nobody waits are remembered as one.
final class WakeSignal: Sendable {
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

    /// Waits for a call, up to a time limit. Returns at once if the task is cancelled.
    func wait(atMostSeconds seconds: Double) async {
        let timer = Task { [weak self] in
            // A cancelled timer must not wake anybody.
            if (try? await Task.sleep(nanoseconds: UInt64(max(0, seconds) * 1e9))) != nil {
                self?.call()
            }
        }
        defer { timer.cancel() }
        await waitForCall()
    }

    /// Waits for a call. Returns at once if the task is cancelled.
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
