import Foundation

/// A value that threads share, behind a lock.
///
/// `Mutex` of the standard library needs iOS 18. `@unchecked Sendable`: the value is reached in
/// `withLock` only, which one thread at a time enters.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Runs `body` alone. It must be short, and must not call `withLock` again.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

/// Those who iterate one of the library's streams: each gets every value that is sent from then on.
///
/// Safe to use from any thread. A watcher that stops iterating is forgotten. All streams end when
/// this is deinitialised, with the object that owns it.
final class Watchers<Element: Sendable>: Sendable {
    private struct State {
        var streams: [Int: AsyncStream<Element>.Continuation] = [:]
        var last = 0
    }

    private let state = Locked(State())

    deinit {
        // Not under the lock: to finish a stream calls what is to be done at its end.
        state.withLock { $0.streams }.values.forEach { $0.finish() }
    }

    var isEmpty: Bool { state.withLock { $0.streams.isEmpty } }

    /// A stream for another watcher.
    ///
    /// - Parameters:
    ///   - policy: What becomes of values that the watcher has not taken yet.
    ///   - first: What it gets at once.
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

    /// Gives a value to every watcher. Values sent one after the other arrive in this order.
    func send(_ element: Element) {
        state.withLock { state in
            for watcher in state.streams.values { watcher.yield(element) }
        }
    }
}

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
