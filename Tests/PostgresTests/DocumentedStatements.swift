import Postgres

// The code of First-Statements.md in Postgres.docc, compiled. StatementsArticleTests expects each
// block of the article here, line by line, ignoring indentation.

struct City: RowDecodable {
    let name: String
    let population: Int?

    static let row = RowDecoder(Self.init)
}

enum Cities {
    static let add = Statement<NoRow, String, Int?>(
        "INSERT INTO cities (name, population) VALUES ($1, $2)")
    static let above = Statement<City, Int>(
        "SELECT name, population FROM cities WHERE population > $1 ORDER BY name")
}

enum DocumentedStatements {
    static func borrow(_ url: String) throws -> [City] {
        let pool = Pool(try ConnectionSettings(url: url))
        defer { pool.close() }
        let large = try pool.withConnection { connection in
            try connection.run(Cities.add, "Bern", 134_000)
            return try connection.run(Cities.above, 100_000)
        }
        return large
    }

    static func sendTogether(_ connection: Connection) throws -> [City] {
        var batch = Batch()
        batch.add(Cities.add, "Basel", 178_000)
        let key = batch.add(Cities.above, 150_000)
        let cities = try connection.send(batch, writes: true).rows(key)
        return cities
    }

    static func decide(_ connection: Connection) throws {
        try connection.transaction { transaction in
            if try transaction.run(Cities.above, 0).isEmpty {
                try transaction.run(Cities.add, "Chur", 38_000)
            }
        }
    }

    static func addIfNew(_ name: String, _ connection: Connection) throws(PostgresError) -> Bool {
        do throws(PostgresError) {
            try connection.run(Cities.add, name, nil)
            return true
        } catch {
            guard error.sqlState == .uniqueViolation else { throw error }
            return false
        }
    }
}
