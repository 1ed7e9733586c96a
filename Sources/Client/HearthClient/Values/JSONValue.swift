public import Foundation

/// A JSON value, for data whose form Hearth does not define: preferences, a family's attributes,
/// the details of an entry in the audit log.
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
    /// A number without fraction and exponent.
    case integer(Int)
    /// Any other number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object. If a name occurs twice in JSON, the later value wins.
    case object([String: JSONValue])

    /// Returns the value of a name; nil if it is missing or this is not an object.
    public subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The string; nil for other values.
    public var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The Boolean; nil for other values.
    public var boolValue: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    /// The integer, even if it was written as `2027.0`; nil for other values.
    public var intValue: Int? {
        switch self {
        case .integer(let number): number
        case .number(let number): Int(exactly: number)
        default: nil
        }
    }

    /// The number; nil for other values.
    public var doubleValue: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// The elements of an array; nil for other values.
    public var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object; nil for other values.
    public var objectValue: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object. If a name occurs twice, the later value wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}

extension JSONValue {
    /// Parses JSON in UTF-8.
    ///
    /// - Throws: `JSONError` if the bytes are not exactly one JSON value, or if values are nested
    ///   more than 64 deep.
    public init(parsing data: Data) throws {
        self = try JSONParser.parse(data)
    }

    /// The value as JSON. The members of objects are sorted by name, so that equal values have
    /// equal texts. Numbers that JSON can't express (infinity, not a number) become `null`.
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
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
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

extension JSONValue: Codable {
    /// Decodes any value. A number without fraction becomes an integer.
    public init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: MemberName.self) {
            var object: [String: JSONValue] = [:]
            for name in members.allKeys {
                object[name.stringValue] = try members.decode(JSONValue.self, forKey: name)
            }
            self = .object(object)
            return
        }
        if var elements = try? decoder.unkeyedContainer() {
            var array: [JSONValue] = []
            while !elements.isAtEnd { array.append(try elements.decode(JSONValue.self)) }
            self = .array(array)
            return
        }
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .bool(flag)
        } else if let number = try? value.decode(Int.self) {
            self = .integer(number)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else {
            self = .string(try value.decode(String.self))
        }
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let object):
            var members = encoder.container(keyedBy: MemberName.self)
            for (name, value) in object {
                try members.encode(value, forKey: MemberName(stringValue: name))
            }
        case .array(let array):
            var elements = encoder.unkeyedContainer()
            for element in array { try elements.encode(element) }
        case .null:
            var value = encoder.singleValueContainer()
            try value.encodeNil()
        case .bool(let flag):
            var value = encoder.singleValueContainer()
            try value.encode(flag)
        case .integer(let number):
            var value = encoder.singleValueContainer()
            try value.encode(number)
        case .number(let number):
            var value = encoder.singleValueContainer()
            try value.encode(number)
        case .string(let text):
            var value = encoder.singleValueContainer()
            try value.encode(text)
        }
    }

    private struct MemberName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
    }
}

/// An edit of a field that can also be empty.
public enum Edit<Value: Sendable & Hashable>: Sendable, Hashable {
    /// Leaves the field as it is.
    case keep
    /// Empties the field.
    case clear
    /// Sets the field to a value.
    case set(Value)
}

extension Edit: Codable where Value: Codable {}

extension JSONValue {
    /// Returns the member of a request body; nil for a field that stays as it is.
    static func edit<Value>(_ edit: Edit<Value>, _ json: (Value) -> JSONValue) -> JSONValue? {
        switch edit {
        case .keep: nil
        case .clear: .null
        case .set(let value): json(value)
        }
    }

    /// Returns an object of the members that have a value.
    static func body(_ members: [String: JSONValue?]) -> JSONValue {
        .object(members.compactMapValues { $0 })
    }
}
