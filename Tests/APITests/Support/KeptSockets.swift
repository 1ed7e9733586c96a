import Foundation
import Glibc
import Synchronization
import TestSupport

/// Sends requests over sockets that are kept open, as many as there are concurrent requests.
///
/// `URLSession` has six connections for all threads, and requests that wait occupy some of them. It
/// also uses more processor time than the code under test.
final class KeptSockets: Sendable {
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    private let port: UInt16
    private let idle = Mutex<[Int32]>([])

    init(port: UInt16) { self.port = port }

    deinit { for socket in idle.withLock({ $0 }) { close(socket) } }

    func exchange(
        _ method: String, _ path: String, _ body: String?, _ headers: [String: String]
    ) throws -> Answer {
        let bytes = Array((body ?? "").utf8)
        var text = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if body != nil { text += "Content-Length: \(bytes.count)\r\n" }
        let request = Array((text + "\r\n").utf8) + bytes
        while let socket = idle.withLock({ $0.popLast() }) {
            // The server closes sockets that were idle for long, without having read the request.
            if let answer = try exchange(request, over: socket, isKept: true) { return answer }
        }
        let fresh = try Self.connected(to: port, seconds: 60)
        guard let answer = try exchange(request, over: fresh, isKept: false) else {
            throw Broken(description: "\(method) \(path): closed without an answer")
        }
        return answer
    }

    /// Returns nil if a kept socket was closed before the request.
    private func exchange(
        _ request: [UInt8], over socket: Int32, isKept: Bool
    ) throws -> Answer? {
        var isWhole = false
        defer { if isWhole { idle.withLock { $0.append(socket) } } else { close(socket) } }
        guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            if isKept { return nil }
            throw Broken(description: "the request was not taken")
        }
        var received: [UInt8] = []
        var end: Int?
        while end == nil {
            guard try receive(socket, into: &received) else {
                if isKept, received.isEmpty { return nil }
                throw Broken(description: "the head of an answer was cut off")
            }
            end = received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
        }
        let start = end ?? 0
        let (status, headers) = try Self.head(of: received[..<start])
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        while received.count < start + length {
            guard try receive(socket, into: &received) else {
                throw Broken(description: "the body of an answer was cut off")
            }
        }
        isWhole = headers["connection"]?.lowercased() != "close"
        return Answer(status: status, headers: headers, body: Array(received[start...]))
    }

    /// Reads more bytes; returns false at the end.
    private func receive(_ socket: Int32, into received: inout [UInt8]) throws -> Bool {
        try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            let count = recv(socket, buffer.baseAddress, buffer.count, 0)
            let code = errno
            if count < 0, code != ECONNRESET {
                throw Broken(description: "no answer: \(String(cString: strerror(code)))")
            }
            received += UnsafeRawBufferPointer(rebasing: buffer[..<max(0, count)])
            return count > 0
        }
    }

    private static func head(of bytes: ArraySlice<UInt8>) throws -> (Int, [String: String]) {
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        guard let status = Int(lines[0].dropFirst("HTTP/1.1 ".count).prefix(3)) else {
            throw Broken(description: "no answer: \(lines[0])")
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return (status, headers)
    }

    /// Connects to a port of this machine; reads from the socket time out after `seconds`.
    static func connected(to port: UInt16, seconds: Int) throws -> Int32 {
        let socket = Glibc.socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var deadline = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_RCVTIMEO, &deadline, socklen_t(MemoryLayout<timeval>.size))
        var one: Int32 = 1
        setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(socket)
            throw Broken(description: "no connection to port \(port)")
        }
        return socket
    }
}
