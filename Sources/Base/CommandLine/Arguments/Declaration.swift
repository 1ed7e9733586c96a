package import Configuration

/// The declaration of a parameter, without its type: everything that parsing, help, completion and
/// the manual page need.
package struct Declaration: Sendable, Equatable {
    /// Whether a parameter must be given.
    package enum Presence: Sendable, Equatable {
        /// It must.
        case required
        /// It need not, and there is no value then.
        case optional
        /// Not needed; this is what is taken instead, as help shows it.
        case defaulted(String)
    }

    /// The long name without dashes, or a positional argument's placeholder. Unique in a command.
    package let name: String
    /// The one-letter name without its dash.
    package let short: Character?
    /// The placeholder of the value in help, such as `FILE`; nil for a flag.
    package let placeholder: String?
    /// True for an argument without a name, known by its place.
    package let isPositional: Bool
    /// Whether it must be given.
    package let presence: Presence
    /// Whether it may be given more than once.
    package let repeats: Bool
    /// One or two sentences, ending in a full stop.
    package let help: String
    /// The expected form of the value; completes "expected".
    package let expected: String
    /// What a shell can offer as completions of the value.
    package let completion: Completion
    /// Whether its value may hold a secret, so that a wrong one is never repeated.
    package private(set) var isSecret = false

    /// The same, of a value that may hold a secret.
    func secret() -> Declaration {
        var declaration = self
        declaration.isSecret = true
        return declaration
    }

    /// A flag (no placeholder) or an option.
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

    /// An argument known by its place.
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

    /// True for an option that is only there or not.
    package var isFlag: Bool { placeholder == nil }

    /// The name as a person types it: `--json`, `NAME`.
    package var spelling: String { isPositional ? name : "--\(name)" }

    /// The line's left half in help: `-o, --output FILE`, `NAME`.
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

    /// The line's right half in help, with what can be derived added.
    var explanation: String {
        var parts = [help]
        if case .words(let words) = completion, !isFlag {
            parts.append("One of: \(words.joined(separator: ", ")).")
        }
        if repeats && !isPositional { parts.append("May be repeated.") }
        if case .defaulted(let value) = presence { parts.append("(default: \(value))") }
        return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }
}
