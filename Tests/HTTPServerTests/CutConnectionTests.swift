import Glibc
import Testing

@testable import HTTPServer

@Suite("Cut connections") struct CutConnectionTests {
    /// Returns two connected TCP sockets. Bytes that one end has received can be read after a
    /// shutdown.
    private func pair() throws -> (server: Int32, client: Int32) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, $0, &length) == 0 && connect(client, $0, length) == 0
            }
        }
        try #require(isConnected)
        let server = accept(listener, nil, nil)
        try #require(server >= 0)
        return (server, client)
    }

    /// Returns whether the connection hands a request to its owner once a whole one has arrived.
    private func next(_ change: (ClientConnection) -> Void) throws -> Bool {
        let (server, client) = try pair()
        defer { close(client) }
        let connection = ClientConnection(
            socket: server, peer: .loopback,
            responder: Responder(ServerSettings(), FunctionHandler(work: TestServer.echo)))
        defer { connection.end() }
        let bytes = Array("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok".utf8)
        try #require(send(client, bytes, bytes.count, 0) == bytes.count)
        var events = pollfd(fd: server, events: Int16(POLLIN), revents: 0)
        try #require(poll(&events, 1, 60_000) == 1)
        change(connection)
        let scratch = Scratch(byteCount: 4_096)
        return if case .request = connection.nextRequest(scratch) { true } else { false }
    }

    @Test("a request read only after its connection was cut is not handled")
    func late() throws {
        #expect(try next { _ in })
        // The client gets no response and may have retried elsewhere.
        #expect(try !next { $0.shutDown() })
    }
}
