import Foundation

/// An error of parsing bytes that are not JSON.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Token that was expected.
    public let expectation: String
    /// Position of the error, in bytes from 0.
    public let offset: Int

    /// Description for logs.
    public var description: String { "no JSON at byte \(offset): expected \(expectation)" }
}

/// A parser of JSON (RFC 8259) in UTF-8.
///
/// It replaces `JSONDecoder`, which takes fifty times as long to produce the `JSONValue` that sync
/// and the store need, and parses some texts differently (`docs/measurements.md`).
/// `scripts/proofs/bench client` measures this parser.
struct JSONParser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0
    private var depth = 0

    /// Maximum nesting of values. Hearth's own are nested less than half as deep.
    private static let maximumDepth = 64

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Parses a value that spans all of the bytes.
    static func parse(_ data: Data) throws -> JSONValue {
        try data.withUnsafeBytes { raw in
            try raw.withMemoryRebound(to: UInt8.self) { bytes in
                var parser = JSONParser(bytes)
                let value = try parser.value()
                parser.skipBlanks()
                if parser.offset != bytes.count { throw parser.expected("the end") }
                return value
            }
        }
    }

    private func expected(_ what: String) -> JSONError {
        JSONError(expectation: what, offset: offset)
    }

    private mutating func skipBlanks() {
        while offset < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[offset]) { offset += 1 }
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        skipBlanks()
        guard offset < bytes.count else { throw expected("a value") }
        switch bytes[offset] {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(
        _ word: StaticString, _ value: JSONValue
    ) throws(JSONError) -> JSONValue {
        let length = word.utf8CodeUnitCount
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: length)
        guard bytes[offset...].starts(with: expected) else { throw self.expected("a value") }
        offset += length
        return value
    }

    private mutating func enter() throws(JSONError) {
        depth += 1
        if depth > Self.maximumDepth {
            throw expected("values nested at most \(Self.maximumDepth) deep")
        }
        offset += 1
        skipBlanks()
    }

    /// Consumes the byte if it comes next; returns whether it did.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    private mutating func object() throws(JSONError) -> [String: JSONValue] {
        try enter()
        defer { depth -= 1 }
        var members: [String: JSONValue] = [:]
        if take(UInt8(ascii: "}")) { return members }
        members.reserveCapacity(16)
        while true {
            skipBlanks()
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
                throw expected("a name")
            }
            let name = try string()
            guard take(UInt8(ascii: ":")) else { throw expected("a colon") }
            members[name] = try value()
            if take(UInt8(ascii: "}")) { return members }
            guard take(UInt8(ascii: ",")) else { throw expected("a comma or a brace") }
        }
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        try enter()
        defer { depth -= 1 }
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try value())
            if take(UInt8(ascii: "]")) { return elements }
            guard take(UInt8(ascii: ",")) else { throw expected("a comma or a bracket") }
        }
    }

    /// Parses a string whose quotation mark comes next.
    private mutating func string() throws(JSONError) -> String {
        offset += 1
        let start = offset
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                let text = String(
                    decoding: UnsafeBufferPointer(rebasing: bytes[start..<offset]), as: UTF8.self)
                offset += 1
                return text
            case UInt8(ascii: "\\"): return try escapedString(from: start)
            case 0..<0x20: throw expected("no control character in a text")
            default: offset += 1
            }
        }
        throw expected("a quotation mark")
    }

    /// Parses the rest of a string with escapes. Everything from `start` up to `offset` is plain.
    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var text = Array(bytes[start..<offset])
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += String(try escaped()).utf8
            case 0..<0x20: throw expected("no control character in a text")
            default: text.append(byte)
            }
        }
        throw expected("a quotation mark")
    }

    /// Parses the part of an escape after the backslash.
    private mutating func escaped() throws(JSONError) -> Unicode.Scalar {
        guard offset < bytes.count else { throw expected("an escape") }
        let byte = bytes[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw expected("an escape")
        }
    }

    /// Parses the part of an escape after `\u`. Half of a surrogate pair becomes the replacement
    /// character.
    private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let first = try fourDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), offset + 1 < bytes.count,
            bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u")
        else { return "\u{FFFD}" }
        let before = offset
        offset += 2
        let second = try fourDigits()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else {
            offset = before
            return "\u{FFFD}"
        }
        return scalar
    }

    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        guard offset + 4 <= bytes.count else { throw expected("four hexadecimal digits") }
        var number: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(bytes[offset])).hexDigitValue else {
                throw expected("four hexadecimal digits")
            }
            number = number << 4 | UInt32(digit)
            offset += 1
        }
        return number
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = offset
        if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
        let digits = offset
        try passDigits()
        if offset > digits + 1, bytes[digits] == UInt8(ascii: "0") {
            offset = start
            throw expected("a number without leading zeros")
        }
        var isWhole = true
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            isWhole = false
            offset += 1
            try passDigits()
        }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            offset += 1
            if offset < bytes.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[offset])
            {
                offset += 1
            }
            try passDigits()
        }
        let text = String(
            decoding: UnsafeBufferPointer(rebasing: bytes[start..<offset]), as: UTF8.self)
        if isWhole, let number = Int(text) { return .integer(number) }
        guard let number = Double(text), number.isFinite else {
            throw expected("a number that a Double can hold")
        }
        return .number(number)
    }

    /// Consumes a run of digits; throws if there is none.
    private mutating func passDigits() throws(JSONError) {
        let start = offset
        while offset < bytes.count,
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset])
        {
            offset += 1
        }
        if offset == start { throw expected(start == 0 ? "a value" : "a digit") }
    }
}
