import Glibc
import Postgres
import Basics

/// A temporary copy of a database for trials. It is dropped at the end of `with`.
struct DatabaseClone {
    /// Connection settings of the copy.
    let settings: ConnectionSettings
    /// Description of how the copy was made.
    let method: String

    private let name: String
    private let administration: Connection

    /// Copies a database, runs `body` on the copy, and drops the copy in any case.
    ///
    /// The database is copied as a template if nobody is connected to it, otherwise with pg_dump
    /// and pg_restore. Throws with the reasons if neither is possible.
    ///
    /// - Parameter administrator: A user of the same server who may create databases.
    static func with<Value>(
        of source: ConnectionSettings, session: SourceFacts, administrator: ConnectionSettings,
        pgDump: String?, _ body: (DatabaseClone) throws(MigrationError) -> Value
    ) throws(MigrationError) -> Value {
        let connection = try ThrowawayDatabase.administration(
            administrator, except: session.database, purpose: "rehearse")
        let name = ThrowawayDatabase.name(for: session.database, purpose: "rehearsal")
        let clone = try make(name, of: source, session, connection, pgDump)
        do throws(MigrationError) {
            let value = try body(clone)
            try clone.drop()
            return value
        } catch {
            // A leftover copy does no harm; the original error is the one to report.
            try? clone.drop()
            throw error
        }
    }

    /// Facts about the database to copy.
    struct SourceFacts {
        let database: String
        let serverMajorVersion: Int
        /// The role that runs the files.
        let role: String
    }

    private static func make(
        _ name: String, of source: ConnectionSettings, _ session: SourceFacts,
        _ connection: Connection, _ pgDump: String?
    ) throws(MigrationError) -> DatabaseClone {
        var settings = source
        settings.set("dbname", name)
        let quoted = name.quotedIdentifier
        var reasons: [String] = []
        do {
            try connection.execute(
                script: "CREATE DATABASE \(quoted) TEMPLATE \(session.database.quotedIdentifier)",
                deadline: .never)
            try grant(session, on: quoted, connection)
            return DatabaseClone(
                settings: settings, method: "as a template", name: name,
                administration: connection)
        } catch {
            reasons.append("as a template: \(error.message)")
        }
        do {
            try connection.execute(
                script: "CREATE DATABASE \(quoted) TEMPLATE template0", deadline: .never)
            try grant(session, on: quoted, connection)
        } catch {
            reasons.append("with pg_dump: \(error.message)")
            throw refusal(reasons)
        }
        let clone = DatabaseClone(
            settings: settings, method: "with pg_dump and pg_restore", name: name,
            administration: connection)
        do throws(MigrationError) {
            var restoreSettings = connection.settings
            restoreSettings.set("dbname", name)
            try copy(source, to: restoreSettings, session, pgDump)
            return clone
        } catch {
            try? clone.drop()
            reasons.append("with pg_dump: \(error)")
            throw refusal(reasons)
        }
    }

    private static func refusal(_ reasons: [String]) -> MigrationError {
        MigrationError(
            .database, "the database can't be copied for the rehearsal",
            details: reasons + [
                "Pass --admin-url, the URL of a user who may create databases on that server."
            ])
    }

    /// Grants the privileges on the database, which are not copied with it.
    private static func grant(
        _ session: SourceFacts, on quoted: String, _ connection: Connection
    ) throws(PostgresError) {
        let role = session.role.quotedIdentifier
        try connection.execute(
            script: "GRANT CREATE, TEMPORARY ON DATABASE \(quoted) TO \(role)")
    }

    private static func copy(
        _ source: ConnectionSettings, to target: ConnectionSettings, _ session: SourceFacts,
        _ pgDump: String?
    ) throws(MigrationError) {
        let dump = try PostgresProgram.find(
            "pg_dump", serverMajorVersion: session.serverMajorVersion, explicitPath: pgDump)
        let restore = try PostgresProgram.find(
            "pg_restore", serverMajorVersion: session.serverMajorVersion,
            explicitPath: pgDump.map { $0.replacing("pg_dump", with: "pg_restore") })
        let folder = Environment.variables["TMPDIR"] ?? P_tmpdir
        // mkstemp replaces the X with letters.
        var template = Array("\(folder)/hearth-rehearsal-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw .file(folder, "takes no temporary file", errno) }
        close(descriptor)
        let path = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(path) }
        // The user who may create databases may be able to read more than the migrating user, and
        // therefore makes the dump.
        var dumpSettings = target
        dumpSettings.set("dbname", session.database)
        _ = try dump.run(
            ["--format=custom", "--compress=0", "--no-password", "--file=\(path)"], on: dumpSettings
        )
        _ = try restore.run(["--no-password", "--exit-on-error", path], on: target)
    }

    private func drop() throws(MigrationError) {
        do {
            try administration.execute(
                script: "DROP DATABASE IF EXISTS \(name.quotedIdentifier) WITH (FORCE)",
                deadline: .never)
        } catch {
            throw .database(error, "the copy \(name) can't be dropped")
        }
    }
}
