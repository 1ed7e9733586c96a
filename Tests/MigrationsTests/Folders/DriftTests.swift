import Migrations
import TestSupport
import Testing

@Suite("Drift between folder and ledger")
struct DriftTests {
    private func applied(_ body: (TestFolder, TestDatabase) throws -> Void) throws {
        let folder = try TestFolder([
            "0001_a.sql": "CREATE TABLE t (a int);\n", "0002_b.sql": "INSERT INTO t VALUES (1);\n",
        ])
        try TestDatabase.with(.empty) { database in
            try folder.up(database)
            #expect(try folder.verify(database) == nil)
            try body(folder, database)
        }
    }

    private func repair(_ folder: TestFolder, _ database: TestDatabase) throws -> [String] {
        try Repair(
            database.settings(), folder.read(), lockWaitSeconds: 5, report: { _ in }
        ).apply()
    }

    @Test("an edited applied file is refused with a diff, and repair records it")
    func edited() throws {
        try applied { folder, database in
            try folder.write("0001_a.sql", "CREATE TABLE t (a bigint);\n")
            try folder.write("0003_c.sql", "CREATE TABLE u ();")
            let error = try folder.failure(database)
            #expect(error?.code == .drift)
            #expect(error?.details.contains("-CREATE TABLE t (a int);") == true)
            #expect(error?.details.contains("+CREATE TABLE t (a bigint);") == true)
            #expect(try !database.hasRelation("u"))
            #expect(try folder.verify(database) == .drift)
            #expect(try repair(folder, database) == ["0001_a.sql"])
            #expect(try folder.up(database) == ["0003_c.sql"])
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test(
        "a change of comments and layout is cosmetic: up continues, and verify reports drift")
    func cosmetic() throws {
        try applied { folder, database in
            try folder.write("0001_a.sql", "-- why\ncreate table T(a int) ;\n")
            try folder.write("0003_c.sql", "CREATE TABLE u ();")
            #expect(try folder.verify(database) == .drift)
            let events = Events()
            #expect(try folder.up(database, events: events) == ["0003_c.sql"])
            #expect(events.warnings.count == 1)
            let status = try Status.read(database.settings(), folder.read())
            #expect(status.exitCode == 4)
            #expect(status.lines.contains { $0.contains("edited (cosmetic)") })
        }
    }

    @Test("a file whose line ends have changed counts as unchanged")
    func lineEnds() throws {
        try applied { folder, database in
            try folder.write("0001_a.sql", "\u{FEFF}CREATE TABLE t (a int);\r\n")
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test("a missing applied file is reported as drift, and repair can restore it from the ledger")
    func missing() throws {
        try applied { folder, database in
            try folder.remove("0002_b.sql")
            let error = try folder.failure(database)
            #expect(error?.code == .drift)
            #expect(
                error?.details.last
                    == "Put missing files back, or run `hearth-migrate repair --restore` to write "
                    + "them from the ledger, as they were applied.")
            #expect(error?.details.contains { $0.contains("`hearth-migrate repair`") } == false)
            #expect(try repair(folder, database) == [])
            #expect(try folder.verify(database) == .drift)
            let restored = try Repair(
                database.settings(), folder.read(), lockWaitSeconds: 5, report: { _ in }
            ).restore(into: folder.path)
            #expect(restored == ["0002_b.sql"])
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test("a renamed or renumbered file is reported as such, and repair records it")
    func renamed() throws {
        try applied { folder, database in
            try folder.rename("0001_a.sql", "0001_first.sql")
            try folder.rename("0002_b.sql", "0003_b.sql")
            try folder.write("0002_new.sql", "SELECT 1;")
            let details = try folder.failure(database)?.details ?? []
            #expect(details.contains("0001_a.sql: applied, but now it is 0001_first.sql"))
            try folder.remove("0002_new.sql")
            let renumbered = try folder.failure(database)?.details ?? []
            #expect(renumbered.contains("0002_b.sql: applied, but now it is 0003_b.sql"))
            #expect(try repair(folder, database) == ["0001_first.sql", "0003_b.sql"])
            try folder.write("0002_new.sql", "SELECT 1;")
            #expect(try folder.up(database) { $0.allowsOutOfOrder = true } == ["0002_new.sql"])
        }
    }

    @Test("a database migrated before the files were rewritten is refused, and so is its repair")
    func writtenAnew() throws {
        try applied { folder, database in
            try folder.write("0003_c.sql", "CREATE TABLE u ();")
            try folder.up(database)
            try folder.write("0001_a.sql", "-- a\nCREATE TABLE t (a int);\n")
            try folder.remove("0002_b.sql")
            try folder.write("0002_all.sql", "CREATE TABLE u (b int);")
            try folder.remove("0003_c.sql")
            let errors = [
                try folder.failure(database),
                #expect(throws: MigrationError.self) { try repair(folder, database) },
            ]
            for error in errors {
                #expect(error?.code == .drift)
                #expect(
                    error?.message
                        == "none of the 3 applied migrations is in the folder as it was applied")
                #expect(error?.details.contains { $0.contains("Make a new database") } == true)
                #expect(error?.details.contains { $0.contains("repair") } == false)
            }
            #expect(try folder.verify(database) == .drift)
        }
    }

    @Test("status shows applied and pending files, as text and as JSON")
    func status() throws {
        try applied { folder, database in
            try folder.write("0003_c.sql", "SELECT 1")
            let status = try Status.read(database.settings(), folder.read())
            #expect(status.exitCode == 3)
            #expect(status.lines.last == "2 applied, 1 pending")
            let json = status.json.text()
            #expect(json.contains("\"version\":3,\"name\":\"c\",\"file\":\"0003_c.sql\""))
            #expect(json.contains("\"differences\":[]"))
        }
    }
}

@Suite("Baseline")
struct BaselineTests {
    @Test("a baseline records files as applied without running them, and later files run")
    func declares() throws {
        let folder = try TestFolder([
            "0001_a.sql": "SELECT 1 / 0", "0002_b.sql": "SELECT 1 / 0", "0003_c.sql": "SELECT 1",
        ])
        try TestDatabase.with(.empty) { database in
            func set() throws -> [String] {
                try Baseline.set(
                    database.settings(), folder.read(), version: MigrationVersion(2),
                    lockWaitSeconds: 5, report: { _ in })
            }
            let names = try set()
            #expect(names == ["0001_a.sql", "0002_b.sql"])
            #expect(try set() == [])
            #expect(try folder.up(database) == ["0003_c.sql"])
            #expect(throws: MigrationError.self) { _ = try set() }
            #expect(try folder.verify(database) == nil)
        }
    }

    private func declare(
        _ folder: TestFolder, _ database: TestDatabase, _ version: Int64
    ) throws -> [String] {
        try Baseline.set(
            database.settings(), folder.read(), version: MigrationVersion(version),
            lockWaitSeconds: 5, report: { _ in })
    }

    @Test("a baseline keeps its files' texts: a deleted file is missing and can be restored")
    func missing() throws {
        let folder = try TestFolder([
            "0001_a.sql": "SELECT 1", "0002_b.sql": "SELECT 2", "0003_c.sql": "SELECT 3",
        ])
        try TestDatabase.with(.empty) { database in
            _ = try declare(folder, database, 3)
            func repair() throws -> Repair {
                try Repair(
                    database.settings(), folder.read(), lockWaitSeconds: 5, report: { _ in })
            }
            for name in ["0002_b.sql", "0003_c.sql"] {
                try folder.remove(name)
                #expect(try folder.verify(database) == .drift)
                let lines = try repair().lines
                #expect(lines == ["\(name): applied, but missing in the folder"])
                #expect(try repair().restore(into: folder.path) == [name])
                #expect(try folder.verify(database) == nil)
            }
            try folder.remove("0001_a.sql")
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test("a baseline can stand for files that were never in the folder")
    func withoutFiles() throws {
        let folder = try TestFolder(["0101_a.sql": "SELECT 1"])
        try TestDatabase.with(.empty) { database in
            _ = try declare(folder, database, 100)
            #expect(try folder.up(database) == ["0101_a.sql"])
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test("a baseline must be the version of a file in the folder, or lower than all of them")
    func beyond() throws {
        let folder = try TestFolder(["0001_a.sql": "SELECT 1", "0003_c.sql": "SELECT 1"])
        try TestDatabase.with(.empty) { database in
            for version: Int64 in [2, 4, 100] {
                let error = #expect(throws: MigrationError.self) {
                    _ = try declare(folder, database, version)
                }
                #expect(error?.code == .usage)
            }
            #expect(try !database.hasRelation("migrations.ledger"))
            let empty = try TestFolder()
            #expect(throws: MigrationError.self) { _ = try declare(empty, database, 1) }
        }
    }

    @Test("a baseline can be set again, higher or lower, until something is applied on top of it")
    func again() throws {
        let folder = try TestFolder([
            "0001_a.sql": "CREATE TABLE a ()", "0002_b.sql": "CREATE TABLE b ()",
        ])
        try TestDatabase.with(.empty) { database in
            let names = try declare(folder, database, 2)
            #expect(names == ["0001_a.sql", "0002_b.sql"])
            #expect(try declare(folder, database, 1) == ["0001_a.sql"])
            #expect(try folder.up(database) == ["0002_b.sql"])
            #expect(throws: MigrationError.self) { _ = try declare(folder, database, 2) }
        }
    }

    @Test("a file that is added later with an older version is reported as drift")
    func older() throws {
        let folder = try TestFolder(["0101_a.sql": "SELECT 1"])
        try TestDatabase.with(.empty) { database in
            _ = try declare(folder, database, 100)
            try folder.write("0100_old.sql", "CREATE TABLE t ()")
            #expect(try folder.verify(database) == .drift)
            try folder.rename("0100_old.sql", "0099_old.sql")
            #expect(try folder.verify(database) == .folder)
            #expect(try Status.read(database.settings(), folder.read()).exitCode == 3)
        }
    }
}
