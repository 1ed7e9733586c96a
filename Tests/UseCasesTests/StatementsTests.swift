import Postgres
import Repositories
import TestSupport
import Testing

@Suite("Every statement of the repositories")
struct StatementsTests {
    @Test("fits the migrated schema: parameters, columns and their types")
    func fits() throws {
        try TestDatabase.with(.migrated) { database in
            let connection = try Connection(database.settings(as: "hearth_api"))
            for statement in Catalogue.statements {
                let columns = try statement.expectedColumns()
                let described = try connection.describe(
                    statement.text, parameterTypes: statement.parameterTypes)
                #expect(described.parameters == statement.parameterTypes, "\(statement.text)")
                #expect(described.columns.count == columns.count, "\(statement.text)")
                for (column, expected) in zip(described.columns, columns) {
                    #expect(
                        expected.types.contains(column.type),
                        "\(column.name) is \(column.type) in \(statement.text)")
                }
            }
        }
    }
}
