import Postgres

/// A small fault, put into a migrated database by a script.
struct Mutant: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case policy = "policies: each condition, dropped, roles"
        case view = "views: each condition, options, owners"
        case guarding = "functions: each refusal dropped, each standing"
        case function = "functions: each condition true and false"
        case table = "tables: row-level security off, not forced"
        case grant = "grants and roles: one too many, one too few"

        /// Whether mutants of this kind are made only on request. Cells compare who is refused.
        /// They compare neither the error's wording nor the rows that a function writes for an
        /// allowed call.
        var isOnRequest: Bool { self == .guarding || self == .function }
    }

    let kind: Kind
    let name: String
    let script: String
    /// The changed object, as ``Reach`` names it; nil if no cell can detect the change, because it
    /// gives no caller another right and shows only in the catalogue.
    let object: String?
}

/// Finds the conditions in PostgreSQL's output of an expression, all of them in parentheses.
enum Conditions {
    private static let openers: Set<String> = [
        "WHERE", "ON", "AND", "OR", "NOT", "WHEN", "RETURN", "USING", "CHECK",
    ]

    /// The text with one condition replaced by `true` or `false`, for each condition.
    static func variants(of text: String) -> [(label: String, text: String)] {
        let bytes = Array(text.utf8)
        return groups(bytes).flatMap { range in
            let condition = String(decoding: bytes[range], as: UTF8.self)
            return ["(true)", "(false)"].map { constant in
                let changed =
                    bytes[..<range.lowerBound] + Array(constant.utf8)
                    + bytes[range.upperBound...]
                return (
                    "\(constant) for \(condition.oneLine)",
                    String(decoding: changed, as: UTF8.self)
                )
            }
        }
    }

    /// The ranges of the groups where a condition may stand.
    private static func groups(_ bytes: [UInt8]) -> [Range<Int>] {
        var open: [Int] = []
        var found: [Range<Int>] = []
        var isQuoted = false
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "'") { isQuoted.toggle() }
            if isQuoted { continue }
            if byte == UInt8(ascii: "(") { open.append(index) }
            if byte == UInt8(ascii: ")"), let start = open.popLast(),
                isCondition(bytes, start, index)
            {
                found.append(start..<index + 1)
            }
        }
        return found
    }

    private static func isCondition(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Bool {
        let inside = String(decoding: bytes[(start + 1)..<end], as: UTF8.self).oneLine
        if inside.isEmpty || inside.hasPrefix("SELECT") || !inside.contains(" ") { return false }
        var offset = start
        while offset > 0, bytes[offset - 1] <= UInt8(ascii: " ") { offset -= 1 }
        if offset == 0 || bytes[offset - 1] == UInt8(ascii: "(") { return true }
        var wordStart = offset
        while wordStart > 0, isLetter(bytes[wordStart - 1]) { wordStart -= 1 }
        return openers.contains(String(decoding: bytes[wordStart..<offset], as: UTF8.self))
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
    }
}

extension String {
    var oneLine: String {
        split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
