import Synchronization

/// Ids in the order in which they were added.
final class Order: Sendable {
    private let list = Mutex<[Int64]>([])
    func add(_ id: Int64) { list.withLock { $0.append(id) } }
    var ids: [Int64] { list.withLock { $0 } }
}
