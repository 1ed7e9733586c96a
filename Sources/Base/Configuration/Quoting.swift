/// Quotes a word, without terminal control characters, or returns a placeholder if the word may
/// contain a secret.
///
/// Messages about a word end up in logs and in the scrollback of terminals. A word that looks like
/// a password is therefore never repeated, even if no password is expected there: people paste
/// passwords into the wrong place.
package func quoted(_ word: String) -> String {
    mayHoldSecret(word) ? "(not shown: it may contain a secret)" : "'\(word.printable)'"
}

/// Whether the word looks like a password or key: an address with a user or with something other
/// than a port after a colon, `NAME=VALUE`, several lines, or a long random word.
package func mayHoldSecret(_ word: String) -> Bool {
    if word.utf8.contains(UInt8(ascii: "\n")) { return true }
    if word.utf8.contains(UInt8(ascii: "=")) { return true }
    if let colon = word.firstIndex(of: ":"), word[colon...].contains("@") { return true }
    if !word.contains("/"), Redaction.looksRandom(Array(word.utf8)[...]) { return true }
    guard let scheme = word.range(of: "://") else { return false }
    return !hasPortOnly(word[scheme.upperBound...].prefix { !"/?#".contains($0) })
}

/// Whether a host's name is followed by a port or nothing.
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
    /// Returns the first occurrence of an ASCII text.
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
