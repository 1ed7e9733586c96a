package import Postgres

/// Updates the ledger where applied files were edited, renamed or renumbered.
///
/// Only the ledger changes; edited files do not run.
package struct Repair {
    private let session: Session
    private let state: FolderState

    /// The changes: each migration with its kind of change, and the diff.
    package let lines: [String]
    /// Migrations whose files are missing. They can't be recorded, only restored.
    package let missing: [String]

    /// Takes the lock and compares ledger and folder. The lock is held for the lifetime of this
    /// value.
    package init(
        _ settings: ConnectionSettings, _ folder: MigrationFolder, lockWaitSeconds: Double,
        report: (RunEvent) -> Void
    ) throws(MigrationError) {
        session = try Session(settings, folder.configuration, RunLimits(), purpose: "repair")
        try RunnerLock(ledgerSchema: folder.configuration.ledgerSchema)
            .acquire(on: session, waitSeconds: lockWaitSeconds, report: report)
        state = try FolderState.read(session, folder).state
        // Recording them would claim that the database contains what their files create.
        if let otherFiles = state.otherFiles { throw otherFiles }
        lines = state.differences
        missing = state.comparison.applied.filter { $0.differences == [.missing] }
            .map(\.entry.fileName)
        files = Dictionary(folder.files.map { ($0.fileName, $0) }) { first, _ in first }
    }

    private let files: [String: MigrationFile]

    /// Whether there is anything to record.
    package var recordable: Bool { state.comparison.applied.contains { current($0) != nil } }

    /// Records the current name, version and text of the files. Returns the names of the files.
    package func apply() throws(MigrationError) -> [String] {
        var script = "BEGIN;\n"
        var names: [String] = []
        for migration in state.comparison.applied {
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
        if !names.isEmpty {
            try Ledger(session).attempt { () throws(PostgresError) in
                try session.run(script + "COMMIT;")
            }
        }
        try session.confirm()
        return names
    }

    /// Restores missing files with the texts in the ledger. Returns their names.
    package func restore(into path: String) throws(MigrationError) -> [String] {
        let missingEntries = state.comparison.applied.filter { $0.differences == [.missing] }.map(
            \.entry)
        let sources = try Ledger(session).sources(of: missingEntries.map(\.version))
        for entry in missingEntries {
            guard let source = sources[entry.version] else { continue }
            try FileSystem.create(path + "/" + entry.fileName, Array(source.utf8))
        }
        return missingEntries.map(\.fileName)
    }

    /// Returns the file to record for a ledger entry; nil if there is nothing to change, or no
    /// file.
    private func current(_ migration: Comparison.Applied) -> MigrationFile? {
        switch migration.differences.first {
        case nil, .missing: nil
        case .edited, .renamed: migration.file
        case .renumbered(let name): files[name]
        }
    }
}
