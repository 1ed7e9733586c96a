import Foundation

/// A family's code, such as `FAM-7K2Q9D`, in the one form in which Hearth writes it.
public struct FamilyCode: Sendable, Hashable, CustomStringConvertible {
    /// `FAM-` and six to eight letters or digits.
    public let text: String

    /// The code that somebody typed, pasted or scanned: in any letter case, with or without `FAM-`,
    /// with blanks or dashes in it, or as Hearth's own link to join. Nil if it is none, so a button
    /// can stay disabled until it is one.
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
        for character in typed.uppercased() {
            if character.isWhitespace || character == "-" {
                isPrefixSeparate = isPrefixSeparate || kept == Self.prefix
            } else if character.isASCII, character.isLetter || character.isNumber {
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

    private static let prefix = "FAM"
    private static let lengths = 6...8
}
