/// Locates parts of a document, for readers that copy them unchanged or check each separately.
///
/// Nothing is checked: for malformed JSON, the ranges are meaningless. The caller parses the parts,
/// and the document without them (``document(_:withNullAt:)``), which together are the whole
/// document. The time is linear in the number of bytes, and nesting uses no recursion.
package enum JSONLocator {
    /// Returns the elements of the array that is this member of the document; none if it is not an
    /// array.
    package static func elements(of name: String, in document: [UInt8]) -> [Range<Int>] {
        guard let array = value(of: name, in: document) else { return [] }
        var scan = Scan(bytes: document, position: array.lowerBound)
        guard scan.take(UInt8(ascii: "[")) else { return [] }
        var elements: [Range<Int>] = []
        repeat {
            guard let element = scan.value() else { break }
            elements.append(element)
        } while scan.take(UInt8(ascii: ","))
        return elements
    }

    /// Returns the value of this member of the document, the first if repeated; nil if it has none.
    package static func value(of name: String, in document: [UInt8]) -> Range<Int>? {
        var scan = Scan(bytes: document, position: 0)
        guard scan.take(UInt8(ascii: "{")) else { return nil }
        repeat {
            guard let member = scan.value(), scan.take(UInt8(ascii: ":")),
                let value = scan.value()
            else { return nil }
            if scan.isName(name, at: member) { return value }
        } while scan.take(UInt8(ascii: ","))
        return nil
    }

    /// Returns the document with `null` at these ranges, which must be ordered and disjoint.
    package static func document(_ bytes: [UInt8], withNullAt ranges: [Range<Int>]) -> [UInt8] {
        var result: [UInt8] = []
        var position = 0
        for range in ranges {
            result += bytes[position..<range.lowerBound]
            result += "null".utf8
            position = range.upperBound
        }
        return result + bytes[position...]
    }

    private struct Scan {
        let bytes: [UInt8]
        var position: Int

        private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

        /// Skips white space and this byte; returns false if another byte comes next.
        mutating func take(_ byte: UInt8) -> Bool {
            skipSpace()
            guard current == byte else { return false }
            position += 1
            return true
        }

        /// Skips white space and a value, and returns its range; nil if none comes next.
        mutating func value() -> Range<Int>? {
            skipSpace()
            let start = position
            var depth = 0
            repeat {
                switch current {
                case nil: return nil
                case UInt8(ascii: "\"")?:
                    skipString()
                    if depth == 0 { return start..<position }
                    continue
                case UInt8(ascii: "{")?, UInt8(ascii: "[")?: depth += 1
                case UInt8(ascii: "}")?, UInt8(ascii: "]")?:
                    if depth == 0 { return nil }
                    depth -= 1
                default:
                    if depth == 0 { return word() }
                }
                position += 1
            } while depth > 0
            return start..<position
        }

        /// Whether the member name at this range equals `name`, however it is escaped.
        func isName(_ name: String, at range: Range<Int>) -> Bool {
            let nameBytes = bytes[range]
            guard nameBytes.contains(UInt8(ascii: "\\")) else {
                return nameBytes.dropFirst().dropLast().elementsEqual(name.utf8)
                    && nameBytes.count >= 2
            }
            guard case .string(let text)? = try? JSONValue(parsing: Array(nameBytes)) else {
                return false
            }
            return text.hasSameBytes(as: name)
        }

        /// Skips a number or a literal, and returns its range; nil if none comes next.
        private mutating func word() -> Range<Int>? {
            let start = position
            while let byte = current, !isSpace(byte), !Self.ends.contains(byte) { position += 1 }
            return start == position ? nil : start..<position
        }

        private static let ends = Array(",:[]{}\"".utf8)

        private mutating func skipString() {
            position += 1
            while let byte = current {
                position += byte == UInt8(ascii: "\\") ? 2 : 1
                if byte == UInt8(ascii: "\"") { break }
            }
            position = min(position, bytes.count)
        }

        private mutating func skipSpace() {
            while let byte = current, isSpace(byte) { position += 1 }
        }

        private func isSpace(_ byte: UInt8) -> Bool {
            byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
        }
    }
}
