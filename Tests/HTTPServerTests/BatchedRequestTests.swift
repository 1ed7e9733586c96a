import Synchronization
import Testing

@testable import HTTPServer

@Suite("Batched requests") struct BatchedRequestTests {
    /// Answers paths that begin with `/read` in batches, except those that end with `/news`.
    private struct Gathering: Handler {
        var work: @Sendable (Request) -> Response = TestServer.echo
        var note: @Sendable ([Request]) -> Void = { _ in }

        func prepare(_ request: Request) -> PreparedRequest<Request> {
            if request.path == "/known" { return .response(TestServer.echo(request)) }
            return request.path.hasPrefix("/read") ? .read(request) : .work { work(request) }
        }

        func answer(_ read: Request) -> Response { TestServer.echo(read) }

        func answer(_ reads: [Request]) -> [Response?] {
            note(reads)
            return reads.map { $0.path.hasSuffix("/news") ? nil : TestServer.echo($0) }
        }

        func respond(to fault: ServerFault, in request: Request) -> Response {
            TestServer.refusal(fault, request)
        }
    }

    private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n" }

    /// Returns a client whose connection the server has accepted.
    private func client(of server: borrowing TestServer) throws -> TestClient {
        let client = try server.connect()
        #expect(try client.get("/").status == 200)
        return client
    }

    @Test("a thread takes several requests if no other can, and each client gets its own response")
    func several() throws {
        let sizes = Mutex<[Int]>([])
        let gate = Gate()
        let server = try TestServer(
            { ($0.threads, $0.batchLimit) = (1, 8) },
            answering: Gathering(
                work: { request in
                    if request.path == "/wait" { gate.pass() }
                    return TestServer.echo(request)
                }, note: { requests in sizes.withLock { $0.append(requests.count) } }))
        let clients = try (0..<20).map { _ in try client(of: server) }
        let first = try server.connect()
        first.send(Self.get("/wait"))
        #expect(gate.awaitArrival())
        let paths = (0..<20).map { $0 % 5 == 0 ? "/alone/\($0)" : "/read/\($0)" }
        for (client, path) in zip(clients, paths) { client.send(Self.get(path)) }
        gate.open()
        for (client, path) in zip(clients, paths) {
            #expect(try client.answer().body == "GET \(path) ")
        }
        // Two of the first eight requests are answered alone.
        #expect(sizes.withLock { $0.first } == 6)
        #expect(sizes.withLock { $0.allSatisfy { (2...8).contains($0) } })
    }

    @Test("free threads take the other requests one by one before a thread runs its batch of reads")
    func alone() throws {
        let (occupied, slow, reads) = (Gate(), Gate(), Gate())
        let server = try TestServer(
            { $0.threads = 3 },
            answering: Gathering(
                work: { request in
                    if request.path == "/wait" { occupied.pass() }
                    if request.path.hasPrefix("/slow") { slow.pass() }
                    return TestServer.echo(request)
                }, note: { _ in reads.pass() }))
        let waiting = try (0..<3).map { _ in try client(of: server) }
        let others = try (0..<6).map { _ in try client(of: server) }
        for client in waiting {
            client.send(Self.get("/wait"))
            #expect(occupied.awaitArrival())
        }
        let paths = ["/slow/1", "/read/1", "/slow/2", "/read/2", "/quick/1", "/quick/2"]
        for (client, path) in zip(others, paths) { client.send(Self.get(path)) }
        // One thread takes all six, and waits in the batch of reads.
        occupied.open()
        #expect(reads.awaitArrival())
        // The second free thread takes only one slow request.
        occupied.open()
        #expect(slow.awaitArrival())
        occupied.open()
        #expect(slow.awaitArrival())
        slow.open()
        for (client, path) in zip(others[4...], paths[4...]) {
            #expect(try client.answer().body == "GET \(path) ")
        }
        slow.open()
        reads.open()
        for (client, path) in zip(others, paths.prefix(4)) {
            #expect(try client.answer().body == "GET \(path) ")
        }
        for client in waiting { #expect(try client.answer().body == "GET /wait ") }
    }

    @Test("an invalid request fails alone in a batch, and a read that can't be batched runs alone")
    func fault() throws {
        let gate = Gate()
        let server = try TestServer(
            { ($0.threads, $0.batchLimit) = (1, 8) },
            answering: Gathering(work: { request in
                if request.path == "/wait" { gate.pass() }
                return TestServer.echo(request)
            }))
        let clients = try (0..<4).map { _ in try client(of: server) }
        let first = try server.connect()
        first.send(Self.get("/wait"))
        #expect(gate.awaitArrival())
        clients[0].send("GET /read HTTP/1.1\r\n\r\n")
        clients[1].send(Self.get("/read/1"))
        clients[2].send(Self.get("/read/news"))
        clients[3].send(Self.get("/known"))
        gate.open()
        #expect(try clients[0].answer().status == 400)
        for (client, path) in zip(clients[1...], ["/read/1", "/read/news", "/known"]) {
            #expect(try client.answer().body == "GET \(path) ")
        }
    }
}
