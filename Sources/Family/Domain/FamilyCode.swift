/// The code by which people join a family: `FAM-` and six characters.
package struct FamilyCode: Hashable, Sendable, CustomStringConvertible {
    /// The canonical form, e.g. `FAM-K7Q2XM`.
    package let text: String

    /// Reads a code as people type it: in any letter case, with blanks around it, with or without
    /// its prefix. Nil for anything that is no code.
    ///
    /// Every letter and digit is accepted, the confusable ones too: `app.random_code` uses none of
    /// them, but codes may be older.
    package init?(_ typed: String) {
        var characters = Array(typed.trimmed.utf8)
        guard characters.count == 6 || characters.count == 10 else { return nil }
        for index in characters.indices {
            if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(characters[index]) {
                characters[index] -= 32
            }
        }
        if characters.count == 10 {
            guard characters.starts(with: "FAM-".utf8) else { return nil }
            characters.removeFirst(4)
        }
        guard characters.allSatisfy(Self.isCodeCharacter) else { return nil }
        text = "FAM-" + String(decoding: characters, as: UTF8.self)
    }

    package var description: String { text }

    private static func isCodeCharacter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
