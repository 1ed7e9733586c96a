/// What the migrations make of roles and rights, held against what a database has.
///
/// Both are lists of lines as `hearth-admin rights` prints them.
package struct RightsComparison: Sendable, Equatable {
    /// Expected, but not there.
    package let missing: [String]
    /// There, but not expected.
    package let surplus: [String]

    /// Compares the text of a file with the lines of a database.
    ///
    /// Definitions are compared only where both are of one major version of PostgreSQL: it prints
    /// the same expression a little differently from version to version.
    package init(expected text: String, found: [String]) {
        let expected = text.split(whereSeparator: \.isNewline).map(String.init)
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
        let isSameVersion = Self.server(expected) == Self.server(found)
        func counted(_ lines: [String]) -> Set<String> {
            Set(
                lines.filter {
                    !$0.hasPrefix("server ") && (isSameVersion || !$0.hasPrefix("definition "))
                })
        }
        let (wanted, had) = (counted(expected), counted(found))
        missing = wanted.subtracting(had).sorted()
        surplus = had.subtracting(wanted).sorted()
    }

    private static func server(_ lines: [String]) -> String? {
        lines.first { $0.hasPrefix("server ") }
    }
}
