import Foundation
import JSON
import TestSupport

/// What a program that has ended wrote.
struct Ending {
    let code: Int32
    let output: String
    let errors: String

    /// The document on standard output.
    func json() throws -> JSONField {
        JSONField(try JSONValue(parsing: Array(output.utf8)))
    }
}

/// Runs one of the built programs, which stand beside the tests' own executable.
///
/// - Parameters:
///   - elsewhere: Where its results go instead of into the ending.
///   - meanwhile: Done once it runs, with its number.
func run(
    _ name: String, _ words: [String], environment: [String: String] = [:],
    output elsewhere: FileHandle? = nil, meanwhile: (pid_t) throws -> Void = { _ in }
) throws -> Ending {
    let process = Process()
    process.executableURL = programURL(name)
    process.arguments = words
    process.environment = programEnvironment(environment)
    let output = Pipe()
    let errors = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = elsewhere ?? output
    process.standardError = errors
    let hasEnded = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in hasEnded.signal() }
    try process.run()
    let told = inBackground { errors.fileHandleForReading.readDataToEndOfFile() }
    if elsewhere != nil { try output.fileHandleForWriting.close() }
    do {
        try meanwhile(process.processIdentifier)
    } catch {
        process.terminate()
        throw error
    }
    let written = inBackground { output.fileHandleForReading.readDataToEndOfFile() }
    guard hasEnded.wait(timeout: .now() + 60) == .success else {
        kill(process.processIdentifier, SIGKILL)
        throw TimedOut()
    }
    return Ending(
        code: process.terminationStatus,
        output: String(decoding: try written.wait(), as: UTF8.self),
        errors: String(decoding: try told.wait(), as: UTF8.self))
}

/// Without settings of the one who runs the tests.
func programEnvironment(_ more: [String: String]) -> [String: String] {
    ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("HEARTH_") }
        .merging(more) { $1 }
}

func programURL(_ name: String) -> URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent(name)
}
