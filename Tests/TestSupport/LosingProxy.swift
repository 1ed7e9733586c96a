import Foundation
import Glibc
package import Postgres
import Synchronization

/// A proxy between a program and PostgreSQL that can lose the response to a COMMIT: the transaction
/// is committed, and the client does not learn of it.
package final class LosingProxy: Sendable {
    package enum Mode: Sendable {
        /// Forwards everything.
        case open
        /// Withholds the response to a COMMIT and everything after it.
        case withholding
        /// Closes the connection in place of the response to a COMMIT.
        case cutting
    }

    private let folder: URL
    private let listener: Int32
    private let server: String
    private let mode = Mutex(Mode.open)
    private let kept = Mutex(0)
    private static let port = "5432"

    /// - Parameter settings: Settings of a server that is reached through a Unix socket.
    package init(_ settings: ConnectionSettings) throws {
        let parameters = settings.parameters
        guard let host = parameters["host"], host.hasPrefix("/") else { throw TestSetupError() }
        server = "\(host)/.s.PGSQL.\(parameters["port"] ?? "5432")"
        // Not in the caller's folder for temporary files: a socket's path must be short.
        folder = URL(fileURLWithPath: "/tmp/hearth-\(UInt32.random(in: 0...UInt32.max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let path = folder.appendingPathComponent(".s.PGSQL.\(Self.port)").path
        guard Self.onAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
        else {
            throw TestSetupError()
        }
        Thread.detachNewThread { [listener, server, weak self] in
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
                self.relay(client, to: server)
            }
        }
    }

    deinit {
        // Ends the wait of the thread. The thread itself closes the socket, so its number can't be
        // reused while the thread uses it.
        shutdown(listener, Int32(SHUT_RDWR))
        // A folder left behind is in the system's folder for temporary files.
        try? FileManager.default.removeItem(at: folder)
    }

    /// The connection string of the server's database through the proxy.
    package func url(_ settings: ConnectionSettings) -> String {
        var settings = settings
        settings.set("host", folder.path)
        settings.set("port", Self.port)
        return settings.url
    }

    package func set(_ mode: Mode) { self.mode.withLock { $0 = mode } }

    /// Waits until the response to a COMMIT has been lost.
    package func awaitLoss() throws { try eventually { kept.withLock { $0 } > 0 } }

    private func relay(_ client: Int32, to server: String) {
        let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.onAddress(server, { connect(upstream, $0, $1) }) == 0 else {
            close(client)
            close(upstream)
            return
        }
        let ends = Mutex(2)
        let finish: @Sendable () -> Void = {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(upstream, Int32(SHUT_RDWR))
            let isLast = ends.withLock { left in
                left -= 1
                return left == 0
            }
            if isLast {
                close(client)
                close(upstream)
            }
        }
        Thread.detachNewThread {
            Self.pump(from: client, to: upstream) { _ in .pass }
            finish()
        }
        Thread.detachNewThread { [weak self] in
            Self.pump(from: upstream, to: client) { self?.fate(of: $0) ?? .pass }
            finish()
        }
    }

    private enum Fate { case pass, keep, cut }

    /// Decides whether bytes from the server are forwarded.
    private func fate(of bytes: ArraySlice<UInt8>) -> Fate {
        let mode = mode.withLock { $0 }
        guard mode != .open, bytes.firstRange(of: Array("COMMIT\0".utf8)) != nil else {
            return .pass
        }
        kept.withLock { $0 += 1 }
        return mode == .cutting ? .cut : .keep
    }

    /// Copies bytes until either side closes or `fate` ends it.
    private static func pump(
        from source: Int32, to target: Int32, _ fate: (ArraySlice<UInt8>) -> Fate
    ) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            if count <= 0 { return }
            switch fate(buffer[..<count]) {
            case .pass: break
            case .keep: continue
            case .cut: return
            }
            var sent = 0
            while sent < count {
                let written = buffer[sent..<count].withUnsafeBytes {
                    Glibc.send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if written <= 0 { return }
                sent += written
            }
        }
    }

    private static func onAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return -1 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
