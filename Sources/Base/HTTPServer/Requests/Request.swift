/// A whole request, body included.
package struct Request: Sendable {
    package let method: Method
    /// The path as it was sent, without the query: for logs, not for routing.
    package let path: String
    /// The path's segments, percent-decoded: `/a/b%20c` is `["a", "b c"]`.
    package let segments: [String]
    package let query: Query
    package let headers: Headers
    /// At most as long as the server's limit; empty if there was none.
    package let body: [UInt8]
    /// The address at the other end of the connection: the proxy's, if there is one.
    package let peer: PeerAddress
    /// The client: the peer, or the address that a trusted proxy forwards for.
    package let client: PeerAddress
    /// When the whole of it was here, in nanoseconds of `MonotonicClock`; nil for one that did
    /// not come over a connection.
    package internal(set) var receivedAt: Int?

    /// A request as a test or another front end makes it, from a client that is the peer itself
    /// unless another is named; nil if the target is malformed.
    package init?(
        _ method: Method, _ target: String, headers: Headers = Headers(), body: [UInt8] = [],
        peer: PeerAddress = .loopback, client: PeerAddress? = nil
    ) {
        guard let target = RequestTarget(target) else { return nil }
        self.init(method, target, headers, body, peer, client: client ?? peer)
    }

    /// A request that has arrived from `peer`, which is believed about its client if it is one of
    /// the trusted proxies.
    init(
        _ method: Method, _ target: RequestTarget, _ headers: Headers, _ body: [UInt8],
        _ peer: PeerAddress, trusting proxies: [AddressRange]
    ) {
        let isProxy = proxies.contains { $0.contains(peer) }
        self.init(
            method, target, headers, body, peer,
            client: isProxy
                ? ForwardedFor(headers).client(behind: peer, trusting: proxies) : peer)
    }

    private init(
        _ method: Method, _ target: RequestTarget, _ headers: Headers, _ body: [UInt8],
        _ peer: PeerAddress, client: PeerAddress
    ) {
        self.method = method
        self.path = target.path
        self.segments = target.segments
        self.query = target.query
        self.headers = headers
        self.body = body
        self.peer = peer
        self.client = client
    }
}
