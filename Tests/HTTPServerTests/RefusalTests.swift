import Testing

@testable import HTTPServer

@Suite("Refusing requests") struct RefusalTests {
    private static func post(_ fields: String, _ body: String = "") -> String {
        "POST /p HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\(body)"
    }

    @Test("a request with a body over the limit gets 413, and its connection stays open")
    func bodyTooLarge() throws {
        let server = try TestServer { $0.bodyLimitBytes = 1000 }
        let client = try server.connect()
        let body = String(repeating: "x", count: 1001)
        client.send(Self.post("Content-Length: 1001\r\n", body))
        let answer = try client.answer()
        #expect(answer.status == 413)
        #expect(answer.body == "The body is larger than 1000 bytes.")
        #expect(answer.headers["X-Fault"] == "POST")
        client.send(Self.post("Content-Length: 1000\r\n", String(body.dropLast())))
        #expect(try client.answer().status == 200)
        client.send(
            Self.post("Transfer-Encoding: chunked\r\n", "3E9\r\n\(body)\r\n0\r\n\r\n"))
        #expect(try client.answer().status == 413)
        #expect(try client.get("/after").status == 200)
    }

    @Test("a client that expects 100 Continue for too large a body is refused before sending it")
    func expectsTooMuch() throws {
        let server = try TestServer { $0.bodyLimitBytes = 1000 }
        let client = try server.connect()
        client.send(Self.post("Content-Length: 1001\r\nExpect: 100-continue\r\n"))
        #expect(try client.answer().status == 413)
        #expect(client.isClosed())
    }

    @Test("a body far over the limit is refused without reading the rest")
    func absurdBody() throws {
        let server = try TestServer { $0.bodyLimitBytes = 1000 }
        let announced = try server.connect()
        announced.send(Self.post("Content-Length: 10000000000\r\n"))
        #expect(try announced.answer().status == 413)
        #expect(announced.isClosed())
        let endless = try server.connect()
        endless.send(Self.post("Transfer-Encoding: chunked\r\n"))
        let chunk = "1000\r\n" + String(repeating: "x", count: 0x1000) + "\r\n"
        while endless.send(chunk) {}
    }

    @Test("a request with headers over the limit gets 431")
    func headersTooLarge() throws {
        let server = try TestServer()
        let client = try server.connect()
        let fits = String(repeating: "x", count: 31 * 1024)
        #expect(
            try {
                client.send(Self.post("X: \(fits)\r\n")); return try client.answer()
            }()
            .status == 200)
        client.send(Self.post("X: \(fits)\r\nY: 0123456789\(fits.prefix(1100))\r\n"))
        #expect(try client.answer().status == 431)
        for size in [40_000, 50_000, 100_000] {
            let client = try server.connect()
            client.send(Self.post("X: \(String(repeating: "x", count: size))\r\n"))
            #expect(try client.answer().status == 431)
        }
    }

    @Test("a request with a hundred header fields is accepted, one with more gets 431")
    func tooManyFields() throws {
        let server = try TestServer()
        let client = try server.connect()
        // The Host field is the hundredth.
        client.send(Self.post(String(repeating: "X: y\r\n", count: 99)))
        #expect(try client.answer().status == 200)
        client.send(Self.post(String(repeating: "X: y\r\n", count: 100)))
        let answer = try client.answer()
        #expect(answer.status == 431)
        #expect(answer.body == "There are more than 100 header fields.")
    }

    @Test(
        "a request with ambiguous framing gets 400, and its connection is closed",
        arguments: [
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
            "Content-Length: 5\r\nContent-Length: 6\r\n",
            "Content-Length: 5\r\nContent-Length: 5\r\n",
            "Transfer-Encoding: xchunked\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n",
            "Transfer-Encoding : chunked\r\n", "Host: y\r\n", "Content-Length: -1\r\n",
            "Content-Length: 5x\r\n", "Content-Length: +5\r\n", "Content-Length: 0x5\r\n",
            "Content-Length: 5, 5\r\n",
        ])
    func framing(fields: String) throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(Self.post(fields, "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"))
        #expect(try client.answer().status == 400)
        while let line = try? client.line() { #expect(!line.contains("smuggled")) }
    }

    @Test("an undecodable target gets 400", arguments: ["/%zz", "/a%", "/%FF", "/?q=%00"])
    func targets(target: String) throws {
        let server = try TestServer()
        let client = try server.connect()
        let answer = try client.get(target)
        #expect(answer.status == 400)
        #expect(answer.body == "The request's target is malformed.")
        #expect(try client.get("/fine").status == 200)
    }

    @Test("an HTTP/1.1 request without a Host gets 400")
    func noHost() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try client.answer().status == 400)
    }

    @Test(
        "bytes that are not HTTP close the connection and affect no other",
        arguments: [
            "\u{16}\u{03}\u{01}\u{02}\u{00}\u{01}\u{00}", "\r\n\r\n\r\n", "GET\r\n\r\n",
            "GET / HTTP/9.9\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
            "\u{0}\u{0}\u{0}\u{0}\r\n\r\n", "GET /\u{0} HTTP/1.1\r\nHost: x\r\n\r\n",
        ])
    func notHTTP(text: String) throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(text)
        client.finishSending()
        while (try? client.line()) != nil {}
        #expect(try server.connect().get("/").status == 200)
    }

    @Test(
        "an invalid response from a handler is replaced by a 500",
        arguments: [
            Response(status: 200, headers: Headers([.init(name: "X", value: "a\r\nY: b")])),
            Response(status: 200, headers: Headers([.init(name: "X", value: "a\u{0}")])),
            Response(status: 200, headers: Headers([.init(name: "", value: "a")])),
            Response(status: 200, headers: Headers([.init(name: "X\r\n", value: "a")])),
            Response(status: 99), Response(status: 100), Response(status: 1000),
        ])
    func invalidResponse(response: Response) throws {
        let server = try TestServer(handler: { _ in response })
        let client = try server.connect()
        let answer = try client.get("/")
        #expect(answer.status == 500)
        #expect(answer.body == "The response could not be sent.")
        #expect(try client.get("/").status == 500)
    }
}
