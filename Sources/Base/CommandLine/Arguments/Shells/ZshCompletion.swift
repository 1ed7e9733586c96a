import Configuration

/// The completion script for zsh, with descriptions.
struct ZshCompletion {
    let name: String
    let contexts: [CompletionContext]

    private var function: String {
        "_" + name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
    }

    var script: String {
        """
        #compdef \(name)
        # Completes \(name) in zsh. Put it as _\(name) into a folder of your fpath, or run
        #   source <(\(name) --completion zsh)
        \(function)() {
            local place= option= word i
            local -a offers
            # The command that the words before select, and whether the last one needs a value.
            for ((i = 2; i < CURRENT; i++)); do
                word=${words[i]}
                if [[ -n $option ]]; then
                    option=
                    continue
                fi
                case "$place/$word" in
        \(indented(CompletionContext.steps(among: contexts, opening: "("), by: 12))
                esac
            done
            if [[ -n $option ]]; then
                case "$option" in
        \(values)
                (*) _message value ;;
                esac
                return
            fi
            case "$place" in
        \(offers)
            esac
        }
        if [[ $funcstack[1] == _\(name) ]]; then
            \(function) "$@"
        else
            compdef \(function) \(name)
        fi

        """
    }

    private var values: String {
        let lines = contexts.flatMap { context in
            context.options.filter { !$0.isFlag }.compactMap { option -> String? in
                guard let action = action(option.completion) else { return nil }
                return option.spellings.map {
                    "(\(shellQuoted("\(context.key)/\($0)"))) \(action) ;;"
                }.joined(separator: "\n            ")
            }
        }
        return indented(lines, by: 12)
    }

    private var offers: String {
        let lines = contexts.map { context in
            let commands = context.subcommands.map { described($0.name, $0.summary) }
            let options = context.options.map { described("--\($0.name)", $0.shortHelp) }
            let positionals = context.positionals.compactMap { action($0.completion) }
            let words = (commands + options).joined(separator: " ")
            let list = "offers=(\(words)); _describe \(shellQuoted(name)) offers"
            let all = [list] + positionals
            return "(\(shellQuoted(context.key))) \(all.joined(separator: "; ")) ;;"
        }
        return indented(lines, by: 8)
    }

    private func described(_ word: String, _ help: String) -> String {
        let plain = help.hasSuffix(".") ? String(help.dropLast()) : help
        return shellQuoted(word + ":" + plain.replacing(":", with: "\\:"))
    }

    private func action(_ completion: Completion) -> String? {
        switch completion {
        case .none: nil
        case .words(let words): "compadd -- \(words.map(shellQuoted).joined(separator: " "))"
        case .file: "_files"
        case .folder: "_files -/"
        }
    }
}
