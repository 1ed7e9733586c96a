extension JSONValue {
    /// Maximum nesting of arrays and objects unless the caller sets another.
    package static let defaultDepth = 32

    /// Parses one document that fills all of `bytes`.
    ///
    /// Strict RFC 8259: no byte order mark, no comments, no trailing commas; strings are UTF-8;
    /// duplicate members, lone surrogates and numbers beyond Double are refused. Whole numbers
    /// beyond Int64 become the nearest Double.
    ///
    /// The time is linear in the number of bytes, whatever they are; `maxDepth` bounds the stack
    /// used.
    ///
    /// - Parameter isLenient: For a reader that checks each part of a document separately:
    ///   duplicate members are kept (``JSONObject/hasRepeatedName`` detects them), half a surrogate
    ///   pair becomes U+FFFD, and a number beyond Double becomes null.
    package init(
        parsing bytes: [UInt8], maxDepth: Int = defaultDepth, isLenient: Bool = false
    ) throws(JSONError) {
        var parser = JSONParser(
            bytes, maxDepth: maxDepth, isLenient: isLenient)
        self = try parser.document()
    }
}

/// A recursive-descent parser, used only by `JSONValue.init(parsing:)`.
struct JSONParser {
    let bytes: [UInt8]
    let maxDepth: Int
    let isLenient: Bool
    var position = 0
    private var depth = 0

    init(_ bytes: [UInt8], maxDepth: Int, isLenient: Bool) {
        self.bytes = bytes
        self.maxDepth = maxDepth
        self.isLenient = isLenient
    }

    /// The next byte, or nil at the end.
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func document() throws(JSONError) -> JSONValue {
        skipSpace()
        let result = try value()
        skipSpace()
        guard current == nil else {
            throw JSONError(.trailingBytes, at: position, expected: "the end")
        }
        return result
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        switch current {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"): return try number()
        case let byte? where isDigit(byte): return try number()
        default: throw syntaxError(expected: "a value")
        }
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        try enter()
        var elements: [JSONValue] = []
        if !take(UInt8(ascii: "]")) {
            repeat {
                skipSpace()
                elements.append(try value())
                skipSpace()
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "]")) else { throw syntaxError(expected: "',' or ']'") }
        }
        depth -= 1
        return .array(elements)
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        try enter()
        var members: [JSONObject.Member] = []
        var names = MemberNames()
        if !take(UInt8(ascii: "}")) {
            repeat {
                skipSpace()
                let start = position
                guard current == UInt8(ascii: "\"") else {
                    throw syntaxError(expected: "a member's name")
                }
                let name = try string()
                guard isLenient || names.insert(name, after: members) else {
                    throw JSONError(
                        .duplicateMember, at: start, expected: "a name not used before")
                }
                skipSpace()
                guard take(UInt8(ascii: ":")) else { throw syntaxError(expected: "':'") }
                skipSpace()
                members.append(.init(name: name, value: try value()))
                skipSpace()
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "}")) else { throw syntaxError(expected: "',' or '}'") }
        }
        depth -= 1
        return .object(JSONObject(members))
    }

    private mutating func literal(
        _ text: StaticString, _ result: JSONValue
    ) throws(JSONError) -> JSONValue {
        let matches = text.withUTF8Buffer { bytes[position...].starts(with: $0) }
        guard matches else { throw syntaxError(expected: "a value") }
        position += text.utf8CodeUnitCount
        return result
    }

    /// Consumes the opening bracket and the white space after it.
    private mutating func enter() throws(JSONError) {
        guard depth < maxDepth else {
            throw JSONError(
                .tooDeep, at: position, expected: "at most \(maxDepth) levels of nesting")
        }
        depth += 1
        position += 1
        skipSpace()
    }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    func syntaxError(expected: String) -> JSONError {
        JSONError(
            .syntax, at: position, expected: expected,
            found: position < bytes.count ? nil : "the end")
    }
}

/// The names seen in one object: compared one by one while they are few, hashed if they are many,
/// so that a hostile object takes only linear time and a usual one no allocation.
private struct MemberNames {
    private static let hashThreshold = 12
    private var hashed: Set<[UInt8]> = []

    mutating func insert(_ name: String, after members: [JSONObject.Member]) -> Bool {
        if members.count < Self.hashThreshold {
            return !members.contains { $0.name.hasSameBytes(as: name) }
        }
        if hashed.isEmpty {
            hashed = Set(members.map { Array($0.name.utf8) })
        }
        return hashed.insert(Array(name.utf8)).inserted
    }
}

