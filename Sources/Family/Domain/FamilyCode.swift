/// The code by which people join a family: `FAM-` and six characters.
package struct FamilyCode: Hashable, Sendable, CustomStringConvertible {
    /// The canonical form, e.g. `FAM-K7Q2XM`.
    package let text: String

    /// Reads a code as people type or paste it: in any letter case, with blanks or dashes anywhere,
    /// with or without its prefix. Nil for anything that is no code.
    ///
    /// Every letter and digit is accepted, the confusable ones too: `app.random_code` uses none of
    /// them, but codes may be older.
    package init?(_ typed: String) {
        var characters: [UInt8] = []
        var isPrefixSeparate = false
        for scalar in typed.unicodeScalars {
            if scalar.isBlankOrDash {
                isPrefixSeparate = isPrefixSeparate || characters == Self.prefix
                continue
            }
            guard let character = Self.codeCharacter(scalar), characters.count < 9 else {
                return nil
            }
            characters.append(character)
        }
        if characters.starts(with: Self.prefix), isPrefixSeparate || characters.count == 9 {
            characters.removeFirst(3)
        }
        guard characters.count == 6 else { return nil }
        text = "FAM-" + String(decoding: characters, as: UTF8.self)
    }

    package var description: String { text }

    private static let prefix = Array("FAM".utf8)

    /// In upper case; nil for what no code has.
    private static func codeCharacter(_ scalar: Unicode.Scalar) -> UInt8? {
        switch scalar {
        case "A"..."Z", "0"..."9": UInt8(scalar.value)
        case "a"..."z": UInt8(scalar.value) - 32
        default: nil
        }
    }
}

extension Unicode.Scalar {
    /// White space, a dash of any width, or what has no width.
    fileprivate var isBlankOrDash: Bool {
        if properties.isWhitespace || self == "\u{2212}" { return true }
        switch properties.generalCategory {
        case .dashPunctuation, .format: return true
        default: return false
        }
    }
}
