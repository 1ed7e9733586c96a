import JSON

/// A part of a JSON Schema (draft 2020-12, which OpenAPI 3.1 uses).
struct Schema: Sendable {
    private(set) var members: [JSONObject.Member]

    init(_ members: KeyValuePairs<String, JSONValue>) {
        self.members = members.map { JSONObject.Member(name: $0.key, value: $0.value) }
    }

    var value: JSONValue { .object(JSONObject(members)) }

    /// Returns the schema with a description; unchanged if the text is empty.
    func described(_ help: String) -> Schema {
        if help.isEmpty { return self }
        var schema = self
        schema.members.append(.init(name: "description", value: .string(help)))
        return schema
    }

    /// Returns the schema with the glossary's description of a field, unless it has a description.
    func explained(as name: String, in shape: String = "") -> Schema {
        if members.contains(where: { $0.name == "description" }) { return self }
        return described(Glossary.entry(name, of: shape)?.help ?? "")
    }

    /// The schema, marked as deprecated.
    var deprecated: Schema {
        var schema = self
        schema.members.append(.init(name: "deprecated", value: true))
        return schema
    }

    /// Returns this object schema with `others` as its `additionalProperties`.
    func with(others: Schema) -> Schema {
        var schema = self
        schema.members.append(.init(name: "additionalProperties", value: others.value))
        return schema
    }

    /// The schema, which also allows the empty text.
    var orEmpty: Schema {
        let isText = members.contains { $0.name == "minLength" }
        if !isText { return Schema(["anyOf": [value, ["const": ""]]]) }
        var schema = self
        schema.members.removeAll { $0.name == "minLength" || $0.name == "pattern" }
        return schema
    }

    /// The schema, which also allows null.
    var orNull: Schema {
        guard let type = members.firstIndex(where: { $0.name == "type" }) else {
            return Schema(["anyOf": [value, ["type": "null"]]])
        }
        var schema = self
        schema.members[type] = .init(name: "type", value: [members[type].value, "null"])
        if let words = members.firstIndex(where: { $0.name == "enum" }),
            case .array(let values) = members[words].value
        {
            schema.members[words] = .init(name: "enum", value: .array(values + [.null]))
        }
        return schema
    }
}

extension Schema {
    static let string = Schema(["type": "string"])
    static let boolean = Schema(["type": "boolean"])
    static let number = Schema(["type": "number"])
    static let count = Schema(["type": "integer", "minimum": 0])
    static let object = Schema(["type": "object"])
    static let uuid = Schema(["type": "string", "format": "uuid", "pattern": .string(uuidForm)])
    static let timestamp = Schema([
        "type": "string", "format": "date-time",
        "pattern": #"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$"#,
    ])
    /// A timestamp in a header, where client generators expect no format.
    static let timestampInHeader = Schema([
        "type": "string",
        "pattern": #"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$"#,
    ])
    /// The id of a user or member, with a prefix for managed members.
    static let shownID = Schema([
        "type": "string", "pattern": .string("^(managed_)?" + uuidForm.dropFirst()),
    ])

    /// One word of a closed set.
    static func word(_ words: [String]) -> Schema {
        Schema(["type": "string", "enum": .array(words.map { .string($0) })])
    }

    /// Text with this many code points, not all of them blank.
    static func text(_ lengths: ClosedRange<Int>) -> Schema {
        let most = JSONValue.integer(Int64(lengths.upperBound))
        if lengths.lowerBound == 0 { return Schema(["type": "string", "maxLength": most]) }
        return Schema([
            "type": "string", "minLength": .integer(Int64(lengths.lowerBound)), "maxLength": most,
            "pattern": #"\S"#,
        ])
    }

    static func integer(_ bounds: ClosedRange<Int>) -> Schema {
        Schema([
            "type": "integer", "minimum": .integer(Int64(bounds.lowerBound)),
            "maximum": .integer(Int64(bounds.upperBound)),
        ])
    }

    static func number(_ bounds: ClosedRange<Double>) -> Schema {
        Schema([
            "type": "number", "minimum": .number(bounds.lowerBound),
            "maximum": .number(bounds.upperBound),
        ])
    }

    static func constant(_ value: JSONValue) -> Schema { Schema(["const": value]) }

    /// A value that matches any of the schemas.
    static func either(_ schemas: [Schema]) -> Schema {
        Schema(["anyOf": .array(schemas.map(\.value))])
    }

    static func list(of element: Schema) -> Schema {
        Schema(["type": "array", "items": element.value])
    }

    static func list(of element: Schema, atMost limit: Int) -> Schema {
        Schema([
            "type": "array", "items": element.value, "maxItems": .integer(Int64(limit)),
        ])
    }

    /// A reference to a named schema of the description.
    static func reference(_ name: String) -> Schema {
        Schema(["$ref": .string("#/components/schemas/\(name)")])
    }

    /// Pattern of a UUID: any letter case is accepted; responses have lower case.
    private static let uuidForm =
        "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"
}
