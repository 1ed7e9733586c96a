package import Foundation
import Glibc
import Synchronization
import TestSupport

/// A program in a separate process, with pipes to and from it.
package final class ChildProgram: Sendable {
    private let process: Subprocess
    private let output = Pipe()
    private let input = Pipe()

    /// - Parameter errors: The program's standard error; nil for that of the tests.
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

    /// The exit code, once the program has ended by itself.
    package var exitCode: Int32 { process.exitCode }

    /// Reads the first line of the program's output.
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

    /// Reads the program's output until it ends.
    package func wholeOutput() throws -> Data {
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        try process.wait()
        return data
    }

    package func signal(_ number: Int32) { process.signal(number) }

    /// Ends the program with SIGKILL and waits for its end.
    package func kill() { try? process.kill() }

    package func awaitEnd(within seconds: Double = 60) throws {
        try process.wait(seconds: seconds)
    }
}

/// Temporary folders for tests.
package enum TemporaryFolder {
    package static func make() throws -> URL {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}

/// A loopback port that refuses connections for the lifetime of this object.
package final class ClosedPort: Sendable {
    package let port: Int
    /// A socket that is bound but never listens, so the system gives the port to nobody else.
    private let descriptor: Int32

    /// Reserves a port that the system chose.
    package convenience init() throws { try self.init(0) }

    /// - Throws: `TimedOut` if the port is in use.
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

/// Loopback ports for programs that a test starts.
///
/// Nobody holds the port until the program listens, or while the program restarts. So each port is
/// returned only once, and all ports are below 32768, where the system's ephemeral ports begin.
package enum FreePort {
    private static let end: UInt16 = 32_000
    /// The next port to try. Starts at random, because other processes look for ports too.
    private static let next = Atomic(UInt16.random(in: 20_000..<26_000))

    /// Returns a port that nobody listens on and that was not handed out before in this process.
    package static func find() throws -> Int {
        while case let wanted = next.add(1, ordering: .relaxed).oldValue, wanted < end {
            if let free = try? ClosedPort(wanted) { return free.port }
        }
        throw TimedOut()
    }

    /// The program ended before it listened.
    private struct EndedEarly: Error {
        let exitCode: Int32
    }

    /// Waits until a program listens.
    package static func awaitListener(on port: Int, by program: ChildProgram) throws {
        try eventually {
            // The port may meanwhile be another program's.
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
