import Configuration

extension Program {
    /// Returns the help of the last command in `path`, at most 80 columns wide.
    func help(for path: [Command]) -> String {
        let text = HelpText(width: 80)
        let command = path.last ?? root
        let name = path.map(\.name).joined(separator: " ")
        var lines = text.wrap(command.summary, indent: 0)
        lines += ["", "Usage:"] + usage(of: command, name: name, text)
        for paragraph in command.discussion {
            lines += [""] + text.wrap(paragraph, indent: 0)
        }
        for section in sections(for: path, name: name) {
            lines += text.lines(of: section)
        }
        lines += examples(of: command, text)
        if !command.subcommands.isEmpty {
            lines += ["", "'\(name) COMMAND --help' describes a command."]
            if let defaultSubcommandName = command.defaultSubcommandName {
                lines += ["Without a command, '\(defaultSubcommandName)' is run."]
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func usage(of command: Command, name: String, _ text: HelpText) -> [String] {
        // More than six optional options appear as [OPTIONS], to keep the usage line short.
        let options = command.options
        let shown =
            options.filter { $0.presence == .required }.map(\.usage)
            + (options.count { $0.presence != .required } > 6
                ? ["[OPTIONS]"]
                : options.filter { $0.presence != .required }.map(\.usage))
        let rest =
            command.subcommands.isEmpty ? command.positionals.map(\.usage) : ["COMMAND", "..."]
        return text.usage(name, parts: shown + rest)
    }

    private func sections(for path: [Command], name: String) -> [HelpText.Section] {
        let command = path.last ?? root
        // Options of the whole program are listed only in its own help.
        let general = generalDeclarations.filter {
            path.count == 1 || !["completion", "man"].contains($0.name)
        }
        let inherited = path.dropLast().flatMap(\.options) + general
        var sections = [
            HelpText.Section(
                title: "Commands",
                rows: command.subcommands.map { (term: $0.name, meaning: $0.summary) }
                    + (path.count == 1 ? builtInRows : [])),
            HelpText.Section(
                title: "Arguments",
                rows: command.positionals.map { (term: $0.term, meaning: $0.explanation) }),
            HelpText.Section(
                title: "Options",
                rows: command.options.map { (term: $0.term, meaning: $0.explanation) }),
            HelpText.Section(
                title: "General options",
                rows: inherited.map { (term: $0.term, meaning: $0.explanation) }),
        ]
        if path.count == 1 {
            sections.append(
                HelpText.Section(
                    title: "Settings, from the environment or the file passed with --config",
                    rows: settings.map(\.declaration).map {
                        (term: $0.name, meaning: $0.explanation)
                    }))
            sections.append(
                HelpText.Section(
                    title: "Exit codes",
                    rows: exitCodes.map { (term: String($0.code), meaning: $0.meaning) }))
        }
        return sections
    }

    /// Rows of the built-in commands, if the program has commands.
    private var builtInRows: [(term: String, meaning: String)] {
        guard !root.subcommands.isEmpty else { return [] }
        return Self.builtInOptions.filter {
            ["completion", "man"].contains($0.name) && root.subcommand(named: $0.name) == nil
        }.map {
            (
                term: ([$0.name] + [$0.placeholder].compactMap(\.self)).joined(separator: " "),
                meaning: $0.explanation
            )
        }
    }

    private func examples(of command: Command, _ text: HelpText) -> [String] {
        guard !command.examples.isEmpty else { return [] }
        return ["", "Examples:"]
            + command.examples.flatMap {
                text.wrap($0.explanation, indent: 2) + ["      " + $0.line]
            }
    }
}
