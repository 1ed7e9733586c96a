import UseCases

// What is wrong with roles and rights, with the statement that puts it right.

extension Finding {
    /// Something that the migrations make and the database lacks.
    static func missing(_ line: String) -> Finding {
        if let name = line.named("migration ") {
            return Finding(
                kind: "migration_missing", message: "\(name) is not applied",
                remedy: "hearth-migrate up")
        }
        return Finding(
            kind: "right_missing", message: line,
            remedy: line.grant.map { "as hearth_migrator: \($0)" } ?? remedy(line))
    }

    /// Something that the database has and no migration makes.
    ///
    /// - Parameter columns: A grant on columns that goes with it and has to be made again.
    static func surplus(_ line: String, restoring columns: String?) -> Finding {
        if let name = line.named("migration ") {
            return Finding(
                kind: "migration_unknown", message: "\(name) is applied, but unknown here",
                remedy: "use the release that it belongs to")
        }
        let statements = [line.revocation, columns?.grant].compactMap(\.self)
        return Finding(
            kind: "right_surplus", message: line,
            remedy: statements.isEmpty
                ? remedy(line) : "as hearth_migrator: " + statements.joined(separator: "; "))
    }

    /// A table whose owner or row-level security is another.
    static func changed(_ change: RightsComparison.Change) -> Finding {
        let (wanted, found) = (TableLine(change.expected), TableLine(change.found))
        var statements: [String] = []
        if wanted.owner != found.owner { statements.append("OWNER TO \(wanted.owner)") }
        if wanted.isSecured != found.isSecured {
            statements.append(
                (wanted.isSecured ? "ENABLE" : "DISABLE") + " ROW LEVEL SECURITY")
        }
        if wanted.isForced != found.isForced {
            statements.append((wanted.isForced ? "" : "NO ") + "FORCE ROW LEVEL SECURITY")
        }
        // Who is not the owner can't give the table back.
        let role = wanted.owner == found.owner ? "hearth_migrator" : "superuser"
        return Finding(
            kind: "right_changed", message: "\(change.expected), but it is: \(found.standing)",
            remedy: "as \(role): ALTER TABLE \(wanted.name) "
                + statements.joined(separator: ", "))
    }

    private static func remedy(_ line: String) -> String {
        line.hasPrefix("role ") || line.hasPrefix("member ")
            ? "hearth-migrate bootstrap, as superuser" : "undo it by hand, as hearth_migrator"
    }
}

/// `table NAME owner ROLE secured forced`, taken apart.
private struct TableLine {
    let name: Substring
    let owner: Substring
    let isSecured: Bool
    let isForced: Bool
    /// All but the name.
    let standing: String

    init(_ line: String) {
        let words = line.split(separator: " ")
        name = words.count > 1 ? words[1] : ""
        owner = words.count > 3 ? words[3] : ""
        isSecured = words.contains("secured")
        isForced = words.contains("forced")
        standing = words.dropFirst(2).joined(separator: " ")
    }
}

extension String {
    fileprivate func named(_ prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }

    /// The statement that makes a grant; nil for a line that tells of none.
    fileprivate var grant: String? {
        named("grant ").map { "GRANT " + Self.statement($0.split(separator: " ")) }
    }

    /// The statement that takes a grant back; nil for a line that tells of none.
    fileprivate var revocation: String? {
        guard let words = named("grant ")?.split(separator: " "),
            let to = words.lastIndex(of: "to"), to + 1 < words.count
        else { return nil }
        return "REVOKE \(Self.statement(words[..<to])) FROM \(words[to + 1])"
    }

    private static func statement(_ words: some Sequence<Substring>) -> String {
        let keywords: Set<Substring> = ["on", "to", "with", "grant", "option"]
        return words.map { keywords.contains($0) ? $0.uppercased() : String($0) }
            .joined(separator: " ")
    }
}
