import Foundation
import JSON
import TestSupport

/// Exit code and output of a program that has ended.
struct Ending {
    let code: Int32
    let output: String
    let errors: String

    /// The document on standard output.
    func json() throws -> JSONField {
        JSONField(try JSONValue(parsing: Array(output.utf8)))
    }
}

/// Runs one of the built programs, which are in the folder of the tests' executable, or the program
/// at an absolute path.
///
/// - Parameters:
///   - input: Standard input; empty by default.
///   - outputElsewhere, errorsElsewhere: Destinations of standard output and standard error; nil to
///     collect them in the result.
///   - meanwhile: Called with the process id once the program runs.
func run(
    _ name: String, _ words: [String], environment: [String: String] = [:],
    input: Subprocess.Channel = .null, output outputElsewhere: Subprocess.Channel? = nil,
    errors errorsElsewhere: Subprocess.Channel? = nil,
    meanwhile: (pid_t) throws -> Void = { _ in }
) throws -> Ending {
    let output = Pipe()
    let errors = Pipe()
    let process = try Subprocess(
        programPath(name), words, environment: programEnvironment(environment),
        input: input, output: outputElsewhere ?? .pipe(output),
        errors: errorsElsewhere ?? .pipe(errors))
    if outputElsewhere != nil { try output.fileHandleForWriting.close() }
    if errorsElsewhere != nil { try errors.fileHandleForWriting.close() }
    let told = inBackground { errors.fileHandleForReading.readDataToEndOfFile() }
    let written = inBackground { output.fileHandleForReading.readDataToEndOfFile() }
    do {
        try meanwhile(process.id)
        try process.wait()
    } catch {
        process.signal(SIGKILL)
        throw error
    }
    return Ending(
        code: process.exitCode, output: String(decoding: try written.wait(), as: UTF8.self),
        errors: String(decoding: try told.wait(), as: UTF8.self))
}

/// The environment of the tests without Hearth's settings.
func programEnvironment(_ more: [String: String]) -> [String: String] {
    ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("HEARTH_") }
        .merging(more) { $1 }
}

/// The path of a built program; an absolute path is returned unchanged.
func programPath(_ name: String) -> String {
    if name.hasPrefix("/") { return name }
    return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent(name).path
}
