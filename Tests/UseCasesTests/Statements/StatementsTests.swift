import Foundation
import Postgres
import Repositories
import TestSupport
import Testing

@Suite("Statements of the repositories")
struct StatementsTests {
    private static let root = SourceTree.root

    /// The texts of the files in a folder.
    private static func texts(_ folder: String) throws -> [String] {
        try FileManager.default
            .contentsOfDirectory(
                at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil
            )
            .filter { ["swift", "sql"].contains($0.pathExtension) }
            .map { try String(contentsOf: $0, encoding: .utf8) }
    }

    @Test("every statement fits the migrated schema: parameters, columns and their types")
    func fits() throws {
        try TestDatabase.with(.migrated) { database in
            let connection = try Connection(database.settings(as: "hearth_api"))
            let statements =
                Catalogue.statements + Catalogue.sharedStatements + Catalogue.serverStatements
                + Catalogue.operatorStatements + Catalogue.consoleStatements
            for statement in statements {
                let columns = statement.expectedColumns
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

    @Test("every statement is in the catalogue once")
    func catalogued() throws {
        let files =
            try Self.texts("Sources/Family/Repositories")
            + Self.texts("Sources/Family/Repositories/Console")
            + Self.texts("Sources/Family/Repositories/Members")
            + Self.texts("Sources/Family/Repositories/Operators")
            + Self.texts("Sources/Family/Repositories/SignIn")
        let declared = files.reduce(0) {
            $0 + $1.matches(of: /static let \w+ = (?:Statement<|\w+\(in: )/).count
        }
        let catalogued =
            Catalogue.statements + Catalogue.serverStatements + Catalogue.operatorStatements
            + Catalogue.consoleStatements
        let shared = files.reduce(0) {
            $0 + $1.matches(of: /= SharedStatement<|forEach:/).count
        }
        #expect(Catalogue.sharedStatements.count == shared)
        #expect(declared > 60)
        #expect(catalogued.count == declared)
        #expect(Set(catalogued.map(\.text)).count == declared)
    }
}
