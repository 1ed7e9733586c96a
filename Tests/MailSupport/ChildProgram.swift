package import Foundation
import Glibc
import Synchronization
import TestSupport

/// A program in a process of its own, with pipes to and from it.
package final class ChildProgram: Sendable {
    private let process: Subprocess
    private let output = Pipe()
    private let input = Pipe()

    /// - Parameter errors: Where it writes those; nil: where the tests do.
    package init(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil,
        input given: Data? = nil, errors: FileHandle? = nil
    ) throws {
        process = try Subprocess(
            path, arguments, environment: environment, input: .pipe(input), output: .pipe(output),
            errors: errors.map { .file($0) } ?? .inherited)
        if let given {
            input.fileHandleForWriting.write(given)
            try input.fileHandleForWriting.close()
        }
    }

    package var id: pid_t { process.id }

    package var isRunning: Bool { process.isRunning }

    /// Its exit code, once it has ended by itself.
    package var exitCode: Int32 { process.exitCode }

    /// The first line that it prints.
    package func firstLine() throws -> String {
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            guard let byte = try output.fileHandleForReading.read(upToCount: 1)?.first else {
                throw TimedOut()
            }
            line.append(byte)
        }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }

    /// All that it prints until it ends.
    package func wholeOutput() throws -> Data {
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        try process.wait()
        return data
    }

    package func signal(_ number: Int32) { process.signal(number) }

    /// Ends it with SIGKILL and waits for that.
    package func kill() { try? process.kill() }

    package func awaitEnd(within seconds: Double = 60) throws {
        try process.wait(seconds: seconds)
    }
}

/// Folders that tests write to.
package enum TemporaryFolder {
    package static func make() throws -> URL {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}

/// A port of loopback at which connections are refused for as long as this lives.
package final class ClosedPort: Sendable {
    package let port: Int
    /// Bound, and never listening: nobody else is given the port.
    private let descriptor: Int32

    /// One that the system chooses.
    package convenience init() throws { try self.init(0) }

    /// - Throws: `TimedOut` when somebody has the port.
    fileprivate init(_ wanted: UInt16) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = FreePort.loopback(wanted)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isBound else { throw TimedOut() }
    }

    deinit { close(descriptor) }
}

/// Ports of loopback for programs that a test starts.
///
/// Between the moment when a port was found free and the one when its program listens, and while
/// the program is down to be started again, nothing holds the port. So each is given out once, and
/// all are below 32768: from there on the system takes the ports of sockets that ask for none.
package enum FreePort {
    private static let end: UInt16 = 32_000
    /// The next to be tried. It begins anywhere: other processes look for ports as well.
    private static let next = Atomic(UInt16.random(in: 20_000..<26_000))

    /// One that nobody listens on, and that nobody else in this process is given.
    package static func find() throws -> Int {
        while case let wanted = next.add(1, ordering: .relaxed).oldValue, wanted < end {
            if let free = try? ClosedPort(wanted) { return free.port }
        }
        throw TimedOut()
    }

    /// The program has ended before it listened.
    private struct EndedEarly: Error {
        let exitCode: Int32
    }

    /// Waits until a program listens.
    package static func awaitListener(on port: Int, by program: ChildProgram) throws {
        try eventually {
            // Another program's port is not its own.
            guard program.isRunning else { throw EndedEarly(exitCode: program.exitCode) }
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = loopback(UInt16(port))
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
    }

    fileprivate static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
