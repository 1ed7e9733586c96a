import Definitions
import Configuration
import Repositories
import UseCases

// Examines roles, owners, grants and definitions; migrations first.

extension DoctorRun {
    /// Compares the database with a release's list. Skips parts that can't be read.
    ///
    /// - Returns: Whether there is a list.
    mutating func checkRights(_ path: String) throws -> Bool {
        let expected: String
        do {
            expected = try TextFile.read(path, limitBytes: 4 << 20)
        } catch {
            add(.rightsUnchecked("\(path): \(error)"))
            return false
        }
        let found =
            try migrations(path)
            ?? RightsComparison.lines(of: expected).filter { $0.hasPrefix("migration ") }
        let migrations = MigrationsComparison(expected: expected, found: found)
        guard migrations.isList else {
            add(.rightsUnchecked("\(path) names no migrations, so it is not a list of rights"))
            return false
        }
        for name in migrations.missing { add(.missing(migration: name)) }
        for name in migrations.unknown { add(.unknown(migration: name)) }
        guard migrations.isSame else { return true }
        let definitions = try examine("definitions") { try $0.session.definitions() }
        let parts = try examine("parts of tables") { try $0.parts(of: expected) }
        try examine("rights") {
            try $0.compare(expected, found, definitions ?? .differences([], reworded: []), parts)
        }
        return true
    }

    /// Returns the lines of the database's migrations; nil if they can't be read. It is then
    /// unknown whether the list belongs to the database's release. The list is still compared,
    /// because the reason may be a missing grant that the list contains.
    ///
    /// - Throws: The refusal if the database is not Hearth's: every line of the list would be
    ///   missing from it.
    private mutating func migrations(_ path: String) throws -> [String]? {
        do {
            return try session.migrations()
        } catch {
            guard let reason = RefusedExamination.reason(in: error),
                try session.rights().contains(where: { $0.hasPrefix("schema app owner ") })
            else { throw error }
            add(.unchecked("migrations (so make sure that \(path) is this release's)", reason))
            return nil
        }
    }

    /// Returns the partitions of the tables in a list, with their expected lines.
    private func parts(of expected: String) throws -> PartitionComparison {
        let tables = Dictionary(
            RightsComparison.lines(of: expected).filter { $0.hasPrefix("table ") }
                .compactMap { line in RightsRemedies.owned(line).map { ($0.object, line) } },
            uniquingKeysWith: { first, _ in first })
        // Partitions of a table that the list does not name are reported with the table.
        let all = try session.partitions().filter { tables[$0.table] != nil }
        let definitions = try session.definitions(ofPartitions: all.map(\.name))
        let wanted = all.compactMap { part in
            tables[part.table]?.replacing("table \(part.table) ", with: "table \(part.name) ")
        }
        let names = Set(all.map(\.name))
        let found = try session.rightsOfPartitions().filter { names.contains($0.partition) }
            .map(\.line)
        return PartitionComparison(
            all: all, wanted: wanted, found: found,
            differences: [DefinitionDifference](
                expected: definitions.expected, found: definitions.found))
    }

    private mutating func compare(
        _ list: String, _ migrations: [String], _ definitions: DefinitionsFound,
        _ parts: PartitionComparison?
    ) throws {
        let found = migrations + (try session.rights()) + (parts?.found ?? [])
        let expected = RightsComparison.lines(of: list) + (parts?.wanted ?? [])
        let remedies = RightsRemedies(found: found, database: try session.databaseName())
        let comparison = RightsComparison(expected: expected, found: found)
        // REVOKE statements come before GRANT statements, because REVOKE on a whole table also
        // removes the grants on its columns.
        for change in comparison.changes {
            add(.changed(change, remedy: remedies.remedy(change)))
        }
        var differences: [DefinitionDifference] = []
        switch definitions {
        case .unrecorded: add(.definitionsUnrecorded)
        case .unfinished: add(.recordingUnfinished)
        case .differences(let differing, let reworded):
            differences = differing
            if !reworded.isEmpty { add(.reworded(reworded.map(\.subject.object))) }
        }
        differences += parts?.differences ?? []
        let anew = DefinitionRemedies(remedies, expected: expected, found: found)
        for difference in differences { add(anew.finding(difference)) }
        for part in parts?.all ?? [] {
            for finding in anew.findings(part) { add(finding) }
        }
        let implied = DefinitionRemedies.lines(
            comparison.surplus + comparison.missing, impliedBy: differences)
        for line in comparison.surplus where !implied.contains(line) {
            let lost = comparison.columnGrantLost(byRevoking: line)
            let remedy = remedies.remedy(surplus: line, restoring: lost)
            add(Finding(kind: "right_surplus", message: line, remedy: remedy))
        }
        for line in comparison.missing where !implied.contains(line) {
            let remedy = remedies.remedy(missing: line)
            add(Finding(kind: "right_missing", message: line, remedy: remedy))
        }
    }
}

/// The partitions of Hearth's tables.
private struct PartitionComparison {
    let all: [FoundPartition]
    /// The expected line of each partition, in the form of the list of rights.
    let wanted: [String]
    /// The line that the database has for each partition, in the same form.
    let found: [String]
    let differences: [DefinitionDifference]
}
