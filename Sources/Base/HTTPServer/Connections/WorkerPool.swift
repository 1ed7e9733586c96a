import Synchronization

/// Keeps count of a server's threads, so that somebody notices when all of them wait.
///
/// Requests that the others have no thread for are parked here until one is free.
final class WorkerPool: Sendable {
    private let size: Int
    private let busy = Atomic(0)
    private let finished = Atomic(0)
    private let parked = Mutex<[ClientConnection]>([])
    private let parkedCount = Atomic(0)

    /// How many busy workers keep the processors busy: while one waits, the process that it waits
    /// for works. Unused with a single worker, which can't leave work to others.
    private let enough: Int

    init(size: Int, processors: Int) {
        self.size = size
        enough = min(size - 1, max(1, processors / 2))
    }

    /// Runs `work`, of so many pieces, as one of the pool.
    func occupy<Result>(_ pieces: Int, _ work: () -> Result) -> Result {
        busy.add(1, ordering: .sequentiallyConsistent)
        defer {
            finished.add(pieces, ordering: .relaxed)
            // Before the worker looks for parked requests; see `park`.
            busy.subtract(1, ordering: .sequentiallyConsistent)
        }
        return work()
    }

    /// How much work has been done.
    var finishedCount: Int { finished.load(ordering: .relaxed) }

    /// Whether all workers are busy and have completed less than one item each since `count`: they
    /// are waiting for something other than the processor.
    func isStuck(since count: Int) -> Bool { isFull && finishedCount - count < size }

    /// Whether leaving work to another worker gains nothing: all others, or all processors, are
    /// busy.
    var isShort: Bool {
        busy.load(ordering: .sequentiallyConsistent) >= enough
    }

    private var isFull: Bool { busy.load(ordering: .sequentiallyConsistent) >= size }

    /// Leaves a connection for the next free worker. Returns connections that might be missed,
    /// because a worker has looked in vain in the meantime.
    ///
    /// A worker counts itself free before it looks here, and this looks for free workers after it
    /// has put the connection here: one of the two sees the other.
    func park(_ connection: ClientConnection) -> [ClientConnection] {
        connection.release()
        parked.withLock { $0.append(connection) }
        parkedCount.add(1, ordering: .sequentiallyConsistent)
        return isFull ? [] : takeAll()
    }

    /// The connection that has been parked longest.
    func takeParked() -> ClientConnection? {
        guard parkedCount.load(ordering: .sequentiallyConsistent) > 0 else { return nil }
        let connection = parked.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let connection else { return nil }
        parkedCount.subtract(1, ordering: .sequentiallyConsistent)
        connection.acquire()
        return connection
    }

    private func takeAll() -> [ClientConnection] {
        var taken: [ClientConnection] = []
        while let connection = takeParked() { taken.append(connection) }
        return taken
    }
}
