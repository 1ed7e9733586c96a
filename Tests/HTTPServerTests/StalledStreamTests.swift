import Glibc
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Stalled streams")
struct StalledStreamTests {
    /// Sends endless parts: the next one as soon as the last is on its way.
    private final class Endless: Handler {
        let parts = Atomic(0)
        let stalls = Atomic(0)
        /// Number of the last part; none by default.
        private let last: Int
        private let bytes: Int

        init(bytes: Int, last: Int = .max) {
            (self.bytes, self.last) = (bytes, last)
        }

        func prepare(_ request: Request) -> PreparedRequest<Never> {
            .longPoll { [self] in
                .part(
                    StreamPart(
                        head: Response(status: 200), bytes: [], next: parked,
                        onStalled: { [self] in stalls.add(1, ordering: .relaxed) }))
            }
        }

        func respond(to fault: ServerFault, in request: Request) -> Response {
            Response(status: fault.status)
        }

        private var parked: ParkedRequest {
            ParkedRequest(
                onParked: { [self] resume in
                    if parts.load(ordering: .relaxed) < last { resume() }
                },
                retry: { [self] in
                    parts.add(1, ordering: .relaxed)
                    return .part(
                        StreamPart(bytes: [UInt8](repeating: 0x61, count: bytes), next: parked))
                })
        }
    }

    private func open(_ server: borrowing TestServer, receiving bytes: Int32) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var size = bytes
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = server.server.port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        try #require(isConnected)
        let request = Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        try #require(
            Glibc.send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count)
        return descriptor
    }

    @Test("a client that stops reading is cut off after a few parts", arguments: [200, 5_000])
    func stopsReading(partBytes: Int) throws {
        let handler = Endless(bytes: partBytes)
        let server = try TestServer({ $0.streamTimeoutSeconds = 1 }, answering: handler)
        let client = try open(server, receiving: 4_096)
        defer { close(client) }
        try eventually { handler.stalls.load(ordering: .relaxed) == 1 }
        try eventually { server.server.connectionCount == 0 }
        let made = handler.parts.load(ordering: .relaxed) * partBytes
        #expect(made < 100_000, "\(made) bytes were made")
    }

    @Test("a client that stops reading between parts is cut off for unacknowledged bytes")
    func stopsReadingBetweenParts() throws {
        // More bytes than the client's buffers take, in a limited number of parts: then the stream
        // waits.
        let handler = Endless(bytes: 5_000, last: 12)
        let server = try TestServer({ $0.streamTimeoutSeconds = 1 }, answering: handler)
        let client = try open(server, receiving: 2_048)
        defer { close(client) }
        try eventually { handler.stalls.load(ordering: .relaxed) == 1 }
        try eventually { server.server.connectionCount == 0 }
    }

    @Test("a client that reads slowly is not cut off and receives everything")
    func readsSlowly() throws {
        let handler = Endless(bytes: 1_000, last: 60)
        let server = try TestServer({ $0.streamTimeoutSeconds = 2 }, answering: handler)
        let client = try open(server, receiving: 2_048)
        defer { close(client) }
        var (count, chunk) = (0, [UInt8](repeating: 0, count: 2_000))
        while count < 60_000 {
            let got = recv(client, &chunk, chunk.count, 0)
            try #require(got > 0, "cut off after \(count) bytes")
            count += chunk[..<got].count { $0 == 0x61 }
            // Ten times slower than the timeout would allow for the whole stream.
            usleep(100_000)
        }
        #expect(handler.stalls.load(ordering: .relaxed) == 0)
    }

    @Test("a client makes progress only with bytes that it acknowledges")
    func progress() {
        var progress = StreamProgress()
        #expect(!progress.isPending)
        progress.begin(now: 10)
        progress.recordSent(100)
        progress.record(unacknowledged: 100, now: 20)
        #expect(progress.isPending && progress.since == 10)
        // Sending another part is not progress of the client.
        progress.begin(now: 30)
        progress.recordSent(50)
        progress.record(unacknowledged: 150, now: 40)
        #expect(progress.since == 10)
        progress.record(unacknowledged: 149, now: 50)
        #expect(progress.isPending && progress.since == 50)
        progress.record(unacknowledged: 0, now: 60)
        #expect(!progress.isPending)
        progress.begin(now: 70)
        #expect(progress.since == 70)
    }
}
