import Migrations
import Postgres
import CommandLine
import Configuration
import FamilySettings

/// The version of this program.
let version = HearthVersion.current

/// Options of several commands.
enum Options {
    static let directory = Parameter<String>.option(
        "dir", short: "d", "PATH", .folder, default: "sql/migrations",
        "The folder of migrations.")
    static let databaseURL = Parameter<String?>.option(
        "database-url", "URL", .databaseURL, isSecret: true,
        "The database; overrides HEARTH_MIGRATE_DATABASE_URL.")
    static let lockWait = Parameter<Double>.option(
        "lock-wait", "SECONDS", .seconds(0...86_400), default: 60, shownDefault: "60",
        "How long to wait for another runner.")
    static let allowOutOfOrder = Parameter<Bool>.flag(
        "allow-out-of-order",
        "Allow gaps between versions, and files older than applied ones.")
    static let json = Parameter<Bool>.flag("json", "Print JSON instead of a table.")

    /// Options that every command has.
    static let shared: [any DeclaredParameter] = [directory, databaseURL]

    static let version = Expectation<MigrationVersion>("a version, such as 7 or 0007") { word in
        Int64(word).flatMap { $0 >= 0 ? MigrationVersion($0) : nil }
    }
}

extension Values {
    /// Reads the folder of migrations.
    func folder() throws -> MigrationFolder {
        try MigrationFolder(path: self[Options.directory])
    }

    /// Connection settings of the database, from the command line or the settings.
    func database() throws -> ConnectionSettings {
        do {
            return try ConnectionSettings(url: databaseURL())
        } catch let error as PostgresError {
            throw UsageError(error.message)
        }
    }

    private func databaseURL() throws -> String {
        if let url = self[Options.databaseURL] { return url }
        do {
            let setting = HearthSettings.migrateDatabaseURL
            return try settings([setting])[setting]
        } catch {
            throw UsageError(
                "no database: pass --database-url or use the setting", details: error.problems)
        }
    }
}

extension MigrationError: ExitCoded {
    package var exitCode: Int32 { code.exitCode }
}
