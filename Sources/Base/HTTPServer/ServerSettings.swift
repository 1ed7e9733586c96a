/// Where a server listens and what it puts up with.
package struct ServerSettings: Sendable {
    /// An address or a name; of a name the first address counts. `0.0.0.0` and `::` are all.
    package var host = "127.0.0.1"
    /// 0 lets the system choose; `Server.port` tells which.
    package var port: UInt16 = 8080
    /// What the address was given as, told when it can't be had: the name of a setting.
    package var givenAs: String?
    /// How many requests are handled at once. As many as the handler's own bottleneck has places
    /// (the connections of a database pool), or a few more, is best. Others wait for a thread in
    /// the order in which they came; with more threads they would wait inside the handler, and
    /// take turns on the processors with those at work.
    package var threads = 10
    /// How many requests a thread takes at once when all others or all processors are busy, for a
    /// handler that can answer several together.
    package var gatherLimit = 8
    /// Connections open at once. At the limit the one that has had no whole request for longest, of
    /// the address that has most, makes room for the next; if all are being answered, the next waits
    /// to be accepted.
    package var connectionLimit = 1024
    /// Connections open at once from one address, trusted proxies apart. At the limit, again, the
    /// most silent one makes room; if all are being answered, the next is closed.
    package var connectionsPerAddress: Int?
    /// Peers whose `X-Forwarded-For` is believed.
    package var trustedProxies: [AddressRange] = []
    /// Paths that are answered even while all threads wait for something. The handler must not wait
    /// for anything when it answers them.
    package var urgentPaths: Set<String> = []
    /// Larger bodies are 413.
    package var bodyLimitBytes = 64 * 1024
    /// Larger header sections are 431.
    package var headerLimitBytes = 32 * 1024
    /// More header fields are 431, and so are more fields behind a chunked body.
    package var headerFieldsLimit = 100
    /// How long a request may take to arrive, from its first line to the end of its body, and how
    /// long its response may take to be fetched; then the connection is closed.
    package var requestTimeoutSeconds = 30.0
    /// How long a connection may be open without a whole first line of a request.
    package var idleTimeoutSeconds = 30.0

    /// The defaults.
    package init() {}
}
