import Configuration

/// Parses a command line, word by word.
///
/// It accepts `--name value`, `--name=value`, `-n value`, `-nvalue`, combined flags (`-jv`),
/// options before and after arguments, and `--`, after which every word is an argument. Names can't
/// be abbreviated, so that a new option never changes the meaning of a script.
struct Parser {
    /// The result: a command to run with its values, or a request for help.
    enum Outcome: Sendable {
        case run(Command, Values)
        case help(path: [Command])
        case version
        /// Print the completion script of a shell.
        case completion(Shell)
        /// Print the manual page.
        case manual
        /// Check the settings, with the path of the configuration file if one is given.
        case checkConfig(String?)
    }

    /// Options of every command.
    private let general: [any DeclaredParameter]
    private var path: [Command]
    private var words: ArraySlice<String>
    private var found: [String: [String]] = [:]
    private var arguments: [String] = []

    init(root: Command, general: [any DeclaredParameter], words: [String]) {
        self.path = [root]
        self.general = general
        self.words = words[...]
    }

    private var command: Command { path[path.count - 1] }
    private var commandPath: [String] { path.map(\.name) }
    /// All options accepted here, the innermost command's first.
    private var options: [Declaration] {
        path.reversed().flatMap(\.options) + general.map(\.declaration)
    }

    mutating func parse() throws(UsageError) -> Outcome {
        do {
            while let word = words.popFirst() {
                if let outcome = try take(word) { return outcome }
            }
            if found[Program.checkConfig.declaration.name] != nil {
                return .checkConfig(found[Program.config.declaration.name]?.last)
            }
            let values = try values()
            return .run(command, values)
        } catch {
            // A request for help takes precedence over errors.
            if asksForHelp { return .help(path: path) }
            var locatedError = error
            locatedError.commandPath = commandPath
            throw locatedError
        }
    }

    private mutating func take(_ word: String) throws(UsageError) -> Outcome? {
        if word == "--" {
            while let argument = words.popFirst() { try takeArgument(argument) }
        } else if word == "--help" || word == "-h" {
            return .help(path: path)
        } else if word == "--version" {
            return .version
        } else if word == "--man" {
            return .manual
        } else if word == "--completion" {
            // `--help` is not a shell's name.
            if words.first == "--help" || words.first == "-h" { return .help(path: path) }
            return .completion(try shell(words.popFirst()))
        } else if word.hasPrefix("--completion=") {
            return .completion(try shell(String(word.dropFirst(13))))
        } else if word.hasPrefix("--") {
            try takeLong(word)
        } else if word.hasPrefix("-") && word != "-" {
            try takeShort(word)
        } else if isBuiltIn(word, "help") {
            return .help(path: try helpPath())
        } else if let builtIn = builtInCommand(word) {
            path.append(builtIn)
            return try outcome(ofBuiltIn: builtIn.name)
        } else {
            try takeArgument(word)
        }
        return nil
    }

    /// Whether the word is in a command's position and the program declares no such command.
    private func isBuiltIn(_ word: String, _ name: String) -> Bool {
        word == name && path.count == 1 && !command.subcommands.isEmpty
            && command.subcommand(named: name) == nil
    }

    /// Returns the built-in command, other than `help`, that the word selects; nil if it selects
    /// none.
    private func builtInCommand(_ word: String) -> Command? {
        Program.builtInCommands.first { isBuiltIn(word, $0.name) }
    }

    private mutating func outcome(ofBuiltIn name: String) throws(UsageError) -> Outcome {
        if asksForHelp { return .help(path: path) }
        if name == "man" { return .manual }
        return .completion(try shell(words.popFirst()))
    }

    /// Whether the remaining words request help.
    private var asksForHelp: Bool {
        let rest = words.prefix { $0 != "--" }
        return rest.contains("--help") || rest.contains("-h")
    }

