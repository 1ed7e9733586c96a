import Configuration

/// A shell that can complete a program's command lines.
package enum Shell: String, Sendable, CaseIterable {
    case bash, zsh, fish
}

extension Program {
    /// Returns the script that completes this program's command lines in a shell. It is derived
    /// from the same declarations as help, so that the two can't drift apart.
    package func completion(for shell: Shell) -> String {
        let contexts = CompletionContext.all(below: root, general: generalDeclarations)
        return switch shell {
        case .bash: BashCompletion(name: root.name, contexts: contexts).script
        case .zsh: ZshCompletion(name: root.name, contexts: contexts).script
        case .fish: FishCompletion(name: root.name, contexts: contexts).script
        }
    }

    /// The options of every command, help and version among them.
    var generalDeclarations: [Declaration] {
        (settings.isEmpty ? [] : Self.generalOptions.map(\.declaration)) + Self.builtInOptions
    }

    /// Options of every program that are not declared.
    static let builtInOptions: [Declaration] = [
        builtIn("help", short: "h", "Show this help."),
        builtIn("version", "Show the version."),
        Declaration(
            name: "completion", short: nil, placeholder: "SHELL", presence: .optional,
            repeats: false, help: "Print a script that completes command lines.",
            expected: listing(Shell.allCases.map(\.rawValue)),
            completion: .words(Shell.allCases.map(\.rawValue))),
        builtIn("man", "Print the manual page, for man or mandoc."),
    ]

    /// Undeclared commands of every program that has commands, except `help`. The parser runs them
    /// itself; these values only describe them in help.
    static let builtInCommands: [Command] = builtInOptions.compactMap { option in
        switch option.name {
        case "completion":
            Command(
                option.name, option.help,
                parameters: [Parameter<Shell>.argument("SHELL", .oneOf, "The shell.")]
            ) { _ in ExitCode.success }
        case "man": Command(option.name, option.help) { _ in ExitCode.success }
        default: nil
        }
    }

    private static func builtIn(
        _ name: String, short: Character? = nil, _ help: String
    ) -> Declaration {
        Declaration(
            name: name, short: short, placeholder: nil, presence: .optional, repeats: false,
            help: help, expected: "", completion: .none)
    }
}

/// A command with everything that can be typed after it.
struct CompletionContext {
    /// The names of the commands after the program's own.
    let path: [String]
    let subcommands: [Command]
    let options: [Declaration]
    let positionals: [Declaration]

    /// The path as scripts compare it: `family create`, or the empty string.
    var key: String { path.joined(separator: " ") }

    /// Returns the root and every command below it.
    static func all(
        below command: Command, general: [Declaration], path: [String] = []
    ) -> [CompletionContext] {
        let inherited = general + command.options
        let context = CompletionContext(
            path: path, subcommands: command.subcommands,
            options: inherited + (command.defaultSubcommand?.options ?? []),
            positionals: command.positionals)
        return [context]
            + command.subcommands.flatMap {
                all(below: $0, general: inherited, path: path + [$0.name])
            }
    }

    /// Returns the branches of a shell's `case` that lead from command to command, and to the
    /// options that need a value. `opening` precedes a branch's pattern in that shell.
    static func steps(among contexts: [CompletionContext], opening: String = "") -> [String] {
        contexts.flatMap { context -> [String] in
            context.subcommands.map { sub in
                let key = shellQuoted("\(context.key)/\(sub.name)")
                let next = shellQuoted((context.path + [sub.name]).joined(separator: " "))
                return "\(opening)\(key)) place=\(next) ;;"
            }
                + context.options.filter { !$0.isFlag }.flatMap { option in
                    option.spellings.map { spelling in
                        let key = shellQuoted("\(context.key)/\(spelling)")
                        return "\(opening)\(key)) option=\(key) ;;"
                    }
                }
        }
    }
}

extension Declaration {
    /// The spellings: `--json`, and `-j` if it exists.
    var spellings: [String] { ["--\(name)"] + (short.map { ["-\($0)"] } ?? []) }

    /// The first sentence of the help.
    var shortHelp: String {
        guard let end = help.firstRange(of: ". ") else {
            return help.hasSuffix(".") ? String(help.dropLast()) : help
        }
        return String(help[..<end.lowerBound])
    }
}

/// Quotes a text with single quotes for shells of the Bourne family.
func shellQuoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        + "'"
}
