import Foundation
import TestSupport

/// The built `hearth-migrate`, run as a process of its own.
final class Program {
    private let process: Subprocess
    private let output = Pipe()

    /// Starts it. It stands beside the tests' own executable.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process = try Subprocess(
            own.deletingLastPathComponent().appendingPathComponent("hearth-migrate").path,
            arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            output: .pipe(output), errors: .pipe(output))
    }

    /// Waits for its end; false when it hasn't come by then.
    func ends(within seconds: Double) -> Bool { (try? process.wait(seconds: seconds)) != nil }

    /// Kills it, with no chance to clean up.
    func kill() {
        process.signal(SIGKILL)
        _ = ends(within: 60)
    }

    /// Asks it to end.
    func terminate() { process.signal(SIGTERM) }

    /// Its exit code and all it wrote.
    func result() throws -> (code: Int32, text: String) {
        let output = output
        let written = inBackground { output.fileHandleForReading.readDataToEndOfFile() }
        let text = String(decoding: try written.wait(seconds: 120), as: UTF8.self)
        guard ends(within: 60) else { throw TimedOut() }
        return (process.exitCode, text)
    }
}
