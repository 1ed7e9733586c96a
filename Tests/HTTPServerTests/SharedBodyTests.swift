import Testing

@testable import HTTPServer

@Suite("Shared response bodies") struct SharedBodyTests {
    @Test("a body is shared by all its readers, not copied")
    func shared() throws {
        let body = [UInt8](repeating: 7, count: 1 << 20)
        let responder = Responder(ServerSettings(), FunctionHandler(work: TestServer.echo))
        var reader = RequestReader(ServerSettings())
        Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8).withUnsafeBytes { reader.append($0) }
        #expect(reader.advance() == .complete)
        let output = responder.output(
            reader.finish(from: .loopback), Response(status: 200, body: body), Scratch())
        let address = body.withUnsafeBytes { $0.baseAddress }
        #expect(output.body.withUnsafeBytes { $0.baseAddress } == address)
    }

    @Test("a response arrives complete, however slowly it is read and wherever it is split")
    func slowly() throws {
        let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) & 0x7F }
        let server = try TestServer(handler: { _ in Response(status: 200, body: body) })
        let clients = try (0..<20).map { _ in try server.connect() }
        for client in clients { client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n") }
        let text = String(decoding: body, as: UTF8.self)
        for client in clients { #expect(try client.answer().body == text) }
    }
}
