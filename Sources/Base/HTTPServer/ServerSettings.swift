import CLinux
import Glibc

/// Where a server listens and what it puts up with.
package struct ServerSettings: Sendable {
    /// An address or a name; of a name the first address counts. `0.0.0.0` and `::` are all.
    package var host = "127.0.0.1"
    /// 0 lets the system choose; `Server.port` has the result.
    package var port: UInt16 = 8080
    /// The source of the address, for errors: the name of a setting.
    package var givenAs: String?
    /// How many requests are handled at once at most. Best is the capacity of the handler's own
    /// bottleneck (the connections of a database pool), or a few more. Other requests wait for a
    /// thread in order of arrival.
    package var threads = 10
    /// The processors that this process may use: while they are the bound, one thread more than
    /// these takes requests (``WorkerPool``).
    package var processors = ServerSettings.usableProcessors
    /// How long a thread may take for reads before another one takes requests in its place.
    package var patienceSeconds = 0.002
    /// How many requests a thread takes at once when all others or all processors are busy, for a
    /// handler that can answer several together.
    package var gatherLimit = 12
    /// Connections open at once. At the limit, the connection that has been silent longest, of the
    /// address with the most connections, is closed for the next one. If all are being answered,
    /// the next one waits to be accepted.
    package var connectionLimit = 1024
    /// Connections open at once from one address, trusted proxies apart. At the limit, the one that
    /// has been silent longest is closed for the next one; if all are being answered, the next one
    /// is closed.
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
    /// The time for which a stream's client may take nothing of what is sent; then it is cut off.
    package var streamTimeoutSeconds = 60.0
    /// The bytes that may be on their way to a stream's client; with more it is cut off.
    package var streamBacklogBytes = 16 * 1024
    /// How long a connection may be open without a whole first line of a request.
    package var idleTimeoutSeconds = 30.0

    /// The defaults.
    package init() {}
}

extension ServerSettings {
    /// The maximum delay of noticing timeouts, and that all workers wait.
    var tickSeconds: Double {
        let shortest = min(idleTimeoutSeconds, requestTimeoutSeconds)
        let most = urgentPaths.isEmpty ? 1.0 : 0.25
        return max(0.01, min(most, shortest / 4))
    }

    /// How many processors the system lets this process run on.
    package static var usableProcessors: Int {
        // A bit for each processor.
        var set = [UInt64](repeating: 0, count: 128)
        guard sched_getaffinity(0, set.count * MemoryLayout<UInt64>.size, &set) >= 0 else {
            return max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        }
        return max(1, set.reduce(0) { $0 + $1.nonzeroBitCount })
    }
}
