import Basics
package import Foundation
import Glibc

/// A socket of a service manager that receives notifications, as systemd's does.
package final class NotifySocket: Sendable {
    /// The value of `NOTIFY_SOCKET`.
    package let name: String
    private let descriptor: Int32

    /// - Parameter folder: Folder for the socket; nil for an abstract name.
    package convenience init(in folder: URL? = nil) throws {
        let word = "hearth-\(UUID().uuidString.prefix(8))"
        try self.init(at: folder.map { $0.appendingPathComponent(word).path } ?? "@\(word)")
    }

    /// - Parameter name: A path at which no file exists, or `@` and an abstract name.
    package init(at name: String) throws {
        self.name = name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if name.hasPrefix("@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length)
            }
        }
        guard descriptor >= 0, code == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }

    /// Receives the next notification, a line per entry; nil if none arrives in time.
    package func next(within seconds: Double = 60) -> [String]? {
        let deadline = Deadline.after(seconds: seconds)
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&item, 1, deadline.pollMilliseconds) <= 0 {
            if deadline.hasPassed { return nil }
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { return nil }
        return String(decoding: bytes[..<count], as: UTF8.self).components(separatedBy: "\n")
    }

    /// Receives notifications up to the first with this line; returns all lines before it, or nil
    /// if it does not arrive in time.
    package func lines(before line: String, within seconds: Double = 60) -> [String]? {
        let deadline = Deadline.after(seconds: seconds)
        var before: [String] = []
        while let lines = next(within: deadline.remainingSeconds) {
            if lines.contains(line) { return before }
            before += lines
        }
        return nil
    }
}
