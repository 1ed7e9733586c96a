/// A name of an object, with or without its schema, as PostgreSQL stores it.
package struct QualifiedName: Sendable, Hashable {
    /// The schema; nil where the name has none.
    package let schema: String?
    /// The name itself.
    package let name: String

    /// A name, in a schema or without one.
    package init(schema: String? = nil, _ name: String) {
        self.schema = schema
        self.name = name
    }

    /// Quoted for use in SQL.
    package var quoted: String {
        (schema.map { $0.quotedIdentifier + "." } ?? "") + name.quotedIdentifier
    }
}

extension QualifiedName: CustomStringConvertible {
    /// For people: without quotes.
    package var description: String { (schema.map { $0 + "." } ?? "") + name }
}

extension String {
    /// As an identifier in SQL, always in quotes.
    package var quotedIdentifier: String {
        "\"" + replacing("\"", with: "\"\"") + "\""
    }
}
