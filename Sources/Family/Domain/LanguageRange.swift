/// A language that an `Accept-Language` wants (RFC 9110 section 12.5.4).
struct LanguageRange {
    /// In lower case: `es-mx`, or `*` for any.
    let text: String
    /// From 0 to 1000.
    let weight: Int

    /// The ranges of a header that are looked at.
    private static let longestList = 32

    /// The ranges of a header, without those that can't be read.
    static func all(of header: String) -> [LanguageRange] {
        header.utf8.split(separator: UInt8(ascii: ","), maxSplits: longestList)
            .prefix(longestList).compactMap { LanguageRange(Substring($0)) }
    }

    /// Of `es-MX;q=0.8`: `es-mx`, 800.
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

extension Sequence<LanguageRange> {
    /// The first of the most wanted ranges that there is something for.
    func best<Found>(_ find: (LanguageRange) -> Found?) -> Found? {
        var best: (found: Found, weight: Int)?
        for range in self where range.weight > best?.weight ?? 0 {
            if let found = find(range) { best = (found, range.weight) }
        }
        return best?.found
    }
}
