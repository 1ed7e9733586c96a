import CLinux
import Glibc
import Synchronization
import Threads

// How connections come to threads: epoll, the threads, and what is open.

/// One epoll set that many threads wait on: each event of a connection goes to exactly one of them,
/// which then owns the connection until it arms it again.
///
/// It takes no lock, because many threads would queue behind it at every request. The caller of
/// `add` keeps the connection alive until its socket is closed.
final class Poller: Sendable {
    /// The wake-up's value in the place of a connection.
    private static let closed: UInt64 = 0

    /// Readable while an event waits for somebody.
    let descriptor: Int32
    private let wakeUp: EventFD

    init() throws(ServerError) {
        wakeUp = try EventFD()
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw .system("making an epoll set") }
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = Self.closed
        guard epoll_ctl(descriptor, EPOLL_CTL_ADD, wakeUp.descriptor, &event) == 0 else {
            let error = ServerError.system("watching an event descriptor")
            Glibc.close(descriptor)
            throw error
        }
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Begins to watch a connection: its next event is delivered once. False if the system refuses.
    func add(_ connection: ClientConnection) -> Bool {
        control(EPOLL_CTL_ADD, connection, EPOLLIN.rawValue)
    }

    /// Arms a watched connection for its next event, when it can do what it waits for. False if the
    /// system refuses.
    func arm(_ connection: ClientConnection, for interest: ClientConnection.Interest) -> Bool {
        switch interest {
        case .reading: control(EPOLL_CTL_MOD, connection, EPOLLIN.rawValue)
        case .writing: control(EPOLL_CTL_MOD, connection, EPOLLOUT.rawValue)
        // There usually is room to write, so the event is delivered at once, behind the waiting
        // ones.
        case .turn, .worker:
            control(EPOLL_CTL_MOD, connection, EPOLLIN.rawValue | EPOLLOUT.rawValue)
        case .end: false
        }
    }

    /// The connections with the next events; waits for the first if `waiting`. None after `close`.
    func next(waiting: Bool, atMost limit: Int) -> [ClientConnection] {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: limit) { events in
            var count: Int32
            repeat {
                count = epoll_wait(
                    descriptor, events.baseAddress, Int32(limit), waiting ? -1 : 0)
                precondition(count >= 0 || errno == EINTR, "an epoll set can be waited on")
            } while count < 0
            // A wake-up has no connection: events that came with it are served before the end.
            return events.prefix(Int(count)).compactMap { event in
                guard let pointer = UnsafeRawPointer(bitPattern: UInt(event.data.u64)) else {
                    return nil
                }
                let connection = Unmanaged<ClientConnection>.fromOpaque(pointer)
                    .takeUnretainedValue()
                connection.acquire()
                return connection
            }
        }
    }

    /// Wakes all who wait.
    func close() {
        wakeUp.signal()
    }

    private func control(_ operation: Int32, _ connection: ClientConnection, _ events: UInt32)
        -> Bool
    {
        var event = epoll_event()
        event.events = events | EPOLLONESHOT.rawValue
        event.data.u64 = UInt64(UInt(bitPattern: Unmanaged.passUnretained(connection).toOpaque()))
        let watched = connection.socket
        connection.release()
        return epoll_ctl(descriptor, operation, watched, &event) == 0
    }
}

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

/// The connections that are open, by the address they come from.
struct Registry: Sendable {
    private var perAddress: [PeerAddress: Set<ClientConnection>] = [:]
    private(set) var count = 0

    var connections: [ClientConnection] { perAddress.values.flatMap { $0 } }

    func count(from peer: PeerAddress) -> Int { perAddress[peer]?.count ?? 0 }

    mutating func insert(_ connection: ClientConnection) {
        if perAddress[connection.peer, default: []].insert(connection).inserted { count += 1 }
    }

    mutating func remove(_ connection: ClientConnection) {
        guard perAddress[connection.peer]?.remove(connection) != nil else { return }
        count -= 1
        if perAddress[connection.peer]?.isEmpty == true { perAddress[connection.peer] = nil }
    }

    /// Of an address's connections the one that has been silent longest; nil if none is.
    func mostSilent(from peer: PeerAddress) -> ClientConnection? {
        var found: (connection: ClientConnection, since: Int)?
        for connection in perAddress[peer] ?? [] {
            guard let since = connection.silentSince else { continue }
            if found.map({ since < $0.since }) ?? true { found = (connection, since) }
        }
        return found?.connection
    }

    /// The address with most connections.
    var busiest: PeerAddress? { perAddress.max { $0.value.count < $1.value.count }?.key }
}

/// An event to wait for among file descriptors (eventfd(2)): readable from its signal until it is
/// reset.
final class EventFD: Sendable {
    /// Becomes readable with the signal.
    let descriptor: Int32

    init() throws(ServerError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw .system("making an event descriptor") }
    }

    deinit {
        close(descriptor)
    }

    func signal() {
        // Fails only when the counter is full: then it has been signalled.
        _ = eventfd_write(descriptor, 1)
    }

    func reset() {
        var count: eventfd_t = 0
        // Fails only if there was no signal.
        _ = eventfd_read(descriptor, &count)
    }

    /// Whether it is signalled within that time.
    func isSignalled(withinSeconds seconds: Double) -> Bool {
        let deadline = Deadline.after(seconds: seconds)
        while true {
            var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&item, 1, deadline.pollMilliseconds)
            if count > 0 { return true }
            if deadline.hasPassed { return false }
        }
    }
}
