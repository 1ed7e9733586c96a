import Glibc

/// The URL of a mail server: `smtp` or `smtps`, a host, an optional port; no user, no password.
package struct MailServerURL: Sendable, Hashable {
    /// The URL as it was written.
    package let text: String
    /// The host's name or address, without brackets.
    private let host: String

    /// Parses `smtp://mail.example.org:587`, `smtps://[2001:db8::25]`; nil for any other text.
    package init?(_ text: String) {
        guard let scheme = ["smtp://", "smtps://"].first(where: text.hasPrefix) else { return nil }
        let authority = text.dropFirst(scheme.count)
        let isPlain = authority.utf8.allSatisfy {
            (0x21...0x7E).contains($0) && !"@/?#\\\"'%,;&=".utf8.contains($0)
        }
        guard isPlain else { return nil }
        let isBracketed = authority.hasPrefix("[")
        let end = (isBracketed ? authority.firstIndex(of: "]") : authority.firstIndex(of: ":"))
        let host = authority[..<(end ?? authority.endIndex)].dropFirst(isBracketed ? 1 : 0)
        let rest = end.map { isBracketed ? authority[$0...].dropFirst() : authority[$0...] } ?? ""
        guard !host.isEmpty, end != nil || !isBracketed, rest.isEmpty || Self.isPort(rest) else {
            return nil
        }
        self.text = text
        self.host = host.lowercased()
    }

    /// Whether the server is on this machine, so that messages don't cross a network.
    package var isLoopback: Bool {
        if host == "localhost" { return true }
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, host, &four) == 1 { return host.hasPrefix("127.") }
        guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
        return withUnsafeBytes(of: &six) { Array($0) == Array(repeating: 0, count: 15) + [1] }
    }

    /// Whether the text is a colon and a number from 1 to 65535.
    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.dropFirst()
        guard text.hasPrefix(":"), digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let port = UInt16(digits)
        else { return false }
        return port > 0
    }
}

extension Expectation where Value == MailServerURL {
    /// The URL of a mail server.
    package static let smtpURL = Expectation(
        "smtp://HOST:PORT or smtps://HOST:PORT, with user and password in separate settings"
    ) { MailServerURL($0) }
}
