import Glibc
import Basics

/// Runs a program of the system to its end.
enum ChildProcess {
    /// Output of a program, and how it ended.
    struct Outcome {
        let output: [UInt8]
        let errorOutput: String
        /// The exit code, or 128 + the number of the signal that ended the program.
        let status: Int32
    }

    /// Maximum output of a program, because all of it is kept in memory.
    static let maximumBytes = 512 << 20

    /// Runs a program with an empty standard input.
    ///
    /// - Parameter environment: Variables to add to this process's own.
    static func run(
        _ path: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws(MigrationError) -> Outcome {
        var output: [Int32] = [-1, -1]
        var errors: [Int32] = [-1, -1]
        guard open(&output) else { throw .file(path, "can't be run", errno) }
        guard open(&errors) else {
            close(output[0])
            close(output[1])
            throw .file(path, "can't be run", errno)
        }
        var launch = Launch(path, arguments)
        launch.environment.merge(environment) { _, own in own }
        launch.output = .copy(of: output[1])
        launch.errors = .copy(of: errors[1])
        let id = Result<Int32, Launch.Failure> { () throws(Launch.Failure) in try launch.start() }
        close(output[1])
        close(errors[1])
        defer {
            close(output[0])
            close(errors[0])
        }
        let process: Int32
        do {
            process = try id.get()
        } catch {
            throw .file(path, "can't be run", error.code)
        }
        let (outputBytes, errorBytes) = readBoth(output[0], errors[0])
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7F
        guard outputBytes.count <= maximumBytes else {
            throw MigrationError(.system, "\(path) wrote more than \(maximumBytes >> 20) MiB")
        }
        return Outcome(
            output: outputBytes, errorOutput: String(decoding: errorBytes, as: UTF8.self),
            status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
    }

    /// Opens a pipe that no other child process inherits, because an inherited end would keep the
    /// pipe open.
    private static func open(_ ends: inout [Int32]) -> Bool {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        return socketpair(AF_UNIX, kind, 0, &ends) == 0
    }

    /// Reads both descriptors to their ends at the same time, so that neither fills up while the
    /// other is read.
    private static func readBoth(_ first: Int32, _ second: Int32) -> ([UInt8], [UInt8]) {
        var bytes: [[UInt8]] = [[], []]
        var descriptors = [first, second].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while descriptors.contains(where: { $0.fd >= 0 }) {
            if poll(&descriptors, 2, -1) < 0 && errno != EINTR { break }
            for index in descriptors.indices where descriptors[index].revents != 0 {
                let count = read(descriptors[index].fd, &chunk, chunk.count)
                if count < 0 && errno == EINTR { continue }
                if count <= 0 {
                    descriptors[index].fd = -1
                } else if bytes[index].count <= maximumBytes {
                    bytes[index] += chunk[..<count]
                }
            }
        }
        return (bytes[0], bytes[1])
    }
}
