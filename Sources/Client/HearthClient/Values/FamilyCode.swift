import Foundation

/// A family's code, such as `FAM-7K2Q9D`, in the one form in which Hearth writes it.
public struct FamilyCode: Sendable, Hashable, CustomStringConvertible {
    /// `FAM-` and six to eight letters or digits.
    public let text: String

    /// Reads a code that somebody typed, pasted or scanned: in any letter case and width, with or
    /// without `FAM-`, with digits of any script, with blanks or dashes in it, or as Hearth's own
    /// link to join. Nil if it is none, so a button can stay disabled until it is one.
    public init?(typed: String) {
        if let url = URL(string: typed.trimmingCharacters(in: .whitespacesAndNewlines)),
            url.scheme != nil, url.host != nil
        {
            guard case .familyCode(let code)? = HearthLink(url) else { return nil }
            self = code
            return
        }
        var kept = ""
        var isPrefixSeparate = false
        for scalar in typed.unicodeScalars {
            if Self.isBlankOrDash(scalar) {
                isPrefixSeparate = isPrefixSeparate || kept == Self.prefix
            } else if let character = Self.codeCharacter(scalar) {
                kept.append(character)
            } else {
                return nil
            }
        }
        // Without a separator, up to eight characters are a bare code, even one that begins like
        // the prefix.
        if kept.hasPrefix(Self.prefix), isPrefixSeparate || kept.count > Self.lengths.upperBound {
            kept.removeFirst(Self.prefix.count)
        }
        guard Self.lengths.contains(kept.count) else { return nil }
        text = "FAM-\(kept)"
    }

    /// `FAM-` and six to eight letters or digits.
    public var description: String { text }

    /// How many characters the longest code has, its prefix included.
    static let longestText = "FAM-".count + lengths.upperBound

    /// White space, a dash of any width, or what has no width.
    private static func isBlankOrDash(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isWhitespace || scalar == "\u{2212}" { return true }
        switch scalar.properties.generalCategory {
        case .dashPunctuation, .format: return true
        default: return false
        }
    }

    /// In upper case and ASCII: letters of either width, digits of any script; nil for what no code
    /// has.
    private static func codeCharacter(_ scalar: Unicode.Scalar) -> Character? {
        switch scalar {
        case "A"..."Z": return Character(scalar)
        case "a"..."z": return Character(UnicodeScalar(UInt8(scalar.value) - 32))
        case "\u{FF21}"..."\u{FF3A}": return Character(UnicodeScalar(UInt8(scalar.value - 0xFEE0)))
        case "\u{FF41}"..."\u{FF5A}": return Character(UnicodeScalar(UInt8(scalar.value - 0xFF00)))
        default:
            guard scalar.properties.generalCategory == .decimalNumber,
                let digit = scalar.properties.numericValue
            else { return nil }
            return Character("\(Int(digit))")
        }
    }

    private static let prefix = "FAM"
    private static let lengths = 6...8
}
