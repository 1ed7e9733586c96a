import Synchronization
import Testing

@testable import HTTPServer

@Suite("Requests that come at once") struct TogetherTests {
    /// Admits what begins so, and leaves alone what turns out to be news.
    private static func reads(
        _ note: @escaping @Sendable ([Request]) -> Void = { _ in }
    ) -> ReadBatcher {
        ReadBatcher(admits: { $0.path.hasPrefix("/read") }) { requests in
            note(requests)
            return requests.map { $0.path.hasSuffix("/news") ? nil : TestServer.echo($0) }
        }
    }

    private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n" }

    /// A client whose connection the server has taken up.
    private func client(of server: borrowing TestServer) throws -> TestClient {
        let client = try server.connect()
        #expect(try client.get("/").status == 200)
        return client
    }

    @Test("a thread that nobody could relieve takes several, and each gets its own answer")
    func several() throws {
        let sizes = Mutex<[Int]>([])
        let gate = Gate()
        let server = try TestServer(
            { $0.threads = 1 },
            handler: { request in
                if request.path == "/wait" { gate.pass() }
                return TestServer.echo(request)
            },
            batcher: Self.reads { requests in sizes.withLock { $0.append(requests.count) } })
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
        // Of the first eight two are answered alone.
        #expect(sizes.withLock { $0.first } == 6)
        #expect(sizes.withLock { $0.allSatisfy { (2...8).contains($0) } })
    }

    @Test("what is answered alone is left to whoever is free, one thread each, before the batch")
    func alone() throws {
        let (occupied, slow, batch) = (Gate(), Gate(), Gate())
        let server = try TestServer(
            { $0.threads = 3 },
            handler: { request in
                if request.path == "/wait" { occupied.pass() }
                if request.path.hasPrefix("/slow") { slow.pass() }
                return TestServer.echo(request)
            }, batcher: Self.reads { _ in batch.pass() })
        let waiting = try (0..<3).map { _ in try client(of: server) }
        let others = try (0..<6).map { _ in try client(of: server) }
        for client in waiting {
            client.send(Self.get("/wait"))
            #expect(occupied.awaitArrival())
        }
        let paths = ["/slow/1", "/read/1", "/slow/2", "/read/2", "/quick/1", "/quick/2"]
        for (client, path) in zip(others, paths) { client.send(Self.get(path)) }
        // One thread takes all six, and is held up by those that it answers together.
        occupied.open()
        #expect(batch.awaitArrival())
        // The second thread that is free takes one slow one only.
        occupied.open()
        #expect(slow.awaitArrival())
        occupied.open()
        #expect(slow.awaitArrival())
        slow.open()
        for (client, path) in zip(others[4...], paths[4...]) {
            #expect(try client.answer().body == "GET \(path) ")
        }
        slow.open()
        batch.open()
        for (client, path) in zip(others, paths.prefix(4)) {
            #expect(try client.answer().body == "GET \(path) ")
        }
        for client in waiting { #expect(try client.answer().body == "GET /wait ") }
    }

    @Test("a fault is told to its sender alone, and who can not be batched after all is served")
    func fault() throws {
        let gate = Gate()
        let server = try TestServer(
            { $0.threads = 1 },
            handler: { request in
                if request.path == "/wait" { gate.pass() }
                return TestServer.echo(request)
            }, batcher: Self.reads())
        let clients = try (0..<4).map { _ in try client(of: server) }
        let first = try server.connect()
        first.send(Self.get("/wait"))
        #expect(gate.awaitArrival())
        clients[0].send("GET /read HTTP/1.1\r\n\r\n")
        clients[1].send(Self.get("/read/1"))
        clients[2].send(Self.get("/read/news"))
        clients[3].send(Self.get("/read/2"))
        gate.open()
        #expect(try clients[0].answer().status == 400)
        for (client, path) in zip(clients[1...], ["/read/1", "/read/news", "/read/2"]) {
            #expect(try client.answer().body == "GET \(path) ")
        }
    }
}
