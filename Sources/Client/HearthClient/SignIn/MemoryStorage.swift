public import Foundation

/// Keeps a session until the process ends: for previews and tests.
public final class MemoryStorage: SessionStorage {
    private let kept = Locked<Data?>(nil)

    /// Nothing is kept at first.
    public init() {}

    /// What was kept.
    public func load() -> Data? { kept.withLock { $0 } }
    /// Keeps it until the process ends.
    public func save(_ data: Data) { kept.withLock { $0 = data } }
    /// Forgets it.
    public func remove() { kept.withLock { $0 = nil } }
}
