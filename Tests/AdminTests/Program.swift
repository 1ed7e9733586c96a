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

/// Runs one of the built programs, which stand beside the tests' own executable, or one named by
/// its whole path.
///
/// - Parameters:
///   - input: Nothing is to be read there unless said.
///   - outputElsewhere, errorsElsewhere: Where they go instead of into the ending.
///   - meanwhile: Done once it runs, with its number.
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

/// Without settings of the one who runs the tests.
func programEnvironment(_ more: [String: String]) -> [String: String] {
    ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("HEARTH_") }
        .merging(more) { $1 }
}

/// The path of a built program; another one is named by its whole path.
func programPath(_ name: String) -> String {
    if name.hasPrefix("/") { return name }
    return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent(name).path
}
