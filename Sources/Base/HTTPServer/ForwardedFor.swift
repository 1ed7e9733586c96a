/// The `X-Forwarded-For` header: each proxy appends its peer's address at the right. Anything left
/// of a trusted proxy's entry is unverified.
struct ForwardedFor: Sendable, Equatable {
    /// More hops than any way has; only the last ones are looked at.
    private static let hopLimit = 32

    /// From left to right; nil for what is no address.
    let hops: [PeerAddress?]

    init(_ headers: Headers) {
        let words = headers.values("X-Forwarded-For")
            .flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        hops = words.suffix(Self.hopLimit).map { word in
            Self.address(word.filter { $0 != " " && $0 != "\t" })
        }
    }

    /// The right-most hop that is no trusted proxy; if all are, or what a proxy says is no address,
    /// the one that said so last.
    func client(behind peer: PeerAddress, trusting proxies: [AddressRange]) -> PeerAddress {
        var client = peer
        for hop in hops.reversed() {
            guard let hop else { return client }
            client = hop
            guard proxies.contains(where: { $0.contains(hop) }) else { return client }
        }
        return client
    }

    /// An address as proxies write it: `192.0.2.1`, `192.0.2.1:5678`, `2001:db8::1`,
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
