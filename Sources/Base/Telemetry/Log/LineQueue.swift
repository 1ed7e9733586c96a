import Synchronization

/// Lines on their way to a log's reader.
///
/// A thread that finds nobody writing writes; the others leave their lines to it and go on. If they
/// waited for each other instead, each would have to be woken after its turn, which takes longer
/// than the writing.
final class LineQueue: Sendable {
    private struct State {
        var lines: [UInt8] = []
        var isWriting = false
    }

    /// Where a slow reader's lines are not gathered any more: then everybody waits for it.
    private static let limitBytes = 1 << 20

    private let state = Mutex(State())
    /// Held by whoever writes, while it writes. It holds nothing: a function in it would be wrapped
    /// once more by the compiler each time it is lent out.
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
