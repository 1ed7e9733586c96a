import Glibc
import Synchronization
import Testing
import Basics

@testable import HTTPServer

@Suite("Fairness between clients") struct FairnessTests {
    @Test("a client that sends a thousand requests at once does not delay other clients' requests")
    func pipelining() throws {
        let order = Mutex<[String]>([])
        let gate = Gate()
        let server = try TestServer({ $0.threads = 1 }) { request in
            if request.path == "/first" { gate.pass() }
            order.withLock { $0.append(request.path) }
            return TestServer.echo(request)
        }
        let greedy = try server.connect()
        let modest = try (0..<3).map { _ in try server.connect() }
        for client in modest { #expect(try client.get("/").status == 200) }
        greedy.send("GET /first HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(gate.awaitArrival())
        greedy.send(String(repeating: "GET /greedy HTTP/1.1\r\nHost: x\r\n\r\n", count: 1000))
        for client in modest { client.send("GET /modest HTTP/1.1\r\nHost: x\r\n\r\n") }
        gate.open()
        for client in modest { #expect(try client.answer().status == 200) }
        for _ in 0...1000 { #expect(try greedy.answer().status == 200) }
        let paths = order.withLock { $0 }
        let last = try #require(paths.lastIndex(of: "/modest"))
        #expect(last < 100, "the modest ones had to wait for \(last) others")
    }

    @Test(
        "urgent requests are answered even while all threads wait, others once a thread is free")
    func urgent() throws {
        let gate = Gate()
        let server = try TestServer({
            $0.threads = 2
            $0.urgentPaths = ["/healthz"]
        }) { request in
            if request.path == "/wait" { gate.pass() }
            return TestServer.echo(request)
        }
        let waiting = try (0..<2).map { _ in try server.connect() }
        for client in waiting {
            client.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(gate.awaitArrival())
        }
        let ordinary = try (0..<20).map { _ in try server.connect() }
        for client in ordinary { client.send("GET /ordinary HTTP/1.1\r\nHost: x\r\n\r\n") }
        for _ in 0..<20 { #expect(try server.connect().get("/healthz").status == 200) }
        let health = try server.connect()
        for _ in 0..<20 { #expect(try health.get("/healthz").status == 200) }
        gate.open()
        gate.open()
        for client in ordinary { #expect(try client.answer().body == "GET /ordinary ") }
        for client in waiting { #expect(try client.answer().body == "GET /wait ") }
    }

    @Test("a silent connection is closed for a new one from the same address")
    func displacing() throws {
        let server = try TestServer { $0.connectionsPerAddress = 3 }
        let silent = try (0..<3).map { _ in try server.connect() }
        for client in silent { #expect(try client.get("/").status == 200) }
        for _ in 0..<10 { #expect(try server.connect().get("/new").status == 200) }
    }

    @Test("a connection whose request stops halfway is closed for a new one from the same address")
    func displacingHalfway() throws {
        let server = try TestServer { $0.connectionsPerAddress = 3 }
        let silent = try (0..<3).map { _ in try server.connect() }
        for client in silent { client.send("GET / HTTP/1.1\r\nHost: x\r\n") }
        let end = Deadline.after(seconds: 60)
        while (try? server.connect().get("/new").status) != 200 {
            try #require(!end.hasPassed)
        }
        for _ in 0..<10 { #expect(try server.connect().get("/new").status == 200) }
    }

    @Test("a connection whose request is being handled is not closed for a new one")
    func notDisplacing() throws {
        let gate = Gate()
        let server = try TestServer({
            $0.connectionsPerAddress = 1
        }) { request in
            gate.pass()
            return TestServer.echo(request)
        }
        let working = try server.connect()
        working.send("GET /work HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(gate.awaitArrival())
        #expect(try server.connect().isClosed())
        gate.open()
        #expect(try working.answer().body == "GET /work ")
    }

    @Test("a full server closes a connection of the address with the most connections")
    func full() throws {
        let server = try TestServer { $0.connectionLimit = 8 }
        let slow = try (0..<8).map { _ in try server.connect() }
        for client in slow { client.send("GET / HTTP/1.1\r\n") }
        for _ in 0..<20 { #expect(try server.connect().get("/").status == 200) }
    }

    @Test("hundreds of half-open connections don't stop other clients from being served")
    func halfOpen() throws {
        let server = try TestServer { $0.connectionsPerAddress = 256 }
        let slow = try (0..<200).map { _ in try server.connect() }
        for client in slow { client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Le") }
        let client = try server.connect()
        for _ in 0..<100 { #expect(try client.get("/").status == 200) }
        for client in slow { #expect(client.send("ngth: 2\r\n\r\nab")) }
        for client in slow { #expect(try client.answer().body == "POST / ab") }
    }
}
