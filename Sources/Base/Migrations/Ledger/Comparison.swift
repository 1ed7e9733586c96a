/// The comparison of a folder of migrations with the ledger of a database.
package struct Comparison: Sendable {
    /// A migration that the ledger has, and how the folder differs from it.
    package struct Applied: Sendable {
        /// The ledger's entry.
        package let entry: LedgerEntry
        /// The file of that version.
        package let file: MigrationFile?
        /// How the folder differs from it; empty if it doesn't.
        package let differences: [Difference]
    }

    /// A way in which the folder differs from what was applied.
    package enum Difference: Sendable, Equatable {
        /// The text is another one.
        case edited
        /// The text is the same, the name another one.
        case renamed
        /// There is no file; one with the same text has another version, which isn't applied.
        case renumbered(to: String)
        /// There is no file.
        case missing
    }

    /// In the order of versions.
    package let applied: [Applied]
    /// The files that aren't applied, in the order in which they would run.
    package let pending: [MigrationFile]
    /// The pending files that are older than something applied.
    package let outOfOrder: [MigrationFile]

    /// Compares them.
    package init(files: [MigrationFile], ledger: [LedgerEntry]) {
        let byVersion = Dictionary(files.map { ($0.version, $0) }) { first, _ in first }
        let versions = Set(ledger.map(\.version))
        pending = files.filter { !versions.contains($0.version) }
        let unclaimed = pending
        applied = ledger.sorted { $0.version < $1.version }.map { entry in
            let file = byVersion[entry.version]
            return Applied(
                entry: entry, file: file,
                differences: Comparison.differences(
                    entry, file, unclaimed: unclaimed, first: files.map(\.version).min()))
        }
        let newest = versions.max()
        outOfOrder = pending.filter { file in newest.map { file.version < $0 } ?? false }
    }

    private static func differences(
        _ entry: LedgerEntry, _ file: MigrationFile?, unclaimed: [MigrationFile],
        first: MigrationVersion?
    ) -> [Difference] {
        guard let file else {
            // A baseline may replace files that never existed, and the oldest files of one may be
            // taken out of the folder. One from between the others is missing.
            let isBelow = first.map { entry.version < $0 } ?? true
            if entry.kind == .baseline, entry.isWithoutFile || isBelow { return [] }
            let twin = unclaimed.first { $0.checksum.hex == entry.checksum }
            return [twin.map { .renumbered(to: $0.fileName) } ?? .missing]
        }
        var found: [Difference] = []
        if file.checksum.hex != entry.checksum { found.append(.edited) }
        if file.name != entry.name { found.append(.renamed) }
        return found
    }
}
