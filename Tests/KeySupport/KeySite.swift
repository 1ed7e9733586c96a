package import Fetching
import HTTPServer
import Synchronization
import Testing
import Basics

/// A server on this machine that publishes keys and records the requests.
package final class KeySite: Sendable {
    package enum Manner: Sendable {
        case document(String)
        case status(Int)
        case redirect
        case huge
        /// Answers once the test calls ``KeySite/open()``.
        case hanging
    }

    private struct State: Sendable {
        var manner: Manner
        var paths: [String] = []
        var isOpen = false
    }

    private let state: Monitor<State>
    private let server: Mutex<Server?> = Mutex(nil)
    /// The port that the server listens on.
    package let port: UInt16

    /// Starts a server that responds in the given way.
    package init(_ manner: Manner) throws {
        let state = Monitor(State(manner: manner))
        self.state = state
        var settings = ServerSettings()
        settings.port = 0
        settings.threads = 4
        let handler = FunctionHandler { request in
            let manner = state.change { state in
                state.paths.append(request.path)
                return state.manner
            }
            switch manner {
            case .document(let text): return Response(status: 200, body: Array(text.utf8))
            case .status(let status): return Response(status: status)
            case .redirect:
                return Response(
                    status: 302, headers: Headers([.init(name: "Location", value: "/elsewhere")]))
            case .huge:
                return Response(
                    status: 200, body: [UInt8](repeating: UInt8(ascii: " "), count: 2 << 20))
            case .hanging:
                let end = Deadline.after(seconds: 60)
                _ = state.wait { ($0.isOpen ? true : nil, end) }
                return Response(status: 503)
            }
        }
        let server = try Server(settings, handler: handler) { _ in }
        port = server.port
        self.server.withLock { $0 = server }
    }

    deinit {
        open()
        server.withLock { $0?.stop() }
    }

    /// The address of the server's key set.
    package func address(_ path: String = "/keys") throws -> FetchAddress {
        try #require(FetchAddress("http://127.0.0.1:\(port)\(path)"))
    }

    /// Sets the way in which the server responds from now on.
    package func publish(_ manner: Manner) { state.change { $0.manner = manner } }

    /// Releases hanging requests.
    package func open() { state.change { $0.isOpen = true } }

    /// The paths of all requests so far.
    package var paths: [String] { state.change { $0.paths } }

    /// Waits until this many requests have arrived.
    package func awaitRequests(_ count: Int) -> Bool {
        let end = Deadline.after(seconds: 60)
        return state.wait { ($0.paths.count >= count ? true : nil, end) } ?? false
    }
}
