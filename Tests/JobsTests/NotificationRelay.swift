import Foundation
import Postgres
import Synchronization
import TestSupport

/// Relay on loopback between libpq and a test's server that can hold notifications back, as a
/// pooler or a broken firewall does: sessions stay open, and everything else passes through.
final class NotificationRelay: Sendable {
    private final class Manner: Sendable {
        /// Whether notifications are dropped.
        let dropsNotifications = Atomic<Bool>(false)
        /// Listening sessions with a lower number than this receive nothing more.
        let silencedBelow = Atomic<Int>(0)
        let sessionCount = Atomic<Int>(0)
    }

    private let manner = Manner()
    private let listener: Int32
    private let port: UInt16

    /// Starts a relay to the server in `settings`.
    init(to settings: ConnectionSettings) throws {
        (listener, port) = try Self.listen()
        let (listener, manner) = (listener, manner)
        let (host, port) = (settings.parameters["host"], settings.parameters["port"])
        _ = inBackground {
            while case let client = accept(listener, nil, nil), client >= 0 {
                let server = try Self.connect(host ?? "/tmp", port ?? "5432")
                let number = manner.sessionCount.add(1, ordering: .relaxed).newValue
                Self.start(Session(client, server, number, manner))
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Returns settings that connect through the relay.
    func settings(_ settings: ConnectionSettings) -> ConnectionSettings {
        var settings = settings
        settings.set("host", "127.0.0.1")
        settings.set("port", String(port))
        settings.set("sslmode", "disable")
        settings.set("gssencmode", "disable")
        return settings
    }

    /// Drops notifications from now on, or lets them pass again.
    func drop(_ drops: Bool) { manner.dropsNotifications.store(drops, ordering: .relaxed) }

    /// Stops all traffic to sessions that listen now, but not to later ones.
    func silenceListeningSessions() {
        let next = manner.sessionCount.load(ordering: .relaxed) + 1
        manner.silencedBelow.store(next, ordering: .relaxed)
    }

    /// One relayed session with its two directions.
    private final class Session: Sendable {
        private let client: Int32
        private let server: Int32
        private let number: Int
        private let manner: Manner
        private let isListening = Atomic<Bool>(false)
        private let ends = Atomic<Int>(0)

        init(_ client: Int32, _ server: Int32, _ number: Int, _ manner: Manner) {
            (self.client, self.server) = (client, server)
            (self.number, self.manner) = (number, manner)
        }

        func relayRequests() {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while case let count = recv(client, &buffer, buffer.count, 0), count > 0 {
                let bytes = buffer[..<count]
                if String(decoding: bytes, as: UTF8.self).contains("LISTEN ") {
                    isListening.store(true, ordering: .relaxed)
                }
                if !NotificationRelay.sendAll(bytes, to: server) { break }
            }
            end()
        }

        func relayAnswers() {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            var pending: [UInt8] = []
            while case let count = recv(server, &buffer, buffer.count, 0), count > 0 {
                pending += buffer[..<count]
                while let message = Self.takeMessage(&pending) {
                    if isKept(message) { continue }
                    if !NotificationRelay.sendAll(message[...], to: client) { break }
                }
            }
            end()
        }

        private func isKept(_ message: [UInt8]) -> Bool {
            let isNotification = message.first == UInt8(ascii: "A")
            if isNotification, manner.dropsNotifications.load(ordering: .relaxed) { return true }
            return isListening.load(ordering: .relaxed)
                && number < manner.silencedBelow.load(ordering: .relaxed)
        }

        /// Removes and returns a complete message: its kind, its length (four bytes, which count
        /// themselves), and its content.
        private static func takeMessage(_ pending: inout [UInt8]) -> [UInt8]? {
            guard pending.count >= 5 else { return nil }
            let length = 1 + pending[1..<5].reduce(0) { $0 << 8 | Int($1) }
            guard pending.count >= length else { return nil }
            defer { pending.removeFirst(length) }
            return Array(pending[..<length])
        }

        /// Ends one direction. The first one wakes the other, and the second closes both sockets.
        private func end() {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
            guard ends.add(1, ordering: .acquiringAndReleasing).newValue == 2 else { return }
            close(client)
            close(server)
        }
    }

    private static func start(_ session: Session) {
        _ = inBackground { session.relayRequests() }
        _ = inBackground { session.relayAnswers() }
    }

    private static func sendAll(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func listen() throws -> (socket: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && Glibc.listen(listener, 10) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw TimedOut() }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    /// Connects as libpq does: a host that begins with a slash is the directory of a Unix socket.
    private static func connect(_ host: String, _ port: String) throws -> Int32 {
        let isLocal = host.hasPrefix("/")
        let socket = socket(isLocal ? AF_UNIX : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let code: Int32
        if isLocal {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let path = Array("\(host)/.s.PGSQL.\(port)".utf8)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
            code = call(Glibc.connect, socket, &address)
        } else {
            var address = loopback(port: UInt16(port) ?? 5432)
            code = call(Glibc.connect, socket, &address)
        }
        guard code == 0 else { throw TimedOut() }
        return socket
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func call<Address>(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ socket: Int32,
        _ address: inout Address
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(socket, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
