import Definitions

/// Compares a database with what its migrations created.
enum DefinitionCheck {
    /// Returns the differences, one per cause, with the statements that repair them; nil if there
    /// are none.
    ///
    /// - Parameter expected: Definitions that the migrations created; nil to use the record.
    static func drift(
        _ session: Session, expected given: [Definition]?
    ) throws(MigrationError) -> MigrationError? {
        let record = DefinitionRecord(session)
        var expected = given ?? []
        var reworded: Set<String> = []
        if given == nil {
            guard let entries = try record.entries() else { return nil }
            if try record.isUnfinished() {
                return MigrationError(
                    .drift, "a run was interrupted before it recorded its changes",
                    details: ["`hearth-migrate up` records it."])
            }
            expected = entries.map(\.definition)
            let version = Int32(session.connection.serverVersion)
            reworded = Set(
                entries.filter { $0.serverVersion != version }.map(\.definition.object))
        }
        let differences = [DefinitionDifference](
            expected: expected, found: try record.current().comparable(with: expected))
        if differences.isEmpty { return nil }
        let isReworded = differences.contains { reworded.contains($0.subject.object) }
        let count = differences.count
        return MigrationError(
            .drift,
            "\(count) \(count == 1 ? "object differs" : "objects differ") from what the migrations "
                + "made",
            details: differences.flatMap { difference in
                [difference.message, "  " + DefinitionRemedy(difference).line]
            }
                + (isReworded
                    ? [
                        "This was recorded by another version of PostgreSQL, which may print the "
                            + "same definition differently: run `hearth-migrate record` first."
                    ] : []))
    }
}

extension DefinitionRemedy {
    /// The remedy in one line, with the role that must run it.
    fileprivate var line: String {
        switch self {
        case .words(let words): words
        case .statements(let statements): "as the owner: " + statements.joined(separator: "; ")
        case .superuserStatements(let statements):
            "as superuser: " + statements.joined(separator: "; ")
        case .creation(let statements):
            "as the owner: " + statements.joined(separator: "; ")
                + " (then set its owner and grants again)"
        }
    }
}
