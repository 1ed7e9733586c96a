/// A word in quotes, without terminal control characters; or a placeholder if it may contain a
/// secret.
///
/// Messages about a word end up in logs and in the scrollback of terminals. A word that looks like
/// a password is therefore not repeated, wherever it was given, even where no password belongs:
/// passwords get misplaced.
package func quoted(_ word: String) -> String {
    mayHoldSecret(word) ? "(not shown: it may contain a secret)" : "'\(word.printable)'"
}

/// Whether the word has a form that passwords and keys come in: an address with a user or with
/// something other than a port behind a colon, `NAME=VALUE`, several lines, or a long random word.
package func mayHoldSecret(_ word: String) -> Bool {
    if word.utf8.contains(UInt8(ascii: "\n")) { return true }
    if word.utf8.contains(UInt8(ascii: "=")) { return true }
    if let colon = word.firstIndex(of: ":"), word[colon...].contains("@") { return true }
    if !word.contains("/"), Redaction.looksRandom(Array(word.utf8)[...]) { return true }
    guard let scheme = word.range(of: "://") else { return false }
    return !hasPortOnly(word[scheme.upperBound...].prefix { !"/?#".contains($0) })
}

/// Whether what follows a host's name is a port or nothing.
private func hasPortOnly(_ authority: Substring) -> Bool {
    if authority.contains("@") { return false }
    var rest = authority
    if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
        rest = rest[rest.index(after: end)...]
    }
    guard let colon = rest.firstIndex(of: ":") else { return true }
    return rest[rest.index(after: colon)...].utf8.allSatisfy { (48...57).contains($0) }
}

extension String {
    /// Where the first occurrence of some ASCII text is.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            let rest = self[start...]
            if rest.hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
