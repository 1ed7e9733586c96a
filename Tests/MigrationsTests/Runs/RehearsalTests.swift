import Postgres
import TestSupport
import Testing

@testable import Migrations

@Suite("Rehearsal")
struct RehearsalTests {
    private func folder() throws -> TestFolder {
        try TestFolder([
            "0001_t.sql": "CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2);"
        ])
    }

    private func rehearse(
        _ folder: TestFolder, _ database: TestDatabase
    ) throws -> Rehearsal {
        try Rehearsal.run(
            database.settings(), folder.read(), target: nil, allowsOutOfOrder: false,
            administrator: nil, pgDump: nil)
    }

    private func copies(_ database: TestDatabase) throws -> [String] {
        try database.column(
            "SELECT datname::text FROM pg_database "
                + "WHERE datname LIKE left(current_database(), 20) || '%rehearsal%'")
    }

    @Test("a rehearsal reports each statement's locks and rewrites, and changes nothing")
    func tells() throws {
        let folder = try folder()
        try TestDatabase.with(.empty) { database in
            try folder.up(database)
            try folder.write(
                "0002_x.sql",
                "CREATE INDEX i ON t (a);\nALTER TABLE t ALTER a TYPE bigint;\nCREATE TABLE u ();")
            try folder.write(
                "0003_y.sql",
                "-- hearth: no-transaction\nCREATE INDEX CONCURRENTLY j ON t (a);\n"
                    + "ALTER TABLE t ADD b int;")
            let steps = try rehearse(folder, database).steps
            #expect(steps.map(\.line) == [1, 2, 3, 2, 3])
            #expect(steps[0].locks == [AcquiredLock(object: "public.t", mode: "ShareLock")])
            #expect(steps[0].rewritten == [])
            #expect(
                steps[1].locks == [AcquiredLock(object: "public.t", mode: "AccessExclusiveLock")])
            #expect(steps[1].rewritten == ["public.t"])
            #expect(steps[2].locks == [] && steps[2].rewritten == [])
            #expect(steps[3].ranOutsideTransaction)
            #expect(
                steps[4].locks == [AcquiredLock(object: "public.t", mode: "AccessExclusiveLock")])
            #expect(try database.applied == ["t"])
            #expect(try !database.hasRelation("u"))
            #expect(try copies(database) == [])
        }
    }

    @Test("a database in use is rehearsed on a copy from a dump")
    func inUse() throws {
        let folder = try folder()
        try TestDatabase.with(.empty) { database in
            try folder.up(database)
            let user = try Connection(database.settings())
            try folder.write("0002_x.sql", "SELECT 1 / (count(*) - 1) FROM t")
            let rehearsal = try rehearse(folder, database)
            #expect(rehearsal.method == "with pg_dump and pg_restore")
            #expect(rehearsal.steps.count == 1)
            #expect(!user.isBroken)
        }
    }

    @Test("a failing file is reported with its line, and the copy is dropped")
    func failure() throws {
        let folder = try folder()
        try TestDatabase.with(.empty) { database in
            try folder.up(database)
            try folder.write("0002_x.sql", "SELECT 1;\n\nSELECT 1 / (count(*) - 2) FROM t;")
            let error = #expect(throws: MigrationError.self) { try rehearse(folder, database) }
            #expect(error?.message == "0002_x.sql:3: division by zero")
            #expect(try copies(database) == [])
        }
    }

    @Test("a rehearsal by a user who can't create databases is refused with the reason")
    func refused() throws {
        let folder = try TestFolder(["0001_a.sql": "SELECT 1"])
        let role = RoleName.one + "_rehearsal"
        try TestDatabase.with(.empty) { database in
            try database.execute("CREATE ROLE \(role) LOGIN")
            let error = #expect(throws: MigrationError.self) {
                try Rehearsal.run(
                    database.settings(as: role), folder.read(), target: nil,
                    allowsOutOfOrder: false, administrator: nil, pgDump: nil)
            }
            #expect(
                error?.details.contains("with pg_dump: permission denied to create database")
                    == true)
            let rehearsal = try Rehearsal.run(
                database.settings(as: role), folder.read(), target: nil, allowsOutOfOrder: false,
                administrator: database.settings(), pgDump: nil)
            #expect(rehearsal.steps.count == 1)
            try database.execute("DROP ROLE \(role)")
        }
    }
}
