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
