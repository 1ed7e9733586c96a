@_spi(_Unicode) import Swift

// The standard library normalises strings to compare them, but exposes the result only through this
// import. Foundation would offer it too, at the cost of its size in every process.

extension String {
    /// The text in Unicode Normalisation Form C (Unicode Standard Annex #15).
    package var nfc: String {
        // ASCII is its own normal form, and nearly everything is ASCII.
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        var result = String()
        result.reserveCapacity(utf8.count)
        for scalar in _nfc { result.unicodeScalars.append(scalar) }
        return result
    }

    /// The text without white space at either end.
    package var trimmed: String {
        if hasVisibleEnds { return self }
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }

    /// The normalised form of a short text: NFC, without characters that control layout, without
    /// white space at either end. The database's `app.normalised_text` does the same.
    ///
    /// Direction marks, zero-width spaces and noncharacters would let one name look like another on
    /// screen. Joiners and tag characters stay where a script or an emoji needs them (Unicode
    /// Standard Annex #31, Unicode Technical Standard #51).
    package var asShortText: String {
        if hasVisibleEnds, utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return self }
        let text = String(UnicodeScalarView(unicodeScalars.filter { !$0.steersLayout }))
        return ShortText.withoutStrayJoiners(ShortText.withoutStrayTags(text)).trimmed
    }

    /// Whether the text has a visible character: one that is not white space, a mark, unassigned, a
    /// control, ignorable by default, or drawn as a blank (U+2800, U+1D159). The database's
    /// `app.has_visible_character` does the same.
    package var hasVisibleCharacter: Bool { unicodeScalars.contains { $0.isSeen } }
}

