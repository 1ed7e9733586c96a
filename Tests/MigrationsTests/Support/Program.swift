import Foundation
import TestSupport

/// The built `hearth-migrate`, run as a separate process.
final class Program {
    private let process: Subprocess
    private let output = Pipe()

    /// Starts the program, which is next to the tests' own executable.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process = try Subprocess(
            own.deletingLastPathComponent().appendingPathComponent("hearth-migrate").path,
            arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            output: .pipe(output), errors: .pipe(output))
    }

    /// Waits for the program's end; returns false if it takes longer.
    func ends(within seconds: Double) -> Bool { (try? process.wait(seconds: seconds)) != nil }

    /// Kills the program without a chance to clean up.
    func kill() {
        process.signal(SIGKILL)
        _ = ends(within: 60)
    }

    /// Asks the program to end.
    func terminate() { process.signal(SIGTERM) }

    /// Returns the exit code and all output.
    func result() throws -> (code: Int32, text: String) {
        let output = output
        let written = inBackground { output.fileHandleForReading.readDataToEndOfFile() }
        let text = String(decoding: try written.wait(seconds: 120), as: UTF8.self)
        guard ends(within: 60) else { throw TimedOut() }
        return (process.exitCode, text)
    }
}
