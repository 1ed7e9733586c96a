/// An instruction to the runner in a migration file: a comment of the form `-- hearth: ...`.
package enum Directive: Sendable, Equatable {
    /// `-- hearth: no-transaction`, before the first statement: the statements run one by one,
    /// outside a common transaction.
    case noTransaction
    /// `-- hearth: allow RULE: reason`, before a statement or in it: `plan` doesn't report that
    /// rule there.
    case allow(rule: String, reason: String)
    /// `-- hearth: after FILE, FILE`, in a repeatable file: the file is applied after these files.
    case after([String])

    /// Parses the directive in a line comment; nil for any other comment. Throws for an unknown
    /// directive, because ignoring a misspelt one would be worse.
    static func parse(_ comment: String) throws(UnknownDirective) -> Directive? {
        let words = comment.drop { $0 == "-" }.trimmed
        guard words.hasPrefix("hearth:") else { return nil }
        let text = words.dropFirst("hearth:".count).trimmed
        if text == "no-transaction" { return .noTransaction }
        if text.hasPrefix("allow ") {
            let parts = text.dropFirst("allow ".count).split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, !parts[0].trimmed.isEmpty, !parts[1].trimmed.isEmpty {
                return .allow(rule: String(parts[0].trimmed), reason: String(parts[1].trimmed))
            }
        }
        if text.hasPrefix("after ") {
            let names = text.dropFirst("after ".count).split(separator: ",").map(\.trimmed)
            if !names.isEmpty, names.allSatisfy({ !$0.isEmpty && !$0.contains(" ") }) {
                return .after(names.map(String.init))
            }
        }
        throw UnknownDirective(text: String(text))
    }

    /// A comment with an unknown directive.
    struct UnknownDirective: Error {
        let text: String
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at both ends.
    var trimmed: SubSequence {
        let start = drop { $0 == " " || $0 == "\t" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else {
            return start.prefix(0)
        }
        return start[...last]
    }
}
