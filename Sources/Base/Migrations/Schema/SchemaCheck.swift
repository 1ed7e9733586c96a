package import Postgres

/// Check that a committed `schema.sql` describes what all migrations together create.
///
/// Versions of PostgreSQL, even minor ones, print the same view or function differently. If the
/// committed text differs from this server's, both texts are therefore loaded into throw-away
/// databases on the same server, and the output of the same pg_dump for these two is compared.
package struct SchemaCheck {
    private let path: String
    private let committed: SourceText
    private let current: SourceText
    private let session: Session
    private let administrator: ConnectionSettings
    private let program: PostgresProgram

    /// Throws `drift`, with the difference, if the file at `path` does not describe a database to
    /// which the whole folder has been applied.
    ///
    /// - Parameters:
    ///   - administrator: A user of the same server who may create databases, and objects owned by
    ///     all roles; nil for the user of `settings`.
    ///   - pgDump: Path of pg_dump; nil to search for it.
    package static func run(
        path: String, _ settings: ConnectionSettings, _ folder: MigrationFolder,
        administrator: ConnectionSettings?, pgDump: String?
    ) throws(MigrationError) {
        guard FileSystem.exists(path) else {
            throw MigrationError(
                .drift, "\(path) is missing", details: ["`hearth-migrate schema` writes it."])
        }
        let current = try SchemaFile.read(settings, folder, pgDump: pgDump)
        let check = try SchemaCheck(
            path: path, current.text, settings, folder, administrator ?? settings, pgDump)
        if check.committed == check.current { return }
        try check.compareMeaning()
    }

    private init(
        path: String, _ text: String, _ settings: ConnectionSettings, _ folder: MigrationFolder,
        _ administrator: ConnectionSettings, _ pgDump: String?
    ) throws(MigrationError) {
        self.path = path
        self.administrator = administrator
        do {
            committed = try SourceText(raw: FileSystem.read(path))
            current = try SourceText(text)
        } catch let error as MigrationError {
            throw error
        } catch {
            throw MigrationError(.drift, "\(path) is not text in UTF-8")
        }
        session = try Session(settings, folder.configuration, RunLimits(), purpose: "schema")
        program = try PostgresProgram.find(
            "pg_dump", serverMajorVersion: session.serverMajorVersion, explicitPath: pgDump)
    }

    // MARK: - Comparison by the server

    private func compareMeaning() throws(MigrationError) {
        // Both are processed alike, because a server may print definitions differently again after
        // reading its own output.
        let loaded = try reading(committed)
        let expected = try reading(current)
        if loaded == expected { return }
        let texts: (SourceText, SourceText)
        do {
            texts = (try SourceText(loaded), try SourceText(expected))
        } catch {
            throw MigrationError(.system, "pg_dump's output is not text")
        }
        throw stale(
            LineDiff(from: texts.0, to: texts.1)
                .unified(oldName: "\(path), as this server prints it", newName: "the database")
        )
    }

    private func stale(_ details: [String]) -> MigrationError {
        MigrationError(
            .drift, "\(path) is stale",
            details: details + ["`hearth-migrate schema` rewrites it."])
    }

    /// Returns pg_dump's output for a database created from a text, with the comments at the text's
    /// beginning, which contain the roles.
    private func reading(_ text: SourceText) throws(MigrationError) -> String {
        let head = text.lines.prefix { $0.hasPrefix("--") }
            .filter { !$0.hasPrefix(SchemaFile.serverLine) }
        let body = try ThrowawayDatabase.with(
            onServerOf: session, administrator: administrator, purpose: "schema"
        ) { (database) throws(MigrationError) in
            try load(text, into: database)
            return try SchemaFile.body(
                database.settings, session.configuration, program, role: nil, namesNotNull: false)
        }
        return head.joined(separator: "\n") + "\n\n" + body
    }

    private func load(
        _ text: SourceText, into database: ThrowawayDatabase
    ) throws(MigrationError) {
        let connection: Connection
        do {
            connection = try Connection(database.settings)
        } catch {
            throw .database(error, "no connection to \(database.settings.summary)")
        }
        do {
            try connection.execute(script: text.string, deadline: .never)
        } catch {
            // The text from the migrated database can't be outdated.
            if text == current {
                throw .database(error, "pg_dump's output can't be loaded into a new database")
            }
            let line = (try? Script(text)).flatMap { script in
                FailurePosition(
                    of: error, in: script, prefix: "", prefixStatements: 0,
                    completed: connection.completedStatements
                ).line
            }
            let location = line.map { "\(path):\($0)" } ?? path
            throw stale(
                ["\(location) can't be loaded into a new database: \(error.message)"]
                    + LineDiff(from: text, to: current)
                    .unified(oldName: path, newName: "the database"))
        }
    }
}
