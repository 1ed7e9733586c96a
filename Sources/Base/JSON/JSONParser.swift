extension JSONValue {
    /// How deep arrays and objects may be nested unless the caller says otherwise.
    package static let defaultDepth = 32

    /// Reads one document that fills all of `bytes`.
    ///
    /// Strict RFC 8259: no byte order mark, no comments, no trailing commas; strings are UTF-8;
    /// duplicate members, lone surrogates and numbers beyond Double are refused. Whole numbers
    /// beyond Int64 become the nearest Double.
    ///
    /// Cost is linear in the bytes, whatever they are; the stack used is bounded by `maxDepth`.
    ///
    /// - Parameter keepsRepeatedMembers: Whether duplicate members are kept instead, for a reader
    ///   that asks each object for them (``JSONObject/hasRepeatedName``).
    package init(
        parsing bytes: [UInt8], maxDepth: Int = defaultDepth, keepsRepeatedMembers: Bool = false
    ) throws(JSONError) {
        var parser = JSONParser(
            bytes, maxDepth: maxDepth, keepsRepeatedMembers: keepsRepeatedMembers)
        self = try parser.document()
    }
}

/// A recursive-descent reader; `JSONValue.init(parsing:)` is its only user.
struct JSONParser {
    let bytes: [UInt8]
    let maxDepth: Int
    let keepsRepeatedMembers: Bool
    var position = 0
    private var depth = 0

    init(_ bytes: [UInt8], maxDepth: Int, keepsRepeatedMembers: Bool) {
        self.bytes = bytes
        self.maxDepth = maxDepth
        self.keepsRepeatedMembers = keepsRepeatedMembers
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
        default: throw mistake(expected: "a value")
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
            guard take(UInt8(ascii: "]")) else { throw mistake(expected: "',' or ']'") }
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
                    throw mistake(expected: "a member's name")
                }
                let name = try string()
                guard keepsRepeatedMembers || names.insert(name, after: members) else {
                    throw JSONError(
                        .duplicateMember, at: start, expected: "a name not used before")
                }
                skipSpace()
                guard take(UInt8(ascii: ":")) else { throw mistake(expected: "':'") }
                skipSpace()
                members.append(.init(name: name, value: try value()))
                skipSpace()
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "}")) else { throw mistake(expected: "',' or '}'") }
        }
        depth -= 1
        return .object(JSONObject(members))
    }

    private mutating func literal(
        _ text: StaticString, _ result: JSONValue
    ) throws(JSONError) -> JSONValue {
        let matches = text.withUTF8Buffer { bytes[position...].starts(with: $0) }
        guard matches else { throw mistake(expected: "a value") }
        position += text.utf8CodeUnitCount
        return result
    }

    /// Steps over the opening bracket and the white space behind it.
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

    func mistake(expected: String) -> JSONError {
        JSONError(
            .syntax, at: position, expected: expected,
            found: position < bytes.count ? nil : "the end")
    }
}

/// The names seen in one object: compared one by one while they are few, hashed when they are many,
/// so that a hostile object costs no more than linear time and a usual one no allocation.
private struct MemberNames {
    private static let fewest = 12
    private var hashed: Set<[UInt8]> = []

    mutating func insert(_ name: String, after members: [JSONObject.Member]) -> Bool {
        if members.count < Self.fewest {
            return !members.contains { $0.name.hasSameBytes(as: name) }
        }
        if hashed.isEmpty {
            hashed = Set(members.map { Array($0.name.utf8) })
        }
        return hashed.insert(Array(name.utf8)).inserted
    }
}
