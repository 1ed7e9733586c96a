import Testing

@testable import HTTPServer

@Suite("HTTP conversations") struct ConversationTests {
    @Test("a response has the length, the date and the peer")
    func simple() throws {
        let server = try TestServer()
        let answer = try server.connect().get("/a/b?c")
        #expect(answer.status == 200)
        #expect(answer.body == "GET /a/b ")
        #expect(answer.headers["Content-Length"] == "9")
        #expect(answer.headers["Date"] != nil)
        #expect(answer.headers["X-Peer"] == "127.0.0.1")
        #expect(answer.headers["Connection"] == nil)
    }

    @Test("a connection serves one request after another")
    func keepAlive() throws {
        let server = try TestServer()
        let client = try server.connect()
        for number in 0..<200 {
            #expect(try client.get("/\(number)").body == "GET /\(number) ")
        }
    }

    @Test("pipelined requests are answered in order")
    func pipelining() throws {
        let server = try TestServer()
        let client = try server.connect()
        let requests = (0..<50).map {
            "POST /\($0) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nb\($0 % 10)"
        }
        client.send(requests.joined())
        for number in 0..<50 {
            #expect(try client.answer().body == "POST /\(number) b\(number % 10)")
        }
        #expect(try client.get("/last").body == "GET /last ")
    }

    @Test("a request may arrive byte by byte")
    func trickle() throws {
        let server = try TestServer()
        let client = try server.connect()
        for byte in "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc".utf8 {
            #expect(client.send([byte]))
        }
        #expect(try client.answer().body == "POST /a abc")
    }

    @Test("a body may arrive in chunks")
    func chunks() throws {
        let server = try TestServer()
        let client = try server.connect()
        for _ in 0..<2 {
            client.send("PUT /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            client.send("3\r\nabc\r\nA;ext=1\r\n0123456789\r\n0\r\n\r\n")
            #expect(try client.answer().body == "PUT /c abc0123456789")
        }
    }

    @Test("a client that expects 100 Continue receives it")
    func continues() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(
            "POST /e HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.line() == "HTTP/1.1 100 Continue")
        #expect(try client.line() == "")
        client.send("body")
        #expect(try client.answer().body == "POST /e body")
    }

    @Test("an HTTP/1.0 connection closes after the response unless the client asks to keep it open")
    func oldClients() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(try client.answer().body == "GET /old ")
        client.send("GET /older HTTP/1.0\r\n\r\n")
        #expect(try client.answer().body == "GET /older ")
        #expect(client.isClosed())
    }

    @Test("'Connection: close' closes the connection after the response")
    func closes() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let answer = try client.answer()
        #expect(answer.headers["Connection"] == "close")
        #expect(client.isClosed())
    }

    @Test("HEAD is answered like GET, without the body")
    func head() throws {
        let server = try TestServer()
        let client = try server.connect()
        let answer = try client.get("/a", method: "HEAD")
        #expect(answer.status == 200)
        #expect(answer.headers["Content-Length"] == "8")
        #expect(try client.get("/b").body == "GET /b ", "no body stands in between")
    }

    @Test("a 204 response has no body and no length")
    func noContent() throws {
        let server = try TestServer(handler: { _ in Response(status: 204) })
        let client = try server.connect()
        #expect(try client.get("/a").headers["Content-Length"] == nil)
        #expect(try client.get("/b").status == 204)
    }

    @Test("headers, including repeated ones, reach the handler as they were sent")
    func headers() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("GET /h HTTP/1.1\r\nHost: x\r\nx-a: 1\r\nx-b:  two words \r\nx-a: 2\r\n\r\n")
        #expect(try client.answer().body == "GET /h x-a=1;x-b=two words;x-a=2;")
    }

    @Test("a target stays encoded until it is split into segments")
    func encoded() throws {
        let server = try TestServer(handler: { request in
            Response(status: 200, body: Array(request.segments.joined(separator: "|").utf8))
        })
        #expect(try server.connect().get("/a%2Fb/%63?x=%26").body == "a/b|c")
    }

    @Test("a large response arrives complete even if the client starts reading late")
    func largeAnswer() throws {
        let text = String(repeating: "0123456789", count: 800_000)
        let server = try TestServer(handler: { _ in Response(status: 200, body: Array(text.utf8)) })
        let slow = try server.connect()
        slow.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try server.connect().get("/b").body == text)
        #expect(try slow.answer().body == text)
    }

    @Test("a client may shut down its sending side before it reads")
    func halfClosed() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        client.finishSending()
        #expect(try client.answer().body == "GET /a ")
        #expect(client.isClosed())
    }

    @Test("each of many concurrent clients gets its own responses")
    func manyClients() throws {
        let server = try TestServer()
        let clients = try (0..<100).map { _ in try server.connect() }
        for round in 0..<5 {
            for (number, client) in clients.enumerated() {
                client.send("GET /\(round)/\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
            }
            for (number, client) in clients.enumerated() {
                #expect(try client.answer().body == "GET /\(round)/\(number) ")
            }
        }
        #expect(server.server.connectionCount == 100)
    }
}
