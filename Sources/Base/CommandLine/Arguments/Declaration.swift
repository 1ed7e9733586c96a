package import Configuration

/// The declaration of a parameter without its type: everything that parsing, help, completion and
/// the manual page need.
package struct Declaration: Sendable, Equatable {
    /// Whether a parameter must be given.
    package enum Presence: Sendable, Equatable {
        /// The parameter must be given.
        case required
        /// The parameter may be omitted and then has no value.
        case optional
        /// The parameter may be omitted and then has this value, as help shows it.
        case defaulted(String)
    }

    /// The long name without dashes, or a positional argument's placeholder. Unique in a command.
    package let name: String
    /// The one-letter name without its dash.
    package let short: Character?
    /// The placeholder of the value in help, such as `FILE`; nil for a flag.
    package let placeholder: String?
    /// True for a positional argument, which has no name on the command line.
    package let isPositional: Bool
    /// Whether the parameter must be given.
    package let presence: Presence
    /// Whether the parameter may be given more than once.
    package let repeats: Bool
    /// One or two sentences, with a full stop.
    package let help: String
    /// The expected form of the value; completes "expected".
    package let expected: String
    /// Completions that a shell can offer for the value.
    package let completion: Completion
    /// Whether the value may be a secret, so that a wrong one is never repeated.
    package private(set) var isSecret = false

    /// Returns a copy whose value may be a secret.
    func secret() -> Declaration {
        var declaration = self
        declaration.isSecret = true
        return declaration
    }

    /// Creates a flag (without a placeholder) or an option.
    init(
        name: String, short: Character?, placeholder: String?, presence: Presence, repeats: Bool,
        help: String, expected: String, completion: Completion
    ) {
        self.name = name
        self.short = short
        self.placeholder = placeholder
        self.isPositional = false
        self.presence = presence
        self.repeats = repeats
        self.help = help
        self.expected = expected
        self.completion = completion
    }

    /// Creates a positional argument.
    init(
        positional placeholder: String, presence: Presence, repeats: Bool, help: String,
        expected: String, completion: Completion
    ) {
        self.name = placeholder
        self.short = nil
        self.placeholder = placeholder
        self.isPositional = true
        self.presence = presence
        self.repeats = repeats
        self.help = help
        self.expected = expected
        self.completion = completion
    }

    /// True for an option without a value.
    package var isFlag: Bool { placeholder == nil }

    /// The name as typed: `--json`, `NAME`.
    package var spelling: String { isPositional ? name : "--\(name)" }

    /// The left half of the line in help: `-o, --output FILE`, `NAME`.
    var term: String {
        if isPositional { return repeats ? "\(name)..." : name }
        let value = placeholder.map { " \($0)" } ?? ""
        return (short.map { "-\($0), " } ?? "") + "--\(name)" + value
    }

    /// The part in the usage line: `[--output FILE]`, `NAME`, `[PATH...]`.
    var usage: String {
        let value = placeholder.map { " \($0)" } ?? ""
        let one = isPositional ? name : "--\(name)" + value
        let all = repeats ? one + "..." : one
        return presence == .required ? all : "[\(all)]"
    }

    /// The explanation in help: ``help``, and what follows from the declaration, such as the
    /// default.
    var explanation: String {
        var parts = [help]
        if case .words(let words) = completion, !isFlag {
            parts.append("One of: \(words.joined(separator: ", ")).")
        }
        if repeats && !isPositional { parts.append("May be repeated.") }
        if case .defaulted(let value) = presence, !value.isEmpty {
            parts.append("(default: \(value))")
        }
        return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }
}
