/// Text of a migration file as it is hashed, stored and run: UTF-8, line ends LF, no byte order
/// mark.
///
/// A checkout with CRLF line ends and one with LF result in the same text, and so in the same
/// checksum and the same database, including function bodies.
package struct SourceText: Sendable, Equatable {
    /// The text: valid UTF-8 without NUL.
    package let bytes: [UInt8]

    /// Reads a file's bytes, strips a byte order mark and turns CRLF into LF.
    ///
    /// Throws if the bytes are UTF-16, contain NUL, which PostgreSQL can't store, or aren't UTF-8.
    package init(raw: [UInt8]) throws(TextProblem) {
        if SourceText.isUTF16(raw) { throw TextProblem(kind: .utf16, line: 1) }
        let bytes = SourceText.normalized(raw)
        if let problem = SourceText.problem(in: bytes) { throw problem }
        self.bytes = bytes
    }

    /// Normalises a text in memory.
    package init(_ text: String) throws(TextProblem) {
        try self.init(raw: Array(text.utf8))
    }

    /// Returns the text before the character that begins at `end`.
    func prefix(upTo end: Int) -> SourceText {
        SourceText(validated: Array(bytes[..<end]))
    }

    /// Creates a text from bytes that are known to be valid.
    private init(validated bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The text as a string.
    package var string: String { String(decoding: bytes, as: UTF8.self) }

    /// The lines without their ends. A line end at the end of the text doesn't start another line.
    package var lines: [Substring] {
        var lines = string.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// Returns the line, from 1, of the byte at `offset`.
    package func line(at offset: Int) -> Int {
        1 + bytes.prefix(max(0, offset)).count { $0 == UInt8(ascii: "\n") }
    }

    /// Returns the byte offset of the `position`th character, counting code points from 1 like
    /// PostgreSQL; the end of the text if there is none.
    package func byteOffset(ofCharacter position: Int) -> Int {
        var left = position - 1
        for (offset, byte) in bytes.enumerated() where byte & 0xC0 != 0x80 {
            if left <= 0 { return offset }
            left -= 1
        }
        return bytes.count
    }

    /// Returns the text of a range of bytes.
    package func slice(_ range: Range<Int>) -> String {
        String(decoding: bytes[range.clamped(to: bytes.indices)], as: UTF8.self)
    }

    private static func normalized(_ raw: [UInt8]) -> [UInt8] {
        let start = raw.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let carriageReturn = UInt8(ascii: "\r")
        guard start > 0 || raw.contains(carriageReturn) else { return raw }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        for index in start..<raw.count {
            let isHalfOfLineEnd =
                raw[index] == carriageReturn && index + 1 < raw.count
                && raw[index + 1] == UInt8(ascii: "\n")
            if !isHalfOfLineEnd { bytes.append(raw[index]) }
        }
        return bytes
    }

    /// Whether the bytes begin with a byte order mark of UTF-16, or are ASCII in UTF-16: every
    /// other byte at the beginning is NUL.
    private static func isUTF16(_ raw: [UInt8]) -> Bool {
        if raw.starts(with: [0xFF, 0xFE]) || raw.starts(with: [0xFE, 0xFF]) { return true }
        let start = raw.prefix(64)
        guard start.count >= 4, raw.count % 2 == 0 else { return false }
        func isNUL(from first: Int) -> Bool {
            stride(from: first, to: start.count, by: 2).allSatisfy { raw[$0] == 0 }
        }
        return isNUL(from: 0) != isNUL(from: 1)
    }

    private static func problem(in bytes: [UInt8]) -> TextProblem? {
        func line(at offset: Int) -> Int {
            1 + bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") }
        }
        if let offset = bytes.firstIndex(of: 0) {
            return TextProblem(kind: .nulByte, line: line(at: offset))
        }
        guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
        return TextProblem(kind: .notUTF8, line: line(at: firstInvalidByte(of: bytes)))
    }

    /// Returns the position of the first sequence that isn't UTF-8.
    private static func firstInvalidByte(of bytes: [UInt8]) -> Int {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var offset = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            offset += UTF8.width(scalar)
        }
        return offset
    }
}

/// Reason why bytes can't be the text of a migration.
package struct TextProblem: Error, Sendable, Equatable {
    /// The kinds of problems.
    package enum Kind: Sendable {
        case nulByte
        case notUTF8
        case utf16

        /// The rule that a file with this problem breaks.
        var rule: RefusalRule {
            switch self {
            case .nulByte: .nulByte
            case .notUTF8: .notUTF8
            case .utf16: .utf16
            }
        }
    }

    /// The kind of problem.
    package let kind: Kind
    /// The line of the problem, from 1.
    package let line: Int
}
