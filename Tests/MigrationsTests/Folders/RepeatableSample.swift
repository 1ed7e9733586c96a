import TestSupport
import Testing

@testable import Migrations

/// Sample folder with a numbered file, a function and a view, and helpers for its tests.
enum RepeatableSample {
    static let table = "CREATE SCHEMA app; CREATE TABLE app.t (a int);"
    static let double = """
        CREATE OR REPLACE FUNCTION app.double(n int) RETURNS int LANGUAGE sql
            AS 'SELECT n * 2';
        """
    static let view = "CREATE OR REPLACE VIEW app.v AS SELECT a FROM app.t;"

    /// Applies a folder with a numbered file, a function and a view.
    static func applied(
        _ body: (TestFolder, TestDatabase) throws -> Void
    ) throws {
        let folder = try TestFolder(["0001_t.sql": table])
        try folder.write("repeatable/functions.sql", double)
        try folder.write("repeatable/views.sql", view)
        try TestDatabase.with(.empty) { database in
            let names = try folder.up(database)
            #expect(
                names == ["0001_t.sql", "repeatable/functions.sql", "repeatable/views.sql"])
            #expect(try folder.verify(database) == nil)
            try body(folder, database)
        }
    }

    static func callDouble(_ database: TestDatabase) throws -> Int32 {
        try database.scalar("SELECT app.double(21)")
    }

    static func state(
        _ folder: TestFolder, _ database: TestDatabase
    ) throws -> RepeatableState {
        try Status.read(database.settings(), folder.read()).repeatable
    }

    static func plan(_ folder: TestFolder, _ database: TestDatabase) throws -> [String] {
        try Plan.read(
            database.settings(), folder.read(), target: nil, allowsOutOfOrder: false
        ).lines
    }

    /// Returns the reason why the folder is refused without a database; nil if it is not.
    static func problem(_ folder: TestFolder) throws -> MigrationError? {
        do {
            _ = try Plan.offline(folder.read())
            return nil
        } catch let error as MigrationError {
            return error
        }
    }
}
