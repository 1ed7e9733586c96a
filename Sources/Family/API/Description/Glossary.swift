import JSON

/// What the fields of requests and responses mean, by name, and an example of each.
///
/// A field's own help, at its declaration, wins. Names are looked up in the spelling
/// `householdRole`; `Shape.name` comes before `name`.
enum Glossary {
    struct Entry: Sendable {
        let help: String
        /// Nil where the field's schema has one, as a closed set of words does.
        let example: JSONValue?

        init(_ help: String, _ example: JSONValue? = nil) {
            self.help = help
            self.example = example
        }
    }

    /// The entry of a field, of this shape or of all; nil if there is none.
    static func entry(_ name: String, of shape: String = "") -> Entry? {
        let name = name.contains("_") ? Spelling.other(of: name) ?? name : name
        return entries["\(shape).\(name)"] ?? entries[name]
    }

    /// An example of JSON that only clients understand.
    static let document: JSONValue = ["theme": "dark"]

    private static let entries: [String: Entry] = people.merging(families) { first, _ in first }
        .merging(answers) { first, _ in first }
        .merging(signIn) { first, _ in first }
}