extension String {
    /// Whether the text begins and ends with a visible ASCII character.
    private var hasVisibleEnds: Bool {
        guard let first = utf8.first, let last = utf8.last else { return false }
        return (0x21...0x7E).contains(first) && (0x21...0x7E).contains(last)
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Whether the character ends a line (Unicode Standard Annex #14, classes BK, CR, LF and NL).
    fileprivate var isLineBreak: Bool {
        switch value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    fileprivate var isSeen: Bool {
        if (0x21...0x7E).contains(value) { return true }
        if value == 0x2800 || value == 0x1D159 || properties.isWhitespace
            || properties.isDefaultIgnorableCodePoint
        {
            return false
        }
        return switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .unassigned, .control, .surrogate:
            false
        default: true
        }
    }
}

/// Text that a person entered: normalised (`asShortText`), with a limited number of code points,
/// without control characters.
///
/// The conforming type defines the limits.
package protocol BoundedText: Hashable, Sendable, CustomStringConvertible {
    /// The allowed number of code points after trimming and normalising.
    static var allowedLengths: ClosedRange<Int> { get }
    /// The normalised text.
    var text: String { get }
    /// Wraps a text that is known to be normalised and within the limits.
    init(unchecked text: String)
}

extension BoundedText {
    /// Returns nil if the text is too short or too long, has no visible character, or contains a
    /// control character or line separator: a name never contains a line break, and PostgreSQL
    /// can't store NUL.
    package init?(_ given: String) {
        let text = given.asShortText
        guard Self.fault(of: text) == nil else { return nil }
        self.init(unchecked: text)
    }

    /// Returns the reason why a text is not acceptable; nil if it is.
    package static func fault(in given: String) -> TextFault? { fault(of: given.asShortText) }

    private static func fault(of text: String) -> TextFault? {
        if let control = text.unicodeScalars.first(where: \.isControl) {
            return control.isLineBreak ? .lineBreak : .control(control)
        }
        let length = text.unicodeScalars.count
        guard allowedLengths.contains(length) else {
            return .length(length, allowed: allowedLengths)
        }
        return length == 0 || text.hasVisibleCharacter ? nil : .invisible
    }

    /// Creates an acceptable text from one that nobody can correct, such as a claim of a token:
    /// replaces controls by blanks and truncates excess length. Returns nil if nothing visible is
    /// left. The database's `app.normalised_name` does the same.
    package init?(cleaning given: String) {
        var plain = String()
        // NUL carries no meaning, and PostgreSQL text can't contain it.
        for scalar in given.unicodeScalars where scalar != "\0" {
            plain.unicodeScalars.append(scalar.isControl ? " " : scalar)
        }
        let longest = plain.asShortText.unicodeScalars.prefix(Self.allowedLengths.upperBound)
        self.init(String(longest))
    }

    package var description: String { text }
}

/// The name of a family: 1 to 80 code points.
package struct FamilyName: BoundedText {
    package static let allowedLengths = 1...80
    package let text: String
    package init(unchecked text: String) { self.text = text }
}

/// The name of a person with an account: 1 to 80 code points.
package struct PersonName: BoundedText {
    package static let allowedLengths = 1...80
    package let text: String
    package init(unchecked text: String) { self.text = text }
}

/// The name under which a managed member is shown: 1 to 30 code points.
package struct DisplayName: BoundedText {
    package static let allowedLengths = 1...30
    package let text: String
    package init(unchecked text: String) { self.text = text }
}

/// The key of a picture that an app shows for a person: 0 to 64 code points.
package struct AvatarKey: BoundedText {
    package static let allowedLengths = 0...64
    package let text: String
    package init(unchecked text: String) { self.text = text }
}

/// One or two words, such as a sport: 1 to 80 code points.
package struct Label: BoundedText {
    package static let allowedLengths = 1...80
    package let text: String
    package init(unchecked text: String) { self.text = text }
}

/// A detail that an app stores about a player: 1 to 200 code points.
package struct DetailText: BoundedText {
    package static let allowedLengths = 1...200
    package let text: String
    package init(unchecked text: String) { self.text = text }
}

/// The name of a detail, chosen by the app: 1 to 64 code points.
package struct DetailName: BoundedText {
    package static let allowedLengths = 1...64
    package let text: String
    package init(unchecked text: String) { self.text = text }
}

/// The reason why a text that a person entered is not acceptable.
package enum TextFault: Hashable, Sendable, CustomStringConvertible {
    /// The normalised text has this many code points.
    case length(Int, allowed: ClosedRange<Int>)
    case lineBreak
    /// The text has no visible character.
    case invisible
    /// The text contains another control character.
    case control(Unicode.Scalar)

    /// The complaint, to be appended to the name of the field.
    package var description: String {
        switch self {
        case .length(let count, let allowed):
            "must be \(allowed.lowerBound) to \(allowed.upperBound) characters long, "
                + "found \(count == 0 ? "none" : "\(count)")"
        case .lineBreak: "must not contain a line break"
        case .invisible: "must have a character that can be seen"
        case .control(let scalar):
            "must not contain control characters, found U+\(Self.hexadecimal(scalar))"
        }
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

/// The domain of an e-mail address that contains non-ASCII letters.
package struct MailDomain: Hashable, Sendable {
    /// The domain as it is stored.
    package let spelling: String
    /// The domain with its A-labels, in lower case (IDNA 2008).
    package let aLabels: String

    /// Returns nil for a domain in ASCII, and for one that can't be registered.
    package init?(_ spelling: String) {
        guard !spelling.utf8.allSatisfy({ $0 < 0x80 }),
            let aLabels = DomainName.aLabels(of: spelling)
        else { return nil }
        self.spelling = spelling
        self.aLabels = aLabels
    }
}

/// An e-mail address, as it is shown and as Hearth compares it.
package struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address as it is stored and shown: trimmed, NFC, with ASCII letters in lower case. Other
    /// letters keep their case, so that look-alike letters of other scripts never match. The
    /// database's `app.normalised_email` does the same.
    package let text: String
    /// The address that is compared and that mail is sent to: the local part, and the domain with
    /// its A-labels. All spellings of one mailbox have the same value.
    package let mailbox: String

    /// Maximum length of an address in octets: that of a path without its angle brackets (RFC 5321,
    /// section 4.5.3.1.3).
    package static let maximumBytes = 254

    /// Returns nil for a non-ASCII letter that Unicode treats as an ASCII one, such as the Kelvin
    /// sign: normalising would turn it into another person's address. Also returns nil unless the
    /// text is one address of the form `local@domain.tld` that headers and SMTP commands accept
    /// unchanged (no blanks, control characters, quotes, commas or angle brackets: RFC 5321's
    /// Dot-string, with non-ASCII letters as in RFC 6531) and whose domain can be registered.
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
            normalised.unicodeScalars.allSatisfy(Self.isPrintable),
            let labels = DomainName.aLabels(of: String(Substring(parts[1])))
        else { return nil }
        text = normalised
        mailbox = "\(Substring(parts[0]))@\(labels)"
        guard mailbox.utf8.count <= Self.maximumBytes else { return nil }
    }

    /// The domain, if its A-labels differ from its spelling: the database must store the A-labels
    /// before it can compare the address.
    package var labelledDomain: MailDomain? {
        guard text != mailbox, let at = text.firstIndex(of: "@") else { return nil }
        return MailDomain(String(text[text.index(after: at)...]))
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

    /// Whether a byte is RFC 5322's atext or part of a non-ASCII letter.
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

    /// Whether labels have up to 63 octets and no hyphen at either end (RFC 1035, section 2.3.1).
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
        // Other unassigned code points stay: which ones are unassigned depends on the Unicode
        // version, and the database must agree.
        case .unassigned: !scalar.properties.isNoncharacterCodePoint
        default: true
        }
    }
}
