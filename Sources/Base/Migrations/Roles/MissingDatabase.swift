import Postgres

/// Creates the database that a URL names if it does not exist.
enum MissingDatabase {
    /// Creates the database and returns one line; empty if the database exists. The next connection
    /// reports an unreachable server.
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
            let template = try connection.query(
                """
                SELECT pg_catalog.pg_encoding_to_char(encoding)::text
                FROM pg_catalog.pg_database WHERE datname = 'template1'
                """
            ).map { (row) throws(PostgresError) in try row.read(String.self) }.first
            let encoding = template == "UTF8" ? "" : " ENCODING 'UTF8' TEMPLATE template0"
            // Only the session that creates the roles waits for a standby, within its limits.
            try connection.query("SET synchronous_commit = local")
            try connection.execute(
                script: "CREATE DATABASE \(name.quotedIdentifier)\(encoding)", deadline: .never)
            return ["database \(name): created"]
        } catch {
            throw .database(error, "the database \(name) can't be created")
        }
    }
}
