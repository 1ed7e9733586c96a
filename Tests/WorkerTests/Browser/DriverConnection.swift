import Glibc
import TestSupport

/// A connection to a browser's driver, for one request. `URLSession` can't read the driver's
/// headers.
enum DriverConnection {
    /// Sends a request and returns the body of the response.
    static func ask(_ port: Int, _ method: String, _ path: String, body: [UInt8]) throws -> [UInt8]
    {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 100, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw TimedOut() }
        let head =
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
        try send(Array(head.utf8) + body, to: descriptor)
        return try answer(from: descriptor)
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw TimedOut() }
            rest = rest.dropFirst(count)
        }
    }

    private static func answer(from descriptor: Int32) throws -> [UInt8] {
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let end = received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound {
                let head = String(decoding: received[..<end], as: UTF8.self).lowercased()
                let length = head.firstMatch(of: /content-length: *([0-9]+)/)
                    .flatMap { Int($0.output.1) }
                guard let length else { throw TimedOut() }
                if received.count >= end + length { return Array(received[end..<end + length]) }
            }
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { throw TimedOut() }
            received += piece[..<count]
        }
    }
}
