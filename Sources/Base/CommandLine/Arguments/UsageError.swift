import Configuration

/// An error for a malformed command line, whose message says what to type instead.
package struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problem and the expected form: one line, no full stop, no program name.
    package let message: String
    /// The commands from the program's name to where parsing stopped, for `Try '...'`.
    package internal(set) var commandPath: [String] = []
    /// Lines with further help, such as the available commands.
    package let details: [String]

    /// Creates an error found by a command itself, such as two options that exclude each other.
    package init(_ message: String, details: [String] = []) {
        self.message = message
        self.details = details
    }

    package var description: String { message }
}

extension UsageError {
    static func missing(_ declaration: Declaration) -> UsageError {
        if declaration.isPositional {
            return UsageError("\(declaration.name) is missing: expected \(declaration.expected)")
        }
        let value = declaration.placeholder.map { " \($0)" } ?? ""
        return UsageError(
            "\(declaration.spelling)\(value) is missing: expected \(declaration.expected)")
    }

    static func unexpected(_ word: String, for declaration: Declaration) -> UsageError {
        let fault =
            declaration.isSecret ? "is invalid" : "can't be \(quoted(word))"
        return UsageError(
            "\(declaration.spelling) \(fault): expected \(declaration.expected)")
    }

    static func needsValue(_ declaration: Declaration) -> UsageError {
        UsageError("\(declaration.spelling) needs a value: expected \(declaration.expected)")
    }

    static func takesNoValue(_ declaration: Declaration, value: String) -> UsageError {
        UsageError("\(declaration.spelling) takes no value, but was given \(quoted(value))")
    }

    static func givenTwice(_ declaration: Declaration) -> UsageError {
        UsageError("\(declaration.spelling) was given more than once")
    }

    static func unknownOption(_ spelling: String, among known: [String]) -> UsageError {
        UsageError("unknown option \(quoted(spelling))" + suggestion(for: spelling, among: known))
    }

    static func surplus(_ word: String, in command: Command) -> UsageError {
        let takes = command.positionals.map(\.usage).joined(separator: " ")
        return UsageError(
            "unexpected argument \(quoted(word)): "
                + (takes.isEmpty ? "no arguments are expected" : "expected \(takes)"))
    }

    static func unknownCommand(_ word: String, in command: Command, path: [String]) -> UsageError {
        let below = command.paths(endingIn: word).map { (path + $0).joined(separator: " ") }
        let hint =
            below.isEmpty
            ? suggestion(for: word, among: command.subcommands.map(\.name))
            : "; did you mean \(listing(below.map(quoted)))?"
        return UsageError(
            "unknown command \(quoted(word))" + hint, details: command.listOfSubcommands)
    }

    static func missingCommand(in command: Command, isRoot: Bool) -> UsageError {
        UsageError(
            isRoot ? "a command is missing" : "\(quoted(command.name)) needs a command",
            details: command.listOfSubcommands)
    }
}
