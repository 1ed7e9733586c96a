import Crypto
package import Postgres

/// Declares a database that came about by other means to be at a version, without running anything.
package enum Baseline {
    /// Enters every file up to `version` in the ledger as a baseline, and that version itself where
    /// no file has it. Gives the names of what was entered.
    ///
    /// Throws where the ledger has something already, unless it is the same baseline.
    package static func set(
        _ settings: ConnectionSettings, _ folder: MigrationFolder, version: MigrationVersion,
        lockWaitSeconds: Double, report: (RunEvent) -> Void
    ) throws(MigrationError) -> [String] {
        let session = try Session(
            settings, folder.configuration, RunLimits(), purpose: "baseline")
        try RunnerLock(ledgerSchema: folder.configuration.ledgerSchema)
            .take(on: session, waitSeconds: lockWaitSeconds, report: report)
        let ledger = Ledger(session)
        try ledger.create()
        let entries = try ledger.entries()
        if entries.last?.version == version, entries.allSatisfy({ $0.kind == .baseline }) {
            return []
        }
        guard entries.isEmpty, try Journal(session).entries().isEmpty else {
            throw MigrationError(
                .drift, "the ledger has entries already: a baseline is where one starts",
                details: entries.map(\.fileName))
        }
        var script = "BEGIN;\n"
        let files = folder.files.filter { $0.version <= version }
        for file in files {
            script += ledger.insertScript(file, kind: .baseline, duration: "0") + "\n"
        }
        var names = files.map(\.fileName)
        if files.last?.version != version {
            script += ledger.insertScript(
                version: version, name: "baseline", checksum: SHA256Digest(of: "").hex,
                source: "", kind: .baseline, duration: "0")
            names.append("\(version) (no file has it)")
        }
        try ledger.attempt { () throws(PostgresError) in
            try session.run(script + "\nCOMMIT;")
        }
        return names
    }
}
