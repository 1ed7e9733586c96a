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
            let template = try connection.query(
                """
                SELECT pg_catalog.pg_encoding_to_char(encoding)::text
                FROM pg_catalog.pg_database WHERE datname = 'template1'
                """
            ).map { (row) throws(PostgresError) in try row.read(String.self) }.first
            let encoding = template == "UTF8" ? "" : " ENCODING 'UTF8' TEMPLATE template0"
            // The session that makes the roles waits for confirmation, for so long as it may.
            try connection.query("SET synchronous_commit = local")
            try connection.execute(
                script: "CREATE DATABASE \(name.quotedIdentifier)\(encoding)", deadline: .never)
            return ["database \(name): created"]
        } catch {
            throw .database(error, "the database \(name) can't be created")
        }
    }
}
