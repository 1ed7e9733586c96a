/// Names without what mail programs make links of: anybody can have an invitation mailed to
/// anybody, in a name of one's own choice.
enum UnlinkedText {
    /// The text with a word joiner, which is not seen, behind each dot and colon that something
    /// follows: `www.example.org` is no address any more.
    static func of(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: separates) else { return text }
        var scalars = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            scalars.append(scalar)
            if separates(scalar), let next = rest.first, !next.properties.isWhitespace {
                scalars.append(wordJoiner)
            }
        }
        return String(scalars)
    }

    /// U+2060: no break, no width.
    private static let wordJoiner: Unicode.Scalar = "\u{2060}"

    /// Colons, and what counts as a dot in the name of a host (UTS #46).
    private static func separates(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ".", "\u{2024}", "\u{3002}", "\u{FE52}", "\u{FF0E}", "\u{FF61}", ":", "\u{FF1A}": true
        default: false
        }
    }
}
