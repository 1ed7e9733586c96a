import Glibc
import Postgres

/// A temporary database on the same server as another one, for trials and comparisons. It is
/// dropped at the end of `with`.
struct ThrowawayDatabase {
    /// Connection settings of a user who may create databases.
    let settings: ConnectionSettings

    let name: String

    private let administration: Connection

    /// Creates an empty database with the encoding and locale of the database that `source` is
    /// connected to, runs `body`, and drops it in any case.
    ///
    /// - Parameters:
    ///   - administrator: A user of the same server who may create databases.
    ///   - purpose: A word for its name.
    static func with<Value>(
        onServerOf source: Session, administrator: ConnectionSettings, purpose: String,
        _ body: (ThrowawayDatabase) throws(MigrationError) -> Value
    ) throws(MigrationError) -> Value {
        let database = try create(onServerOf: source, administrator, purpose)
        do throws(MigrationError) {
            let value = try body(database)
            try database.drop()
            return value
        } catch {
            // A leftover database does no harm; the original error is the one to report.
            try? database.drop()
            throw error
        }
    }

    /// Connects the administrator to a database that is neither a template nor being copied.
    static func administration(
        _ administrator: ConnectionSettings, except database: String, purpose: String
    ) throws(MigrationError) -> Connection {
        var settings = administrator
        settings.set("dbname", administrator.parameters["dbname"] ?? "postgres")
        if settings.parameters["dbname"] == database { settings.set("dbname", "postgres") }
        settings.statementTimeoutSeconds = nil
        settings.applicationName = "hearth-migrate \(purpose)"
        do {
            return try Connection(settings)
        } catch {
            throw .database(
                error, "no connection to \(settings.summary), to create a throw-away database")
        }
    }

    /// Returns the name `DATABASE_PURPOSE_PID`, cut to the maximum length of a name.
    static func name(for database: String, purpose: String) -> String {
        let suffix = "_\(purpose)_\(getpid())"
        var name = ""
        // A name has at most 63 bytes, and is never cut within a character.
        for character in database where name.utf8.count + suffix.utf8.count < 63 {
            let longer = name + String(character)
            if longer.utf8.count + suffix.utf8.count > 63 { break }
            name = longer
        }
        return name + suffix
    }

    private static func create(
        onServerOf source: Session, _ administrator: ConnectionSettings, _ purpose: String
    ) throws(MigrationError) -> ThrowawayDatabase {
        let connection = try administration(
            administrator, except: source.database, purpose: purpose)
        let name = name(for: source.database, purpose: purpose)
        do {
            let locale = try source.connection.query(localeOptions).scalar(String.self)
            try connection.execute(
                script: "CREATE DATABASE \(name.quotedIdentifier) TEMPLATE template0 \(locale)",
                deadline: .never)
        } catch {
            throw MigrationError(
                .database, "a throw-away database can't be created: \(error.message)",
                details: [
                    "Pass --admin-url, the URL of a user who may create databases on that server."
                ],
                underlying: error)
        }
        var settings = connection.settings
        settings.set("dbname", name)
        return ThrowawayDatabase(settings: settings, name: name, administration: connection)
    }

    /// The options of CREATE DATABASE for the same encoding and locale. The column for the locale
    /// has different names in different versions, so both names are tried.
    private static let localeOptions: SQL = """
        SELECT pg_catalog.format('ENCODING %L LC_COLLATE %L LC_CTYPE %L',
                   pg_catalog.pg_encoding_to_char(d.encoding), d.datcollate, d.datctype)
               || CASE d.datlocprovider
                  WHEN 'i' THEN pg_catalog.format(' LOCALE_PROVIDER icu ICU_LOCALE %L', n.name)
                  WHEN 'b' THEN
                      pg_catalog.format(' LOCALE_PROVIDER builtin BUILTIN_LOCALE %L', n.name)
                  ELSE ' LOCALE_PROVIDER libc' END
          FROM pg_catalog.pg_database AS d,
               LATERAL (SELECT coalesce(pg_catalog.to_jsonb(d) ->> 'datlocale',
                                        pg_catalog.to_jsonb(d) ->> 'daticulocale')) AS n (name)
         WHERE d.datname = current_database()
        """

    /// Allows a role to create schemas and temporary tables in the database.
    func allow(_ role: String) throws(PostgresError) {
        try administration.execute(
            script: "GRANT CREATE, TEMPORARY ON DATABASE \(name.quotedIdentifier) "
                + "TO \(role.quotedIdentifier)")
    }

    func drop() throws(MigrationError) {
        do {
            try administration.execute(
                script: "DROP DATABASE IF EXISTS \(name.quotedIdentifier) WITH (FORCE)",
                deadline: .never)
        } catch {
            throw .database(error, "the throw-away database \(name) can't be dropped")
        }
    }
}
