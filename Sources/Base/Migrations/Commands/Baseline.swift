import Crypto
package import Postgres

/// Declares that a database created by other means is at a version, without running anything.
package enum Baseline {
    /// Records every file up to `version` in the ledger as a baseline, or the version itself if it
    /// is before all files. Returns the recorded names.
    ///
    /// A baseline can be set again until something is applied on top of it. Throws if something was
    /// applied, or if the version is neither in the folder nor before all its files, because files
    /// added later would count as applied.
    package static func set(
        _ settings: ConnectionSettings, _ folder: MigrationFolder, version: MigrationVersion,
        lockWaitSeconds: Double, report: (RunEvent) -> Void
    ) throws(MigrationError) -> [String] {
        try check(version, folder)
        let session = try Session(
            settings, folder.configuration, RunLimits(), purpose: "baseline")
        try RunnerLock(ledgerSchema: folder.configuration.ledgerSchema)
            .acquire(on: session, waitSeconds: lockWaitSeconds, report: report)
        let ledger = Ledger(session)
        try ledger.create()
        let entries = try ledger.entries()
        guard entries.allSatisfy({ $0.kind == .baseline }),
            try Journal(session).entries().isEmpty
        else {
            throw MigrationError(
                .drift, "the ledger already has entries, so a baseline can't be set",
                details: entries.map(\.fileName))
        }
        let files = folder.files.filter { $0.version <= version }
        let versions = files.isEmpty ? [version] : files.map(\.version)
        if entries.map(\.version) == versions {
            try session.confirm()
            return []
        }
        var script = "BEGIN; DELETE FROM \(ledger.table);\n"
        for file in files {
            script += ledger.insertScript(file, kind: .baseline, duration: "0") + "\n"
        }
        if files.isEmpty {
            script += ledger.insertScript(
                version: version, name: nameWithoutFile, checksum: SHA256Digest(of: "").hex,
                source: "", kind: .baseline, duration: "0")
        }
        try ledger.attempt { () throws(PostgresError) in
            try session.run(script + "\nCOMMIT;")
        }
        try session.confirm()
        return files.isEmpty ? ["\(version) (no file has it)"] : files.map(\.fileName)
    }

    /// Ledger name of a baseline version without a file.
    static let nameWithoutFile = "baseline"

    private static func check(
        _ version: MigrationVersion, _ folder: MigrationFolder
    ) throws(MigrationError) {
        guard let first = folder.files.first, let last = folder.files.last else {
            throw MigrationError(
                .usage, "\(folder.path) has no migrations",
                details: ["A baseline is the version of a file, or one before all files."])
        }
        let isKnown = folder.files.contains { $0.version == version }
        if isKnown || version < first.version { return }
        throw MigrationError(
            .usage, "there is no migration \(version)",
            details: [
                "The folder has \(first.fileName) to \(last.fileName). Files that are added later "
                    + "with a version up to the baseline would count as applied."
            ])
    }
}
