import Glibc
import Testing

/// The client of a stream of server-sent events.
final class EventStream: Sendable {
    private let socket: Int32

    /// Connects, and requests the stream.
    convenience init(
        _ client: APIClient, token: String? = nil, lastEventID: String? = nil
    ) throws {
        try self.init(
            port: client.site.port, path: "/api/live",
            ["Authorization: Bearer \(token ?? client.token)"]
                + (lastEventID.map { ["Last-Event-ID: \($0)"] } ?? []))
    }

    /// Connects as a page that the browser shows, and requests its stream.
    convenience init(_ browser: PageBrowser, from sender: String? = "same-origin") throws {
        try self.init(
            port: browser.site.port, path: "/family/live",
            ["Cookie: __Host-hearth=\(browser.cookie ?? "")"]
                + (sender.map { ["Sec-Fetch-Site: \($0)"] } ?? []))
    }

    private init(port: UInt16, path: String, _ headers: [String]) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var deadline = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_RCVTIMEO, &deadline, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        try #require(isConnected)
        let lines =
            ["GET \(path) HTTP/1.1", "Host: x", "Accept: text/event-stream"] + headers
        let text = lines.joined(separator: "\r\n") + "\r\n\r\n"
        let bytes = Array(text.utf8)
        try #require(send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    }

    deinit { close(socket) }

    /// Returns the next block of the stream, such as an event or the head; nil at the end.
    func next() throws -> String? {
        var block: [UInt8] = []
        var byte: UInt8 = 0
        while !block.hasSuffix("\n\n"), !block.hasSuffix("\r\n\r\n") {
            let count = recv(socket, &byte, 1, 0)
            try #require(count >= 0, "nothing came")
            if count == 0 { return nil }
            block.append(byte)
        }
        return String(decoding: block, as: UTF8.self)
    }

    /// Reads the head of the response; returns the id with which the stream begins.
    func begin() throws -> String {
        let head = try #require(try next())
        try #require(head.hasPrefix("HTTP/1.1 200"), "\(head)")
        try #require(head.contains("X-Accel-Buffering: no"))
        let first = try #require(try next())
        return try #require(id(of: first), "\(first)")
    }

    /// The id of an event.
    func id(of event: String) -> String? {
        event.split(separator: "\n").first { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ text: String) -> Bool {
        suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}
