/// A name of an object, with or without its schema, as PostgreSQL stores it.
package struct QualifiedName: Sendable, Hashable {
    /// The schema; nil if the name has none.
    package let schema: String?
    /// The name itself.
    package let name: String

    /// Creates a name with or without a schema.
    package init(schema: String? = nil, _ name: String) {
        self.schema = schema
        self.name = name
    }

    /// The name quoted for use in SQL.
    package var quoted: String {
        (schema.map { $0.quotedIdentifier + "." } ?? "") + name.quotedIdentifier
    }
}

extension QualifiedName: CustomStringConvertible {
    /// The name for people, without quotes.
    package var description: String { (schema.map { $0 + "." } ?? "") + name }
}

extension String {
    /// The string as an SQL identifier, always in quotes.
    package var quotedIdentifier: String {
        "\"" + replacing("\"", with: "\"\"") + "\""
    }
}
