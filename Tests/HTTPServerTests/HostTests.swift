import Testing

@testable import HTTPServer

@Suite("Host headers") struct HostTests {
    private func fault(_ text: String) -> ServerFault? {
        var reader = RequestReader(ServerSettings())
        Array(text.utf8).withUnsafeBytes { reader.append($0) }
        guard reader.advance() == .complete else { return nil }
        return reader.finish(from: .loopback).fault
    }

    @Test(
        "a Host is a name or an address, with or without a port (RFC 9112 section 3.2)",
        arguments: [
            "x", "family.test", "FAMILY.test:8443", "family.test:", "127.0.0.1:80", "[::1]",
            "[2001:db8::1]:443", "[v1.fe:80]", "a_b.test", "xn--bcher-kva.test", "b%C3%BC.test",
            "",
        ])
    func valid(host: String) {
        for version in ["1.1", "1.0"] {
            #expect(fault("GET / HTTP/\(version)\r\nHost: \(host)\r\n\r\n") == nil)
        }
        if host.isEmpty { return }
        #expect(fault("GET http://\(host)/a HTTP/1.1\r\nHost: x\r\n\r\n") == nil)
    }

    @Test(
        "a request with an invalid host, in the header or in an absolute target, gets 400",
        arguments: [
            "a b", "a/b", "a@b", "user:pass@family.test", "a?b", "a#b", "a\\b", "a\"b", "<a>",
            "a:b", "a:80:80", "a:-1", "a:65536", "a:123456", "[::1", "::1", "[::1]x", "[::g]",
            "[1.2.3.4]", "[fe80::1%eth0]", "[]", "a%zz", "a%4", "a^b", "a|b", "{a}", "a`b",
            "b\u{FC}cher.test", ":80", ":", String(repeating: "a", count: 256),
        ])
    func invalid(host: String) {
        for version in ["1.1", "1.0"] {
            let told = fault("GET / HTTP/\(version)\r\nHost: \(host)\r\n\r\n")
            #expect(told?.status == 400 && told?.detail == "The Host header is malformed.")
        }
        if host.contains(where: { "/?#".contains($0) }) { return }
        let told = fault("GET http://\(host)/a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(told?.status == 400, "an absolute target")
    }

    @Test(
        "a request whose absolute target has no host gets 400 (RFC 9110 section 4.2.1)",
        arguments: ["http:///a", "http://", "https://?q", "http://:80/a"])
    func nameless(target: String) {
        #expect(fault("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")?.status == 400)
    }

    @Test("a refused Host closes the connection, and no later bytes are read as a request")
    func ends() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("GET / HTTP/1.1\r\nHost: a b\r\n\r\nGET /next HTTP/1.1\r\nHost: x\r\n\r\n")
        let answer = try client.answer()
        #expect(answer.status == 400 && answer.headers["Connection"] == "close")
        #expect(client.endsInOrder())
    }
}
