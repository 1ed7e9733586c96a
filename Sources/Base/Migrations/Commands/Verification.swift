package import Postgres

/// Check of `verify`, for CI: folder, ledger and database agree, and nothing is pending.
package enum Verification {
    /// Checks everything without changing anything. Returns the message for success.
    ///
    /// Throws only the most serious problem, in this order: files that can't be ordered or can't
    /// run; drift, including changes of comments and layout; tables without protection; pending
    /// files; objects that differ from those that the migrations created.
    ///
    /// - Parameter rebuild: A user who may create the throw-away database to compare with; nil to
    ///   compare with the record.
    package static func run(
        _ settings: ConnectionSettings, _ folder: MigrationFolder, allowsOutOfOrder: Bool,
        rebuild administrator: ConnectionSettings? = nil
    ) throws(MigrationError) -> String {
        let session = try Session(
            settings, folder.configuration, RunLimits(), purpose: "verify")
        let (state, journal) = try FolderState.read(session, folder)
        if let drift = state.drift(countsCosmetic: true) { throw drift }
        let pending = try PendingMigrations(
            state, folder, target: nil, allowsOutOfOrder: allowsOutOfOrder)
        let scripts = try pending.scripts(serverMajorVersion: session.serverMajorVersion)
        for (file, script) in zip(pending.files, scripts) {
            try StatementRun.check(journal[file.version] ?? [], file, script)
        }
        let repeatable = try RepeatableState.read(session, folder)
        try repeatable.check(serverMajorVersion: session.serverMajorVersion)
        if let drift = repeatable.drift(countsAbandoned: true) { throw drift }
        let exposureProblems = try PostCheck(session).problems()
        guard exposureProblems.isEmpty else {
            throw MigrationError(
                .drift,
                "tables or objects are open to roles that must have no access",
                details: exposureProblems)
        }
        let names = pending.files.map(\.fileName) + repeatable.pendingLines
        guard names.isEmpty else {
            let count = names.count
            throw MigrationError(
                .pending, "\(count) \(count == 1 ? "file is" : "files are") pending", details: names
            )
        }
        let expectedDefinitions = try administrator.map { (administrator) throws(MigrationError) in
            try FolderDefinitions.make(
                settings, folder, onServerOf: session, administrator: administrator)
        }
        if let drift = try DefinitionCheck.drift(session, expected: expectedDefinitions) {
            throw drift
        }
        let files = folder.repeatable.map { ", \($0.files.count) repeatable" } ?? ""
        return "\(state.comparison.applied.count) applied\(files), nothing pending, "
            + "nothing differs"
    }
}
