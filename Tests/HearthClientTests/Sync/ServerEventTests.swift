import Testing

@testable import HearthClient

@Suite("Server-sent events")
struct ServerEventTests {
    private static let stream =
        "\u{FEFF}: hello\n\nevent: change\nid: 7\ndata: {\"families\":\ndata: [\"f1\"]}\n\n"
        + "data:x\r\n\r\nretry: 10\nevent: lost\n\nid\ndata\rdata: y\r\r"

    private static let events = [
        ServerEvent(name: "change", data: "{\"families\":\n[\"f1\"]}", id: "7"),
        ServerEvent(name: "message", data: "x", id: "7"),
        ServerEvent(name: "message", data: "\ny", id: ""),
    ]

    @Test("a stream is parsed as the HTML standard specifies")
    func standard() {
        var parser = ServerEventParser()
        #expect(parser.take(Array(Self.stream.utf8)) == Self.events)
    }

    @Test("a stream parses to the same events wherever the network splits it")
    func cuts() {
        let bytes = Array(Self.stream.utf8)
        for first in 0...bytes.count {
            var parser = ServerEventParser()
            let before = parser.take(bytes[..<first]) ?? []
            let after = parser.take(bytes[first...]) ?? []
            #expect(before + after == Self.events, "cut at \(first)")
        }
        var parser = ServerEventParser()
        #expect(bytes.flatMap { parser.take([$0]) ?? [] } == Self.events)
    }

    @Test("a line longer than the maximum fails")
    func bound() {
        var parser = ServerEventParser()
        #expect(
            parser.take(repeatElement(0x78, count: ServerEventParser.maximumLineBytes + 1)) == nil)
    }
}
