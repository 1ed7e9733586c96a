import CLinux
import Glibc
import Synchronization

/// A listening TCP socket.
final class ServerSocket: Sendable {
    let descriptor: Int32
    /// The real port, also when the system chose it.
    let port: UInt16
    private let isClosed = Atomic(false)

    init(_ settings: ServerSettings) throws(ServerError) {
        let (host, port) = (settings.host, settings.port)
        let place =
            (host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)")
            + (settings.givenAs.map { ", given as \($0)" } ?? "")
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, String(port), &hints, &list)
        guard result == 0, let address = list?.pointee else {
            throw ServerError(
                .unknownHost, "Listening on \(place)",
                underlying: String(cString: gai_strerror(result)))
        }
        defer { freeaddrinfo(list) }
        let descriptor = socket(
            address.ai_family,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw .system("Listening on \(place)") }
        var one: Int32 = 1
        var bound = sockaddr_storage()
        guard
            setsockopt(
                descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
                == 0,
            // Connections inherit it: a response goes out whole, and waits for nothing.
            setsockopt(
                descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one,
                socklen_t(MemoryLayout<Int32>.size)) == 0,
            bind(descriptor, address.ai_addr, address.ai_addrlen) == 0,
            listen(descriptor, 1024) == 0,
            Self.name(of: descriptor, into: &bound)
        else {
            let error = ServerError.system("Listening on \(place)")
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

    /// Stops listening; connections waiting to be accepted are refused. Safe to repeat.
    func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Glibc.close(descriptor)
    }

    /// The outcome of accepting.
    enum Arrival {
        case connection(Int32, sockaddr_storage)
        case nobody
        /// The system has no descriptors or memory left: worth trying again later only.
        case exhausted(ServerError)
    }

    /// The next connection that waits.
    func accept() -> Arrival {
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
        // Everything else concerns a peer that is gone again.
        default: return .nobody
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

/// The address at the other end of a connection, without its port.
///
/// An IPv4 address that comes mapped into IPv6 (`::ffff:192.0.2.1`) is the IPv4 address.
package struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16 bytes in network order; none if the peer has no Internet address.
    package let bytes: [UInt8]

    /// 127.0.0.1.
    package static let loopback = PeerAddress([127, 0, 0, 1])

    /// Takes 4 or 16 bytes in network order; anything else is no address.
    package init(_ bytes: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        if bytes.count == 16, bytes.starts(with: mapped) {
            self.bytes = Array(bytes.dropFirst(12))
        } else {
            self.bytes = bytes.count == 4 || bytes.count == 16 ? bytes : []
        }
    }

    /// Reads `192.0.2.1` or `2001:db8::1`; nil if the text is neither.
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

    /// Reads what `accept` filled in.
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

    /// `192.0.2.1`, or the form of RFC 5952 such as `2001:db8::1`; `unknown` without an address.
    package var description: String {
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard !bytes.isEmpty,
            inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil
        else { return "unknown" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }
}
