import Glibc
import Synchronization
import Threads

/// An HTTP/1.1 server whose handler runs synchronously, on one of a fixed number of threads.
///
/// Any free thread serves any connection with an event, in order of arrival. A slow request delays
/// no other while a thread is free, and a thread is never bound to a connection that is silent or
/// slow to read.
///
/// It answers malformed requests itself (see `ServerFault`), and closes connections that are idle
/// or too slow. `HEAD` reaches the handler like any method; the body of its response is not sent.
package final class Server: Sendable {
    private let core: ServerCore
    private let threads: Mutex<[SystemThread]>

    /// Listens and begins to serve.
    ///
    /// - Parameters:
    ///   - onTrouble: is called for errors without a request, such as having no descriptors left to
    ///     accept connections; at most once a second.
    ///   - handler: answers requests; called from all threads at once.
    package init(
        _ settings: ServerSettings, handler: some Handler,
        onTrouble: @escaping @Sendable (ServerError) -> Void
    ) throws(ServerError) {
        let responder = Responder(settings, handler)
        let core = try ServerCore(responder, onTrouble: onTrouble)
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

    /// Enough for handlers that recurse a little; only touched pages count.
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

    /// The port that is listened on, also when the system chose it.
    package var port: UInt16 { core.port }

    /// How many threads have nothing to do, wait for requests, and look for them or serve; the
    /// others do what may take long.
    package var strength: (resting: Int, watching: Int, permitted: Int) { core.workers.strength }

    /// How many connections are open.
    package var connectionCount: Int { core.connectionCount }

    /// Stops accepting connections, closes idle ones, closes the others after the response to their
    /// request, and waits for that.
    ///
    /// Returns whether all have ended in time; the others continue.
    package func drain(deadlineSeconds: Double) -> Bool {
        core.drain(deadlineSeconds: deadlineSeconds)
    }

    /// Cuts all connections off and ends. Waits for handlers that are at work, however long they
    /// take; safe to repeat, but not to be called by a handler.
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

/// What the thread that accepts connections keeps in mind.
struct Acceptor {
    let tickSeconds: Double
    var nextSweep: Deadline
    /// When the clients of parked requests are looked for again: a system call for each.
    var nextProbe = Deadline.after(seconds: 0)
    /// When to look for threads that keep their permits for too long; nil if none can.
    var nextRelief: Deadline?
    /// Whether there is no room for another connection, or the system has none.
    var isFull = false
    /// Whether all workers wait, so that the acceptor answers what is urgent.
    var isAlone = false
    var finishedCount = 0

    init(tickSeconds: Double) {
        self.tickSeconds = tickSeconds
        nextSweep = .after(seconds: tickSeconds)
    }
}

/// Why a server could not be started.
///
/// There is no client yet to hide anything from: `description` says all, for operators.
package struct ServerError: Error, Sendable, Equatable {
    /// The kind of failure.
    package enum Code: String, Sendable {
        /// The host is no address and no name that resolves.
        case unknownHost
        /// Something else listens there.
        case addressInUse
        /// The system doesn't let us listen there.
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

    /// An error from `errno`, which must not have been touched since.
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
    /// Something in the request's head has no valid meaning.
    case malformed(String)
    /// The body is longer than this many bytes.
    case bodyTooLarge(limitBytes: Int)
    /// The header section is longer than this many bytes.
    case headersTooLarge(limitBytes: Int)
    /// There are more header fields than this.
    case tooManyHeaders(limit: Int)
    /// The fields behind a chunked body are more than this.
    case tooManyTrailers(limit: Int)
    /// The fields behind a chunked body are longer than this many bytes.
    case trailersTooLarge(limitBytes: Int)
    /// The handler's response can't be sent as HTTP.
    case invalidResponse

    /// The status that fits.
    package var status: Int {
        switch self {
        case .malformed: 400
        case .bodyTooLarge: 413
        case .headersTooLarge, .tooManyHeaders, .tooManyTrailers, .trailersTooLarge: 431
        case .invalidResponse: 500
        }
    }

    /// One sentence for the client.
    package var detail: String {
        switch self {
        case .malformed(let detail): detail
        case .bodyTooLarge(let limit): "The body is larger than \(limit) bytes."
        case .headersTooLarge(let limit): "The header section is larger than \(limit) bytes."
        case .tooManyHeaders(let limit): "There are more than \(limit) header fields."
        case .tooManyTrailers(let limit):
            "There are more than \(limit) fields behind the chunks of the body."
        case .trailersTooLarge(let limit):
            "The fields behind the chunks of the body are larger than \(limit) bytes."
        case .invalidResponse: "The answer could not be sent."
        }
    }
}
