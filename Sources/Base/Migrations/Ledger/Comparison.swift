/// Comparison of a folder of migrations with the ledger of a database.
package struct Comparison: Sendable {
    /// A migration in the ledger, and how the folder differs from it.
    package struct Applied: Sendable {
        /// The ledger's entry.
        package let entry: LedgerEntry
        /// The file with the entry's version; nil if there is none.
        package let file: MigrationFile?
        /// Differences between the folder and the ledger's entry; empty if there are none.
        package let differences: [Difference]
    }

    /// A difference between the folder and what was applied.
    package enum Difference: Sendable, Equatable {
        /// The text differs.
        case edited
        /// The text is the same, but the name differs.
        case renamed
        /// The file is missing, but a file with the same text has another version, which isn't
        /// applied.
        case renumbered(to: String)
        /// The file is missing.
        case missing
    }

    /// The applied migrations, ordered by version.
    package let applied: [Applied]
    /// The files that aren't applied, in the order in which they would run.
    package let pending: [MigrationFile]
    /// The pending files with lower versions than an applied one.
    package let outOfOrder: [MigrationFile]

    /// Compares the files with the ledger.
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
            // A baseline may stand for files that never existed, and its oldest files may have been
            // removed from the folder. A file is missing only if it lies between existing ones.
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
