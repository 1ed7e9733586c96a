import Postgres
import TestSupport
import Testing

@testable import Migrations

@Suite("Check after a run")
struct PostCheckTests {
    private static let configuration = """
        {"tenantSchemas": ["app"], "privateSchemas": ["jobs"],
         "tenantTableExceptions": {"app.countries": "the same for all"}}
        """
    private static let sound = """
        CREATE SCHEMA app; CREATE SCHEMA jobs;
        CREATE TABLE app.t (a int); CREATE TABLE app.countries (a int);
        ALTER TABLE app.t ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
        """

    private func problems(_ sql: String) throws -> [String] {
        let folder = try TestFolder(["hearth-migrate.json": Self.configuration])
        return try TestDatabase.with(.empty) { database in
            try database.execute(Self.sound + sql)
            let session = try Session(
                database.settings(), folder.read().configuration, RunLimits(), purpose: "test")
            return try PostCheck(session).problems()
        }
    }

    @Test("a protected database has no problems")
    func sound() throws {
        #expect(try problems("") == [])
    }

    @Test(
        "unprotected tables and privileges of PUBLIC are reported",
        arguments: [
            ("CREATE TABLE app.u ()", "app.u: row-level security is not enabled and not forced"),
            (
                "CREATE TABLE app.u (a int) PARTITION BY LIST (a); "
                    + "ALTER TABLE app.u ENABLE ROW LEVEL SECURITY",
                "app.u: row-level security is not forced"
            ),
            (
                "ALTER TABLE app.t DISABLE ROW LEVEL SECURITY",
                "app.t: row-level security is not enabled"
            ),
            ("GRANT SELECT ON app.t TO PUBLIC", "app.t: PUBLIC may SELECT"),
            ("GRANT UPDATE (a) ON app.t TO PUBLIC", "app.t.a: PUBLIC may UPDATE"),
            ("GRANT USAGE ON SCHEMA app TO PUBLIC", "schema app: PUBLIC may USAGE"),
            (
                "CREATE FUNCTION jobs.f(int) RETURNS int LANGUAGE sql AS 'SELECT 1'",
                "jobs.f(integer): PUBLIC may EXECUTE"
            ),
            ("CREATE TYPE jobs.e AS ENUM ('a')", "type jobs.e: PUBLIC may USAGE"),
            (
                "CREATE SEQUENCE jobs.s; GRANT USAGE ON SEQUENCE jobs.s TO PUBLIC",
                "jobs.s: PUBLIC may USAGE"
            ),
        ])
    func open(_ sql: String, _ problem: String) throws {
        #expect(try problems(sql) == [problem])
    }

    @Test("an unprotected tenant table stops a run midway, and verify reports drift")
    func exitCodes() throws {
        let folder = try TestFolder([
            "hearth-migrate.json": Self.configuration, "0001_a.sql": Self.sound,
            "0002_b.sql": "CREATE TABLE app.u ();",
        ])
        try TestDatabase.with(.empty) { database in
            let error = try folder.failure(database)
            #expect(error?.code == .stoppedMidway)
            #expect(error?.details.first?.hasPrefix("app.u: row-level security") == true)
            #expect(try folder.failure(database)?.code == .exposed)
            #expect(try folder.verify(database) == .drift)
            try folder.write(
                "0003_c.sql",
                "ALTER TABLE app.u ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;")
            #expect(try folder.up(database) == ["0003_c.sql"])
            #expect(try folder.verify(database) == nil)
        }
    }
}
