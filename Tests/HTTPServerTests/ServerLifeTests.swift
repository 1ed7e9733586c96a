import Glibc
import Synchronization
import Testing
import Basics

@testable import HTTPServer

@Suite("Server lifecycle") struct ServerLifeTests {
    private static func gated(_ gate: Gate) -> @Sendable (Request) -> Response {
        { request in
            if request.segments == ["wait"] { gate.pass() }
            return TestServer.echo(request)
        }
    }

    @Test("a slow request delays no other connection")
    func noBlocking() throws {
        let gate = Gate()
        let server = try TestServer({ $0.threads = 2 }, handler: Self.gated(gate))
        let others = try (0..<20).map { _ in try server.connect() }
        for other in others { #expect(try other.get("/before").status == 200) }
        let waiting = try server.connect()
        waiting.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(gate.awaitArrival())
        for other in others { #expect(try other.get("/during").status == 200) }
        gate.open()
        #expect(try waiting.answer().body == "GET /wait ")
    }

    @Test("clients that disconnect at any point don't harm the server")
    func leaving() throws {
        let gate = Gate()
        let server = try TestServer({ $0.threads = 2 }, handler: Self.gated(gate))
        for text in [
            "", "GET", "GET / HTTP/1.1\r\nHo",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc",
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n",
        ] {
            for abruptly in [true, false] {
                let client = try server.connect()
                client.send(text)
                if text.contains("/wait") { #expect(gate.awaitArrival()) }
                if abruptly { client.reset() } else { client.close() }
            }
        }
        for _ in 1...2 { gate.open() }
        #expect(try server.connect().get("/still").status == 200)
        #expect(server.server.drain(deadlineSeconds: 60), "no connection is left over")
    }

    @Test("connections over the limit wait as long as all others are being answered")
    func connectionLimit() throws {
        let gate = Gate()
        let server = try TestServer({ $0.connectionLimit = 2 }, handler: Self.gated(gate))
        let working = try (0..<2).map { _ in try server.connect() }
        for client in working {
            client.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(gate.awaitArrival())
        }
        let third = try server.connect()
        third.send("GET /third HTTP/1.1\r\nHost: x\r\n\r\n")
        gate.open()
        #expect(try third.answer().body == "GET /third ")
        gate.open()
        #expect(server.server.connectionCount <= 2)
    }

    @Test("an idle connection, or one that stops in its first line, is closed after the timeout")
    func idle() throws {
        let server = try TestServer {
            $0.idleTimeoutSeconds = 1
            $0.requestTimeoutSeconds = 1
        }
        let silent = try server.connect()
        let served = try server.served()
        let halfLine = try server.connect()
        halfLine.send("GET / HT")
        #expect(silent.isClosed())
        #expect(served.isClosed())
        #expect(halfLine.isClosed())
    }

    @Test(
        "a request that takes too long to arrive is cut off, however steadily its bytes arrive",
        arguments: [
            "GET / HTTP/1.1\r\nHost: x\r\n",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\n",
        ])
    func dawdling(start: String) throws {
        let server = try TestServer {
            $0.requestTimeoutSeconds = 0.1
            $0.idleTimeoutSeconds = 600
        }
        let client = try server.connect()
        client.send(start)
        let end = Deadline.after(seconds: 60)
        while client.send("x"), !end.hasPassed {}
        #expect(!end.hasPassed)
    }

    @Test("a client that doesn't read its response is cut off")
    func notReading() throws {
        let body = [UInt8](repeating: 1, count: 50_000_000)
        let server = try TestServer({ $0.requestTimeoutSeconds = 0.1 }) { _ in
            Response(status: 200, body: body)
        }
        let client = try server.connect()
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        // The client's receive window is full, so only the cut ends the connection.
        _ = try server.served(method: "HEAD")
        #expect(server.server.drain(deadlineSeconds: 60))
    }

    @Test("the handler may take longer than the request timeout")
    func slowHandler() throws {
        let gate = Gate()
        let server = try TestServer(
            {
                $0.requestTimeoutSeconds = 3
                $0.idleTimeoutSeconds = 3
            }, handler: Self.gated(gate))
        let client = try server.connect()
        client.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(gate.awaitArrival())
        // Other connections have been cut off in the meantime.
        #expect(try server.connect().isClosed())
        #expect(try server.connect().isClosed())
        gate.open()
        #expect(try client.answer().status == 200)
    }

    @Test("draining finishes requests, closes idle connections and accepts no new ones")
    func draining() throws {
        let gate = Gate()
        let server = try TestServer(handler: Self.gated(gate))
        let idle = try server.connect()
        #expect(try idle.get("/").status == 200)
        let working = try server.connect()
        working.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(gate.awaitArrival())
        #expect(!server.server.drain(deadlineSeconds: 0.05), "one is still at work")
        #expect(idle.isClosed())
        var refused = false
        for _ in 0..<1000 where !refused {
            refused = (try? server.connect().get("/")) == nil
        }
        #expect(refused)
        gate.open()
        let answer = try working.answer()
        #expect(answer.status == 200)
        #expect(answer.headers["Connection"] == "close")
        #expect(working.isClosed())
        #expect(server.server.drain(deadlineSeconds: 60))
        #expect(server.server.connectionCount == 0)
    }

    @Test("a request that was waiting for a thread when draining began is still answered")
    func drainingUnheard() throws {
        let gate = Gate()
        let server = try TestServer(
            {
                $0.threads = 1
                // The sweep must run often enough, and must find the connection overdue as well.
                $0.idleTimeoutSeconds = 3
            }, handler: Self.gated(gate))
        let working = try server.connect()
        working.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(gate.awaitArrival())
        let unheard = try server.connect()
        unheard.send("GET /unheard HTTP/1.1\r\nHost: x\r\n\r\n")
        let end = Deadline.after(seconds: 60)
        while server.server.connectionCount < 2, !end.hasPassed {}
        #expect(!server.server.drain(deadlineSeconds: 5), "one is still at work")
        gate.open()
        #expect(try working.answer().body == "GET /wait ")
        #expect(try unheard.answer().body == "GET /unheard ")
        #expect(server.server.drain(deadlineSeconds: 60))
    }

    @Test("a request half received when draining begins is still answered")
    func drainingHalfway() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(
            "POST /half HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(try client.line() == "HTTP/1.1 100 Continue")
        #expect(try client.line() == "")
        #expect(!server.server.drain(deadlineSeconds: 0.01))
        client.send("ok")
        #expect(try client.answer().body == "POST /half ok")
        #expect(server.server.drain(deadlineSeconds: 60))
    }

    @Test("stopping closes all connections and may be repeated")
    func stopping() throws {
        let server = try TestServer()
        let idle = try server.connect()
        let halfway = try server.connect()
        #expect(try idle.get("/").status == 200)
        halfway.send("GET / HTTP")
        server.server.stop()
        #expect(idle.isClosed())
        #expect(halfway.isClosed())
        server.server.stop()
        #expect(throws: TestClient.Failure.self) { try server.connect() }
        #expect(server.server.connectionCount == 0)
    }

    @Test("listening on a port in use throws an error that names the address and the setting")
    func portInUse() throws {
        let server = try TestServer()
        let port = server.server.port
        for (name, told) in [(nil, ""), ("HEARTH_LISTEN", ", given as HEARTH_LISTEN")] {
            let error = #expect(throws: ServerError.self) {
                _ = try TestServer { ($0.port, $0.settingName) = (port, name) }
            }
            #expect(error?.code == .addressInUse)
            #expect(
                error?.description
                    == "Listening on 127.0.0.1:\(port)\(told): Address already in use")
        }
    }

    @Test("listening on an unknown host or another machine's address throws a specific error")
    func hosts() throws {
        let unknown = #expect(throws: ServerError.self) {
            _ = try TestServer { $0.host = "no such host" }
        }
        #expect(unknown?.code == .unknownHost)
        let foreign = #expect(throws: ServerError.self) {
            _ = try TestServer { $0.host = "192.0.2.1" }
        }
        #expect(foreign?.code == .addressNotAvailable)
    }

    @Test("many short connections leak no descriptors")
    func shortConnections() throws {
        let server = try TestServer()
        let before = try descriptorCount()
        for number in 0..<2000 {
            #expect(try server.connect().get("/\(number)").status == 200)
        }
        #expect(server.server.drain(deadlineSeconds: 60))
        // Other suites open and close descriptors at the same time, but never this many.
        #expect(try descriptorCount() < before + 1000)
    }

    private func descriptorCount() throws -> Int {
        let directory = try #require(opendir("/proc/self/fd"))
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }
}
