import Definitions
package import Postgres

/// Definitions that a folder's files create, found by applying them to a throw-away database on the
/// same server.
package enum FolderDefinitions {
    /// Applies the whole folder to a throw-away database and reads the definitions.
    ///
    /// - Parameter administrator: A user of the same server who may create databases; nil for the
    ///   user of `settings`.
    static func make(
        _ settings: ConnectionSettings, _ folder: MigrationFolder, onServerOf session: Session,
        administrator: ConnectionSettings?
    ) throws(MigrationError) -> [Definition] {
        try ThrowawayDatabase.with(
            onServerOf: session, administrator: administrator ?? settings, purpose: "definitions"
        ) { (database) throws(MigrationError) in
            var target = settings
            target.set("dbname", database.name)
            do throws(PostgresError) {
                let role = try session.connection.query("SELECT current_user::text")
                    .scalar(String.self)
                try database.allow(role)
            } catch {
                throw .database(error, "the throw-away database \(database.name)")
            }
            var options = MigrationRunner.Options()
            options.allowsOutOfOrder = true
            _ = try MigrationRunner(target, folder, options, report: { _ in }).up()
            let applied = try Session(
                target, folder.configuration, RunLimits(), purpose: "definitions")
            return try DefinitionRecord(applied).current()
        }
    }

    /// Records what the folder creates in the database's ledger, whatever the database itself
    /// contains. This is needed after an upgrade of the server, which may print definitions
    /// differently.
    ///
    /// Returns the number of definitions.
    package static func record(
        _ settings: ConnectionSettings, _ folder: MigrationFolder,
        administrator: ConnectionSettings?, lockWaitSeconds: Double,
        report: @escaping @Sendable (RunEvent) -> Void
    ) throws(MigrationError) -> Int {
        var limits = RunLimits()
        limits.lockWaitSeconds = lockWaitSeconds
        let session = try Session(settings, folder.configuration, limits, purpose: "record")
        let ledger = Ledger(session)
        guard try ledger.exists() else {
            throw MigrationError(
                .pending, "the database has no ledger yet",
                details: ["Run `hearth-migrate up` first."])
        }
        try RunnerLock(ledgerSchema: folder.configuration.ledgerSchema)
            .acquire(
                on: session, waitSeconds: lockWaitSeconds, interruption: Interruption(),
                report: report)
        let (state, _) = try FolderState.read(session, folder)
        if let drift = state.drift(countsCosmetic: false) { throw drift }
        guard state.comparison.pending.isEmpty else {
            throw MigrationError(
                .pending, "the database doesn't have the whole folder yet",
                details: ["Run `hearth-migrate up` first."])
        }
        let definitions = try make(
            settings, folder, onServerOf: session, administrator: administrator)
        try DefinitionRecord(session).replace(with: definitions)
        try session.confirm()
        return definitions.count
    }
}
