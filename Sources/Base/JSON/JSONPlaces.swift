/// Where parts of a document stand, for readers that leave them as they are or judge each alone.
///
/// Nothing is checked: of what is no JSON, places are found that mean nothing. Whoever uses them
/// parses the parts, and the document without them (``document(_:withNullAt:)``), which together is
/// all of it. Cost is linear in the bytes, and nothing is called for each level of nesting.
package enum JSONPlaces {
    /// The elements of the array that is this member of the document; none if there is no array.
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

    /// The value of this member of the document, the first of several; nil if it has none.
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

    /// The document with `null` at these places, which stand in their order and apart.
    package static func document(_ bytes: [UInt8], withNullAt places: [Range<Int>]) -> [UInt8] {
        var result: [UInt8] = []
        var position = 0
        for place in places {
            result += bytes[position..<place.lowerBound]
            result += "null".utf8
            position = place.upperBound
        }
        return result + bytes[position...]
    }

    private struct Scan {
        let bytes: [UInt8]
        var position: Int

        private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

        /// Steps over white space and this byte, if it comes next.
        mutating func take(_ byte: UInt8) -> Bool {
            skipSpace()
            guard current == byte else { return false }
            position += 1
            return true
        }

        /// Steps over white space and a value; nil if none comes next.
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

        /// Whether the member's name at a place is this one, however it is written.
        func isName(_ name: String, at place: Range<Int>) -> Bool {
            let written = bytes[place]
            guard written.contains(UInt8(ascii: "\\")) else {
                return written.dropFirst().dropLast().elementsEqual(name.utf8)
                    && written.count >= 2
            }
            guard case .string(let text)? = try? JSONValue(parsing: Array(written)) else {
                return false
            }
            return text.hasSameBytes(as: name)
        }

        /// A number or a literal; nil if none comes next.
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
