import JSON

/// Generates an example for a schema, from the glossary and from the schema itself.
struct ExampleMaker {
    /// The named schemas that others refer to.
    let components: [String: JSONValue]

    /// - Parameters:
    ///   - field: The name of the field; empty for a whole document.
    ///   - shape: The name of the object that the field belongs to.
    func example(of schema: JSONValue, field: String = "", in shape: String = "") -> JSONValue {
        guard case .object(let schema) = schema else { return .null }
        if let only = schema["const"] { return only }
        if let known = Glossary.entry(field, of: shape)?.example, Self.allows(schema, known) {
            if case .array = known { return known }
            return Self.type(of: schema) == "array" ? [known] : known
        }
        if case .string(let reference)? = schema["$ref"] {
            let name = reference.split(separator: "/").last.map { String($0) } ?? ""
            return components[name].map { example(of: $0, in: name) } ?? .null
        }
        if case .array(let words)? = schema["enum"], let first = words.first { return first }
        if case .array(let ways)? = schema["anyOf"], let first = ways.first {
            return example(of: first, field: field, in: shape)
        }
        switch Self.type(of: schema) {
        case "object": return object(schema, shape)
        case "array": return .array(schema["items"].map { [example(of: $0)] } ?? [])
        case "boolean": return true
        case "integer", "number": return schema["minimum"] ?? 1
        default: return Self.text(of: schema)
        }
    }

    /// Returns an example of an object, with the fields whose names are published.
    private func object(_ schema: JSONObject, _ shape: String) -> JSONValue {
        guard case .object(let properties)? = schema["properties"] else { return [:] }
        let members = properties.members.compactMap { property -> JSONObject.Member? in
            if case .object(let object) = property.value, object["deprecated"] != nil { return nil }
            return .init(
                name: property.name,
                value: example(of: property.value, field: property.name, in: shape))
        }
        return .object(JSONObject(members))
    }

    /// Returns false if the schema lists its values and this is not one of them.
    private static func allows(_ schema: JSONObject, _ value: JSONValue) -> Bool {
        guard case .array(let words)? = schema["enum"] else { return true }
        return words.contains(value)
    }

    private static func type(of schema: JSONObject) -> String {
        switch schema["type"] {
        case .string(let name)?: return name
        case .array(let names)?:
            if case .string(let name)? = names.first { return name }
            return ""
        default: return ""
        }
    }

    private static func text(of schema: JSONObject) -> JSONValue {
        switch schema["format"] {
        case "uuid"?: "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63"
        case "date-time"?: "2026-02-08T12:00:00Z"
        case "date"?: "2026-02-08"
        case "email"?: "ada@example.com"
        default: "text"
        }
    }
}
