import Synchronization
import Testing

@testable import HTTPServer

@Suite("Requests that come at once") struct TogetherTests {
    /// Answers reads together and nothing else.
    private static let reads: @Sendable ([Request]) -> [Response?] = { requests in
        requests.map { $0.path.hasPrefix("/read") ? TestServer.echo($0) : nil }
    }

    @Test("a thread that nobody could relieve takes several, and each gets its own answer")
    func several() throws {
        let sizes = Mutex<[Int]>([])
        let gate = try Gate()
        let server = try TestServer(
            { $0.threads = 1 },
            handler: { request in
                if request.path == "/wait" { gate.pass() }
                return TestServer.echo(request)
            },
            together: { requests in
                sizes.withLock { $0.append(requests.count) }
                return Self.reads(requests)
            })
        let clients = try (0..<20).map { _ in try server.connect() }
        for client in clients { #expect(try client.get("/").status == 200) }
        let first = try server.connect()
        first.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(gate.awaitArrival())
        for (number, client) in clients.enumerated() {
            let path = number % 5 == 0 ? "/alone/\(number)" : "/read/\(number)"
            client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
        }
        gate.open()
        for (number, client) in clients.enumerated() {
            let path = number % 5 == 0 ? "/alone/\(number)" : "/read/\(number)"
            #expect(try client.answer().body == "GET \(path) ")
        }
        #expect(sizes.withLock { $0.first } == 8)
        #expect(sizes.withLock { $0.allSatisfy { (2...8).contains($0) } })
    }

    @Test("what has to be answered alone delays neither the others nor its like")
    func alone() throws {
        let (occupied, slow) = (try Gate(), try Gate())
        let server = try TestServer(
            { $0.threads = 2 },
            handler: { request in
                if request.path == "/wait" { occupied.pass() }
                if request.path == "/slow" { slow.pass() }
                return TestServer.echo(request)
            }, together: Self.reads)
        let waiting = try (0..<2).map { _ in try server.connect() }
        for client in waiting {
            client.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(occupied.awaitArrival())
        }
        let (first, second, reader) = try (server.connect(), server.connect(), server.connect())
        for (client, path) in [(first, "/slow"), (second, "/slow"), (reader, "/read")] {
            client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
        }
        occupied.open()
        #expect(slow.awaitArrival())
        #expect(try reader.answer().body == "GET /read ")
        occupied.open()
        #expect(slow.awaitArrival())
        slow.open()
        slow.open()
        for client in [first, second] { #expect(try client.answer().body == "GET /slow ") }
        for client in waiting { #expect(try client.answer().body == "GET /wait ") }
    }

    @Test("a fault among them is told to its sender alone")
    func fault() throws {
        let gate = try Gate()
        let server = try TestServer(
            { $0.threads = 1 },
            handler: { request in
                gate.pass()
                return TestServer.echo(request)
            }, together: Self.reads)
        let first = try server.connect()
        first.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(gate.awaitArrival())
        let (faulty, good, other) = try (server.connect(), server.connect(), server.connect())
        faulty.send("GET /read HTTP/1.1\r\n\r\n")
        for client in [good, other] { client.send("GET /read HTTP/1.1\r\nHost: x\r\n\r\n") }
        gate.open()
        #expect(try faulty.answer().status == 400)
        for client in [good, other] { #expect(try client.answer().body == "GET /read ") }
    }
}
