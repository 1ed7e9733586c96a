import UseCases

// What is wrong with migrations and tables' security, with what puts it right.

extension Finding {
    /// There is nothing to hold rights against.
    static func rightsUnchecked(_ reason: String) -> Finding {
        Finding(
            kind: "rights_unchecked", message: reason,
            remedy: "name the release's sql/rights.txt by --rights")
    }

    /// A migration that the list of rights names, and that is not applied.
    static func missing(migration name: String) -> Finding {
        Finding(
            kind: "migration_missing", message: "\(name) is not applied",
            remedy: "hearth-migrate up; rights are compared after that")
    }

    /// A migration that is applied, and that the list of rights does not name.
    static func unknown(migration name: String) -> Finding {
        Finding(
            kind: "migration_unknown", message: "\(name) is applied, but unknown to the list",
            remedy: "the list is of another release: name by --rights the sql/rights.txt of the "
                + "one that the migration belongs to, and use that release; rights are compared "
                + "after that")
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
