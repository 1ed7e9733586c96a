/// The languages in which Hearth speaks to people, by their tags (RFC 5646).
package enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case spanish = "es"

    /// The ranges of an `Accept-Language` that are looked at.
    private static let longestList = 32

    /// The one of these that an `Accept-Language` wants most; English where it wants none of them
    /// (RFC 9110 section 12.5.4).
    package init(accepted header: String?) {
        var best: (language: Language, weight: Int)?
        let ranges = (header ?? "").utf8.split(
            separator: UInt8(ascii: ","), maxSplits: Self.longestList)
        for range in ranges.prefix(Self.longestList) {
            guard let (language, weight) = Self.wanted(Substring(range)),
                weight > best?.weight ?? 0
            else { continue }
            best = (language, weight)
        }
        self = best?.language ?? .english
    }

    /// Of `es-MX;q=0.8`: Spanish, 800. Nil for a language that is not one of these.
    private static func wanted(_ range: Substring) -> (Language, Int)? {
        let parts = range.split(separator: ";").map { part in
            part.filter { $0 != " " && $0 != "\t" }.lowercased()
        }
        guard let tag = parts.first, parts.count <= 2 else { return nil }
        let primary = tag.prefix { $0 != "-" }
        guard let language = primary == "*" ? .english : Language(rawValue: String(primary))
        else { return nil }
        guard parts.count == 2 else { return (language, 1_000) }
        guard parts[1].hasPrefix("q="), let weight = thousandths(parts[1].dropFirst(2)) else {
            return nil
        }
        return (language, weight)
    }

    /// A weight: `0.8` is 800, `1` is 1000 (RFC 9110 section 12.4.2).
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
