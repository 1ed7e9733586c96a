/// Whether a list of rights belongs to the database's migrations. Only then can rights be compared.
///
/// Releases grant different rights. Following a comparison with another release's list would revoke
/// rights that programs need.
package struct MigrationsComparison: Sendable, Equatable {
    /// Whether the text names any migration. A text that names none is not a list of rights.
    package let isList: Bool
    /// Migrations that are in the list, but not applied.
    package let missing: [String]
    /// Migrations that are applied, but not in the list.
    package let unknown: [String]

    /// Compares the text of a file with the lines from a database.
    package init(expected text: String, found: [String]) {
        let wanted = Self.names(text.split(whereSeparator: \.isNewline).map(String.init))
        let applied = Self.names(found)
        isList = !wanted.isEmpty
        missing = wanted.subtracting(applied).sorted()
        unknown = applied.subtracting(wanted).sorted()
    }

    /// Whether rights can be compared.
    package var isSame: Bool { isList && missing.isEmpty && unknown.isEmpty }

    private static func names(_ lines: [String]) -> Set<String> {
        let prefix = "migration "
        return Set(
            lines.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) })
    }
}
