/// The languages that Hearth has texts in, by their tags (RFC 5646).
package enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case spanish = "es"

    /// Selects the language with the highest weight in an `Accept-Language` header; English if the
    /// header names none of them (RFC 9110 section 12.5.4).
    package init(accepted header: String?) {
        self =
            LanguageRange.all(of: header ?? "").best { range -> Language? in
                let primary = range.text.prefix { $0 != "-" }
                return primary == "*" ? .english : Language(rawValue: String(primary))
            } ?? .english
    }
}

/// A language tag as devices send it: `es`, `es-MX` (RFC 5646), in the conventional letter case.
package struct LanguageTag: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// Maximum length of a tag in bytes.
    package static let maximumBytes = 35

    /// Returns nil unless the text is a language code of two or three letters, optionally followed
    /// by subtags of one to eight letters and digits.
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

    /// Creates the tag of one of Hearth's own languages.
    package init(_ language: Language) { self.init(known: language.rawValue) }

    package var description: String { text }

    /// The tag and its parents, most specific first: `es-MX`, then `es` (RFC 4647 section 3.4).
    package var lineage: [LanguageTag] {
        var parts = text.split(separator: "-")
        var tags: [LanguageTag] = []
        while !parts.isEmpty {
            tags.append(LanguageTag(known: parts.joined(separator: "-")))
            parts.removeLast()
            // A single letter introduces an extension and means nothing by itself.
            if let last = parts.last, last.utf8.count == 1 { parts.removeLast() }
        }
        return tags
    }

    /// Hearth's own language that the tag is a variety of; nil for another language.
    package var ownLanguage: Language? {
        Language(rawValue: String(text.prefix { $0 != "-" }))
    }

    /// Returns scripts as `Latn`, regions as `MX`, all else in lower case (RFC 5646 section 2.1.1).
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

/// A language range of an `Accept-Language` header (RFC 9110 section 12.5.4).
struct LanguageRange {
    /// The range in lower case: `es-mx`, or `*` for any language.
    let text: String
    /// The weight in thousandths, from 0 to 1000.
    let weight: Int

    /// Maximum number of ranges read from a header.
    private static let longestList = 32

    /// Returns the ranges of a header, without those that are malformed.
    static func all(of header: String) -> [LanguageRange] {
        header.utf8.split(separator: UInt8(ascii: ","), maxSplits: longestList)
            .prefix(longestList).compactMap { LanguageRange(Substring($0)) }
    }

    /// Parses one range: `es-MX;q=0.8` becomes `es-mx` with weight 800.
    private init?(_ range: Substring) {
        let parts = range.split(separator: ";").map { part in
            part.filter { $0 != " " && $0 != "\t" }.lowercased()
        }
        guard let tag = parts.first, parts.count <= 2 else { return nil }
        text = tag
        if parts.count == 1 {
            weight = 1_000
        } else {
            guard parts[1].hasPrefix("q="), let weight = Self.thousandths(parts[1].dropFirst(2))
            else { return nil }
            self.weight = weight
        }
    }

    /// Parses a weight in thousandths: `0.8` is 800, `1` is 1000 (RFC 9110 section 12.4.2).
    private static func thousandths(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first, whole == "0" || whole == "1" else {
            return nil
        }
        let digits = parts.count == 2 ? parts[1] : ""
        guard digits.utf8.count <= 3, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        let padded = digits + String(repeating: "0", count: 3 - digits.utf8.count)
        guard let fraction = Int(padded) else { return nil }
        return min(1_000, (whole == "1" ? 1_000 : 0) + fraction)
    }
}

extension Sequence<LanguageRange> {
    /// Returns the match of the range with the highest weight among those that have one; the first
    /// of several with the same weight.
    func best<Found>(_ find: (LanguageRange) -> Found?) -> Found? {
        var best: (found: Found, weight: Int)?
        for range in self where range.weight > best?.weight ?? 0 {
            if let found = find(range) { best = (found, range.weight) }
        }
        return best?.found
    }
}

/// The languages that e-mails are available in: Hearth's own, and those of an operator's templates.
package struct SupportedLanguages: Sendable {
    private let tags: Set<LanguageTag>

    /// - Parameter further: The languages of an operator's templates.
    package init(further: [LanguageTag] = []) {
        tags = Set(further).union(Language.allCases.map { LanguageTag($0) })
    }

    /// The supported languages, sorted by their tags.
    package var all: [LanguageTag] { tags.sorted { $0.text < $1.text } }

    /// Returns the supported language that a tag is a variety of; nil if there is none.
    package func match(_ tag: LanguageTag) -> LanguageTag? {
        tag.lineage.first { tags.contains($0) }
    }

    /// Returns the supported language that an `Accept-Language` header prefers, spelled as the
    /// header asks for it: `es-MX` stays `es-MX`. Nil if the header accepts none of them, or names
    /// no language.
    package func wanted(by header: String?) -> LanguageTag? {
        LanguageRange.all(of: header ?? "").best { range in
            LanguageTag(range.text).flatMap { tag in match(tag) == nil ? nil : tag }
        }
    }
}
