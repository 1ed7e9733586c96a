/// A language as devices name it: `es`, `es-MX` (RFC 5646), in the usual case of letters.
package struct LanguageTag: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// Bytes that a tag may have.
    package static let maximumBytes = 35

    /// Nil for what is no language of two or three letters, with further parts of one to eight
    /// letters and digits.
    package init?(_ given: some StringProtocol) {
        guard given.utf8.count <= Self.maximumBytes else { return nil }
        let parts = given.split(separator: "-", omittingEmptySubsequences: false)
        guard let language = parts.first, (2...3).contains(language.utf8.count),
            language.utf8.allSatisfy(Self.isLetter),
            parts.dropFirst().allSatisfy({ part in
                (1...8).contains(part.utf8.count)
                    && part.utf8.allSatisfy { Self.isLetter($0) || (48...57).contains($0) }
            })
        else { return nil }
        var isPrivate = false
        let rest = parts.dropFirst().map { part in
            defer { isPrivate = isPrivate || part.utf8.count == 1 }
            return isPrivate ? part.lowercased() : Self.usualCase(part)
        }
        text = ([language.lowercased()] + rest).joined(separator: "-")
    }

    private init(known text: String) { self.text = text }

    /// The tag of one of Hearth's own languages.
    package init(_ language: Language) { self.init(known: language.rawValue) }

    package var description: String { text }

    /// `es-MX`, then `es`: itself and what it is a variety of (RFC 4647 section 3.4).
    package var lineage: [LanguageTag] {
        var parts = text.split(separator: "-")
        var tags: [LanguageTag] = []
        while !parts.isEmpty {
            tags.append(LanguageTag(known: parts.joined(separator: "-")))
            parts.removeLast()
            // A single letter begins something and means nothing by itself.
            if let last = parts.last, last.utf8.count == 1 { parts.removeLast() }
        }
        return tags
    }

    /// The one of Hearth's own languages that it is a variety of; nil for another language.
    package var ownLanguage: Language? {
        Language(rawValue: String(text.prefix { $0 != "-" }))
    }

    /// Scripts as `Latn`, regions as `MX`, all else in lower case (RFC 5646 section 2.1.1).
    private static func usualCase(_ part: some StringProtocol) -> String {
        let isWord = part.utf8.allSatisfy(isLetter)
        switch part.utf8.count {
        case 2 where isWord: return part.uppercased()
        case 4 where isWord: return part.prefix(1).uppercased() + part.dropFirst().lowercased()
        default: return part.lowercased()
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte)
    }
}
