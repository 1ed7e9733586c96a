import Configuration

/// The completion script for bash, which needs nothing but bash itself.
struct BashCompletion {
    let name: String
    let contexts: [CompletionContext]

    private var function: String {
        "_" + name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
    }

    var script: String {
        """
        # Completes \(name) in bash. To have it in every shell, put this into ~/.bashrc:
        #   source <(\(name) --completion bash)
        \(function)() {
            local current=${COMP_WORDS[COMP_CWORD]} place= option= word i
            COMPREPLY=()
            # The command that the words before select, and whether the last one needs a value.
            for ((i = 1; i < COMP_CWORD; i++)); do
                word=${COMP_WORDS[i]}
                if [[ -n $option ]]; then
                    [[ $word == = ]] || option=
                    continue
                fi
                case "$place/$word" in
        \(indented(CompletionContext.steps(among: contexts), by: 12))
                esac
            done
            [[ $current == = ]] && current=
            if [[ -n $option ]]; then
                case "$option" in
        \(values)
                esac
                return
            fi
            case "$place" in
        \(offers)
            esac
        }
        complete -o bashdefault -F \(function) \(name)

        """
    }

    private var values: String {
        let lines = contexts.flatMap { context in
            context.options.filter { !$0.isFlag }.compactMap { option -> String? in
                guard let reply = reply(option.completion) else { return nil }
                let keys = option.spellings.map { shellQuoted("\(context.key)/\($0)") }
                return "\(keys.joined(separator: " | "))) \(reply) ;;"
            }
        }
        return indented(lines.isEmpty ? ["*) ;;"] : lines, by: 12)
    }

    private var offers: String {
        let lines = contexts.map { context in
            var words = context.subcommands.map(\.name)
            var more: [String] = []
            for positional in context.positionals {
                if case .words(let known) = positional.completion {
                    words += known
                } else if let reply = reply(positional.completion) {
                    more.append(reply.replacing("COMPREPLY=(", with: "COMPREPLY+=("))
                }
            }
            words += context.options.map { "--\($0.name)" }
            let reply = reply(.words(words)) ?? ":"
            return "\(shellQuoted(context.key))) \(([reply] + more).joined(separator: "; ")) ;;"
        }
        return indented(lines, by: 8)
    }

    private func reply(_ completion: Completion) -> String? {
        switch completion {
        case .none: nil
        case .words(let words):
            "COMPREPLY=($(compgen -W \(shellQuoted(words.joined(separator: " "))) -- \"$current\"))"
        case .file: "COMPREPLY=($(compgen -f -- \"$current\"))"
        case .folder: "COMPREPLY=($(compgen -d -- \"$current\"))"
        }
    }
}

/// Joins lines at a depth for a multi-line literal whose first line is already indented.
func indented(_ lines: [String], by depth: Int) -> String {
    lines.map { String(repeating: " ", count: depth) + $0 }.joined(separator: "\n")
}
