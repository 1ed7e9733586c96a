import CMicroHTTPD
import Glibc

/// One epoll set that many threads wait on: each event goes to exactly one of them, which then
/// owns what it stands for until it arms it again.
final class Poller: Sendable {
    /// The token of a set that was closed.
    static let closed: UInt64 = 0

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
            throw .system("watching an event descriptor")
        }
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Begins to watch a descriptor: its next event is handed out once. False if the system
    /// refuses.
    func add(_ watched: Int32, token: UInt64) -> Bool {
        control(EPOLL_CTL_ADD, watched, token)
    }

    /// Lets the next event of a watched descriptor be handed out. False if the system refuses.
    func arm(_ watched: Int32, token: UInt64) -> Bool {
        control(EPOLL_CTL_MOD, watched, token)
    }

    /// Waits for the next event and returns its token, `closed` for ever after `close`.
    func next() -> UInt64 {
        var event = epoll_event()
        while epoll_wait(descriptor, &event, 1, -1) != 1 {
            precondition(errno == EINTR, "an epoll set can be waited on")
        }
        return event.data.u64
    }

    /// Wakes all who wait.
    func close() {
        bell.ring()
    }

    private func control(_ operation: Int32, _ watched: Int32, _ token: UInt64) -> Bool {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | EPOLLONESHOT.rawValue
        event.data.u64 = token
        return epoll_ctl(descriptor, operation, watched, &event) == 0
    }
}