    private func shell(_ word: String?) throws(UsageError) -> Shell {
        let expected = listing(Shell.allCases.map(\.rawValue))
        guard let word else {
            throw UsageError("the name of a shell is missing: expected \(expected)")
        }
        guard let shell = Shell(rawValue: word) else {
            throw UsageError("there is no completion for \(quoted(word)): expected \(expected)")
        }
        return shell
    }

    private mutating func takeArgument(_ word: String) throws(UsageError) {
        if !command.subcommands.isEmpty {
            guard let next = command.subcommand(named: word) else {
                throw .unknownCommand(word, in: command, path: commandPath)
            }
            path.append(next)
        } else {
            let positionals = command.positionals
            let isOpenEnded = positionals.last?.repeats ?? false
            guard isOpenEnded || arguments.count < positionals.count else {
                throw .surplus(word, in: command)
            }
            arguments.append(word)
        }
    }

    private mutating func takeLong(_ word: String) throws(UsageError) {
        let parts = word.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = option({ $0.name == name }) else {
            throw .unknownOption("--\(name)", among: spellings)
        }
        try record(option, attached: parts.count == 2 ? String(parts[1]) : nil)
    }

    private mutating func takeShort(_ word: String) throws(UsageError) {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = option({ $0.short == letter }) else {
                throw .unknownOption("-\(letter)", among: spellings)
            }
            if option.isFlag {
                try record(option, attached: nil)
            } else {
                let attached = letters.first == "=" ? letters.dropFirst() : letters
                try record(option, attached: letters.isEmpty ? nil : String(attached))
                return
            }
        }
    }

    /// Finds an option accepted here. An option of the default subcommand selects that subcommand.
    private mutating func option(_ matches: (Declaration) -> Bool) -> Declaration? {
        if let option = options.first(where: matches) { return option }
        guard let standard = command.defaultSubcommand,
            let option = standard.options.first(where: matches)
        else { return nil }
        path.append(standard)
        return option
    }

    private mutating func record(
        _ option: Declaration, attached: String?
    ) throws(UsageError) {
        if option.isFlag {
            if let attached { throw .takesNoValue(option, value: attached) }
            found[option.name] = [""]
            return
        }
        if found[option.name] != nil && !option.repeats { throw .givenTwice(option) }
        let value: String
        if let attached {
            value = attached
        } else {
            // `--to --json` lacks a value; such a value is written `--to=--json`.
            guard let next = words.first, !isOption(next) else { throw .needsValue(option) }
            words.removeFirst()
            value = next
        }
        found[option.name, default: []].append(value)
    }

    private func isOption(_ word: String) -> Bool {
        let name = word.prefix { $0 != "=" }
        return word == "--" || spellings.contains(String(name))
    }

    /// All options that may be typed here, to suggest the nearest one.
    private var spellings: [String] {
        options.flatMap { ["--\($0.name)"] + ($0.short.map { ["-\($0)"] } ?? []) }
            + Program.builtInOptions.flatMap(\.spellings)
    }

    private mutating func helpPath() throws(UsageError) -> [Command] {
        while let word = words.popFirst() {
            guard let next = command.subcommand(named: word) ?? builtInCommand(word) else {
                throw .unknownCommand(word, in: command, path: commandPath)
            }
            path.append(next)
        }
        return path
    }

    private mutating func values() throws(UsageError) -> Values {
        if let standard = command.defaultSubcommand { path.append(standard) }
        guard command.subcommands.isEmpty else {
            throw .missingCommand(in: command, isRoot: path.count == 1)
        }
        var words = found
        for (index, positional) in command.positionals.enumerated() where index < arguments.count {
            words[positional.name] =
                positional.repeats ? Array(arguments[index...]) : [arguments[index]]
        }
        var decoded: [String: any Sendable] = [:]
        for parameter in path.flatMap(\.parameters) + general {
            let declaration = parameter.declaration
            let given = words[declaration.name] ?? []
            if given.isEmpty && declaration.presence == .required { throw .missing(declaration) }
            decoded[declaration.name] = try parameter.box(given)
        }
        return Values(commandPath: commandPath, decoded: decoded)
    }
}
