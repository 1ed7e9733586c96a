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
