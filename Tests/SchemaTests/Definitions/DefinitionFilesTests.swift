import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Definitions of functions and views")
struct DefinitionFilesTests {
    /// The texts of all files below `sql` that define the schema.
    private static func texts() throws -> [String] {
        let sql = SourceTree.root.appendingPathComponent("sql")
        return try ["migrations", "functions"].flatMap { folder in
            try FileManager.default
                .contentsOfDirectory(
                    at: sql.appendingPathComponent(folder), includingPropertiesForKeys: nil
                )
                .filter { $0.pathExtension == "sql" }
                .map { try String(contentsOf: $0, encoding: .utf8) }
        }
    }

    @Test("the schema files define every function and view of the database once, and no others")
    func once() throws {
        let definition = /(?m)^CREATE (?:OR REPLACE )?(FUNCTION|VIEW) ([a-z_]+\.[a-z_0-9]+)/
        let written = try Self.texts().flatMap { text in
            text.matches(of: definition).map { "\($0.output.1) \($0.output.2)" }
        }
        let made = try TestDatabase.with(.migrated) { database in
            try Connection(database.settings()).query(
                """
                SELECT format('FUNCTION %s.%s', pronamespace::regnamespace, proname)
                FROM pg_proc
                WHERE pronamespace::regnamespace::text IN ('app', 'api', 'gateway', 'jobs')
                UNION ALL
                SELECT format('VIEW %s.%s', schemaname, viewname) FROM pg_views
                WHERE schemaname IN ('app', 'api', 'gateway', 'jobs')
                """
            ).map { (row) throws(PostgresError) in try row.read(String.self) }
        }
        #expect(written.sorted() == made.sorted())
    }
}
