import Testing

@testable import HTTPServer

@Suite("Trusted proxies") struct ProxyTests {
    @Test(
        "an address range contains its addresses and no others",
        arguments: [
            ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false),
            ("192.0.2.128/25", "192.0.2.127", false), ("0.0.0.0/0", "8.8.8.8", true),
            ("0.0.0.0/0", "::1", false), ("2001:db8::/33", "2001:db8:7fff::1", true),
            ("2001:db8::/33", "2001:db8:8000::1", false), ("::1", "::1", true),
            ("127.0.0.0/8", "::ffff:127.0.0.1", true),
        ])
    func ranges(range: String, address: String, isIn: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(PeerAddress(parsing: address))) == isIn)
    }

    @Test(
        "a malformed address range is refused",
        arguments: [
            "", "x", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8",
            "10.0.0/8", "::/129", "2001:db8::1/32", "10.0.0.0/+8",
        ])
    func noRanges(text: String) {
        #expect(AddressRange(text) == nil)
    }

    private func client(
        _ fields: [String], peer: String = "10.0.0.1", trusting: [String] = ["10.0.0.0/8", "::1"]
    ) throws -> String {
        let headers = Headers(fields.map { .init(name: "x-forwarded-for", value: $0) })
        var limits = ServerSettings()
        limits.trustedProxies = try trusting.map { try #require(AddressRange($0)) }
        var reader = RequestReader(limits)
        let lines = headers.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        Array("GET / HTTP/1.1\r\nHost: x\r\n\(lines)\r\n".utf8).withUnsafeBytes {
            reader.append($0)
        }
        #expect(reader.advance() == .complete)
        return reader.finish(from: try #require(PeerAddress(parsing: peer))).request.client
            .description
    }

    @Test(
        "the right-most hop that is not a trusted proxy is the client",
        arguments: [
            (["192.0.2.1"], "192.0.2.1"), (["198.51.100.7, 192.0.2.1"], "192.0.2.1"),
            (["192.0.2.1, 10.1.1.1"], "192.0.2.1"), (["192.0.2.1", "10.1.1.1"], "192.0.2.1"),
            (["198.51.100.7", "192.0.2.1"], "192.0.2.1"), (["192.0.2.1:4711"], "192.0.2.1"),
            (["2001:db8::7"], "2001:db8::7"), (["[2001:db8::7]:1"], "2001:db8::7"),
            ([" 192.0.2.1 ,\t10.1.1.1 "], "192.0.2.1"), (["10.2.2.2, 10.3.3.3"], "10.2.2.2"),
            ([], "10.0.0.1"), ([""], "10.0.0.1"), (["unknown"], "10.0.0.1"),
            (["192.0.2.1, unknown, 10.1.1.1"], "10.1.1.1"), (["192.0.2.1,"], "10.0.0.1"),
        ] as [([String], String)])
    func hops(fields: [String], expected: String) throws {
        #expect(try client(fields) == expected)
    }

    @Test("a client's own X-Forwarded-For is ignored")
    func untrusted() throws {
        #expect(try client(["192.0.2.1"], peer: "192.0.2.99") == "192.0.2.99")
        #expect(try client(["192.0.2.1"], trusting: []) == "10.0.0.1")
    }

    @Test("trusted proxies may have more connections than other peers")
    func connections() throws {
        let proxy = try #require(AddressRange("127.0.0.0/8"))
        let server = try TestServer {
            $0.connectionsPerAddress = 1
            $0.trustedProxies = [proxy]
        }
        let clients = try (0..<5).map { _ in try server.connect() }
        for client in clients { #expect(try client.get("/").status == 200) }
    }
}
