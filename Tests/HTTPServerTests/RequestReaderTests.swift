import Basics
import Testing

@testable import HTTPServer

@Suite("Parsing requests from bytes") struct RequestReaderTests {
    private static func limits(header: Int = 1000, body: Int = 10) -> ServerSettings {
        var limits = ServerSettings()
        limits.headerLimitBytes = header
        limits.bodyLimitBytes = body
        return limits
    }

    private static func post(_ fields: String, _ body: String = "", version: String = "1.1")
        -> String
    {
        "POST /p HTTP/\(version)\r\nHost: x\r\n\(fields)\r\n\(body)"
    }

    private func read(
        _ text: String, _ limits: ServerSettings = limits()
    ) -> RequestReader.Finished? {
        var reader = RequestReader(limits)
        Array(text.utf8).withUnsafeBytes { reader.append($0) }
        while true {
            switch reader.advance() {
            case .complete: return reader.finish(from: .loopback)
            case .continueAwaited: continue
            case .unfinished: return nil
            }
        }
    }

    @Test("a request is parsed alike wherever its bytes are split")
    func cuts() {
        let text =
            "\r\n" + Self.post("Content-Length: 3\r\n", "abc")
            + Self.post(
                "Transfer-Encoding: chunked\r\n", "2;x=y\r\nde\r\n1\r\nf\r\n0\r\nT: r\r\n\r\n")
            + "GET /last HTTP/1.1\r\nhost:\ty \r\n\r\n"
        let bytes = Array(text.utf8)
        for size in 1...bytes.count {
            var reader = RequestReader(Self.limits())
            var found: [String] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { reader.append($0) }
                while reader.advance() == .complete {
                    let request = reader.finish(from: .loopback).request
                    found.append(
                        "\(request.path) \(request.headers["Host"] ?? "") "
                            + String(decoding: request.body, as: UTF8.self))
                }
            }
            #expect(found == ["/p x abc", "/p x def", "/last y "], "pieces of \(size)")
            #expect(reader.isIdle)
        }
    }

    @Test("a control character is found anywhere in a header, and a tab is accepted")
    func controls() throws {
        for length in 1...20 {
            for offset in 0..<length {
                for control: UInt8 in [0x01, 0x08, 0x09, 0x0D, 0x1F, 0x7F] {
                    var value = [UInt8](repeating: UInt8(ascii: "x"), count: length)
                    value[offset] = control
                    let text = String(decoding: value, as: UTF8.self)
                    let finished = try #require(read(Self.post("A: x\(text)x\r\n")))
                    let isRefused = finished.fault != nil
                    if isRefused == (control == 0x09) {
                        Issue.record("\(control) at \(offset) of \(length)")
                    }
                }
            }
        }
        let finished = try #require(read(Self.post("A: é\u{80}ÿ \t😀\r\n")))
        #expect(finished.request.headers["A"] == "é\u{80}ÿ \t😀")
    }

    @Test("the parser of plain targets agrees with the general one, and refuses other targets")
    func plainTargets() throws {
        for text in [
            "/", "/a", "/a/b/", "//", "/?", "/a?", "/a?b", "/a?b=c", "/a?b=c&d=e", "/a?&&b=c&",
            "/a?=b", "/a?b==c", "/a?b=c=d", "/a?b=c?d", "/a?b=&c", "/a:b;c@d!$'()*,~",
        ] {
            let plain = Array(text.utf8).withUnsafeBytes { RequestTarget(plain: $0) }
            #expect(try #require(plain) == #require(RequestTarget(text)), "\(text)")
        }
        for text in ["", "*", "a", "/%61", "/a?b=+", "/a?b=%20", "/é", "http://x/a"] {
            let plain = Array(text.utf8).withUnsafeBytes { RequestTarget(plain: $0) }
            #expect(plain == nil, "\(text)")
        }
    }

    @Test("a body both too long and malformed gets the same status wherever the bytes are split")
    func cutsOfBodies() {
        for size in 155...165 {
            let chunk = String(size, radix: 16) + "\r\n" + String(repeating: "a", count: size)
            let bytes = Array(Self.post("Transfer-Encoding: chunked\r\n", chunk + "?\r\n").utf8)
            let told = Set(
                (1...bytes.count).map { size in
                    var reader = RequestReader(Self.limits())
                    for start in stride(from: 0, to: bytes.count, by: size) {
                        bytes[start..<min(start + size, bytes.count)].withUnsafeBytes {
                            reader.append($0)
                        }
                        if reader.advance() == .complete { break }
                    }
                    return reader.finish(from: .loopback).fault?.status
                })
            #expect(told.count == 1, "\(size): \(told)")
            #expect(told.isSubset(of: [400, 413]))
        }
    }

    @Test("a head both too long and malformed is refused alike wherever the bytes are split")
    func cutsOfFaults() {
        let longTarget = "GET /\(String(repeating: "a", count: 95))?b=c \u{3}\r\n"
        let heads = (-3...3).map { spare in
            "GET /\(String(repeating: "a", count: 77 + spare)) HTTP/1.1\r\nHost: x\n"
        }
        for text in heads + [longTarget, "GET / HTTP/1.1\r\nHost: x\n"] {
            let bytes = Array((text + "Accept: text/html\r\n\r\n").utf8)
            let told = Set(
                (1...bytes.count).map { size in
                    var reader = RequestReader(Self.limits(header: 100))
                    for start in stride(from: 0, to: bytes.count, by: size) {
                        bytes[start..<min(start + size, bytes.count)].withUnsafeBytes {
                            reader.append($0)
                        }
                        if reader.advance() == .complete { break }
                    }
                    let finished = reader.finish(from: .loopback)
                    let request = finished.request
                    return "\(finished.fault?.status ?? 0) \(request.path.count) "
                        + "\(request.headers.fields.count)"
                })
            #expect(told.count == 1, "\(text): \(told)")
            #expect(told.allSatisfy { $0.hasPrefix("400 ") || $0.hasPrefix("431 ") })
        }
    }

    @Test(
        "a head that violates RFC 9112 is refused and closes the connection",
        arguments: [
            "GET / HTTP/1.1\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\n\n", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /  HTTP/1.1\r\nHost: x\r\n\r\n", " GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /\r\nHost: x\r\n\r\n", "GET / HTTP/1.1 \r\nHost: x\r\n\r\n",
            "GET / HTTP/2.0\r\nHost: x\r\n\r\n", "GET / http/1.1\r\nHost: x\r\n\r\n",
            "G(T / HTTP/1.1\r\nHost: x\r\n\r\n", "GET /\u{1} HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\n\tfolded: y\r\n\r\n",
            "GET / HTTP/1.1\r\nHost : x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nnone\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nA: b\u{0}c\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nA: b\rc: d\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nA\u{0}: b\r\n\r\n",
            "\u{16}\u{3}\u{1}", "\r\n\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ])
    func malformedHeads(text: String) {
        let finished = read(text)
        #expect(finished?.fault?.status == 400)
        #expect(finished?.keepsAlive == false)
    }

    @Test(
        "framing that two parsers could read differently is refused at once",
        arguments: [
            "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
            "Content-Length: 1\r\ncontent-length: 1\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: identity\r\n",
            "Transfer-Encoding:\r\n", "Content-Length:\r\n", "Content-Length: 1, 1\r\n",
            "Content-Length: +1\r\n", "Content-Length: -1\r\n", "Content-Length: 0x1\r\n",
            "Content-Length: 1 1\r\n", "Content-Length: 1000000000000000000000\r\n",
        ])
    func framing(fields: String) {
        let finished = read(Self.post(fields, "0\r\n\r\n"))
        #expect(finished?.fault?.status == 400)
        #expect(finished?.keepsAlive == false)
    }

    @Test("HTTP/1.0 allows no chunks and needs no Host")
    func oldClients() {
        let chunked = "Transfer-Encoding: chunked\r\n"
        #expect(read(Self.post(chunked, "0\r\n\r\n", version: "1.0"))?.fault?.status == 400)
        #expect(read(Self.post(chunked, "0\r\n\r\n"))?.fault == nil)
        let old = read("GET / HTTP/1.0\r\n\r\n")
        #expect(old?.fault == nil && old?.keepsAlive == false)
        #expect(read("GET / HTTP/1.0\r\nConnection: x, Keep-Alive\r\n\r\n")?.keepsAlive == true)
    }

    @Test(
        "chunks that violate RFC 9112 are refused and close the connection",
        arguments: [
            "\r\n", "x\r\n", "-1\r\n", "1 \r\nx\r\n", "0x1\r\nx\r\n", "1\nx\r\n",
            "1\r\nxx\r\n", "1\r\nx\n", "1\r\nx0\r\n\r\n", "12345678\r\n", "1;\u{0}\r\nx\r\n",
            "0\r\nA: b\n\r\n", "0\r\nA: \u{0}\r\n\r\n", String(repeating: "1", count: 1100),
        ])
    func malformedChunks(text: String) {
        let request = Self.post("Transfer-Encoding: chunked\r\n", text)
        let finished = read(request, Self.limits(body: 1000))
        #expect(finished?.fault?.status == 400)
        #expect(finished?.keepsAlive == false)
    }

    @Test("a body up to the limit is accepted, a longer one is discarded and refused")
    func bodyLimit() {
        let chunked = "Transfer-Encoding: chunked\r\n"
        let fits = read(Self.post(chunked, "4\r\nabcd\r\n6\r\nefghij\r\n0\r\n\r\n"))
        #expect(fits?.fault == nil && fits?.request.body.count == 10)
        let exceeds = read(Self.post(chunked, "4\r\nabcd\r\n7\r\nefghijk\r\n0\r\n\r\n"))
        #expect(exceeds?.fault == .bodyTooLarge(limitBytes: 10))
        #expect(exceeds?.request.body == [] && exceeds?.keepsAlive == true)
        let tiny = String(repeating: "1;\(String(repeating: "x", count: 90))\r\na\r\n", count: 2)
        let wasteful = read(Self.post(chunked, tiny))
        #expect(wasteful?.fault == .bodyTooLarge(limitBytes: 10), "however little was in it")
        #expect(wasteful?.keepsAlive == false)
    }

    @Test("an announced length over the limit is refused early, with or without the body")
    func announced() {
        let ten = "0123456789"
        #expect(read(Self.post("Content-Length: 10\r\n", ten))?.fault == nil)
        #expect(read(Self.post("Content-Length: 11\r\n", ten)) == nil, "it is read in patience")
        let whole = read(Self.post("Content-Length: 11\r\n", ten + "0"))
        #expect(whole?.fault?.status == 413 && whole?.keepsAlive == true)
        let polite = read(Self.post("Content-Length: 11\r\nExpect: 100-continue\r\n"))
        #expect(polite?.fault?.status == 413 && polite?.keepsAlive == false)
        let absurd = read(Self.post("Content-Length: 161\r\n"))
        #expect(absurd?.fault?.status == 413 && absurd?.keepsAlive == false)
    }

    @Test("a header section up to the limit is accepted, a longer one is refused, complete or not")
    func headerLimit() {
        let rest = Self.post("A: \r\n").utf8.count
        let limits = Self.limits(header: 1000)
        func head(_ count: Int) -> String {
            Self.post("A: \(String(repeating: "x", count: count - rest))\r\n")
        }
        #expect(read(head(1000), limits)?.fault == nil)
        #expect(read(head(1000), limits) != nil)
        for text in [head(1001), String(head(1100).dropLast(3)), head(100_000)] {
            #expect(read(text, limits)?.fault == .headersTooLarge(limitBytes: 1000))
        }
    }

    @Test("a refused head still has its target and the media types that the client accepts")
    func legible() throws {
        let fields =
            "Cookie: \(String(repeating: "x", count: 900))\r\naccept: text/html\r\n"
            + "Accept-Language: es\r\nOrigin: https://evil.example\r\n"
        let long = fields + "X: " + String(repeating: "x", count: 2_000)
        for (text, status) in [
            ("GET /a/b?c=d HTTP/1.1\r\nHost: x\r\n\(long)\r\n\r\n", 431),
            ("GET /a/b?c=d HTTP/1.1\r\nHost: x\r\n\(long)", 431),
            ("GET /a/b?c=d HTTP/1.1\r\nHost: x\r\n\(fields)Two Words: x\r\n\r\n", 400),
            ("GET /a/b?c=d HTTP/1.1\r\n\(fields)\r\n", 400),
        ] {
            let finished = try #require(read(text, Self.limits(header: 1_500)))
            #expect(finished.fault?.status == status && !finished.keepsAlive)
            let request = finished.request
            #expect(request.path == "/a/b" && request.query.values("c") == ["d"])
            #expect(request.headers["Accept"] == "text/html")
            #expect(request.headers["Accept-Language"] == "es" && request.headers.fields.count == 2)
        }
        let absurd = try #require(read("\u{16}\u{3}\u{1}\r\nAccept: text/html\r\n\r\n"))
        #expect(absurd.fault?.status == 400 && absurd.request.path.isEmpty)
    }

    @Test("a request with a malformed target is refused after its body has been read")
    func target() {
        #expect(read("POST /%zz HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na") == nil)
        let finished = read("POST /%zz HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab")
        #expect(finished?.fault?.status == 400 && finished?.keepsAlive == true)
        #expect(finished?.request.segments == [] && finished?.request.body == [])
    }

    @Test("thousands of query parameters are parsed")
    func manyParameters() {
        let query = String(repeating: "a=1&", count: 8000)
        let finished = read("GET /?\(query) HTTP/1.1\r\nHost: x\r\n\r\n", ServerSettings())
        #expect(finished?.request.query.parameters.count == 8000)
    }

    @Test(
        "dates are formatted as HTTP requires",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
        ])
    func dates(seconds: Int, text: String) {
        var date = ByteWriter(capacity: 64)
        HTTPDate(unixSeconds: seconds).append(to: &date)
        #expect(String(decoding: date.array, as: UTF8.self) == text)
    }
}
