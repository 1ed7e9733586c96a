import Foundation
import Synchronization

/// Runs `body` concurrently on `count` threads and returns the results in order.
///
/// The threads wait for one another before they start.
package func onThreads<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Value
) -> [Result<Value, any Error>] {
    let results = Mutex([Result<Value, any Error>?](repeating: nil, count: count))
    let done = DispatchGroup()
    let start = Gate(count)
    for index in 0..<count {
        done.enter()
        Thread.detachNewThread {
            start.arriveAndWait()
            let result = Result { try body(index) }
            results.withLock { $0[index] = result }
            done.leave()
        }
    }
    done.wait()
    return results.withLock { $0.compactMap { $0 } }
}

/// Runs `body` on a separate thread and returns the result.
///
/// Tests share as many threads as the machine has processors, so a long test that blocks one of
/// them delays all others. A test that waits for a separate thread does not.
package func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// A barrier: each of `count` threads waits for the others, for a minute at most.
package final class Gate: Sendable {
    private let remaining: Mutex<Int>
    private let open = DispatchSemaphore(value: 0)
    private let count: Int

    package init(_ count: Int) {
        self.count = count
        remaining = Mutex(count)
    }

    package func arriveAndWait() {
        let left = remaining.withLock { left in
            left -= 1
            return left
        }
        if left == 0 { for _ in 0..<count { open.signal() } }
        // A thread that failed never arrives, and a repeated step arrives once more.
        if left >= 0 { _ = open.wait(timeout: .now() + 60) }
    }
}
