import UseCases

// Findings about migrations and rights, with their remedies.

extension Finding {
    /// The finding that the list of rights can't be read.
    static func rightsUnchecked(_ reason: String) -> Finding {
        Finding(
            kind: "rights_unchecked", message: reason,
            remedy: "name the release's sql/rights.txt with --rights")
    }

    /// Finding about a migration that the list of rights names and that is not applied.
    static func missing(migration name: String) -> Finding {
        Finding(
            kind: "migration_missing", message: "\(name) is not applied",
            remedy: "hearth-migrate up; rights are compared after that")
    }

    /// Finding about a migration that is applied and that the list of rights does not name.
    static func unknown(migration name: String) -> Finding {
        Finding(
            kind: "migration_unknown", message: "\(name) is applied, but the list does not name it",
            remedy: "the list belongs to another release: use the release that the migration "
                + "belongs to, and name its sql/rights.txt with --rights; rights are compared "
                + "after that")
    }

    /// Finding about an object with another owner, row-level security or attributes.
    static func changed(_ change: RightsComparison.Change, remedy: String) -> Finding {
        let mark = change.found.firstRange(of: " owner ")?.lowerBound
        let found = mark.map { change.found[$0...].dropFirst() } ?? change.found[...]
        return Finding(
            kind: "right_changed", message: "\(change.expected), but it is: \(found)",
            remedy: remedy)
    }

    /// The finding that the database has no recorded definitions to compare with.
    static let definitionsUnrecorded = Finding(
        kind: "definitions_unrecorded",
        message: "the definitions that the migrations made were not recorded in this database",
        remedy: "hearth-migrate record --admin-url URL, with the URL of a superuser")

    /// The finding that a run of hearth-migrate was interrupted or has not ended yet.
    static let recordingUnfinished = Finding(
        kind: "definitions_unrecorded",
        message: "a run of hearth-migrate was interrupted, or is still running, and has not "
            + "recorded its changes",
        remedy: "hearth-migrate up; definitions are compared after that")

    /// The finding that another version of the server recorded the definitions, so that they can't
    /// be compared literally.
    static func reworded(_ objects: [String]) -> Finding {
        Finding(
            kind: "definitions_reworded",
            message:
                "\(objects.count == 1 ? "1 definition was" : "\(objects.count) definitions were") "
                + "recorded by another version of PostgreSQL; this version prints "
                + "\(objects.count == 1 ? "it" : "them") differently: "
                + objects.prefix(3).joined(separator: ", ")
                + (objects.count > 3 ? " ..." : ""),
            remedy: "hearth-migrate record --admin-url URL, with the URL of a superuser; "
                + "definitions are compared after that")
    }
}
