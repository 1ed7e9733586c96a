import Glibc

/// The address that a server listens on: a numeric host and a port.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// An IPv4 or IPv6 address in digits, without brackets.
    package let host: String
    /// The port; 0 lets the system choose one.
    package let port: UInt16

    /// Whether the host is an IPv6 address.
    package var isIPv6: Bool { host.utf8.contains(UInt8(ascii: ":")) }

    /// The text form: `127.0.0.1:8080` or `[::1]:8080`.
    package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Returns the same host with another port, such as one that the system chose.
    package func with(port: UInt16) -> ListenAddress { ListenAddress(host: host, port: port) }

    private init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses `127.0.0.1:8080`, `[::1]:8080`, or `localhost:8080`, which means 127.0.0.1; nil for
    /// any other text. Names are not looked up, because the address to listen on must not depend on
    /// a name server.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = Self.port(text[text.index(after: colon)...])
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            var address = in6_addr()
            guard inet_pton(AF_INET6, host, &address) == 1 else { return nil }
        } else {
            if host == "localhost" { host = "127.0.0.1" }
            var address = in_addr()
            guard inet_pton(AF_INET, host, &address) == 1 else { return nil }
        }
        self.host = host
        self.port = port
    }

    private static func port(_ digits: Substring) -> UInt16? {
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return UInt16(digits)
    }
}

extension Expectation where Value == ListenAddress {
    /// An address to listen on.
    package static let listenAddress = Expectation(
        "an address and a port, such as 127.0.0.1:8080 or [::]:8080"
    ) { ListenAddress($0) }
}
