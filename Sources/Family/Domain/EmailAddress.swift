/// An e-mail address in the form in which Hearth compares and stores it.
///
/// Normalised: trimmed, NFC, ASCII letters in lower case and no others changed, so that look-alike
/// letters of other scripts never match. The database's `app.normalised_email` does the same.
package struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// Octets that a path may have (RFC 5321, section 4.5.3.1.3, without its brackets).
    package static let maximumBytes = 254

    /// Nil for a non-ASCII letter that Unicode treats as an ASCII one, such as the Kelvin sign:
    /// normalising would turn it into another person's address. Nil, too, unless the text is one
    /// address of the form `local@domain.tld` that headers and SMTP commands accept unchanged: no
    /// blanks, control characters, quotes, commas or angle brackets (RFC 5321's Dot-string, with
    /// non-ASCII letters as in RFC 6531).
    package init?(_ given: String) {
        let trimmed = given.trimmed
        guard !trimmed.unicodeScalars.contains(where: Self.composesToASCII) else { return nil }
        let normalised = Self.lowerCasedASCII(trimmed.nfc)
        let parts = normalised.utf8.split(
            separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, normalised.utf8.count <= Self.maximumBytes,
            parts[0].count <= 64, Self.isDotString(parts[0], allows: Self.isAtomByte),
            Self.isDotString(parts[1], allows: Self.isDomainByte),
            parts[1].contains(UInt8(ascii: ".")), Self.areLabels(parts[1]),
            normalised.unicodeScalars.allSatisfy(Self.isPrintable)
        else { return nil }
        text = normalised
    }

    package var description: String { text }

    private static func lowerCasedASCII(_ text: String) -> String {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        if !text.utf8.contains(where: { capitals.contains($0) }) { return text }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map {
                    ("A"..."Z").contains($0) ? Unicode.Scalar(UInt8($0.value) + 32) : $0
                }))
    }

    private static func composesToASCII(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII && String(scalar).nfc.unicodeScalars.contains(where: \.isASCII)
    }

    private static func isDotString(
        _ bytes: Substring.UTF8View, allows: (UInt8) -> Bool
    ) -> Bool {
        !bytes.isEmpty
            && bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .allSatisfy { !$0.isEmpty && $0.allSatisfy(allows) }
    }

    /// RFC 5322's atext, and the bytes of non-ASCII letters.
    private static func isAtomByte(_ byte: UInt8) -> Bool {
        isDomainByte(byte) || "!#$%&'*+/=?^_`{|}~".utf8.contains(byte)
    }

    private static func isDomainByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), 0x80...:
            true
        default: false
        }
    }

    /// RFC 1035, section 2.3.1: up to 63 octets, no hyphen at either end.
    private static func areLabels(_ domain: Substring.UTF8View) -> Bool {
        domain.split(separator: UInt8(ascii: ".")).allSatisfy {
            $0.count <= 63 && $0.first != UInt8(ascii: "-") && $0.last != UInt8(ascii: "-")
        }
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x21...0x7E).contains(scalar.value) }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate,
            .privateUse:
            false
        // Not what is merely unassigned: that depends on whose tables are newer, and the database
        // has to agree.
        case .unassigned: !scalar.properties.isNoncharacterCodePoint
        default: true
        }
    }
}
