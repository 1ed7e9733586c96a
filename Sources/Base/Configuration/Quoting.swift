/// A word in quotes, with nothing in it that could steer a terminal; or, where it may hold a secret,
/// words that stand for it.
///
/// What is wrong with a word is told to whoever gave it, and lands in logs and in the scrollback of
/// terminals. So a word that looks as if it held a password is not repeated, wherever it was given:
/// also where none belongs, since that is how passwords are misplaced.
package func quoted(_ word: String) -> String {
    mayHoldSecret(word) ? "(not shown: it may hold a secret)" : "'\(word.printable)'"
}

/// Whether the word is of a form that passwords and keys are given in: an address with a user or with
/// something other than a port behind a colon, `NAME=VALUE`, or a long random word.
package func mayHoldSecret(_ word: String) -> Bool {
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
