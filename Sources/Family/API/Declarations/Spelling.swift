/// The two spellings of a field's name: the routes' own (`householdRole`) and that of the
/// database's columns (`household_role`), which some responses use.
enum Spelling {
    /// Returns the name in the other spelling; nil if both are equal, as for a single word.
    static func alternative(of name: String) -> String? {
        let other = name.contains("_") ? camelCase(name) : snakeCase(name)
        return other == name ? nil : other
    }

    private static func snakeCase(_ name: String) -> String {
        name.reduce(into: "") { result, character in
            if character.isUppercase { result.append("_") }
            result += character.lowercased()
        }
    }

    private static func camelCase(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.dropFirst().reduce(String(words.first ?? "")) { result, word in
            result + word.prefix(1).uppercased() + word.dropFirst()
        }
    }
}
