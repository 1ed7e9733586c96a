/// Rewrites names so that mail programs don't turn them into links. Anybody can send an invitation
/// to anybody, under a name of their own choice.
enum UnlinkedText {
    /// Returns the text with an invisible word joiner behind each dot and colon that is followed by
    /// something: `www.example.org` is no longer an address.
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

    /// U+2060 WORD JOINER: no break, no width.
    private static let wordJoiner: Unicode.Scalar = "\u{2060}"

    /// Whether the scalar is a colon, or is treated as a dot in a host name (UTS #46).
    private static func separates(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ".", "\u{2024}", "\u{3002}", "\u{FE52}", "\u{FF0E}", "\u{FF61}", ":", "\u{FF1A}": true
        default: false
        }
    }
}
