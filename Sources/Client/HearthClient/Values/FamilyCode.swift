import Foundation

/// A family's code, such as `FAM-7K2Q9D`, in the one form in which Hearth writes it.
public struct FamilyCode: Sendable, Hashable, CustomStringConvertible {
    /// `FAM-` and six letters or digits.
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
        var kept = typed.uppercased().filter { !$0.isWhitespace && $0 != "-" }
        if kept.count == 9, kept.hasPrefix("FAM") { kept.removeFirst(3) }
        guard kept.utf8.count == 6,
            kept.utf8.allSatisfy({
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            })
        else { return nil }
        text = "FAM-\(kept)"
    }

    /// `FAM-` and six letters or digits.
    public var description: String { text }
}
