/// The `X-Forwarded-For` header. Each proxy appends its peer's address on the right; entries left
/// of a trusted proxy's entry are unverified.
struct ForwardedFor: Sendable, Equatable {
    /// Maximum number of hops, more than any route has; only the last ones are read.
    private static let hopLimit = 32

    /// The hops from left to right; nil for an entry that is not an address.
    let hops: [PeerAddress?]

    init(_ headers: Headers) {
        let words = headers.values("X-Forwarded-For")
            .flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        hops = words.suffix(Self.hopLimit).map { word in
            Self.address(word.filter { $0 != " " && $0 != "\t" })
        }
    }

    /// Returns the right-most hop that is not a trusted proxy. If all are, or if a trusted proxy's
    /// entry is not an address, returns the last trusted proxy reached.
    func client(behind peer: PeerAddress, trusting proxies: [AddressRange]) -> PeerAddress {
        var client = peer
        for hop in hops.reversed() {
            guard let hop else { return client }
            client = hop
            guard proxies.contains(where: { $0.contains(hop) }) else { return client }
        }
        return client
    }

    /// Parses an address as proxies write it: `192.0.2.1`, `192.0.2.1:5678`, `2001:db8::1`,
    /// `[2001:db8::1]`, `[2001:db8::1]:5678`.
    private static func address(_ text: String) -> PeerAddress? {
        if let address = PeerAddress(parsing: text) { return address }
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            return PeerAddress(parsing: String(text[text.index(after: text.startIndex)..<end]))
        }
        guard let colon = text.firstIndex(of: ":") else { return nil }
        return PeerAddress(parsing: String(text[..<colon]))
    }
}
