import Telemetry
package import Configuration
import Basics

/// An executable as its user sees it: its commands, its version, and its exit codes.
package struct Program: Sendable {
    /// The tree of commands; the root's name is the program's.
    package let root: Command
    /// The version that `--version` prints after the name.
    package let version: String
    /// The exit code for a malformed command line.
    package let usageExitCode: Int32
    /// The exit codes that help lists.
    package let exitCodes: [ExitCodeMeaning]
    /// The settings of the program; without any, it has neither `--config` nor `--check-config`.
    package let settings: [any DeclaredSetting]
    /// The settings that a configuration file may contain, including other executables'.
    let knownSettings: [any DeclaredSetting]
    let checks: [SettingCheck]
    let check: Check?
    /// Whether the program writes a log; failures are then logged as well.
    let isService: Bool
    let explain: Explanation

    /// A check for `--check-config` that needs several valid settings. Throws the problems; returns
    /// warnings.
    package typealias Check = @Sendable (Settings) throws -> [String]

    /// Translates an error from a lower layer into one that explains the remedy to the user.
    package typealias Explanation = @Sendable (any Error) -> any Error

    /// A line in the list of exit codes.
    package struct ExitCodeMeaning: Sendable, Equatable {
        /// The exit code.
        package let code: Int32
        /// The situation in which the program returns the code.
        package let meaning: String

        /// Creates an exit code and the situation in which it is returned.
        package init(_ code: Int32, _ meaning: String) {
            self.code = code
            self.meaning = meaning
        }
    }

    /// Creates a program. Traps if its declarations have `problems`.
    package init(
        _ root: Command, version: String, usageExitCode: Int32 = ExitCode.usage,
        exitCodes: [ExitCodeMeaning] = [], settings: [any DeclaredSetting] = [],
        knownSettings: [any DeclaredSetting] = [], checks: [SettingCheck] = [],
        check: Check? = nil, isService: Bool = false,
        explain: @escaping Explanation = { $0 }
    ) {
        self.isService = isService
        self.explain = explain
        self.settings = settings
        self.knownSettings = settings + knownSettings
        self.checks = checks
        self.check = check
        let general = settings.isEmpty ? [] : Self.generalOptions.map(\.declaration)
        let problems = root.problems(inherited: general)
        precondition(problems.isEmpty, problems.joined(separator: "\n"))
        self.root = root
        self.version = version
        self.usageExitCode = usageExitCode
        self.exitCodes = exitCodes
    }

    /// Runs the command in `words` (without the program's name).
    ///
    /// Help and version go to `output`, errors to `errorOutput`. An error thrown by the command
    /// becomes one line and an exit code; nothing is rethrown.
    ///
    /// - Parameters:
    ///   - logOutput: Receives the error that made a service fail; nil: `errorOutput`.
    ///   - logWarning: Receives warnings about a service's settings; nil: `errorOutput`.
    package func run(
        _ words: [String], environment: [String: String], output: (String) -> Void,
        errorOutput: (String) -> Void, logOutput: ((String) -> Void)? = nil,
        logWarning: ((String) -> Void)? = nil
    ) -> Int32 {
        var failureOutput = errorOutput
        do {
            switch try parse(words) {
            case .run(let command, var values):
                if isService, let logOutput { failureOutput = logOutput }
                guard let action = command.action else { return usageExitCode }
                let path = settings.isEmpty ? nil : values[Self.config]
                let reader = reader(environment, configPath: path)
                values.reader = reader
                for warning in misspelledVariables(reader).map(\.printable) {
                    if isService, let logWarning {
                        logWarning(warning)
                    } else {
                        errorOutput("\(root.name): warning: \(warning)\n")
                    }
                }
                return try run(action, values)
            case .checkConfig(let path):
                output(try checkConfig(reader(environment, configPath: path)))
            case .help(let path):
                output(help(for: path))
            case .version:
                output("\(root.name) \(version)\n")
            case .completion(let shell):
                output(completion(for: shell))
            case .manual:
                output(manual)
            }
            return ExitCode.success
        } catch let error as UsageError {
            failureOutput(report(of: error))
            return usageExitCode
        } catch let error as any ExitCoded {
            failureOutput("\(root.name): \(printable(error))\n")
            return error.exitCode
        } catch {
            failureOutput(report(of: error))
            return ExitCode.failure
        }
    }

    /// Runs an action. Adds the command's path to a usage error that the action throws, because the
    /// action does not know it.
    private func run(_ action: Command.Action, _ values: Values) throws -> Int32 {
        do {
            return try action(values)
        } catch var error as UsageError {
            if error.commandPath.isEmpty { error.commandPath = values.commandPath }
            throw error
        } catch {
            throw explain(error)
        }
    }

    /// Runs the process's own command line and exits. If the output could not be written
    /// completely, exits with a failure.
    package func main() -> Never {
        if let reason = Terminal.takeStandardDescriptors() {
            Terminal.standardError.write("\(root.name): \(reason)\n")
            Terminal.exit(ExitCode.failure)
        }
        let code = run(
            Array(Swift.CommandLine.arguments.dropFirst()),
            environment: Environment.variables,
            output: { Terminal.standardOutput.write($0) },
            errorOutput: { Terminal.standardError.write($0) },
            logOutput: Terminal.standardError.isTerminal ? nil : { Self.log($0) },
            logWarning: Terminal.standardError.isTerminal ? nil : { Self.log(warning: $0) })
        if code == ExitCode.success, let reason = Terminal.lostOutput {
            Terminal.standardError.write("\(root.name): standard output: \(reason)\n")
            Terminal.exit(ExitCode.failure)
        }
        Terminal.exit(code)
    }

    private static func log(_ failure: String) {
        let log = Log(level: .error)
        log.error("the program failed", [.failure(failure)])
        log.flush()
    }

    private static func log(warning: String) {
        let log = Log(level: .warning)
        log.warning("an environment variable is not a setting", [.failure(warning)])
        log.flush()
    }

    func parse(_ words: [String]) throws(UsageError) -> Parser.Outcome {
        let general = settings.isEmpty ? [] : Self.generalOptions
        var parser = Parser(root: root, general: general, words: words)
        return try parser.parse()
    }

    /// Returns the error's text with its details for developers, because an operator runs the
    /// program. Secrets are removed from the details, because the terminal may be recorded.
    private func report(of error: any Error) -> String {
        // Details that only add a code before the same words are omitted.
        let more = (error as? any CustomDebugStringConvertible)?.debugDescription
        let isMore = more?.hasSuffix("\(error)") == false
        let details = more.map { isMore ? "\n  \(Redaction.clean($0))" : "" } ?? ""
        return "\(root.name): \(printable(error))\(details)\n"
    }

    /// Returns the error's text without terminal control characters, which a name in it may
    /// contain.
    private func printable(_ error: any Error) -> String {
        "\(error)".split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0).printable }.joined(separator: "\n")
    }

    private func report(of error: UsageError) -> String {
        let path = error.commandPath.isEmpty ? [root.name] : error.commandPath
        let lines =
            ["\(root.name): \(error.message)"] + error.details
            + ["Try '\(path.joined(separator: " ")) --help'."]
        return lines.joined(separator: "\n") + "\n"
    }
}
