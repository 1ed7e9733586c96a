import Glibc
import Testing

@testable import HTTPServer

/// A client that sends exactly the given bytes, and fails after ten seconds of silence.
final class TestClient {
    struct Failure: Error { let what: String }

    struct Answer: Equatable {
        var status: Int
        var headers: Headers
        var body: String
    }

    private let descriptor: Int32
    private var received: [UInt8] = []
    private var isOpen = true

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            Glibc.close(descriptor)
            isOpen = false
            throw Failure(what: "connect: \(errno)")
        }
    }

    deinit { close() }

    func close() {
        if isOpen { Glibc.close(descriptor) }
        isOpen = false
    }

    /// Makes closing send a reset instead of an orderly end.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Sends bytes; returns whether the other end accepted them all.
    @discardableResult func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    @discardableResult func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Whether the other end's system has received everything sent.
    var isDelivered: Bool {
        var left: Int32 = -1
        return ioctl(descriptor, UInt(TIOCOUTQ), &left) == 0 && left == 0
    }

    /// Sends a request with a Host header and returns the response.
    func get(_ target: String, method: String = "GET") throws -> Answer {
        send("\(method) \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
        return try answer(toHead: method == "HEAD")
    }

    /// Whether the other end closes the connection without sending another byte.
    func isClosed() -> Bool {
        received.isEmpty && !fill()
    }

    /// Whether the other end closes in order, without another byte and without a reset.
    func endsInOrder() -> Bool {
        var byte: UInt8 = 0
        return received.isEmpty && recv(descriptor, &byte, 1, 0) == 0
    }

    /// Reads the next line, without its line break.
    func line() throws -> String {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                var line = received[..<end]
                if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
                defer { received.removeFirst(end + 1) }
                return String(decoding: line, as: UTF8.self)
            }
            guard fill() else { throw Failure(what: "the connection ended in a line") }
        }
    }

    /// Reads the next response, whose body is as long as its Content-Length.
    func answer(toHead: Bool = false) throws -> Answer {
        let first = try line()
        guard let status = Int(first.split(separator: " ").dropFirst().first ?? "") else {
            throw Failure(what: first)
        }
        var headers = Headers()
        while case let field = try line(), !field.isEmpty {
            let parts = field.split(separator: ":", maxSplits: 1)
            headers.add(String(parts[0]), parts[1].drop { $0 == " " }.description)
        }
        let length = toHead || status == 204 ? 0 : Int(headers["Content-Length"] ?? "0") ?? 0
        while received.count < length {
            guard fill() else { throw Failure(what: "the connection ended in a body") }
        }
        defer { received.removeFirst(length) }
        return Answer(
            status: status, headers: headers,
            body: String(decoding: received[..<length], as: UTF8.self))
    }

    private func fill() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN {
            Issue.record("nothing came for ten seconds")
            return false
        }
        guard count > 0 else { return false }
        received += buffer[..<count]
        return true
    }
}
