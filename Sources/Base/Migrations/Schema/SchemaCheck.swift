package import Postgres

/// Whether a committed `schema.sql` says what all migrations together make.
///
/// The same view or function is worded differently by one version of PostgreSQL and by another, the
/// last digit of the version included. So where the committed text is another one than this server
/// gives, the server is made to read it: both texts are loaded into throw-away databases beside the
/// one that was migrated, and what the same pg_dump says of those two is compared.
package struct SchemaCheck {
    private let path: String
    private let committed: SourceText
    private let current: SourceText
    private let session: Session
    private let administrator: ConnectionSettings
    private let program: PostgresProgram

    /// Throws `drift`, with the difference, where the file at `path` says something else than a
    /// database to which the whole folder has been applied.
    ///
    /// - Parameters:
    ///   - administrator: A user of the same server who may create databases, and objects in the
    ///     names of all owners; nil for the one of `settings`.
    ///   - pgDump: The path of pg_dump; nil to look for it.
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
            "pg_dump", serverMajorVersion: session.serverMajorVersion, given: pgDump)
    }

    // MARK: - What the server understands

    private func compareMeaning() throws(MigrationError) {
        // Both go the same way, since what a server has read back from its own words it may word
        // otherwise once more.
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
                .unified(oldName: "\(path), as this server understands it", newName: "the database")
        )
    }

    private func stale(_ details: [String]) -> MigrationError {
        MigrationError(
            .drift, "\(path) is stale",
            details: details + ["`hearth-migrate schema` writes it anew."])
    }

    /// What pg_dump says of a database that was made from a text, with the comments at the text's
    /// head, which tell the roles.
    private func reading(_ text: SourceText) throws(MigrationError) -> String {
        let head = text.lines.prefix { $0.hasPrefix("--") }
            .filter { !$0.hasPrefix(SchemaFile.serverLine) }
        let body = try ThrowawayDatabase.with(
            beside: session, administrator: administrator, purpose: "schema"
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
            // What the migrated database gives can't be stale.
            if text == current {
                throw .database(error, "what pg_dump gave can't be loaded into a new database")
            }
            let line = (try? Script(text)).flatMap { script in
                FailurePlace(
                    of: error, in: script, prefix: "", prefixStatements: 0,
                    completed: connection.completedStatements
                ).line
            }
            let place = line.map { "\(path):\($0)" } ?? path
            throw stale(
                ["\(place) can't be loaded into a new database: \(error.message)"]
                    + LineDiff(from: text, to: current)
                    .unified(oldName: path, newName: "the database"))
        }
    }
}
