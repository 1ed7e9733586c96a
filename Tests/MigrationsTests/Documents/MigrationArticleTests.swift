import Synchronization
import TestSupport
import Testing

@Suite("The article First-Migration of Migrations.docc")
struct MigrationArticleTests {
    @Test("the article contains only code that is compiled")
    func compiled() throws {
        let code = try DocumentedCode(
            of: "Sources/Base/Migrations/Migrations.docc/First-Migration.md")
        let missing = try code.missing(
            from: "Tests/MigrationsTests/Documents/DocumentedMigration.swift")
        #expect(missing.isEmpty && code.count > 3, "\(missing.joined(separator: "\n\n"))")
    }

    @Test("the code of the article plans, applies and verifies a folder")
    func works() throws {
        let folder = try TestFolder([
            "0001_cities.sql": "CREATE TABLE cities (name text PRIMARY KEY, population bigint);\n"
        ])
        try TestDatabase.with(.empty) { database in
            let shown = ShownLines()
            let program = DocumentedMigration(
                settings: database.settings(), show: { line in shown.add(line) })
            let report = try program.run(folder.path)
            #expect(!report.isEmpty)
            #expect(shown.all.contains { $0.contains("0001_cities.sql") })
            #expect(shown.all.last == "applied: 0001_cities.sql")
        }
    }
}

/// Lines that the program of the article has shown.
private final class ShownLines: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}
