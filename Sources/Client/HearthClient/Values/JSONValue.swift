public import Foundation

/// A JSON value, for what has no shape that Hearth knows: preferences, a family's attributes, the
/// details of an entry of the audit trail.
///
/// Write it as a literal, read it by name:
///
/// ```swift
/// let liked: JSONValue = ["genres": ["comedy", "western"], "maximumMinutes": 120]
/// liked["maximumMinutes"]?.intValue   // 120
/// ```
public enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number that was written without fraction and exponent.
    case integer(Int)
    /// Any other number.
    case number(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Names with values. If JSON names one twice, the later one counts.
    case object([String: JSONValue])

    /// The value of a name; nil if there is none or this is no object.
    public subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The text; nil for everything else.
    public var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The flag; nil for everything else.
    public var boolValue: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    /// The whole number, also if it was written as `2027.0`; nil for everything else.
    public var intValue: Int? {
        switch self {
        case .integer(let number): number
        case .number(let number): Int(exactly: number)
        default: nil
        }
    }

    /// The number; nil for everything else.
    public var doubleValue: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// The elements; nil for everything else.
    public var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members; nil for everything else.
    public var objectValue: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
    /// A flag.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A list.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object. Of two members with one name the later one counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}

extension JSONValue {
    /// Reads JSON from UTF-8.
    ///
    /// - Throws: `JSONError` if the bytes are anything else than one JSON value, or if values are
    ///   nested more than 64 deep.
    public init(parsing data: Data) throws {
        self = try JSONParser.parse(data)
    }

    /// The value as JSON. The members of objects stand in the order of their names, so equal values
    /// have equal texts. A number that JSON has no way to write (infinity, not a number) is `null`.
    public var data: Data {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return Data(bytes)
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .integer(let number): bytes += String(number).utf8
        case .number(let number): bytes += (number.isFinite ? "\(number)" : "null").utf8
        case .string(let text): Self.write(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (place, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += #"\""#.utf8
            case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes += #"\u00"#.utf8
                bytes += (digits.count == 1 ? "0" + digits : digits).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

/// What becomes of a field that can also be empty.
public enum Edit<Value: Sendable & Hashable>: Sendable, Hashable {
    /// It stays as it is.
    case keep
    /// It is emptied.
    case clear
    /// It gets this value.
    case set(Value)
}

extension JSONValue {
    /// The member of a body: none for what stays.
    static func edit<Value>(_ edit: Edit<Value>, _ json: (Value) -> JSONValue) -> JSONValue? {
        switch edit {
        case .keep: nil
        case .clear: .null
        case .set(let value): json(value)
        }
    }

    /// An object of the members that have a value.
    static func body(_ members: [String: JSONValue?]) -> JSONValue {
        .object(members.compactMapValues { $0 })
    }
}
