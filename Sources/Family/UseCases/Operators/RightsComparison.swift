/// Compares the roles and rights that the migrations create with those of a database.
///
/// Both are lists of lines as `hearth-admin rights` prints them. Grants on columns are compared
/// column by column, so that a remedy changes only the difference.
package struct RightsComparison: Sendable, Equatable {
    /// An object or role that exists, but has another owner, other row-level security or, for a
    /// role, other attributes.
    package struct Change: Sendable, Equatable {
        /// The line that the migrations produce.
        package let expected: String
        /// The line from the database for the same object.
        package let found: String
    }

    /// The differences, tables that lack row-level security first.
    package let changes: [Change]
    /// Lines that are expected, but missing from the database.
    package let missing: [String]
    /// Lines in the database that are not expected.
    package let surplus: [String]

    private let columnGrants: [String: String]

    /// Compares the text of a file with the lines from a database.
    package init(expected text: String, found: [String]) {
        self.init(expected: Self.lines(of: text), found: found)
    }

    /// Compares the lines of a file with those from a database.
    package init(expected: [String], found: [String]) {
        func counted(_ lines: [String]) -> Set<String> {
            Set(lines.flatMap { ColumnGrant($0)?.lines ?? [$0] })
        }
        let (wanted, had) = (counted(expected), counted(found))
        let (missing, surplus) = (wanted.subtracting(had), had.subtracting(wanted))
        let changes = Self.changes(missing, surplus)
        self.changes = changes
        self.missing = Self.grouped(missing.subtracting(changes.map(\.expected)))
        self.surplus = Self.grouped(surplus.subtracting(changes.map(\.found)))
        columnGrants = Dictionary(
            expected.compactMap { line in ColumnGrant(line).map { ($0.onTable, line) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the lines of a file without empty ones and comments.
    package static func lines(of text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map(String.init)
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    /// Returns the expected grant on columns that revoking a surplus grant on the whole table would
    /// remove; nil if there is none.
    package func columnGrantLost(byRevoking line: String) -> String? {
        columnGrants[line.replacing(" with grant option", with: "")]
    }

    private static func changes(_ missing: Set<String>, _ surplus: Set<String>) -> [Change] {
        func name(_ line: String) -> Substring? {
            if let mark = line.firstRange(of: " owner ") { return line[..<mark.lowerBound] }
            guard line.hasPrefix("role ") else { return nil }
            return line[..<(line.dropFirst("role ".count).firstIndex(of: " ") ?? line.endIndex)]
        }
        func isOpened(_ change: Change) -> Bool {
            change.expected.contains(" secured") && !change.found.contains(" secured")
        }
        let changes = missing.sorted().compactMap { line -> Change? in
            guard let own = name(line), let other = surplus.first(where: { name($0) == own })
            else { return nil }
            return Change(expected: line, found: other)
        }
        return changes.filter(isOpened) + changes.filter { !isOpened($0) }
    }

    /// Merges the grants on columns of each table into one line, and sorts all lines.
    private static func grouped(_ lines: Set<String>) -> [String] {
        var grants: [String: ColumnGrant] = [:]
        var rest: [String] = []
        for line in lines {
            guard let grant = ColumnGrant(line) else {
                rest.append(line)
                continue
            }
            grants[grant.onTable, default: grant].columns.formUnion(grant.columns)
        }
        return (rest + grants.values.map(\.line)).sorted()
    }
}

/// A parsed `grant PRIVILEGE (COLUMN, ...) on TABLE to ROLE`.
private struct ColumnGrant {
    private let privilege: Substring
    private let table: Substring
    var columns: Set<Substring>

    init?(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count == 3, words[0] == "grant", words[2].first == "(",
            let end = words[2].firstIndex(of: ")")
        else { return nil }
        privilege = words[1]
        columns = Set(words[2][..<end].dropFirst().split(separator: ", "))
        table = words[2][end...].dropFirst(2)
    }

    /// Line of the same grant on the whole table.
    var onTable: String { "grant \(privilege) \(table)" }

    var line: String {
        "grant \(privilege) (\(columns.sorted().joined(separator: ", "))) \(table)"
    }

    /// Lines of the grant, one for each column.
    var lines: [String] {
        columns.map { "grant \(privilege) (\($0)) \(table)" }
    }
}
