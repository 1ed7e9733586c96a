import Foundation
import TestSupport

/// The built `hearth-migrate`, run as a process of its own.
final class Program {
    private let process = Process()
    private let output = Pipe()
    private let hasEnded = DispatchSemaphore(value: 0)

    /// Starts it. It stands beside the tests' own executable.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.executableURL = own.deletingLastPathComponent()
            .appendingPathComponent("hearth-migrate")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = output
        process.terminationHandler = { [hasEnded] _ in hasEnded.signal() }
        try process.run()
    }

    /// Waits for its end; false when it hasn't come by then.
    func ends(within seconds: Double) -> Bool {
        let isOver = hasEnded.wait(timeout: .now() + seconds) == .success
        if isOver { hasEnded.signal() }
        return isOver
    }

    /// Kills it, with no chance to clean up.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        _ = ends(within: 60)
    }

    /// Asks it to end.
    func terminate() {
        process.terminate()
    }

    /// Its exit code and all it wrote.
    func result() throws -> (code: Int32, text: String) {
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard ends(within: 120) else { throw TimedOut() }
        return (process.terminationStatus, text)
    }
}
