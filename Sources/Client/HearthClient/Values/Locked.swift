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
