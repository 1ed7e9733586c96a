/// A JSON document in memory (RFC 8259).
///
/// Whole numbers that fit are `integer`, all others `number`, which is always finite if the parser
/// created it. Equality compares the written form: `1` is not `1.0`, and the order of members
/// matters.
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The type's name with its article, for error messages.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// The members of a JSON object in the order in which they were written. Names are unique if the
/// parser created the object and was not asked to keep repeated names.
package struct JSONObject: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// A name with its value.
    package struct Member: Sendable, Equatable {
        package let name: String
        package let value: JSONValue

        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// All members, in order.
    package private(set) var members: [Member]

    /// Creates an object from members with unique names; for a repeated name, lookups find the
    /// first.
    package init(_ members: [Member] = []) {
        self.members = members
    }

    /// Creates an object from a literal, in the order written.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { Member(name: $0.0, value: $0.1) })
    }

    /// Whether two members have the same name.
    package var hasRepeatedName: Bool {
        Set(members.map { Array($0.name.utf8) }).count < members.count
    }

    /// Returns the value of the member with this name, or nil. Linear in the number of members.
    package subscript(name: String) -> JSONValue? {
        members.first { $0.name.hasSameBytes(as: name) }?.value
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { .init(name: $0.0, value: $0.1) }))
    }
}

/// A value in a document with its path: reads typed values and names the field in every error.
///
/// ```swift
/// let body = JSONField(try JSONValue(parsing: bytes))
/// let code = try body["familyCode"].string()
/// let name = try body["familyName"].ifPresent?.string()
/// ```
package struct JSONField: Sendable {
    /// The value; nil if the object has no such member.
    package let value: JSONValue?
    /// The path, such as `members[2].role`; empty for the document itself.
    package let path: String

    /// Wraps a document, or the part of one at `path`.
    package init(_ value: JSONValue?, path: String = "") {
        self.value = value
        self.path = path
    }

    /// The field itself, or nil if it is missing or null.
    package var ifPresent: JSONField? {
        switch value {
        case nil, .null?: nil
        default: self
        }
    }

    /// Returns the member with this name, which may be missing. Throws if this is not an object.
    package subscript(name: String) -> JSONField {
        get throws(JSONError) {
            let object = try object()
            return JSONField(object[name], path: path.isEmpty ? name : "\(path).\(name)")
        }
    }

    /// Returns the string.
    package func string() throws(JSONError) -> String {
        guard case .string(let string)? = value else { throw wrongType("a string") }
        return string
    }

    /// Returns the whole number; `1.0` and `1e3` are refused because they are not written as one.
    package func integer() throws(JSONError) -> Int64 {
        if case .integer(let integer)? = value { return integer }
        guard case .number? = value else { throw wrongType("a whole number") }
        throw JSONError(
            .wrongType, path: path, expected: "a whole number",
            found: "a number with a fraction or an exponent")
    }

    /// Returns the number, whole or not.
    package func number() throws(JSONError) -> Double {
        switch value {
        case .integer(let integer)?: return Double(integer)
        case .number(let number)?: return number
        default: throw wrongType("a number")
        }
    }

    /// Returns the boolean.
    package func bool() throws(JSONError) -> Bool {
        guard case .bool(let bool)? = value else { throw wrongType("a boolean") }
        return bool
    }

    /// Returns the members.
    package func object() throws(JSONError) -> JSONObject {
        guard case .object(let object)? = value else { throw wrongType("an object") }
        return object
    }

    /// Returns the elements, each with its path.
    package func elements() throws(JSONError) -> [JSONField] {
        guard case .array(let array)? = value else { throw wrongType("an array") }
        return array.enumerated().map { JSONField($1, path: "\(path)[\($0)]") }
    }

    private func wrongType(_ expected: String) -> JSONError {
        guard let value else { return JSONError(.missing, path: path, expected: expected) }
        return JSONError(.wrongType, path: path, expected: expected, found: value.kind)
    }
}

/// The reason why bytes are not JSON, or why a JSON document does not have the expected content.
///
/// `description` is safe to show to the sender of the document: it contains byte offsets, field
/// paths and the expected forms, never a value.
package struct JSONError: Error, Sendable, Equatable {
    /// The kind of mistake.
    package enum Code: String, Sendable {
        /// The grammar of RFC 8259 is violated.
        case syntax
        /// A string is not UTF-8.
        case encoding
        /// An escape is half of a surrogate pair.
        case loneSurrogate
        /// Arrays and objects are nested deeper than allowed.
        case tooDeep
        /// An object has two members with the same name.
        case duplicateMember
        /// The number is beyond every finite Double.
        case numberOutOfRange
        /// Bytes other than white space follow the document.
        case trailingBytes
        /// A required member is missing.
        case missing
        /// A value has an unexpected type.
        case wrongType
    }

    package let code: Code
    /// Offset of the mistake in bytes, counted from 0; nil for mistakes found only after parsing
    /// (`missing`, `wrongType`).
    package let offset: Int?
    /// The path of the wrong field, such as `members[2].role`; empty for the document, nil for
    /// parse errors.
    package let path: String?
    /// The expected form.
    package let expected: String
    /// The actual form, in words; nil if that is not helpful.
    package let found: String?

    init(_ code: Code, at offset: Int, expected: String, found: String? = nil) {
        self.code = code
        self.offset = offset
        self.path = nil
        self.expected = expected
        self.found = found
    }

    init(_ code: Code, path: String, expected: String, found: String? = nil) {
        self.code = code
        self.offset = nil
        self.path = path
        self.expected = expected
        self.found = found
    }
}

extension JSONError: CustomStringConvertible {
    /// A sentence without a full stop.
    package var description: String { sentence(offset.map { "at byte \($0)" }) }

    /// A sentence for people who edit the document: with line and column, both counted from 1,
    /// instead of the byte offset. Columns are counted in characters.
    package func description(in document: [UInt8]) -> String {
        guard let offset else { return description }
        let before = document.prefix(offset)
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let line = before[..<start].count { $0 == UInt8(ascii: "\n") } + 1
        // Continuation bytes of a character begin with the bits 10.
        let column = before[start...].count { $0 & 0b1100_0000 != 0b1000_0000 } + 1
        return sentence("in line \(line), column \(column)")
    }

    private func sentence(_ location: String?) -> String {
        let instead = found.map { ", found \($0)" } ?? ""
        if let location { return "Not valid JSON \(location): expected \(expected)\(instead)" }
        let subject = path.flatMap { $0.isEmpty ? nil : "`\($0)`" } ?? "The document"
        return code == .missing
            ? "\(subject) is missing: expected \(expected)"
            : "\(subject) must be \(expected)\(instead)"
    }
}
