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

    /// Something whose owner, row-level security or attributes are others.
    static func changed(_ change: RightsComparison.Change, remedy: String) -> Finding {
        let mark = change.found.firstRange(of: " owner ")?.lowerBound
        let standing = mark.map { change.found[$0...].dropFirst() } ?? change.found[...]
        return Finding(
            kind: "right_changed", message: "\(change.expected), but it is: \(standing)",
            remedy: remedy)
    }

    /// There is nothing to hold definitions against.
    static let definitionsUnrecorded = Finding(
        kind: "definitions_unrecorded",
        message: "what the migrations made was not recorded in this database",
        remedy: "hearth-migrate record --admin-url URL, with the URL of a superuser")

    /// A run of hearth-migrate was cut off.
    static let recordingUnfinished = Finding(
        kind: "definitions_unrecorded",
        message: "a run of hearth-migrate was cut off, or goes on, and has not recorded what it "
            + "changed",
        remedy: "hearth-migrate up; definitions are compared after that")

    /// What a server of another version has recorded can't be compared word by word.
    static func reworded(_ objects: [String]) -> Finding {
        Finding(
            kind: "definitions_reworded",
            message:
                "\(objects.count == 1 ? "1 definition was" : "\(objects.count) definitions were") "
                + "recorded by another version of PostgreSQL, and this one has other words for "
                + "\(objects.count == 1 ? "it" : "them"): \(objects.prefix(3).joined(separator: ", "))"
                + (objects.count > 3 ? " ..." : ""),
            remedy: "hearth-migrate record --admin-url URL, with the URL of a superuser; "
                + "definitions are compared after that")
    }
}
