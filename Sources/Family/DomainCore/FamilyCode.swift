/// The code by which people join a family: `FAM-` and six to eight characters.
package struct FamilyCode: Hashable, Sendable, CustomStringConvertible {
    /// The canonical form, e.g. `FAM-K7Q2XM`.
    package let text: String

    /// Number of characters allowed after the prefix. `HEARTH_CODE_LENGTH` sets the length of new
    /// codes; existing codes of any of these lengths stay valid.
    package static let lengths = 6...8

    /// Parses a code as people type or paste it: in any letter case and width, with digits of any
    /// script, with blanks or dashes anywhere, with or without its prefix. Returns nil for anything
    /// else.
    ///
    /// Accepts every letter and digit, including easily confused ones: `app.random_code` avoids
    /// them, but older codes may contain them.
    package init?(_ typed: String) {
        var characters: [UInt8] = []
        var isPrefixSeparate = false
        for scalar in typed.unicodeScalars {
            if scalar.isBlankOrDash {
                isPrefixSeparate = isPrefixSeparate || characters == Self.prefix
                continue
            }
            guard let character = Self.codeCharacter(scalar),
                characters.count < Self.prefix.count + Self.lengths.upperBound
            else { return nil }
            characters.append(character)
        }
        // Without a separator, up to eight characters are a bare code, even if they begin with the
        // letters of the prefix.
        if characters.starts(with: Self.prefix),
            isPrefixSeparate || characters.count > Self.lengths.upperBound
        {
            characters.removeFirst(Self.prefix.count)
        }
        guard Self.lengths.contains(characters.count) else { return nil }
        text = "FAM-" + String(decoding: characters, as: UTF8.self)
    }

    package var description: String { text }

    private static let prefix = Array("FAM".utf8)

    /// Returns the character in upper case, or nil if no code contains it.
    private static func codeCharacter(_ scalar: Unicode.Scalar) -> UInt8? {
        switch scalar {
        case "A"..."Z": UInt8(scalar.value)
        case "a"..."z": UInt8(scalar.value) - 32
        // Full-width letters.
        case "\u{FF21}"..."\u{FF3A}": UInt8(scalar.value - 0xFF21) + UInt8(ascii: "A")
        case "\u{FF41}"..."\u{FF5A}": UInt8(scalar.value - 0xFF41) + UInt8(ascii: "A")
        default: scalar.decimalDigit.map { UInt8(ascii: "0") + $0 }
        }
    }
}

extension Unicode.Scalar {
    /// Whether the character is white space, a dash of any width, or has no width.
    package var isBlankOrDash: Bool {
        if properties.isWhitespace || self == "\u{2212}" { return true }
        switch properties.generalCategory {
        case .dashPunctuation, .format: return true
        default: return false
        }
    }

    /// The value of a decimal digit of any script (general category Nd); nil for anything else.
    package var decimalDigit: UInt8? {
        if ("0"..."9").contains(self) { return UInt8(value) - UInt8(ascii: "0") }
        guard properties.generalCategory == .decimalNumber, let digit = properties.numericValue
        else { return nil }
        return UInt8(digit)
    }
}
