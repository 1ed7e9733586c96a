import Foundation
import Glibc
import Synchronization

/// A proxy between a client and hearth-api that injects network faults.
final class FaultyProxy: Sendable {
    /// Fault of one request.
    enum Fault: Sendable {
        case none
        /// Closes the connection before the request reaches the server.
        case dropRequest
        /// Closes the connection after the server has responded, before the client gets any of it.
        case dropAnswer
        /// Sends the client all headers and half of the body. (Not half of the headers, on which
        /// Foundation on Linux terminates the program.)
        case truncateAnswer
        /// Sends the request to the server twice, and the second response to the client.
        case repeatRequest
        /// Sends the client an event stream that opens and ends at once, without an error.
        case endStream
        /// Delays the response.
        case delayAnswer(seconds: Double)
    }

    let port: Int
    private let listener: Int32
    private let upstream: Int
    private let chooseFault: Mutex<@Sendable (_ target: String) -> Fault>
    private let count = Mutex(0)

    /// - Parameter upstream: Port of the server on the loopback interface.
    init(to upstream: Int) throws {
        self.upstream = upstream
        chooseFault = Mutex { _ in .none }
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isBound, listen(listener, 64) == 0 else { throw POSIXError(.EADDRINUSE) }
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 {
                    close(listener)
                    return
                }
                guard let self else {
                    close(client)
                    continue
                }
                Thread.detachNewThread { self.serve(client) }
            }
        }
    }

    /// Ends the thread, which then closes the socket. The descriptor must not be reused by the next
    /// proxy while the thread may still accept from it.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Sets the function that chooses the fault of each further request.
    func faults(_ choose: @escaping @Sendable (_ target: String) -> Fault) {
        chooseFault.withLock { $0 = choose }
    }

    /// Injects these faults into the next requests, one each, and none into later ones.
    func next(_ faults: Fault...) {
        let left = Mutex(faults[...])
        self.faults { _ in left.withLock { $0.popFirst() ?? .none } }
    }

    /// Number of requests received.
    var requests: Int { count.withLock { $0 } }

    private func serve(_ client: Int32) {
        defer { close(client) }
        var buffer = Buffer(client)
        while let request = buffer.message(isRequest: true) {
            count.withLock { $0 += 1 }
            let target =
                String(decoding: request.prefix(300), as: UTF8.self)
                .split(separator: " ").dropFirst().first.map(String.init) ?? ""
            let fault = chooseFault.withLock { $0 }(target)
            if case .dropRequest = fault { return }
            if case .endStream = fault {
                Self.send(Array(Self.endedStream.utf8), to: client)
                return
            }
            if target.hasPrefix("/api/live") {
                relay(request, to: client)
                return
            }
            if case .repeatRequest = fault { _ = answer(to: request) }
            guard let answer = answer(to: request) else { return }
            switch fault {
            case .dropAnswer: return
            case .truncateAnswer:
                let head = answer.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? 0
                Self.send(Array(answer.prefix((head + answer.count) / 2)), to: client)
                return
            // The delay itself is the fault; no test waits for its end.
            case .delayAnswer(let seconds): Thread.sleep(forTimeInterval: seconds)
            case .none, .dropRequest, .endStream, .repeatRequest: break
            }
            Self.send(answer, to: client)
        }
    }

    /// Returns the server's response; nil if the server can't be reached.
    private func answer(to request: [UInt8]) -> [UInt8]? {
        guard let server = connectUpstream() else { return nil }
        defer { close(server) }
        Self.send(request, to: server)
        var buffer = Buffer(server)
        return buffer.message(isRequest: false)
    }

    /// Forwards an endless response as it arrives.
    private func relay(_ request: [UInt8], to client: Int32) {
        guard let server = connectUpstream() else { return }
        defer { close(server) }
        Self.send(request, to: server)
        var bytes = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(server, &bytes, bytes.count, 0)
            if count <= 0 || !Self.send(Array(bytes[..<count]), to: client) { return }
        }
    }

    private func connectUpstream() -> Int32? {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(UInt16(upstream))
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return server }
        close(server)
        return nil
    }

    @discardableResult
    private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let written = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if written <= 0 { return false }
            sent += written
        }
        return true
    }

    private static let endedStream = """
        HTTP/1.1 200 OK\r
        Content-Type: text/event-stream\r
        Connection: close\r
        \r

        """

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// A reader of HTTP messages from a connection.
private struct Buffer {
    let descriptor: Int32
    private var bytes: [UInt8] = []

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Returns the next complete message; nil when the connection ends.
    mutating func message(isRequest: Bool) -> [UInt8]? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = bytes.firstRange(of: end) {
                let head = String(decoding: bytes[..<range.lowerBound], as: UTF8.self).lowercased()
                let isEmpty = head.contains(" 304 ") || head.contains(" 204 ")
                let length =
                    head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
                let total = range.upperBound + (isEmpty && !isRequest ? 0 : length)
                while bytes.count < total { if !fill() { return nil } }
                defer { bytes.removeFirst(total) }
                return Array(bytes[..<total])
            }
            if !fill() { return nil }
        }
    }

    private mutating func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        if count <= 0 { return false }
        bytes += chunk[..<count]
        return true
    }
}
