import CCurl
import Glibc

/// A URL that may be fetched: `https` anywhere, `http` on this machine only.
package struct FetchAddress: Sendable, Hashable, CustomStringConvertible {
    /// The URL as it was written.
    package let text: String
    /// The host's name or address, in a form that logs may show.
    package let host: String
    /// Whether the URL is requested without TLS.
    package let isPlain: Bool

    /// Parses an absolute URL; nil if it is malformed, contains a user or a password, or would be
    /// fetched over a network without encryption.
    package init?(_ text: String) {
        self.init(text, plain: Self.isLoopback)
    }

    /// Parses an absolute URL for a trusted network: `http` is allowed anywhere.
    package init?(trustingNetwork text: String) {
        self.init(text, plain: { _ in true })
    }

    private init?(_ text: String, plain isPlainAllowed: (String) -> Bool) {
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }), let parts = curl_url()
        else {
            return nil
        }
        defer { curl_url_cleanup(parts) }
        guard curl_url_set(parts, CURLUPART_URL, text, 0) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: parts),
            let host = Self.part(CURLUPART_HOST, of: parts),
            Self.part(CURLUPART_USER, of: parts) == nil,
            Self.part(CURLUPART_PASSWORD, of: parts) == nil
        else { return nil }
        switch scheme {
        case "https": isPlain = false
        case "http" where isPlainAllowed(host): isPlain = true
        default: return nil
        }
        self.text = text
        self.host = host
    }

    /// The scope of the host if it is known without resolving a name: of an IP address, and of
    /// `localhost` and names below it (RFC 6761), with or without the dot at the end of an absolute
    /// name. Other names are resolved only when a request is sent.
    package var literalScope: AddressScope? {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if name.lowercased() == "localhost" || name.lowercased().hasSuffix(".localhost") {
            return .loopback
        }
        let literal = name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
        var (v4, v6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, literal, &v4) == 1 {
            return AddressScope(v4: withUnsafeBytes(of: v4) { Array($0) })
        }
        // Without the zone of a link-local address.
        guard inet_pton(AF_INET6, String(literal.prefix { $0 != "%" }), &v6) == 1 else {
            return nil
        }
        return AddressScope(v6: withUnsafeBytes(of: v6) { Array($0) })
    }

    /// The URL as it was written.
    package var description: String { text }

    private static func part(_ part: CURLUPart, of parts: OpaquePointer) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard curl_url_get(parts, part, &value, 0) == CURLUE_OK, let value else { return nil }
        defer { curl_free(value) }
        return String(cString: value)
    }

    private static func isLoopback(_ host: String) -> Bool {
        let words = host.split(separator: ".", omittingEmptySubsequences: false)
        let isIPv4 =
            words.count == 4 && words[0] == "127" && words.allSatisfy { UInt8($0) != nil }
        return isIPv4 || host == "[::1]" || host.lowercased() == "localhost"
    }
}
