/// Normalisation rules that depend on a character's neighbours: joiners, tag characters, vowel
/// separators. The database has the same tables (`addresses_and_names.sql`), so that both decide
/// alike whatever versions of Unicode they have.
enum ShortText {
    /// Removes tag characters, except those of an emoji tag sequence (Unicode Technical Standard
    /// #51) such as the flag of Scotland.
    static func withoutStrayTags(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { isTag($0) }) else { return text }
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            if let end = tagSequenceEnd(scalars, from: index) {
                result.append(contentsOf: scalars[index..<end])
                index = end
                continue
            }
            if !isTag(scalars[index]) { result.append(scalars[index]) }
            index += 1
        }
        return String(result)
    }

    /// Returns the text in NFC without stray joiners and vowel separators. Joiners stay beside a
    /// virama and between letters that join (Unicode Standard Annex #31), zero-width joiners also
    /// between emoji, and vowel separators between Mongolian letters.
    ///
    /// Removing a character may reorder marks, and so change the neighbours of another joiner. The
    /// function therefore repeats until nothing changes.
    static func withoutStrayJoiners(_ text: String) -> String {
        var text = text.nfc
        while true {
            let next = removeStrayJoinersOnce(text).nfc
            if next.unicodeScalars.count == text.unicodeScalars.count { return next }
            text = next
        }
    }

    private static func removeStrayJoinersOnce(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        guard scalars.contains(where: { (0x200C...0x200D).contains($0.value) || $0 == separator })
        else { return text }
        var result = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() where isKept(scalar, at: index, scalars) {
            result.append(scalar)
        }
        return String(result)
    }

    private static let separator: Unicode.Scalar = "\u{180E}"

    private static func isTag(_ scalar: Unicode.Scalar) -> Bool {
        (0xE0020...0xE007F).contains(scalar.value)
    }

    /// Returns the end of the tag sequence that begins with this emoji; nil if none does.
    private static func tagSequenceEnd(_ scalars: [Unicode.Scalar], from start: Int) -> Int? {
        guard emoji.contains(scalars[start]) else { return nil }
        var index = start + 1
        if index < scalars.count, scalars[index] == "\u{FE0F}" { index += 1 }
        let first = index
        while index < scalars.count, (0xE0020...0xE007E).contains(scalars[index].value) {
            index += 1
        }
        guard index > first, index < scalars.count, scalars[index].value == 0xE007F else {
            return nil
        }
        return index + 1
    }

    private static func isKept(
        _ scalar: Unicode.Scalar, at index: Int, _ scalars: [Unicode.Scalar]
    ) -> Bool {
        let before = index > 0 ? scalars[index - 1] : nil
        let after = index + 1 < scalars.count ? scalars[index + 1] : nil
        switch scalar.value {
        case 0x180E: return isMongolian(before, withVariants: true) && isMongolian(after)
        case 0x200C, 0x200D:
            if viramas.contains(before) || viramas.contains(after) { return true }
            if joining.contains(before), joining.contains(after) { return true }
            return scalar == "\u{200D}" && endsEmoji(scalars, before: index)
                && emoji.contains(after)
        default: return true
        }
    }

    private static func endsEmoji(_ scalars: [Unicode.Scalar], before index: Int) -> Bool {
        guard index > 0 else { return false }
        let last = scalars[index - 1]
        if last.value == 0xE007F { return true }
        return last == "\u{FE0F}"
            ? index > 1 && emoji.contains(scalars[index - 2]) : emoji.contains(last)
    }

    private static func isMongolian(
        _ scalar: Unicode.Scalar?, withVariants: Bool = false
    ) -> Bool {
        guard let value = scalar?.value else { return false }
        return (0x1820...0x1878).contains(value)
            || (withVariants && (0x180B...0x180D).contains(value))
    }

    /// The blocks of emoji, and the few emoji outside them.
    private static let emoji = Ranges([
        0xA9...0xA9, 0xAE...0xAE, 0x203C...0x203C, 0x2049...0x2049, 0x2122...0x2122,
        0x2139...0x2139, 0x2190...0x2BFF, 0x3030...0x3030, 0x303D...0x303D, 0x3297...0x3297,
        0x3299...0x3299, 0x1F000...0x1FAFF,
    ])

    /// The blocks of scripts with joining letters.
    private static let joining = Ranges([
        0x620...0x65F, 0x66E...0x6DC, 0x6DF...0x6EF, 0x6FA...0x6FF, 0x710...0x77F, 0x7CA...0x7FA,
        0x840...0x85F, 0x860...0x88E, 0x897...0x8E1, 0x8E3...0x8FF, 0x1807...0x1807,
        0x180B...0x180D, 0x1820...0x18AA, 0xA840...0xA873, 0x10AC0...0x10AEF, 0x10B80...0x10BAF,
        0x10D00...0x10D27, 0x10F30...0x10F54, 0x10F70...0x10F85, 0x10FB0...0x10FCB,
        0x1E900...0x1E94B,
    ])

    /// Viramas: characters of canonical combining class 9.
    private static let viramas = Ranges(
        [
            0x94D, 0x9CD, 0xA4D, 0xACD, 0xB4D, 0xBCD, 0xC4D, 0xCCD, 0xD3B, 0xD3C, 0xD4D, 0xDCA,
            0xE3A, 0xEBA, 0xF84, 0x1039, 0x103A, 0x1714, 0x1715, 0x1734, 0x17D2, 0x1A60, 0x1B44,
            0x1BAA, 0x1BAB, 0x1BF2, 0x1BF3, 0x2D7F, 0xA806, 0xA82C, 0xA8C4, 0xA953, 0xA9C0, 0xAAF6,
            0xABED, 0x10A3F, 0x11046, 0x11070, 0x1107F, 0x110B9, 0x11133, 0x11134, 0x111C0,
            0x11235, 0x112EA, 0x1134D, 0x113CE, 0x113CF, 0x113D0, 0x11442, 0x114C2, 0x115BF,
            0x1163F, 0x116B6, 0x1172B, 0x11839, 0x1193D, 0x1193E, 0x119E0, 0x11A34, 0x11A47,
            0x11A99, 0x11C3F, 0x11D44, 0x11D45, 0x11D97, 0x11F41, 0x11F42, 0x1612F,
        ].map { $0...$0 })
}

/// Ranges of code points in ascending order.
private struct Ranges: Sendable {
    private let ranges: [ClosedRange<UInt32>]

    init(_ ranges: [ClosedRange<UInt32>]) { self.ranges = ranges }

    func contains(_ scalar: Unicode.Scalar?) -> Bool {
        guard let value = scalar?.value else { return false }
        return ranges.contains { $0.contains(value) }
    }
}

extension Unicode.Scalar {
    /// Whether the character controls the layout of text, or is a noncharacter. Joiners, tag
    /// characters and the Mongolian vowel separator are excluded: they depend on their neighbours.
    var steersLayout: Bool {
        switch value {
        case 0x20...0xAC: false
        case 0xAD, 0x61C, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x2064,
            0x2066...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A,
            0xE0001:
            true
        default: properties.isNoncharacterCodePoint
        }
    }
}
