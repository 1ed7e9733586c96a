import Foundation
import Synchronization

/// Runs `body` on `count` threads at once and returns what each gave, in order.
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

/// What `body` gives, run on a thread of its own.
///
/// Tests share as many threads as the machine has processors. A long test that waits for others on
/// one of them holds up all others; this one does not.
package func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// A meeting point: each of `count` threads waits until all have come, a minute at most.
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
        // One that failed never comes, and what is repeated comes once more.
        if left >= 0 { _ = open.wait(timeout: .now() + 60) }
    }
}
