/// A JSON document in memory (RFC 8259).
///
/// Whole numbers that fit are `integer`, all others `number`, which is always finite when it comes
/// from the parser. Equality is that of the written document: `1` is not `1.0`, and the order of
/// members counts.
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The type's name with its article, as error messages use it.
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

/// The members of a JSON object in the order in which they were written; names are unique if the
/// parser made it, unless it was told to keep repeated ones.
package struct JSONObject: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// A name and its value.
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

    /// Expects unique names; with a repeated name, lookups find the first.
    package init(_ members: [Member] = []) {
        self.members = members
    }

    /// Takes members as a literal, in the order written.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { Member(name: $0.0, value: $0.1) })
    }

    /// Whether two members have one name.
    package var hasRepeatedName: Bool {
        Set(members.map { Array($0.name.utf8) }).count < members.count
    }

    /// The value of the member of that name, or nil. Linear in the number of members.
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