// Numbers and strings.
extension JSONParser {
    mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        let negative = take(UInt8(ascii: "-"))
        if take(UInt8(ascii: "0")) {
            if let byte = current, isDigit(byte) {
                throw syntaxError(expected: "no digit after a leading zero")
            }
        } else {
            try digits()
        }
        var isWhole = true
        if take(UInt8(ascii: ".")) {
            isWhole = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        if isWhole, let integer = integer(in: start..<position, negative: negative) {
            return .integer(integer)
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let double = Double(text), double.isFinite else {
            if isLenient { return .null }
            throw JSONError(
                .numberOutOfRange, at: start, expected: "a number within +-1.8e308")
        }
        return .number(double)
    }

    /// Returns the number that the digits represent, or nil if it doesn't fit or is a negative
    /// zero, which only a Double can represent.
    private func integer(in range: Range<Int>, negative: Bool) -> Int64? {
        var magnitude: UInt64 = 0
        for byte in bytes[range].dropFirst(negative ? 1 : 0) {
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            guard !overflow, !carry else { return nil }
            magnitude = sum
        }
        guard negative else { return Int64(exactly: magnitude) }
        guard magnitude > 0, magnitude <= Int64.min.magnitude else { return nil }
        return Int64(truncatingIfNeeded: 0 &- magnitude)
    }

    private mutating func digits() throws(JSONError) {
        guard let first = current, isDigit(first) else { throw syntaxError(expected: "a digit") }
        while let byte = current, isDigit(byte) { position += 1 }
    }

    func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                let text = try decodeUTF8(start..<position)
                position += 1
                return text
            case UInt8(ascii: "\\"):
                return try stringWithEscapes(from: start)
            case 0..<0x20:
                throw syntaxError(expected: "control characters to be escaped")
            default:
                position += 1
            }
        }
        throw syntaxError(expected: "'\"'")
    }

    /// Continues at the first backslash. The pieces between escapes are checked one by one: a UTF-8
    /// sequence interrupted by an escape is invalid.
    private mutating func stringWithEscapes(from start: Int) throws(JSONError) -> String {
        var text = try decodeUTF8(start..<position)
        while let byte = current {
            if byte == UInt8(ascii: "\"") {
                position += 1
                return text
            } else if byte == UInt8(ascii: "\\") {
                text.unicodeScalars.append(try escape())
            } else {
                let piece = position
                while let next = current, next != UInt8(ascii: "\""), next != UInt8(ascii: "\\") {
                    guard next >= 0x20 else {
                        throw syntaxError(expected: "control characters to be escaped")
                    }
                    position += 1
                }
                text += try decodeUTF8(piece..<position)
            }
        }
        throw syntaxError(expected: "'\"'")
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        position += 1
        let scalar: Unicode.Scalar
        switch current {
        case UInt8(ascii: "\""): scalar = "\""
        case UInt8(ascii: "\\"): scalar = "\\"
        case UInt8(ascii: "/"): scalar = "/"
        case UInt8(ascii: "b"): scalar = "\u{08}"
        case UInt8(ascii: "f"): scalar = "\u{0C}"
        case UInt8(ascii: "n"): scalar = "\n"
        case UInt8(ascii: "r"): scalar = "\r"
        case UInt8(ascii: "t"): scalar = "\t"
        case UInt8(ascii: "u"):
            position += 1
            return try unicodeEscape()
        default: throw syntaxError(expected: "an escape such as \\n or \\u0041")
        }
        position += 1
        return scalar
    }

    /// Decodes an escape after `\u`, including the second half of a surrogate pair.
    private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let start = position - 2
        let first = try fourHexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let end = position
        if first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
            let second = try fourHexDigits()
            if (0xDC00...0xDFFF).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            {
                return scalar
            }
        }
        if isLenient {
            position = end
            return "\u{FFFD}"
        }
        throw JSONError(.loneSurrogate, at: start, expected: "both halves of a surrogate pair")
    }

    private mutating func fourHexDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = hexDigit(byte) else {
                throw syntaxError(expected: "four hexadecimal digits")
            }
            value = value << 4 | digit
            position += 1
        }
        return value
    }

    private func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    private func decodeUTF8(_ range: Range<Int>) throws(JSONError) -> String {
        // Most strings are ASCII, and checking for that is far cheaper than validating.
        if bytes[range].allSatisfy({ $0 < 0x80 }) {
            return String(decoding: bytes[range], as: UTF8.self)
        }
        if let text = String(validating: bytes[range], as: UTF8.self) { return text }
        var offset = range.lowerBound
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span.extracting(range))
        } catch {
            offset += error.byteOffsets.lowerBound
        }
        throw JSONError(.encoding, at: offset, expected: "UTF-8")
    }
}
