import Basics
import Foundation
import Glibc
import Synchronization

/// A server that receives traces on a loopback port, and behaves as it is told.
package final class TraceCollector: Sendable {
    /// Its response to a request.
    package enum Behaviour: Sendable {
        /// Status 200 and an empty object.
        case accepts
        /// Accepts the connection and never responds.
        case hangs
        /// A status and a body.
        case says(Int, String)
        /// A response that never ends, as fast as the client reads.
        case endlessBody
        case endlessHeaders
    }

    private struct State {
        var behaviours: [Behaviour]
        var bodies: [[UInt8]] = []
        var heads: [String] = []
        var isClosed = false
        var hasEnded = false
        var sentBytes = 0
    }

    package let port: Int
    private let listener: Int32
    private let state: Monitor<State>

    package var url: String { "http://127.0.0.1:\(port)" }
    /// The bodies of the requests that were received whole.
    package var bodies: [[UInt8]] { state.withLock { $0.bodies } }
    /// Request lines and headers of the requests that were received whole.
    package var heads: [String] { state.withLock { $0.heads } }
    /// Bytes of endless responses that were sent.
    package var sentBytes: Int { state.withLock { $0.sentBytes } }

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for a free one.
    ///   - behaviours: Behaviours for successive requests; the last is for all further requests.
    package init(port given: Int = 0, _ behaviours: Behaviour...) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var one: Int32 = 1
        setsockopt(
            listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        address.sin_port = in_port_t(given).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard listener >= 0, isListening else { throw TestSetupError() }
        self.listener = listener
        port = Int(in_port_t(bigEndian: address.sin_port))
        let state = Monitor(State(behaviours: behaviours))
        self.state = state
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 {
                    // Closed by the only thread that accepts: another collector may get the same
                    // descriptor.
                    close(listener)
                    state.change { $0.hasEnded = true }
                    return
                }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                Thread.detachNewThread {
                    Self.serve(connection, state)
                    close(connection)
                }
            }
        }
    }

    deinit { stop() }

    /// Closes the port and all connections.
    package func stop() {
        let isFirst = state.change { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        let deadline = Deadline.after(seconds: 60)
        _ = state.wait { ($0.hasEnded ? true : nil, deadline) }
    }

    /// Waits until the bodies received so far satisfy a condition.
    package func awaitBodies(_ condition: @escaping @Sendable ([[UInt8]]) -> Bool) throws {
        let deadline = Deadline.after(seconds: 60)
        let isDone = state.wait { (condition($0.bodies) ? true : nil, deadline) }
        if isDone == nil { throw TimedOut() }
    }

    private static func serve(_ connection: Int32, _ state: Monitor<State>) {
        guard let (head, body) = request(from: connection) else { return }
        let behaviour = state.change { state in
            state.heads.append(head)
            state.bodies.append(body)
            return state.behaviours.count > 1
                ? state.behaviours.removeFirst() : state.behaviours.first ?? .accepts
        }
        switch behaviour {
        case .accepts: _ = write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", to: connection)
        case .hangs: _ = state.wait { ($0.isClosed ? true : nil, .after(seconds: 120)) }
        case .says(let status, let text):
            let head = "HTTP/1.1 \(status) Said\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
            _ = write(head + text, to: connection)
        case .endlessBody:
            guard write("HTTP/1.1 200 OK\r\n\r\n", to: connection) else { return }
            endless(String(repeating: "x", count: 4_096), to: connection, state)
        case .endlessHeaders:
            guard write("HTTP/1.1 200 OK\r\n", to: connection) else { return }
            endless("X-More: " + String(repeating: "x", count: 500) + "\r\n", to: connection, state)
        }
    }

    /// Writes until the client closes the connection.
    private static func endless(_ part: String, to connection: Int32, _ state: Monitor<State>) {
        while !state.withLock({ $0.isClosed }), write(part, to: connection) {
            state.withLock { $0.sentBytes += part.utf8.count }
        }
    }

    private static func write(_ text: String, to connection: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads a request with `Content-Length`; nil if the client closes the connection first.
    private static func request(from connection: Int32) -> (head: String, body: [UInt8])? {
        var bytes: [UInt8] = []
        var head: String?
        var bodyCount = 0
        while true {
            if head == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let text = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                head = text
                bytes.removeFirst(end.upperBound)
                let length = text.firstMatch(of: /(?i)content-length: ([0-9]+)/)
                bodyCount = length.flatMap { Int($0.output.1) } ?? 0
            }
            if let head, bytes.count >= bodyCount { return (head, Array(bytes.prefix(bodyCount))) }
            var part = [UInt8](repeating: 0, count: 16_384)
            let count = recv(connection, &part, part.count, 0)
            guard count > 0 else { return nil }
            bytes += part.prefix(count)
        }
    }
}
