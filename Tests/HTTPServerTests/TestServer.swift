import Dispatch
import Synchronization
import Testing

@testable import HTTPServer

/// A server on a free port whose handler echoes requests by default.
struct TestServer: ~Copyable {
    let server: Server
    /// Errors that the server reported.
    let troubles: Troubles

    final class Troubles: Sendable {
        let list = Mutex<[ServerError]>([])
    }

    init(
        _ change: (inout ServerSettings) -> Void = { _ in },
        handler: @escaping @Sendable (Request) -> Response = TestServer.echo
    ) throws {
        try self.init(change, answering: FunctionHandler(refusal: Self.refusal, work: handler))
    }

    init(
        _ change: (inout ServerSettings) -> Void = { _ in }, answering handler: some Handler
    ) throws {
        var settings = ServerSettings()
        settings.port = 0
        settings.threads = 4
        change(&settings)
        let troubles = Troubles()
        self.troubles = troubles
        server = try Server(settings, handler: handler) { error in
            troubles.list.withLock { $0.append(error) }
        }
    }

    /// Responds to a refused request with the fault and the request's method.
    static let refusal: @Sendable (ServerFault, Request) -> Response = { fault, request in
        Response(
            status: fault.status,
            headers: Headers([.init(name: "X-Fault", value: request.method.name)]),
            body: Array(fault.detail.utf8))
    }

    deinit { server.stop() }

    func connect() throws -> TestClient { try TestClient(port: server.port) }

    /// Returns a connection over which a request was answered. Tries again if a stall of the
    /// machine exceeded the server's short limits.
    func served(method: String = "GET") throws -> TestClient {
        for _ in 0..<100 {
            let client = try connect()
            if (try? client.get("/", method: method))?.status == 200 { return client }
        }
        throw TestClient.Failure(what: "none of 100 requests was answered")
    }

    /// Echoes method, path, `x-*` headers and body.
    static let echo: @Sendable (Request) -> Response = { request in
        let headers = request.headers.fields.filter { $0.name.hasPrefix("x-") }
            .map { "\($0.name)=\($0.value);" }.joined()
        let text = String(decoding: request.body, as: UTF8.self)
        return Response(
            status: 200,
            headers: Headers([
                .init(name: "Content-Type", value: "text/plain"),
                .init(name: "X-Peer", value: request.peer.description),
            ]), body: Array("\(request.method.name) \(request.path) \(headers)\(text)".utf8))
    }
}

/// A gate at which handlers wait; each opening lets one of them through.
final class Gate: Sendable {
    private let arrivals = DispatchSemaphore(value: 0)
    private let openings = DispatchSemaphore(value: 0)

    /// Called by the handler: reports its arrival and waits, for a minute at most.
    func pass() {
        arrivals.signal()
        _ = openings.wait(timeout: .now() + 60)
    }

    /// Called by the test: waits until one more handler has arrived.
    func awaitArrival() -> Bool { arrivals.wait(timeout: .now() + 60) == .success }

    /// Lets one handler through, whether it has arrived or is still to come.
    func open() { openings.signal() }
}
