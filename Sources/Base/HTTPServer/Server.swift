import Glibc
import Synchronization
import Basics

/// An HTTP/1.1 server whose handler runs synchronously, on one of a fixed number of threads.
///
/// Any free thread serves any connection with an event, in order of arrival. A slow request delays
/// no other while a thread is free, and a thread is never bound to a connection that is silent or
/// slow to read.
///
/// The server answers malformed requests itself (see `ServerFault`), and closes connections that
/// are idle or too slow. `HEAD` reaches the handler like any method; the body of its response is
/// not sent.
package final class Server: Sendable {
    private let core: ServerCore
    private let threads: Mutex<[SystemThread]>

    /// Listens and starts to serve.
    ///
    /// - Parameters:
    ///   - onError: Called for errors without a request, such as having no descriptors left to
    ///     accept connections; at most once a second.
    ///   - handler: Handles requests; called from all threads at once.
    package init(
        _ settings: ServerSettings, handler: some Handler,
        onError: @escaping @Sendable (ServerError) -> Void
    ) throws(ServerError) {
        let responder = Responder(settings, handler)
        let core = try ServerCore(responder, onError: onError)
        self.core = core
        var started: [SystemThread] = []
        do throws(ServerError) {
            started.append(try Self.thread("http-accept") { core.acceptUntilStopped() })
            for number in 1...max(1, settings.threads) {
                started.append(try Self.thread("http-\(number)") { core.workUntilStopped() })
            }
        } catch {
            core.stop()
            for thread in started { thread.join() }
            throw error
        }
        threads = Mutex(started)
    }

    /// Enough for handlers that recurse a little; only pages in use take memory.
    private static let stackBytes = 1 << 20

    private static func thread(
        _ name: String, _ body: @escaping @Sendable () -> Void
    ) throws(ServerError) -> SystemThread {
        do throws(SystemThread.Failure) {
            return try SystemThread(named: name, stackBytes: stackBytes, body)
        } catch {
            throw .system("starting a thread", error.code)
        }
    }

    deinit {
        stop()
    }

    /// The port that the server listens on, even if the system chose it.
    package var port: UInt16 { core.port }

    /// Numbers of threads: `resting` threads sleep, `watching` ones wait for requests, `permitted`
    /// ones look for requests or serve. All others do work that may take long.
    package var strength: (resting: Int, watching: Int, permitted: Int) { core.workers.strength }

    /// Seconds since the accepting thread last checked all connections: at most about one, unless
    /// the process hangs or is stopped. Busy workers don't delay it.
    package var secondsSinceSweep: Double { core.secondsSinceSweep }

    /// Number of open connections.
    package var connectionCount: Int { core.connectionCount }

    /// Stops accepting connections, closes idle ones, closes the others after the response to their
    /// current request, and waits until all are closed.
    ///
    /// Returns whether all have ended in time; the others continue.
    package func drain(deadlineSeconds: Double) -> Bool {
        core.drain(deadlineSeconds: deadlineSeconds)
    }

    /// Closes all connections and stops. Waits for running handlers, however long they take. May be
    /// called repeatedly, but not by a handler.
    package func stop() {
        core.stop()
        let running = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in running { thread.join() }
        if !running.isEmpty { core.endAll() }
    }
}

/// State of the thread that accepts connections.
struct Acceptor {
    let tickSeconds: Double
    var nextSweep: Deadline
    /// Time of the next check of parked requests' clients, which costs a system call for each.
    var nextProbe = Deadline.after(seconds: 0)
    /// Time of the next check for threads that hold their permits for too long; nil if none can.
    var nextReassignment: Deadline?
    /// Whether the connection limit is reached, or the system has no resources left.
    var isFull = false
    /// Whether all workers are blocked, so that the acceptor answers urgent requests.
    var isAlone = false
    var finishedCount = 0

    init(tickSeconds: Double) {
        self.tickSeconds = tickSeconds
        nextSweep = .after(seconds: tickSeconds)
    }
}

/// The reason why a server could not be started.
///
/// There is no client yet to hide anything from: `description` contains everything, for operators.
package struct ServerError: Error, Sendable, Equatable {
    /// The kind of failure.
    package enum Code: String, Sendable {
        /// The host is neither an address nor a name that resolves.
        case unknownHost
        /// Another process listens there.
        case addressInUse
        /// The system does not allow listening there.
        case notPermitted
        /// The machine does not have this address.
        case addressNotAvailable
        /// The system refused a thread, a descriptor or memory.
        case resources
    }

    package let code: Code
    /// The attempted operation.
    package let context: String
    /// The system's message.
    package let underlying: String

    init(_ code: Code, _ context: String, underlying: String) {
        self.code = code
        self.context = context
        self.underlying = underlying
    }

    /// Creates an error from `errno`, which must not have been changed since.
    static func system(_ context: String, _ number: Int32 = errno) -> ServerError {
        let code: Code =
            switch number {
            case EADDRINUSE: .addressInUse
            case EACCES, EPERM: .notPermitted
            case EADDRNOTAVAIL: .addressNotAvailable
            default: .resources
            }
        return ServerError(code, context, underlying: String(cString: strerror(number)))
    }
}

extension ServerError: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "\(context): \(underlying)" }
    package var debugDescription: String { "\(code.rawValue): \(description)" }
}

/// A fault that the server answers itself, before or instead of the handler.
package enum ServerFault: Error, Sendable, Equatable {
    /// A part of the request's head is invalid.
    case malformed(String)
    /// The body is longer than this many bytes.
    case bodyTooLarge(limitBytes: Int)
    /// The header section is longer than this many bytes.
    case headersTooLarge(limitBytes: Int)
    /// The number of header fields exceeds this limit.
    case tooManyHeaders(limit: Int)
    /// The number of trailer fields after a chunked body exceeds this limit.
    case tooManyTrailers(limit: Int)
    /// The trailer after a chunked body is longer than this many bytes.
    case trailersTooLarge(limitBytes: Int)
    /// The handler's response can't be sent as HTTP.
    case invalidResponse

    /// The status of the response.
    package var status: Int {
        switch self {
        case .malformed: 400
        case .bodyTooLarge: 413
        case .headersTooLarge, .tooManyHeaders, .tooManyTrailers, .trailersTooLarge: 431
        case .invalidResponse: 500
        }
    }

    /// A sentence for the client.
    package var detail: String {
        switch self {
        case .malformed(let detail): detail
        case .bodyTooLarge(let limit): "The body is larger than \(limit) bytes."
        case .headersTooLarge(let limit): "The header section is larger than \(limit) bytes."
        case .tooManyHeaders(let limit): "There are more than \(limit) header fields."
        case .tooManyTrailers(let limit):
            "There are more than \(limit) trailer fields."
        case .trailersTooLarge(let limit):
            "The trailer is larger than \(limit) bytes."
        case .invalidResponse: "The response could not be sent."
        }
    }
}
