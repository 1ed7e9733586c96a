import Postgres
import TestSupport
import Testing

@Suite("The article First-Statements of Postgres.docc")
struct StatementsArticleTests {
    @Test("the article contains only code that is compiled")
    func compiled() throws {
        let code = try DocumentedCode(
            of: "Sources/Base/Postgres/Postgres.docc/First-Statements.md")
        let missing = try code.missing(from: "Tests/PostgresTests/DocumentedStatements.swift")
        #expect(missing.isEmpty && code.count > 4, "\(missing.joined(separator: "\n\n"))")
    }

    @Test("the code of the article works from first to last block")
    func works() throws {
        try TestDatabase.with(.empty) { database in
            let connection = try Connection(database.settings())
            try connection.execute(
                script: "CREATE TABLE cities (name text PRIMARY KEY, population bigint)")
            try DocumentedStatements.decide(connection)
            try DocumentedStatements.decide(connection)
            let names = try DocumentedStatements.borrow(database.url()).map(\.name)
            #expect(names == ["Bern"])
            let larger = try DocumentedStatements.sendTogether(connection).map(\.name)
            #expect(larger == ["Basel"])
            let isAdded = try DocumentedStatements.addIfNew("Bern", connection)
            #expect(!isAdded)
            let isNew = try DocumentedStatements.addIfNew("Thun", connection)
            #expect(isNew)
            let all = try connection.run(Cities.above, 0).map(\.name)
            #expect(all == ["Basel", "Bern", "Chur"])
        }
    }
}
