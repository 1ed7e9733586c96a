import Synchronization

/// Lets a parked connection go on, at most once, and not after it has ended.
final class Resumption: Sendable {
    private let isUsed = Mutex(false)

    /// Runs `resume` unless this was used or ended before.
    func use(_ resume: () -> Void) {
        // Under the lock: the connection doesn't end while it is handed to a thread.
        isUsed.withLock { isUsed in
            if isUsed { return }
            isUsed = true
            resume()
        }
    }

    /// From now on it does nothing.
    func end() { isUsed.withLock { $0 = true } }
}
