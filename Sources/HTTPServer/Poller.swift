import CMicroHTTPD
import Glibc

/// One epoll set that many threads wait on: each event of a connection goes to exactly one of them,
/// which then owns the connection until it arms it again.
///
/// No lock is taken on the way: threads by the dozen would queue up behind it at every request.
/// Whoever adds a connection keeps it alive until its descriptor is closed.
final class Poller: Sendable {
    /// What the bell says in the place of a connection.
    private static let closed: UInt64 = 0

    private let descriptor: Int32
    private let bell: Bell

    init() throws(ServerError) {
        bell = try Bell()
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw .system("making an epoll set") }
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = Self.closed
        guard epoll_ctl(descriptor, EPOLL_CTL_ADD, bell.descriptor, &event) == 0 else {
            let error = ServerError.system("watching an event descriptor")
            Glibc.close(descriptor)
            throw error
        }
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Begins to watch a connection: its next event is handed out once. False if the system
    /// refuses.
    func add(_ connection: Connection) -> Bool {
        control(EPOLL_CTL_ADD, connection)
    }

    /// Lets the next event of a watched connection be handed out. False if the system refuses.
    func arm(_ connection: Connection) -> Bool {
        control(EPOLL_CTL_MOD, connection)
    }

    /// Waits for the next event and returns its connection; nil, for ever, after `close`.
    func next() -> Connection? {
        var event = epoll_event()
        while epoll_wait(descriptor, &event, 1, -1) != 1 {
            precondition(errno == EINTR, "an epoll set can be waited on")
        }
        guard let pointer = UnsafeRawPointer(bitPattern: UInt(event.data.u64)) else { return nil }
        let connection = Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
        connection.acquire()
        return connection
    }

    /// Wakes all who wait.
    func close() {
        bell.ring()
    }

    private func control(_ operation: Int32, _ connection: Connection) -> Bool {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | EPOLLONESHOT.rawValue
        event.data.u64 = UInt64(UInt(bitPattern: Unmanaged.passUnretained(connection).toOpaque()))
        let watched = connection.descriptor
        connection.release()
        return epoll_ctl(descriptor, operation, watched, &event) == 0
    }
}
