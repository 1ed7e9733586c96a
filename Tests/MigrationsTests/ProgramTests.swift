import Foundation
import Postgres
import TestSupport
import Testing

@testable import Migrations

/// Exit codes and output of the executable.
@Suite("hearth-migrate")
struct ProgramTests {
    private func run(
        _ command: String, _ folder: TestFolder, _ database: TestDatabase, _ more: String...
    ) throws -> (code: Int32, text: String) {
        try Program([command, "--dir", folder.path, "--database-url", database.url()] + more)
            .result()
    }

    @Test("exit codes state the outcome")
    func exitCodes() throws {
        let folder = try TestFolder(["0001_a.sql": "CREATE TABLE t (a int);"])
        try TestDatabase.with(.empty) { database in
            #expect(try run("status", folder, database).code == 3)
            #expect(try run("verify", folder, database).code == 3)
            #expect(try run("up", folder, database).code == 0)
            #expect(try run("status", folder, database).code == 0)
            #expect(try run("verify", folder, database).code == 0)
            try folder.write("0002_b.sql", "SELECT 1 / 0")
            #expect(try run("up", folder, database).code == 1)
            try folder.write("0002_b.sql", "SELECT 1")
            try folder.write("0003_c.sql", "SELECT 1 / 0")
            #expect(try run("up", folder, database).code == 6)
            try folder.write("0001_a.sql", "CREATE TABLE t (a bigint);")
            #expect(try run("up", folder, database).code == 4)
            #expect(try run("verify", folder, database).code == 4)
            let unasked = try run("repair", folder, database)
            #expect(unasked.code == 2 && unasked.text.contains("--yes"))
            #expect(try run("verify", folder, database).code == 4)
            #expect(try run("repair", folder, database, "--yes").code == 0)
            try folder.write("0003_c.sql", "SELECT 1")
            let held = try HeldRunnerLock(database, folder)
            let waited = try run("up", folder, database, "--lock-wait", "0")
            #expect(waited.code == 5)
            #expect(waited.text.contains("process \(held.pid)"))
            #expect(try run("up", folder, database, "--to", "x").code == 2)
            #expect(try run("sideways", folder, database).code == 2)
        }
    }

    @Test("the error about a missing applied file names --restore, which brings the file back")
    func missing() throws {
        let folder = try TestFolder(["0001_a.sql": "CREATE TABLE t (a int);"])
        try TestDatabase.with(.empty) { database in
            _ = try run("up", folder, database)
            try folder.remove("0001_a.sql")
            for command in ["verify", "repair"] {
                let told = try run(command, folder, database)
                #expect(told.code == 4 && told.text.contains("--restore"), "\(told.text)")
            }
            let restored = try run("repair", folder, database, "--restore")
            #expect(restored.code == 0, "\(restored.text)")
            #expect(try run("verify", folder, database).code == 0)
        }
    }

    @Test("a missing database URL is reported with the setting's name")
    func noDatabase() throws {
        let folder = try TestFolder()
        let result = try Program(
            ["up", "--dir", folder.path], environment: ["HEARTH_MIGRATE_DATABASE_URL": ""]
        ).result()
        #expect(result.code == 2)
        #expect(result.text.contains("HEARTH_MIGRATE_DATABASE_URL is missing"))
    }

    @Test("a signal stops the run, cancels the statement and leaves nothing half done")
    func signal() throws {
        let folder = try TestFolder(["0001_a.sql": "CREATE TABLE t (); SELECT pg_sleep(60);"])
        try TestDatabase.with(.empty) { database in
            let program = try Program([
                "up", "--dir", folder.path, "--database-url", database.url(),
            ])
            let sleeping = """
                SELECT count(*) > 0 FROM pg_stat_activity
                 WHERE datname = current_database() AND wait_event = 'PgSleep'
                """
            try eventually { try database.scalar(sleeping) }
            program.terminate()
            let result = try program.result()
            #expect(result.code == 1)
            #expect(result.text.contains("canceling statement due to user request"))
            #expect(try database.scalar(sleeping) == false)
            #expect(try !database.hasRelation("t"))
        }
    }

    @Test("plan shows statements and findings, and changes nothing")
    func plan() throws {
        let folder = try TestFolder([
            "0001_a.sql": "CREATE TABLE t (a int); INSERT INTO t VALUES (1);"
        ])
        try TestDatabase.with(.empty) { database in
            #expect(try run("up", folder, database).code == 0)
            try folder.write("0002_b.sql", "CREATE INDEX i ON t (a);\nCREATE TABLE u ();")
            let plan = try run("plan", folder, database)
            #expect(plan.code == 0)
            #expect(plan.text.contains("index-not-concurrent"))
            #expect(plan.text.contains("1 file, 2 statements, 1 finding"))
            #expect(try run("plan", folder, database, "--strict").code == 1)
            let json = try run("plan", folder, database, "--json").text
            #expect(json.contains("\"rule\": \"index-not-concurrent\""))
            #expect(try !database.hasRelation("u"))
        }
    }

    @Test("a long statement is reported while it runs, with its blockers")
    func stillRunning() throws {
        let folder = try TestFolder(["0001_a.sql": "CREATE TABLE t (a int);"])
        try TestDatabase.with(.empty) { database in
            try folder.up(database)
            try folder.write("0002_b.sql", "ALTER TABLE t ADD b int;")
            let blocker = try Connection(database.settings())
            try blocker.execute(script: "BEGIN; SELECT * FROM t")
            let events = Events()
            let run = inBackground {
                try folder.up(database, events: events) {
                    $0.limits.lockTimeoutSeconds = 60
                    $0.reportSeconds = 0.1
                }
            }
            try eventually {
                events.list.contains { event in
                    guard case .stillRunning("0002_b.sql", _, _, let blockers) = event else {
                        return false
                    }
                    let holder = "process \(blocker.backendProcessID),"
                    return blockers.first?.hasPrefix(holder) == true
                }
            }
            try blocker.execute(script: "COMMIT")
            #expect(try run.wait() == ["0002_b.sql"])
        }
    }
}
