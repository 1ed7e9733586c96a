/// A place in a document, with the path that leads to it: reads typed values and names the field in
/// every error.
///
/// ```swift
/// let body = JSONField(try JSONValue(parsing: bytes))
/// let code = try body["familyCode"].string()
/// let name = try body["familyName"].ifPresent?.string()
/// ```
package struct JSONField: Sendable {
    /// The value; nil if the object has no such member.
    package let value: JSONValue?
    /// As in `members[2].role`; empty for the document itself.
    package let path: String

    /// The document itself, or the part of one that `path` names.
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

    /// The member of that name, which may be missing. Throws if this is not an object.
    package subscript(name: String) -> JSONField {
        get throws(JSONError) {
            let object = try object()
            return JSONField(object[name], path: path.isEmpty ? name : "\(path).\(name)")
        }
    }

    /// The string there.
    package func string() throws(JSONError) -> String {
        guard case .string(let string)? = value else { throw wrongType("a string") }
        return string
    }

    /// The whole number there; `1.0` and `1e3` are not written as one and are refused.
    package func integer() throws(JSONError) -> Int64 {
        if case .integer(let integer)? = value { return integer }
        guard case .number? = value else { throw wrongType("a whole number") }
        throw JSONError(
            .wrongType, path: path, expected: "a whole number",
            found: "a number with a fraction or an exponent")
    }

    /// The number there, whole or not.
    package func number() throws(JSONError) -> Double {
        switch value {
        case .integer(let integer)?: return Double(integer)
        case .number(let number)?: return number
        default: throw wrongType("a number")
        }
    }

    /// The boolean there.
    package func bool() throws(JSONError) -> Bool {
        guard case .bool(let bool)? = value else { throw wrongType("a boolean") }
        return bool
    }

    /// The members there.
    package func object() throws(JSONError) -> JSONObject {
        guard case .object(let object)? = value else { throw wrongType("an object") }
        return object
    }

    /// The elements there, each knowing its place.
    package func elements() throws(JSONError) -> [JSONField] {
        guard case .array(let array)? = value else { throw wrongType("an array") }
        return array.enumerated().map { JSONField($1, path: "\(path)[\($0)]") }
    }

    private func wrongType(_ expected: String) -> JSONError {
        guard let value else { return JSONError(.missing, path: path, expected: expected) }
        return JSONError(.wrongType, path: path, expected: expected, found: value.kind)
    }
}
