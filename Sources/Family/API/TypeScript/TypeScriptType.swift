import JSON

/// Generates the TypeScript type of a schema of the API's description.
struct TypeScriptType {
    /// Number of spaces that indent the enclosing lines.
    let indent: Int

    /// Returns the type; an object takes several lines.
    func text(_ schema: JSONValue) -> String {
        guard case .object(let schema) = schema else { return "unknown" }
        if case .string(let reference)? = schema["$ref"] {
            return reference.split(separator: "/").last.map(String.init) ?? "unknown"
        }
        if let constant = schema["const"] { return Self.literal(constant) }
        if case .array(let words)? = schema["enum"] {
            return Self.union(words.map(Self.literal) + (Self.isNullable(schema) ? ["null"] : []))
        }
        if case .array(let ways)? = schema["anyOf"] { return Self.union(ways.map(text)) }
        return Self.union(Self.kinds(of: schema).map { plain($0, schema) })
    }

    private func plain(_ kind: String, _ schema: JSONObject) -> String {
        switch kind {
        case "object": object(schema)
        case "array": "Array<\(text(schema["items"] ?? .null))>"
        case "integer", "number": "number"
        case "boolean", "null", "string": kind
        default: "unknown"
        }
    }

    private func object(_ schema: JSONObject) -> String {
        guard case .object(let properties)? = schema["properties"] else {
            return "Record<string, unknown>"
        }
        var required: [JSONValue] = []
        if case .array(let names)? = schema["required"] { required = names }
        let inner = TypeScriptType(indent: indent + 2)
        var lines = properties.members.flatMap { property -> [String] in
            guard case .object(let described) = property.value, described["deprecated"] == nil
            else { return [] }
            let mark = required.contains(.string(property.name)) ? "" : "?"
            let type = inner.text(property.value)
            return Self.comment(described["description"])
                + ["\(Self.name(property.name))\(mark): \(type);"]
        }
        if case .object(let others)? = schema["additionalProperties"] {
            // The named members may have other types, so the rest is `unknown`.
            lines += Self.comment(others["description"]) + ["[name: string]: unknown;"]
        }
        let margin = String(repeating: " ", count: indent)
        return "{\n" + lines.map { "\(margin)  \($0)\n" }.joined() + "\(margin)}"
    }

    /// Returns a description as the lines of a comment.
    static func comment(_ description: JSONValue?) -> [String] {
        guard case .string(let text)? = description, !text.isEmpty else { return [] }
        return ["/** \(text.split(separator: "*/").joined(separator: "* /")) */"]
    }

    /// Returns the name of a property, quoted if it is not an identifier.
    static func name(_ name: String) -> String {
        let isIdentifier = name.utf8.enumerated().allSatisfy { index, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "_"):
                true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
            default: false
            }
        }
        return isIdentifier ? name : literal(.string(name))
    }

    /// Returns a value as JSON, which is also a TypeScript literal.
    static func literal(_ value: JSONValue) -> String {
        var json = JSONWriter()
        json.element(value)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Returns the union of the types, without duplicates.
    static func union(_ types: [String]) -> String {
        var parts: [String] = []
        for type in types where !parts.contains(type) { parts.append(type) }
        return parts.isEmpty ? "unknown" : parts.joined(separator: " | ")
    }

    private static func isNullable(_ schema: JSONObject) -> Bool {
        kinds(of: schema).contains("null")
    }

    private static func kinds(of schema: JSONObject) -> [String] {
        switch schema["type"] {
        case .string(let kind)?: [kind]
        case .array(let kinds)?:
            kinds.compactMap { if case .string(let kind) = $0 { kind } else { nil } }
        default: []
        }
    }
}
