import CLinux
import Glibc

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
