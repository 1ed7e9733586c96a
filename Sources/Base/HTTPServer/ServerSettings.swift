import Basics

/// The address that a server listens on, and its limits.
package struct ServerSettings: Sendable {
    /// An address, or a name whose first address is used. `0.0.0.0` and `::` listen on all.
    package var host = "127.0.0.1"
    /// The port; 0 lets the system choose one, which `Server.port` returns.
    package var port: UInt16 = 8080
    /// The name of the setting that the address comes from, for errors.
    package var settingName: String?
    /// Maximum number of requests handled at once. Best is the capacity of the handler's own
    /// bottleneck (the connections of a database pool), or a few more. Other requests wait for a
    /// thread in order of arrival.
    package var threads = 10
    /// Number of processors that this process may use. While they are the bottleneck, only as many
    /// threads, plus one, take requests (``WorkerPool``).
    package var processors = Processors.usable
    /// Time that a thread may spend on reads before another one takes requests in its place.
    package var permitTimeoutSeconds = 0.002
    /// Maximum number of requests that a thread takes at once when all others or all processors are
    /// busy, for a handler that can answer several in a batch.
    package var batchLimit = 12
    /// Maximum number of open connections. At the limit, the server closes one to accept the next:
    /// of the address with the most connections, the one that has been silent longest. If all
    /// connections of that address are being answered, the next connection waits to be accepted.
    package var connectionLimit = 1024
    /// Maximum number of open connections from one address, except trusted proxies. At the limit,
    /// the address's connection that has been silent longest is closed when the next one arrives.
    /// If all are being answered, the new one is closed.
    package var connectionsPerAddress: Int?
    /// Peers whose `X-Forwarded-For` is trusted.
    package var trustedProxies: [AddressRange] = []
    /// Paths that are answered even while all threads are blocked. The handler must not block when
    /// it answers them.
    package var urgentPaths: Set<String> = []
    /// Maximum size of a body; a request with a larger one gets 413.
    package var bodyLimitBytes = 64 * 1024
    /// Maximum size of the header section; a request with a larger one gets 431.
    package var headerLimitBytes = 32 * 1024
    /// Maximum number of header fields, and of trailer fields; a request with more gets 431.
    package var headerFieldsLimit = 100
    /// Seconds in which a request must arrive, from its first line to the end of its body, and in
    /// which its response must be read; then the connection is closed.
    package var requestTimeoutSeconds = 30.0
    /// Seconds after which a stream's client that reads nothing is cut off.
    package var streamTimeoutSeconds = 60.0
    /// Maximum number of unacknowledged bytes of a stream; the client is cut off if there are more.
    package var streamBacklogBytes = 16 * 1024
    /// Seconds that a connection may be open without a complete first line of a request.
    package var idleTimeoutSeconds = 30.0

    /// Creates default settings.
    package init() {}
}

extension ServerSettings {
    /// Maximum delay until the server notices a timeout, or that all workers are blocked.
    var tickSeconds: Double {
        let shortest = min(idleTimeoutSeconds, requestTimeoutSeconds)
        let most = urgentPaths.isEmpty ? 1.0 : 0.25
        return max(0.01, min(most, shortest / 4))
    }
}
