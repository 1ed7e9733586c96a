/// Removes text that must not be logged.
///
/// This is the second line of defence: the first is that log fields accept no such text. It knows
/// the forms of the data that Hearth handles: e-mail addresses, codes that people share, tokens and
/// other long random words, passwords in URLs, and the values that PostgreSQL quotes in the details
/// of an error. It hides too much rather than too little.
package enum Redaction {
    /// Maximum length of an error in one log line.
    static let byteLimit = 2000

    /// Returns the text with everything suspicious replaced by a word in brackets, cut to 2,000
    /// bytes.
    package static func clean(_ text: String) -> String {
        var bytes = Array(text.utf8)
        // Truncating comes last, so that no secret is split into two halves that look harmless. A
        // limit far beyond the final one bounds the work.
        bytes = Array(bytes.prefix(8 * byteLimit))
        bytes = hideKeyValues(bytes)
        var cleaned: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let end = endOfWord(bytes, from: index)
            if end == index {
                cleaned.append(bytes[index])
                index += 1
            } else {
                cleaned +=
                    replacement(for: bytes[index..<end]).map { Array($0.utf8) }
                    ?? Array(bytes[index..<end])
                index = end
            }
        }
        let shortened = String(decoding: cleaned.prefix(byteLimit), as: UTF8.self)
        return cleaned.count > byteLimit ? shortened + "..." : shortened
    }

    /// Hides the values in `Key (email)=(a@b)` and in `Failing row contains (...)`.
    private static func hideKeyValues(_ bytes: [UInt8]) -> [UInt8] {
        let hidden = Array("([hidden])".utf8)
        var result = hide(bytes, after: Array(")=(".utf8), keeping: 2, by: hidden)
        result = hide(result, after: Array("row contains (".utf8), keeping: 13, by: hidden)
        return result
    }

    /// Replaces everything from the parenthesis that ends `mark` to the end of its line.
    private static func hide(
        _ bytes: [UInt8], after mark: [UInt8], keeping count: Int, by hidden: [UInt8]
    ) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index...].starts(with: mark) {
                result += mark.prefix(count) + hidden
                // The value may contain parentheses: nothing up to the end of the line is safe.
                index = bytes[index...].firstIndex(of: 0x0A) ?? bytes.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// Returns the end of a word, which consists of the characters of tokens, codes and addresses.
    private static func endOfWord(_ bytes: [UInt8], from start: Int) -> Int {
        var end = start
        while end < bytes.count, isWordByte(bytes[end]) { end += 1 }
        return end
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        // + - . / : = @ _ ~ % and every byte of a non-ASCII letter
        case 0x2B, 0x2D, 0x2E, 0x2F, 0x3A, 0x3D, 0x40, 0x5F, 0x7E, 0x25, 0x80...: true
        default: false
        }
    }

    private static func replacement(for word: ArraySlice<UInt8>) -> String? {
        if contains(word, "@") || contains(word, "%40") { return "[address]" }
        if secretNames.contains(where: { contains(word, $0) }) { return "[secret]" }
        if containsSharedCode(word) { return "[code]" }
        if looksRandom(word) { return "[token]" }
        return nil
    }

    private static let secretNames = [
        "password=", "secret=", "token=", "code=", "key=", "ticket=", "state=",
    ]

    /// Whether the word contains a code that grants access to its holder and that people share.
    package static func containsSharedCode(_ word: some Collection<UInt8>) -> Bool {
        contains(word, "fam-")
    }

    /// Whether the word contains the lower-case text, ignoring case.
    private static func contains(_ word: some Collection<UInt8>, _ text: String) -> Bool {
        let lower = word.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
        let sought = Array(text.utf8)
        return lower.indices.contains { lower[$0...].starts(with: sought) }
    }

    /// Whether some run of base64url characters is longer than a name: 20 characters with a digit
    /// among them, else 40. UUIDs are ids and don't count as secrets.
    static func looksRandom(_ word: ArraySlice<UInt8>) -> Bool {
        word.split { !isTokenByte($0) }.contains { run in
            let hasDigit = run.contains { (0x30...0x39).contains($0) }
            return run.count >= (hasDigit ? 20 : 40) && !isUUID(run)
        }
    }

    private static func isUUID(_ run: ArraySlice<UInt8>) -> Bool {
        let groups = run.split(separator: 0x2D, omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12]
            && groups.joined().allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
            }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F, 0x2B, 0x25: true
        default: false
        }
    }
}
