/// A command: its name, its parameters, and its action.
///
/// It has either subcommands or an action. Its subcommands accept its parameters too, before and
/// after their names.
package struct Command: Sendable {
    /// The name as typed.
    package let name: String
    /// One line for lists, with a full stop.
    package let summary: String
    /// Paragraphs for the command's own help, below the summary.
    package let discussion: [String]
    /// Arguments and options, arguments in the order they are typed.
    package let parameters: [any DeclaredParameter]
    /// Examples shown at the end of the help.
    package let examples: [Example]
    /// Subcommands in the order help lists them.
    package let subcommands: [Command]
    /// Name of the subcommand that runs if none is given.
    let defaultSubcommandName: String?
    let action: Action?

    /// The work of the command; returns the exit code.
    package typealias Action = @Sendable (Values) throws -> Int32

    /// Creates a command with an action.
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
        defaultSubcommandName = nil
        self.action = action
    }

    /// Creates a command that groups others.
    ///
    /// - Parameter defaultSubcommand: Name of the subcommand that runs if none is given.
    package init(
        _ name: String, _ summary: String, discussion: [String] = [],
        parameters: [any DeclaredParameter] = [], examples: [Example] = [],
        subcommands: [Command], defaultSubcommand: String? = nil
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.parameters = parameters
        self.examples = examples
        self.subcommands = subcommands
        defaultSubcommandName = defaultSubcommand
        self.action = nil
    }
}

/// A complete command line with its explanation.
package struct Example: Sendable, Equatable {
    /// The line to type.
    package let line: String
    /// A description of the effect.
    package let explanation: String

    /// Creates an example for a command's help.
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

    /// The subcommand that runs if none is given.
    var defaultSubcommand: Command? { defaultSubcommandName.flatMap { subcommand(named: $0) } }

    /// Returns the paths to commands with this name, below this command's own subcommands.
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

    /// Returns mistakes in the declarations below this command; empty in a correct program.
    func problems(inherited: [Declaration] = [], path: [String] = []) -> [String] {
        let fullPath = path + [name]
        let label = fullPath.joined(separator: " ")
        var problems: [String] = []
        // Some options exist in every program.
        var names = Set((inherited + Program.builtInOptions).map(\.name))
        var shorts = Set((inherited + Program.builtInOptions).compactMap(\.short))
        for declaration in parameters.map(\.declaration) {
            if !names.insert(declaration.name).inserted {
                problems.append("\(label): \(declaration.spelling) is declared twice")
            }
            if let short = declaration.short, !shorts.insert(short).inserted {
                problems.append("\(label): -\(short) is declared twice")
            }
        }
        let order = positionals
        for (index, positional) in order.enumerated() {
            if positional.repeats && index < order.count - 1 {
                problems.append("\(label): \(positional.name)... must come last")
            }
            if index > 0, positional.presence == .required, order[index - 1].presence != .required {
                problems.append(
                    "\(label): \(positional.name) is required, but follows an optional argument")
            }
        }
        if !subcommands.isEmpty && !order.isEmpty {
            problems.append("\(label): a command with subcommands takes no arguments of its own")
        }
        if defaultSubcommandName != nil, defaultSubcommand == nil {
            problems.append("\(label): the default subcommand does not exist")
        }
        if Set(subcommands.map(\.name)).count < subcommands.count {
            problems.append("\(label): two subcommands have the same name")
        }
        let inheritedOptions = inherited + options
        return problems
            + subcommands.flatMap { $0.problems(inherited: inheritedOptions, path: fullPath) }
    }
}
