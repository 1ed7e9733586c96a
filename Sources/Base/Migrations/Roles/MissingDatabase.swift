import Postgres

/// Makes the database of a URL where the server has none of that name.
enum MissingDatabase {
    /// What was created, one line; empty if the database exists. The next connection reports an
    /// unreachable server.
    static func create(_ settings: ConnectionSettings) throws(MigrationError) -> [String] {
        guard let name = settings.parameters["dbname"], name != "postgres" else { return [] }
        var maintenance = settings
        maintenance.set("dbname", "postgres")
        guard let connection = try? Connection(maintenance) else { return [] }
        do {
            let isThere = try connection.query(
                "SELECT EXISTS (SELECT FROM pg_catalog.pg_database WHERE datname = \(name))"
            ).scalar(Bool.self)
            if isThere { return [] }
            try connection.execute(
                script: "CREATE DATABASE \(name.quotedIdentifier)", deadline: .never)
            return ["database \(name): created"]
        } catch {
            throw .database(error, "the database \(name) can't be created")
        }
    }
}
