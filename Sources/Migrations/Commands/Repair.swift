package import Postgres

/// Makes the ledger agree with the folder, where applied files were edited, renamed or renumbered.
///
/// It changes the ledger and nothing else: what an edited file would do now, it doesn't do.
package struct Repair {
    private let session: Session
    private let standing: Standing

    /// What would be changed: for each migration what it is, and the difference.
    package let lines: [String]
    /// Migrations that no repair can mend: their files are gone.
    package let missing: [String]

    /// Takes the lock and looks. The lock is held for as long as this lives.
    package init(
        _ settings: ConnectionSettings, _ folder: MigrationFolder, lockWaitSeconds: Double,
        report: (RunEvent) -> Void
    ) throws(MigrationError) {
        session = try Session(settings, folder.configuration, RunLimits(), purpose: "repair")
        try RunnerLock(ledgerSchema: folder.configuration.ledgerSchema)
            .take(on: session, waitSeconds: lockWaitSeconds, report: report)
        standing = try Standing.read(session, folder).standing
        let drift = standing.drift(countsCosmetic: true)?.details.dropLast()
        lines = Array(drift ?? [])
        missing = standing.comparison.applied.filter { $0.differences == [.missing] }
            .map(\.entry.fileName)
        files = Dictionary(folder.files.map { ($0.fileName, $0) }) { first, _ in first }
    }

    private let files: [String: MigrationFile]

    /// Records name, version and text of the files as they are now. Gives the names of the files.
    package func apply() throws(MigrationError) -> [String] {
        var script = "BEGIN;\n"
        var names: [String] = []
        for migration in standing.comparison.applied {
            guard let file = current(migration) else { continue }
            names.append(file.fileName)
            script += """
                UPDATE \(Ledger(session).table)
                   SET version = \(file.version.number), name = \(SQL.quoted(literal: file.name)),
                       checksum = '\(file.checksum.hex)',
                       source = \(SQL.quoted(literal: file.text.string))
                 WHERE version = \(migration.entry.version.number);

                """
        }
        if names.isEmpty { return [] }
        try Ledger(session).attempt { () throws(PostgresError) in
            try session.run(script + "COMMIT;")
        }
        return names
    }

    /// The file that an entry is to be about; nil where nothing is to be changed, or nothing can.
    private func current(_ migration: Comparison.Applied) -> MigrationFile? {
        switch migration.differences.first {
        case nil, .missing: nil
        case .edited, .renamed: migration.file
        case .renumbered(let name): files[name]
        }
    }
}
