import Basics

/// A value that is read at most once in a while, however many pages show it.
final class TimedCache<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let value: Value
        let readAt: Int64
    }

    private let seconds: Int64
    private let entry = Lock<Entry?>(nil)

    init(seconds: Int64) { self.seconds = seconds }

    /// Returns the value, from memory if it was read lately.
    ///
    /// - Parameter now: Seconds since 1970.
    func value(now: Int64, _ read: () throws -> Value) throws -> Value {
        if let entry = entry.withLock({ $0 }), (0..<seconds).contains(now - entry.readAt) {
            return entry.value
        }
        let value = try read()
        entry.withLock { $0 = Entry(value: value, readAt: now) }
        return value
    }
}
