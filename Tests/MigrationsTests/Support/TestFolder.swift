import Foundation
import Migrations
import Postgres
import Synchronization
import TestSupport

/// A folder of migrations for one test.
final class TestFolder: Sendable {
    let path: String

    /// Creates the folder with these files. It is deleted together with this object.
    init(_ files: [String: String] = [:]) throws {
        path = NSTemporaryDirectory() + "/migrations " + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        for (name, text) in files { try write(name, text) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, and creates the folder that contains it.
    func write(_ name: String, _ text: String) throws {
        let folder = URL(fileURLWithPath: path + "/" + name).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
    }

    func write(_ name: String, bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path + "/" + name)
    }

    func rename(_ name: String, _ other: String) throws {
        try FileManager.default.moveItem(atPath: path + "/" + name, toPath: path + "/" + other)
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    func read() throws -> MigrationFolder { try MigrationFolder(path: path) }
}

/// Collects the events of a run.
final class Events: Sendable {
    private let all = Mutex<[RunEvent]>([])

    var report: @Sendable (RunEvent) -> Void {
        { [self] event in all.withLock { $0.append(event) } }
    }

    var list: [RunEvent] { all.withLock { $0 } }

    /// The findings about statements that an earlier run had begun.
    var findings: [String] {
        list.compactMap { if case .resumed(_, _, let finding) = $0 { finding } else { nil } }
    }

    var warnings: [String] {
        list.compactMap { if case .warning(let text) = $0 { text } else { nil } }
    }

    /// Messages of the server.
    var notices: [String] {
        list.compactMap { if case .notice(_, _, let message) = $0 { message } else { nil } }
    }
}

extension TestFolder {
    /// Applies the folder to a database.
    @discardableResult
    func up(
        _ database: TestDatabase, events: Events = Events(),
        _ change: (inout MigrationRunner.Options) -> Void = { _ in }
    ) throws -> [String] {
        var options = MigrationRunner.Options()
        change(&options)
        return try MigrationRunner(
            database.settings(), read(), options, report: events.report
        ).up().applied
    }

    /// Applies the folder; returns the error if that fails.
    func failure(
        _ database: TestDatabase, events: Events = Events(),
        _ change: (inout MigrationRunner.Options) -> Void = { _ in }
    ) throws -> MigrationError? {
        do {
            try up(database, events: events, change)
            return nil
        } catch let error as MigrationError {
            return error
        }
    }

    func verify(_ database: TestDatabase) throws -> MigrationError.Code? {
        do {
            _ = try Verification.run(
                database.settings(), read(), allowsOutOfOrder: false)
            return nil
        } catch let error as MigrationError {
            return error.code
        }
    }
}

extension TestDatabase {
    /// Returns the first column of the only row.
    func scalar<Value: PostgresDecodable>(_ sql: String, _: Value.Type = Value.self) throws -> Value
    {
        try Connection(settings()).query(SQL(unsafe: sql)).scalar()
    }

    /// Returns the first column of every row.
    func column(_ sql: String) throws -> [String] {
        try Connection(settings()).query(SQL(unsafe: sql)).map { (row) throws(PostgresError) in
            try row.read(String.self)
        }
    }

    func execute(_ script: String) throws {
        try Connection(settings()).execute(script: script)
    }

    var applied: [String] {
        get throws { try column("SELECT name FROM migrations.ledger ORDER BY version") }
    }

    func hasRelation(_ name: String) throws -> Bool {
        try scalar("SELECT to_regclass('\(name)') IS NOT NULL")
    }
}
