/// A command: its name, its parameters, and its action.
///
/// Either it has subcommands, or it has an action. The parameters of a command with subcommands
/// are understood by all of these, before and after their names.
package struct Command: Sendable {
    /// The name as typed.
    package let name: String
    /// One line for lists, ending in a full stop.
    package let summary: String
    /// Paragraphs for the command's own help, below the summary.
    package let discussion: [String]
    /// Its arguments and options, arguments in the order they are typed.
    package let parameters: [any DeclaredParameter]
    /// Shown at the end of its help.
    package let examples: [Example]
    /// The commands below it, in the order help lists them.
    package let subcommands: [Command]
    /// The name of the one of them that is meant where none is named.
    let standard: String?
    let action: Action?

    /// Does the work; answers the exit code.
    package typealias Action = @Sendable (Values) throws -> Int32

    /// A command that does something.
    package init(
        _ name: String, _ summary: String, discussion: [String] = [],
        parameters: [any DeclaredParameter] = [], examples: [Example] = [],
        action: @escaping Action
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.parameters = parameters
        self.examples = examples
        self.subcommands = []
        self.standard = nil
        self.action = action
    }

    /// A command that only groups others.
    ///
    /// - Parameter standard: The name of the subcommand that is meant where none is named.
    package init(
        _ name: String, _ summary: String, discussion: [String] = [],
        parameters: [any DeclaredParameter] = [], examples: [Example] = [],
        subcommands: [Command], standard: String? = nil
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.parameters = parameters
        self.examples = examples
        self.subcommands = subcommands
        self.standard = standard
        self.action = nil
    }
}

/// A complete command line, and its explanation.
package struct Example: Sendable, Equatable {
    /// The line to type.
    package let line: String
    /// What it does.
    package let explanation: String

    /// An example for a command's help.
    package init(_ line: String, _ explanation: String) {
        self.line = line
        self.explanation = explanation
    }
}

extension Command {
    var options: [Declaration] { parameters.map(\.declaration).filter { !$0.isPositional } }
    var positionals: [Declaration] { parameters.map(\.declaration).filter(\.isPositional) }

    func subcommand(named name: String) -> Command? {
        subcommands.first { $0.name == name }
    }

    /// The subcommand that is meant where none is named.
    var standardSubcommand: Command? { standard.flatMap { subcommand(named: $0) } }

    /// The paths to commands with this name, below this command's own subcommands.
    func paths(endingIn name: String) -> [[String]] {
        subcommands.flatMap { sub in
            sub.subcommands.filter { $0.name == name }.map { [sub.name, $0.name] }
                + sub.subcommands.flatMap { deeper in
                    deeper.paths(endingIn: name).map { [sub.name, deeper.name] + $0 }
                }
        }
    }

    var listOfSubcommands: [String] {
        ["Commands: " + subcommands.map(\.name).joined(separator: ", ")]
    }

    /// Mistakes in the declarations below this command; empty in a correct program.
    func problems(inherited: [Declaration] = [], path: [String] = []) -> [String] {
        let here = path + [name]
        let place = here.joined(separator: " ")
        var found: [String] = []
        // Some options belong to every program.
        var names = Set((inherited + Program.builtInOptions).map(\.name))
        var shorts = Set((inherited + Program.builtInOptions).compactMap(\.short))
        for declaration in parameters.map(\.declaration) {
            if !names.insert(declaration.name).inserted {
                found.append("\(place): \(declaration.spelling) is declared twice")
            }
            if let short = declaration.short, !shorts.insert(short).inserted {
                found.append("\(place): -\(short) is declared twice")
            }
        }
        let order = positionals
        for (index, one) in order.enumerated() {
            if one.repeats && index < order.count - 1 {
                found.append("\(place): \(one.name)... must come last")
            }
            if index > 0, one.presence == .required, order[index - 1].presence != .required {
                found.append("\(place): \(one.name) is required, but follows an optional argument")
            }
        }
        if !subcommands.isEmpty && !order.isEmpty {
            found.append("\(place): a command with subcommands takes no arguments of its own")
        }
        if standard != nil, standardSubcommand == nil {
            found.append("\(place): there is no subcommand for where none is named")
        }
        if Set(subcommands.map(\.name)).count < subcommands.count {
            found.append("\(place): two subcommands have the same name")
        }
        let passedOn = inherited + options
        return found + subcommands.flatMap { $0.problems(inherited: passedOn, path: here) }
    }
}
