import Dispatch
import Synchronization
import Testing

@testable import HTTPServer

/// A server on a port of its own whose handler says what it was asked, unless told otherwise.
struct TestServer: ~Copyable {
    let server: Server
    /// What the server had to complain about.
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

    /// Says what the server refused, and by which method it was asked.
    static let refusal: @Sendable (ServerFault, Request) -> Response = { fault, request in
        Response(
            status: fault.status,
            headers: Headers([.init(name: "X-Fault", value: request.method.name)]),
            body: Array(fault.detail.utf8))
    }

    deinit { server.stop() }

    func connect() throws -> TestClient { try TestClient(port: server.port) }

    /// A connection over which a request was answered: another one where a stall of the machine was
    /// longer than the server's short limits.
    func served(method: String = "GET") throws -> TestClient {
        for _ in 0..<100 {
            let client = try connect()
            if (try? client.get("/", method: method))?.status == 200 { return client }
        }
        throw TestClient.Failure(what: "none of 100 requests was answered")
    }

    /// Says method, path, `x-*` headers and body.
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

/// Where handlers wait until a test opens it, each opening for one of them.
final class Gate: Sendable {
    private let arrivals = DispatchSemaphore(value: 0)
    private let openings = DispatchSemaphore(value: 0)

    /// For the handler: says that it is there and waits, a minute at most.
    func pass() {
        arrivals.signal()
        _ = openings.wait(timeout: .now() + 60)
    }

    /// For the test: waits until one more handler is there.
    func awaitArrival() -> Bool { arrivals.wait(timeout: .now() + 60) == .success }

    /// Lets one handler through, be it here or still to come.
    func open() { openings.signal() }
}
