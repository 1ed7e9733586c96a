import Testing

@testable import HTTPServer

@Suite("Trailer fields") struct TrailerTests {
    private func read(_ trailers: String) -> RequestReader.Finished? {
        var reader = RequestReader(ServerSettings())
        let text =
            "POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3\r\nabc\r\n0\r\n\(trailers)\r\n"
        Array(text.utf8).withUnsafeBytes { reader.append($0) }
        guard reader.advance() == .complete else { return nil }
        return reader.finish(from: .loopback)
    }

    @Test(
        "trailer fields are skipped and don't count as headers",
        arguments: ["", "Sum: 1\r\n", "a: \t two words \r\nb:\r\n", "Sum: \u{FC}\r\n"])
    func ignored(trailers: String) {
        let finished = read(trailers)
        #expect(finished?.fault == nil && finished?.keepsAlive == true)
        #expect(finished?.request.body == Array("abc".utf8))
        #expect(finished?.request.headers.fields.count == 2)
    }

    @Test(
        "a malformed trailer field is refused and closes the connection (RFC 9112 section 5)",
        arguments: [
            "none\r\n", ": y\r\n", "X : y\r\n", "X y: z\r\n", " X: y\r\n", "X: y\r\n folded\r\n",
            "X\u{FC}: y\r\n", "GET /smuggled HTTP/1.1\r\n", "X(: y\r\n",
        ])
    func malformed(trailers: String) {
        let finished = read(trailers)
        #expect(finished?.fault?.status == 400 && finished?.keepsAlive == false)
        #expect(
            finished?.fault?.detail == "A trailer field is malformed.")
    }

    @Test(
        "a field that must precede the body is refused in the trailer (RFC 9110 section 6.5.1)",
        arguments: [
            "Content-Length: 3", "transfer-encoding: chunked", "HOST: y", "Authorization: Bearer x",
            "Content-Type: text/plain", "Content-Encoding: gzip", "If-Match: *", "Expect: x",
            "Cookie: a=b", "Trailer: X", "TE: trailers", "Range: bytes=0-1", "Connection: close",
            "X-Forwarded-For: 192.0.2.1", "Idempotency-Key: k", "x-acting-as-member: m",
        ])
    func forbidden(field: String) {
        let finished = read("Sum: 1\r\n\(field)\r\n")
        #expect(finished?.fault?.status == 400 && finished?.keepsAlive == false)
        let name = field.prefix { $0 != ":" }
        #expect(
            finished?.fault?.detail
                == "The field \(name) is not allowed in the trailer: it must precede the body.")
    }

    @Test("more than a hundred trailer fields, or 8 KiB in all, are refused")
    func bounded() {
        #expect(read(String(repeating: "X: y\r\n", count: 100))?.fault == nil)
        let many = read(String(repeating: "X: y\r\n", count: 101))
        #expect(many?.fault?.status == 431 && many?.keepsAlive == false)
        #expect(
            many?.fault?.detail == "There are more than 100 trailer fields.")
        #expect(read("X: \(String(repeating: "y", count: 8_000))\r\n")?.fault == nil)
        for (size, count) in [(900, 10), (9_000, 1)] {
            let line = "X: \(String(repeating: "y", count: size))\r\n"
            let large = read(String(repeating: line, count: count))
            #expect(large?.fault?.status == 431 && large?.keepsAlive == false)
            #expect(
                large?.fault?.detail
                    == "The trailer is larger than 8192 bytes.")
        }
    }
}
