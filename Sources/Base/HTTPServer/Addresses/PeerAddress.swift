import Glibc

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
