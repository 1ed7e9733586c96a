import FamilySettings
import Foundation
import Jobs
import Postgres
import Repositories
import TestSupport
import Testing

@Suite("Compatibility with the last release")
struct LastReleaseTests {
    /// The statements of the last release, as `scripts/note-release` recorded them.
    private struct Release: Codable {
        struct Asked: Codable, Equatable {
            let text: String
            /// Object ids of the parameter types in PostgreSQL's catalogue.
            let parameters: [UInt32]
            /// Object ids of the types that the program accepts, for each column.
            let columns: [[UInt32]]
        }

        let release: String
        let statements: [Asked]
        /// Lines of `sql/rights.txt` that describe the rights of its roles.
        let grants: [String]
    }

    private static let root = SourceTree.root
    private static let file = root.appendingPathComponent("sql/last-release.json")
    private static let revision = ProcessInfo.processInfo.environment["HEARTH_NOTE_RELEASE"]

    private func grants() throws -> [String] {
        let file = Self.root.appendingPathComponent("sql/rights.txt")
        let role = /to hearth_(api|worker|admin|server|viewer)$/
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("grant ") && $0.contains(role) }.map(String.init)
    }

    private func noted() throws -> Release {
        try JSONDecoder().decode(Release.self, from: Data(contentsOf: Self.file))
    }

    @Test("the migrated schema has every function, parameter and column of the last release")
    func fits() throws {
        let release = try noted()
        #expect(release.statements.count > 100)
        try TestDatabase.with(.migrated) { database in
            let connection = try Connection(database.settings())
            for statement in release.statements {
                let types = statement.parameters.map { PostgresType(oid: $0) }
                do {
                    let described = try connection.describe(statement.text, parameterTypes: types)
                    #expect(described.parameters == types, "\(statement.text)")
                    #expect(
                        described.columns.count == statement.columns.count, "\(statement.text)")
                    for (column, expected) in zip(described.columns, statement.columns) {
                        #expect(
                            expected.contains(column.type.oid),
                            "\(column.name) is \(column.type) in \(statement.text)")
                    }
                } catch {
                    Issue.record("\(release.release) asks: \(statement.text): \(error)")
                }
            }
        }
    }

    @Test("the roles of the last release keep all their rights")
    func may() throws {
        let present = Set(try grants())
        for grant in try noted().grants {
            #expect(present.contains(grant), "taken from programs that run: \(grant)")
        }
    }

    /// Returns the statements of these programs, by their texts.
    private func statements() -> [Release.Asked] {
        let statements =
            Catalogue.statements + Catalogue.sharedStatements + Catalogue.serverStatements
            + Catalogue.operatorStatements + Catalogue.consoleStatements + Queue.statements
        let asked = statements.map { statement in
            Release.Asked(
                text: statement.text, parameters: statement.parameterTypes.map(\.oid),
                columns: statement.expectedColumns.map { $0.types.map(\.oid) })
        }
        return asked.sorted { $0.text < $1.text }
    }

    @Test(
        "the record has the statements and rights of these programs while they have its version",
        .enabled(if: revision == nil))
    func isCurrent() throws {
        let release = try noted()
        guard release.release == HearthVersion.current else { return }
        let present = statements()
        let former = release.statements.filter { !present.contains($0) }
        let new = present.filter { !release.statements.contains($0) }
        #expect((former + new).map(\.text) == [], "run scripts/note-release, or change the version")
        let grants = Set(try grants()).symmetricDifference(release.grants)
        #expect(grants == [], "run scripts/note-release, or change the version")
    }

    @Test("the statements and rights of a release are recorded", .enabled(if: revision != nil))
    func note() throws {
        let release = Release(
            release: Self.revision ?? "", statements: statements(), grants: try grants())
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(release) + Data("\n".utf8)).write(to: Self.file)
    }
}
