// The standard library normalises strings for comparing them and offers the result only here;
// Foundation would bring it at the price of its size in every process.
@_spi(_Unicode) import Swift

extension String {
    /// Unicode Normalization Form C (Unicode Standard Annex #15).
    package var nfc: String {
        // ASCII is its own normal form, and nearly everything is ASCII.
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        var result = String()
        result.reserveCapacity(utf8.count)
        for scalar in _nfc { result.unicodeScalars.append(scalar) }
        return result
    }

    /// Without white space at either end.
    package var trimmed: String {
        if hasVisibleEnds { return self }
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }

    /// A short text in its one form: NFC, nothing in it that steers its layout, no white space or
    /// joiner at either end. The database's `app.normalised_text` does the same.
    ///
    /// Marks of direction and spaces of no width (general category Cf) would let a name read as
    /// another on screen. The two joiners stay inside the text, because emoji and some scripts need
    /// them.
    package var asShortText: String {
        if hasVisibleEnds, utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return self }
        var kept = String()
        for scalar in unicodeScalars
        where scalar.properties.generalCategory != .format || scalar.isJoiner {
            kept.unicodeScalars.append(scalar)
        }
        let scalars = kept.nfc.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.isEdge }),
            let last = scalars.lastIndex(where: { !$0.isEdge })
        else { return "" }
        return String(scalars[first...last])
    }
}

extension String {
    /// Whether it begins and ends with an ASCII character that is seen.
    private var hasVisibleEnds: Bool {
        guard let first = utf8.first, let last = utf8.last else { return false }
        return (0x21...0x7E).contains(first) && (0x21...0x7E).contains(last)
    }
}

extension Unicode.Scalar {
    /// Zero-width non-joiner and zero-width joiner.
    fileprivate var isJoiner: Bool { self == "\u{200C}" || self == "\u{200D}" }

    fileprivate var isEdge: Bool { properties.isWhitespace || isJoiner }

    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Whether a line ends with it (Unicode Standard Annex #14, classes BK, CR, LF and NL).
    fileprivate var isLineBreak: Bool {
        switch value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}

/// Text that a person gave: in its one form (`asShortText`), of a bounded number of code points,
/// without control characters.
///
/// The conforming type defines the bounds.
package protocol BoundedText: Hashable, Sendable, CustomStringConvertible {
    /// How many code points there may be after trimming and normalising.
    static var allowedLengths: ClosedRange<Int> { get }
    var text: String { get }
    init(unchecked text: String)
}

extension BoundedText {
    /// Nil when the text is too short or too long or holds a control character or a separator of
    /// lines: a line break has no place in a name, and NUL can't be stored.
    package init?(_ given: String) {
        let text = given.asShortText
        guard Self.fault(of: text) == nil else { return nil }
        self.init(unchecked: text)
    }

    /// What is wrong with a text; nil if it is acceptable.
    package static func fault(in given: String) -> TextFault? { fault(of: given.asShortText) }

    private static func fault(of text: String) -> TextFault? {
        if let control = text.unicodeScalars.first(where: \.isControl) {
            return control.isLineBreak ? .lineBreak : .control(control)
        }
        let length = text.unicodeScalars.count
        return allowedLengths.contains(length) ? nil : .length(length, allowed: allowedLengths)
    }

    /// Makes an acceptable text from one that nobody can correct, such as a token's: controls
    /// become blanks, and excess length is cut. Nil if nothing visible is left. The database's
    /// `app.normalised_name` does the same.
    package init?(cleaning given: String) {
        var plain = String()
        // NUL has no meaning, and text in PostgreSQL can't contain it.
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

/// The name that a managed member is shown with: 1 to 30 code points.
package struct DisplayName: BoundedText {
    package static let allowedLengths = 1...30
    package let text: String
    package init(unchecked text: String) { self.text = text }
}

/// The key of an app's picture for a person: 0 to 64 code points.
package struct AvatarKey: BoundedText {
    package static let allowedLengths = 0...64
    package let text: String
    package init(unchecked text: String) { self.text = text }
}

/// A word or two, such as a sport: 1 to 80 code points.
package struct Label: BoundedText {
    package static let allowedLengths = 1...80
    package let text: String
    package init(unchecked text: String) { self.text = text }
}

/// A detail that an app notes about a player: 1 to 200 code points.
package struct DetailText: BoundedText {
    package static let allowedLengths = 1...200
    package let text: String
    package init(unchecked text: String) { self.text = text }
}

/// The name that an app gives a detail: 1 to 64 code points.
package struct DetailName: BoundedText {
    package static let allowedLengths = 1...64
    package let text: String
    package init(unchecked text: String) { self.text = text }
}
