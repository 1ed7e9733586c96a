import Glibc

/// The reach of an IP address.
package enum AddressScope: Sendable, Equatable {
    /// A public address on the internet.
    case `public`
    /// An address of this machine.
    case loopback
    /// An address of a private or shared network, a link, a multicast group, a protocol's own use,
    /// or documentation.
    case restricted

    /// Returns the scope of four bytes (IANA IPv4 Special-Purpose Address Registry).
    package init(v4 bytes: [UInt8]) {
        guard bytes.count == 4 else {
            self = .restricted
            return
        }
        self =
            switch (bytes[0], bytes[1], bytes[2]) {
            case (127, _, _): .loopback
            case (0, _, _), (10, _, _), (100, 64...127, _), (169, 254, _), (172, 16...31, _),
                (192, 0, 0), (192, 0, 2), (192, 88, 99), (192, 168, _), (198, 18...19, _),
                (198, 51, 100), (203, 0, 113), (224..., _, _):
                .restricted
            default: .public
            }
    }

    /// Returns the scope of sixteen bytes (IANA IPv6 Special-Purpose Address Registry). An address
    /// that contains an IPv4 address has the scope of that address.
    package init(v6 bytes: [UInt8]) {
        guard bytes.count == 16 else {
            self = .restricted
            return
        }
        let isZeroBefore = { (end: Int) in bytes[..<end].allSatisfy { $0 == 0 } }
        if isZeroBefore(15), bytes[15] == 1 {
            self = .loopback
        } else if isZeroBefore(10), bytes[10] == 0xFF, bytes[11] == 0xFF {
            self.init(v4: Array(bytes[12...]))
        } else if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B]),
            bytes[4..<12].allSatisfy({ $0 == 0 })
        {
            // NAT64 reaches public addresses only; loopback beyond it is another machine's.
            self = AddressScope(v4: Array(bytes[12...])) == .public ? .public : .restricted
        } else {
            self = Self.isPublicV6(bytes) ? .public : .restricted
        }
    }

    /// Whether an address is global unicast, except ranges for protocols, tunnels and
    /// documentation.
    private static func isPublicV6(_ bytes: [UInt8]) -> Bool {
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        switch (bytes[0], bytes[1]) {
        // 2001::/23, with Teredo, and 2001:db8::/32.
        case (0x20, 0x01): return bytes[2] >= 2 && !(bytes[2] == 0x0D && bytes[3] == 0xB8)
        // 6to4.
        case (0x20, 0x02): return false
        // 3fff::/20.
        case (0x3F, 0xFF): return bytes[2] & 0xF0 != 0
        default: return true
        }
    }

    /// Returns the scope of a socket address of the given family.
    init(family: Int32, address: UnsafeRawPointer) {
        switch family {
        case AF_INET:
            var found = sockaddr_in()
            withUnsafeMutableBytes(of: &found) {
                $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: $0.count))
            }
            self.init(v4: withUnsafeBytes(of: found.sin_addr) { Array($0) })
        case AF_INET6:
            var found = sockaddr_in6()
            withUnsafeMutableBytes(of: &found) {
                $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: $0.count))
            }
            self.init(v6: withUnsafeBytes(of: found.sin6_addr) { Array($0) })
        default: self = .restricted
        }
    }
}
