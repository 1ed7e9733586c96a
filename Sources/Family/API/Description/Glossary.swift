import JSON

/// Meanings of the fields of requests and responses, by name, with an example of each.
///
/// A field's own help, at its declaration, takes precedence. Names are looked up in the spelling
/// `householdRole`; `Shape.name` takes precedence over `name`.
enum Glossary {
    struct Entry: Sendable {
        let help: String
        /// Example of the field; nil if its schema provides one, as a closed set of words does.
        let example: JSONValue?

        init(_ help: String, _ example: JSONValue? = nil) {
            self.help = help
            self.example = example
        }
    }

    /// Returns the entry of a field in this shape, or else in any shape; nil if there is none.
    static func entry(_ name: String, of shape: String = "") -> Entry? {
        let name = name.contains("_") ? Spelling.alternative(of: name) ?? name : name
        return entries["\(shape).\(name)"] ?? entries[name]
    }

    /// An example of JSON that only clients interpret.
    static let document: JSONValue = ["theme": "dark"]

    private static let entries: [String: Entry] = people.merging(families) { first, _ in first }
        .merging(responses) { first, _ in first }
        .merging(signIn) { first, _ in first }
        .merging(servers) { first, _ in first }
}
