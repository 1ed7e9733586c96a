import Glibc
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Lingering close") struct LingeringCloseTests {
    private static let closing = "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    @Test("the last response and an orderly close reach a client that is still sending")
    func stillSending() throws {
        for _ in 0..<20 {
            let gate = Gate()
            let server = try TestServer(handler: { request in
                gate.pass()
                return TestServer.echo(request)
            })
            let client = try server.connect()
            client.send(Self.closing)
            #expect(gate.awaitArrival())
            // The server does not read these bytes.
            client.send(String(repeating: "x", count: 100_000))
            gate.open()
            let answer = try client.answer()
            #expect(answer.body == "GET /last " && answer.headers["Connection"] == "close")
            #expect(client.send(String(repeating: "x", count: 100_000)))
            #expect(client.endsInOrder())
        }
    }

    @Test(
        "a refusal sent before the body was read reaches the client",
        arguments: [
            (400, "POST / HTTP/1.1\r\nHost: a b\r\nContent-Length: 300000\r\n\r\n"),
            (413, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 90000000\r\n\r\n"),
            (431, "POST / HTTP/1.1\r\nHost: x\r\n" + String(repeating: "A: b\r\n", count: 200)),
        ])
    func refused(status: Int, request: String) throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(request + (status == 431 ? "\r\n" : ""))
        #expect(client.send(String(repeating: "x", count: 4_000_000)))
        #expect(try client.answer().status == status)
        #expect(client.send(String(repeating: "x", count: 100_000)))
        #expect(client.endsInOrder())
    }

    @Test("no thread is blocked by clients that are still sending")
    func noThread() throws {
        let server = try TestServer { $0.threads = 1 }
        let clients = try (0..<40).map { _ in try server.connect() }
        for client in clients {
            client.send(Self.closing)
            #expect(try client.answer().status == 200)
        }
        #expect(try server.connect().get("/other").body == "GET /other ")
        for client in clients { #expect(client.endsInOrder()) }
    }

    @Test("a client that sends more than eight megabytes after the last response is cut off")
    func greedy() throws {
        let server = try TestServer { $0.requestTimeoutSeconds = 600 }
        let client = try server.connect()
        client.send(Self.closing)
        #expect(try client.answer().status == 200)
        let piece = String(repeating: "x", count: 65_536)
        var sent = 0
        while sent < 1 << 30, client.send(piece) { sent += 65_536 }
        // Bytes in both sides' buffers count as sent.
        #expect(sent < 64 << 20, "\(sent) bytes were taken")
    }

    @Test("a client that neither sends nor closes is cut off after two seconds")
    func silent() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(Self.closing)
        #expect(try client.answer().status == 200)
        let core = server.server
        try eventually { core.connectionCount == 0 }
        #expect(client.endsInOrder())
    }

    @Test("draining ends even if a client does not close its connection")
    func draining() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(Self.closing)
        #expect(try client.answer().status == 200)
        #expect(server.server.drain(deadlineSeconds: 60))
    }
}
