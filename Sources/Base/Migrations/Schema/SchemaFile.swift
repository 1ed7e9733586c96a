package import Postgres

/// Contents of `schema.sql`: the result of all migrations together, in a stable order, for reading
/// and comparing.
package struct SchemaFile: Sendable {
    /// The whole file.
    package let text: String

    /// Reads the schema of a database to which the whole folder has been applied.
    ///
    /// It contains pg_dump's objects, owners, grants and policies, and the roles of the
    /// configuration with their memberships, without the ledger itself.
    ///
    /// - Parameter pgDump: Path of pg_dump; nil to search for it.
    package static func read(
        _ settings: ConnectionSettings, _ folder: MigrationFolder, pgDump: String?
    ) throws(MigrationError) -> SchemaFile {
        let configuration = folder.configuration
        let session = try Session(settings, configuration, RunLimits(), purpose: "schema")
        let (state, _) = try FolderState.read(session, folder)
        if let drift = state.drift(countsCosmetic: false) { throw drift }
        let repeatable = try RepeatableState.read(session, folder)
        if let drift = repeatable.drift(countsAbandoned: true) { throw drift }
        let pending = state.comparison.pending.map(\.fileName) + repeatable.pendingLines
        guard pending.isEmpty else {
            throw MigrationError(
                .pending,
                "the database doesn't have the whole folder yet: \(pending.count) pending",
                details: ["Run `hearth-migrate up` first."])
        }
        let program = try PostgresProgram.find(
            "pg_dump", serverMajorVersion: session.serverMajorVersion, explicitPath: pgDump)
        let body = try body(settings, configuration, program, role: configuration.ownerRole)
        let origin = serverLine + "\(session.serverMajorVersion).\n"
        return SchemaFile(text: head + origin + (try roles(session)) + preamble + body)
    }

    /// Returns the schema of any database, as written by `program` (a pg_dump).
    ///
    /// - Parameters:
    ///   - role: The role to use; nil for the connecting role.
    ///   - namesNotNull: Whether to include the names of NOT NULL constraints.
    static func body(
        _ settings: ConnectionSettings, _ configuration: FolderConfiguration,
        _ program: PostgresProgram, role: String?, namesNotNull: Bool = true
    ) throws(MigrationError) -> String {
        var arguments = [
            "--schema-only", "--encoding=UTF8", "--no-tablespaces", "--no-subscriptions",
            "--no-password", "--lock-wait-timeout=30000",
            "--exclude-schema=\(configuration.ledgerSchema.quotedIdentifier)",
        ]
        if let role { arguments.append("--role=\(role)") }
        let dump = try program.run(arguments, on: settings)
        do {
            return try DumpText.normalized(SourceText(raw: dump), namesNotNull: namesNotNull)
        } catch let error as MigrationError {
            throw error
        } catch {
            throw MigrationError(.system, "pg_dump's output is not text")
        }
    }

    private static let head = """
        -- What all migrations together make. Written by `hearth-migrate schema`, never by hand.

        """

    /// Beginning of the line with the server's version, because versions print views and functions
    /// differently.
    static let serverLine = "-- As worded by PostgreSQL "

    /// Settings that psql needs to load the rest into a database whose roles exist.
    private static let preamble = """

        SET check_function_bodies = false;

        SELECT pg_catalog.set_config('search_path', '', false);


        """

    /// Returns the configured roles as they are on the server, in comments, because they belong to
    /// the cluster and not to the database.
    private static func roles(_ session: Session) throws(MigrationError) -> String {
        let names = session.configuration.roles.map(\.name).sorted()
        if names.isEmpty { return "" }
        let found: ExistingRoles
        do {
            found = try ExistingRoles(session.connection, session.serverMajorVersion)
        } catch {
            throw .database(error, "the roles can't be read")
        }
        let lines = names.map { name -> String in
            guard let role = found.roles[name] else { return "-- \(name): missing" }
            let memberOf = Set(found.memberships.filter { $0.member == name }.map(\.role)).sorted()
            let membership =
                memberOf.isEmpty ? "" : "; member of \(memberOf.joined(separator: ", "))"
            return "-- \(name): \(role.words.joined(separator: " "))\(membership)"
        }
        return "--\n-- Roles:\n" + lines.joined(separator: "\n") + "\n"
    }
}

extension SchemaFile {
    /// Writes the file, replacing an existing one.
    package func write(to path: String) throws(MigrationError) {
        try FileSystem.replace(path, with: Array(text.utf8))
    }
}

extension ExistingRoles.Attributes {
    /// The attributes in the syntax of CREATE ROLE.
    fileprivate var words: [String] {
        [
            canLogin ? "LOGIN" : "NOLOGIN", inherits ? "INHERIT" : "NOINHERIT",
            isSuperuser ? "SUPERUSER" : "", canCreateRoles ? "CREATEROLE" : "",
            canCreateDatabases ? "CREATEDB" : "", canReplicate ? "REPLICATION" : "",
            bypassesRowSecurity ? "BYPASSRLS" : "",
        ].filter { !$0.isEmpty }
    }
}
