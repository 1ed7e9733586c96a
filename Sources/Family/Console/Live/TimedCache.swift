import Basics

/// A value that is read at most once in a while, however many pages show it. Of pages that need it
/// at the same time, one reads and the others wait.
final class TimedCache<Value: Sendable>: Sendable {
    private enum Turn { case known(Value), read }

    private struct State: Sendable {
        var value: Value?
        var readAt: Int64 = 0
        var isReading = false
    }

    /// Seconds for which a page waits for the read of another one.
    private static var turnSeconds: Double { 15 }

    private let seconds: Int64
    private let state = Monitor(State())

    init(seconds: Int64) { self.seconds = seconds }

    /// Returns the value, from memory if it was read lately.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Throws: ``ConsoleBusy`` if another page's read takes too long, and errors of `read`.
    func value(now: Int64, _ read: () throws -> Value) throws -> Value {
        let deadline = Deadline.after(seconds: Self.turnSeconds)
        let turn: Turn? = state.wait { state in
            if let value = state.value, (0..<seconds).contains(now - state.readAt) {
                return (.known(value), deadline)
            }
            if state.isReading { return (nil, deadline) }
            state.isReading = true
            return (.read, deadline)
        }
        switch turn {
        case .known(let value): return value
        case nil: throw ConsoleBusy()
        case .read: break
        }
        let result = Result { try read() }
        state.change { state in
            state.isReading = false
            guard case .success(let value) = result else { return }
            state.value = value
            state.readAt = now
        }
        return try result.get()
    }
}
