import CLinux
import Glibc
import Synchronization
import Basics

// Incoming connections: the listening socket, the epoll set that delivers events to threads, and
// the open connections by address.

/// A listening TCP socket.
final class ServerSocket: Sendable {
    let descriptor: Int32
    /// The actual port, even if the system chose it.
    let port: UInt16
    private let isClosed = Atomic(false)

    init(_ settings: ServerSettings) throws(ServerError) {
        let (host, port) = (settings.host, settings.port)
        let addressText =
            (host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)")
            + (settings.settingName.map { ", given as \($0)" } ?? "")
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, String(port), &hints, &list)
        guard result == 0, let address = list?.pointee else {
            throw ServerError(
                .unknownHost, "Listening on \(addressText)",
                underlying: String(cString: gai_strerror(result)))
        }
        defer { freeaddrinfo(list) }
        let descriptor = socket(
            address.ai_family,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw .system("Listening on \(addressText)") }
        var enabled: Int32 = 1
        var bound = sockaddr_storage()
        guard
            setsockopt(
                descriptor, SOL_SOCKET, SO_REUSEADDR, &enabled, socklen_t(MemoryLayout<Int32>.size))
                == 0,
            // Connections inherit this option: a response is sent whole, without delay.
            setsockopt(
                descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &enabled,
                socklen_t(MemoryLayout<Int32>.size)) == 0,
            bind(descriptor, address.ai_addr, address.ai_addrlen) == 0,
            listen(descriptor, 1024) == 0,
            Self.name(of: descriptor, into: &bound)
        else {
            let error = ServerError.system("Listening on \(addressText)")
            Glibc.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        // The port has the same offset for IPv4 and IPv6.
        self.port = withUnsafeBytes(of: &bound) {
            UInt16(bigEndian: $0.load(as: sockaddr_in.self).sin_port)
        }
    }

    deinit {
        close()
    }

    /// Stops listening; connections waiting to be accepted are refused. May be called repeatedly.
    func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Glibc.close(descriptor)
    }

    /// The outcome of accepting.
    enum AcceptResult {
        case connection(Int32, sockaddr_storage)
        case none
        /// The system has no descriptors or memory left; retry later.
        case exhausted(ServerError)
    }

    /// Accepts the next waiting connection.
    func accept() -> AcceptResult {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let accepted = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                accept4(
                    descriptor, $0, &length,
                    Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue))
            }
        }
        if accepted >= 0 { return .connection(accepted, address) }
        switch errno {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted(.system("Accepting a connection"))
        // All other errors concern a peer that has already disconnected.
        default: return .none
        }
    }

    private static func name(of descriptor: Int32, into storage: inout sockaddr_storage) -> Bool {
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length) == 0
            }
        }
    }
}

/// An epoll set that many threads wait on: each event of a connection goes to exactly one of them,
/// which then owns the connection until it arms it again.
///
/// It takes no lock, because many threads would queue for it at every request. The caller of `add`
/// keeps the connection alive until its socket is closed.
final class Poller: Sendable {
    /// The value that marks the wake-up instead of a connection.
    private static let closed: UInt64 = 0

    /// Readable while an event is waiting.
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

    /// Starts to watch a connection: its next event is delivered once. False if the system refuses.
    func add(_ connection: ClientConnection) -> Bool {
        control(EPOLL_CTL_ADD, connection, EPOLLIN.rawValue)
    }

    /// Arms a watched connection for the event that it waits for next. False if the system refuses.
    func arm(_ connection: ClientConnection, for interest: ClientConnection.AwaitedEvent) -> Bool {
        switch interest {
        case .reading: control(EPOLL_CTL_MOD, connection, EPOLLIN.rawValue)
        case .writing: control(EPOLL_CTL_MOD, connection, EPOLLOUT.rawValue)
        // The socket is usually writable, so the event is delivered at once, after the waiting
        // ones.
        case .turn, .worker:
            control(EPOLL_CTL_MOD, connection, EPOLLIN.rawValue | EPOLLOUT.rawValue)
        case .end: false
        }
    }

    /// Returns the connections with the next events; waits for the first one if `waiting`. Empty
    /// after `close`.
    func next(waiting: Bool, atMost limit: Int) -> [ClientConnection] {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: limit) { events in
            var count: Int32
            repeat {
                count = epoll_wait(
                    descriptor, events.baseAddress, Int32(limit), waiting ? -1 : 0)
                precondition(count >= 0 || errno == EINTR, "epoll_wait failed")
            } while count < 0
            // A wake-up has no connection: events delivered with it are served before the end.
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

    /// Wakes all waiting threads.
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

/// An event that can be polled like a file descriptor (eventfd(2)): readable from its signal until
/// it is reset.
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
        // Fails only if the counter is full, which means that it is signalled.
        _ = eventfd_write(descriptor, 1)
    }

    func reset() {
        var count: eventfd_t = 0
        // Fails only if there was no signal.
        _ = eventfd_read(descriptor, &count)
    }

    /// Waits for the event; returns whether it was signalled within this time.
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

/// The address at the other end of a connection, without its port.
///
/// An IPv4 address mapped into IPv6 (`::ffff:192.0.2.1`) becomes the IPv4 address.
package struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16 bytes in network order; empty if the peer has no Internet address.
    package let bytes: [UInt8]

    /// The address 127.0.0.1.
    package static let loopback = PeerAddress([127, 0, 0, 1])

    /// Takes 4 or 16 bytes in network order; any other number means no address.
    package init(_ bytes: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        if bytes.count == 16, bytes.starts(with: mapped) {
            self.bytes = Array(bytes.dropFirst(12))
        } else {
            self.bytes = bytes.count == 4 || bytes.count == 16 ? bytes : []
        }
    }

    /// Parses `192.0.2.1` or `2001:db8::1`; nil for any other text.
    package init?(parsing text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(Array(bytes.prefix(4)))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(bytes)
        } else {
            return nil
        }
    }

    /// Reads the address that `accept` returned.
    init(_ storage: sockaddr_storage) {
        var storage = storage
        self = withUnsafeBytes(of: &storage) { raw in
            switch Int32(raw.load(as: sockaddr.self).sa_family) {
            case AF_INET:
                let address = raw.load(as: sockaddr_in.self)
                return withUnsafeBytes(of: address.sin_addr) { PeerAddress(Array($0)) }
            case AF_INET6:
                let address = raw.load(as: sockaddr_in6.self)
                return withUnsafeBytes(of: address.sin6_addr) { PeerAddress(Array($0)) }
            default:
                return PeerAddress([])
            }
        }
    }

    /// The text form: `192.0.2.1`, or RFC 5952's such as `2001:db8::1`; `unknown` without an
    /// address.
    package var description: String {
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard !bytes.isEmpty,
            inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil
        else { return "unknown" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }
}

/// The open connections, by the address they come from.
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

    /// Returns the idle connection from this address that has been silent longest; nil if no
    /// connection is idle.
    func longestIdle(from peer: PeerAddress) -> ClientConnection? {
        var found: (connection: ClientConnection, since: Int)?
        for connection in perAddress[peer] ?? [] {
            guard let since = connection.idleSince else { continue }
            if found.map({ since < $0.since }) ?? true { found = (connection, since) }
        }
        return found?.connection
    }

    /// The address with the most connections.
    var busiest: PeerAddress? { perAddress.max { $0.value.count < $1.value.count }?.key }
}
