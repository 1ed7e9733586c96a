import Synchronization

/// Lines on their way to a log's reader.
///
/// A thread writes if no other thread is writing. Otherwise it leaves its line to the writing
/// thread and continues. If threads waited for each other instead, each would have to be woken
/// after its turn, which takes longer than the writing.
final class LineQueue: Sendable {
    private struct State {
        var lines: [UInt8] = []
        var isWriting = false
    }

    /// The maximum backlog for a slow reader; beyond it, every thread waits.
    private static let limitBytes = 1 << 20

    private let state = Mutex(State())
    /// Held by the writing thread. It contains no value, because the compiler would wrap a function
    /// in it again on each access.
    private let output = Mutex(())
    private let write: @Sendable ([UInt8]) -> Void

    /// A queue whose lines go to `write`, one call at a time.
    init(write: @escaping @Sendable ([UInt8]) -> Void) { self.write = write }

    /// Adds a line; it has been written when this returns, or is about to be by another thread.
    func add(_ line: [UInt8]) {
        while true {
            let (isAdded, isMine) = state.withLock { state in
                guard state.lines.count < Self.limitBytes else { return (false, false) }
                state.lines += line
                defer { state.isWriting = true }
                return (true, !state.isWriting)
            }
            if isMine { writeAll() }
            if isAdded { return }
            output.withLock { _ in }
        }
    }

    /// Waits until every line that was added before has been written.
    func flush() {
        while state.withLock({ $0.isWriting }) { output.withLock { _ in } }
    }

    private func writeAll() {
        var isOver = false
        while !isOver {
            isOver = output.withLock { _ in
                let lines = state.withLock { state in
                    defer {
                        state.isWriting = !state.lines.isEmpty
                        state.lines = []
                    }
                    return state.lines
                }
                if !lines.isEmpty { write(lines) }
                return lines.isEmpty
            }
        }
    }
}
