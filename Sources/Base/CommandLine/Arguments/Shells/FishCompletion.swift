import Configuration

/// The completion script for fish, with descriptions.
struct FishCompletion {
    let name: String
    let contexts: [CompletionContext]

    private var function: String {
        "__" + name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
    }

    var script: String {
        ([head] + contexts.flatMap(completions)).joined(separator: "\n") + "\n"
    }

    /// A function that checks which command the preceding words have selected.
    private var head: String {
        """
        # Completes \(name) in fish. To have it in every shell:
        #   \(name) --completion fish > ~/.config/fish/completions/\(name).fish
        function \(function)_is_at
            set -l place ''
            set -l wants_value 0
            for word in (commandline -opc)[2..-1]
                if test $wants_value = 1
                    set wants_value 0
                    continue
                end
                switch "$place/$word"
        \(steps)
                end
            end
            test "$place" = "$argv[1]"
        end
        complete -c \(name) -f
        """
    }

    private var steps: String {
        let lines = contexts.flatMap { context -> [String] in
            context.subcommands.flatMap { sub in
                let next = (context.path + [sub.name]).joined(separator: " ")
                return [
                    "case \(quoted("\(context.key)/\(sub.name)"))", "    set place \(quoted(next))",
                ]
            } + valued(context)
        }
        return indented(lines, by: 12)
    }

    private func valued(_ context: CompletionContext) -> [String] {
        let spellings = context.options.filter { !$0.isFlag }.flatMap(\.spellings)
        if spellings.isEmpty { return [] }
        let keys = spellings.map { quoted("\(context.key)/\($0)") }
        return ["case \(keys.joined(separator: " "))", "    set wants_value 1"]
    }

    private func completions(_ context: CompletionContext) -> [String] {
        let at = "complete -c \(name) -n \(quoted("\(function)_is_at \(quoted(context.key))"))"
        return context.subcommands.map { sub in
            "\(at) -a \(quoted(sub.name)) -d \(quoted(plain(sub.summary)))"
        }
            + context.options.map { option in
                let short = option.short.map { " -s \($0)" } ?? ""
                let value = option.isFlag ? "" : " " + arguments(option.completion, required: true)
                return "\(at) -l \(option.name)\(short)\(value) -d \(quoted(option.shortHelp))"
            }
            + context.positionals.compactMap { positional in
                positional.completion == .none
                    ? nil : "\(at) \(arguments(positional.completion, required: false))"
            }
    }

    private func arguments(_ completion: Completion, required: Bool) -> String {
        switch completion {
        case .none: "-x"
        case .words(let words):
            (required ? "-x " : "") + "-a \(quoted(words.joined(separator: " ")))"
        case .file: required ? "-r -F" : "-F"
        case .folder: (required ? "-x " : "") + "-a '(__fish_complete_directories)'"
        }
    }

    private func plain(_ help: String) -> String {
        help.hasSuffix(".") ? String(help.dropLast()) : help
    }

    /// Quotes a text with single quotes, in which fish has two escapes.
    private func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
