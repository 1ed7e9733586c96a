import Foundation
import Postgres
import TestSupport
import Testing

@Suite("The barrier between tenants")
struct BarrierTests {
    private let house: House
    init() throws { house = try House() }

    @Test(
        "the settings that policies read are written by one function",
        arguments: ["hearth.user_id", "hearth.guardian_id", "hearth.callers"])
    func written(setting: String) throws {
        let writers = try house.superuser().query(
            """
            SELECT o.name FROM (
                SELECT p.proname::text, pg_get_functiondef(p.oid) FROM pg_proc AS p
                WHERE p.prokind = 'f'
                    AND p.pronamespace::regnamespace::text IN ('app', 'api', 'gateway', 'jobs')
                UNION ALL
                SELECT c.relname::text, pg_get_viewdef(c.oid) FROM pg_class AS c
                WHERE c.relkind = 'v' AND c.relnamespace::regnamespace::text IN ('app', 'api')
            ) AS o (name, text)
            WHERE strpos(o.text, \(setting)) > 0 AND strpos(o.text, 'set_config') > 0
            ORDER BY 1
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        #expect(writers == ["set_caller"])
    }

    @Test("functions that begin a request run statements in order, and are never inlined")
    func ordered() throws {
        let found = try house.superuser().query(
            """
            SELECT concat_ws(' ', p.oid::regproc, l.lanname, p.provolatile) FROM pg_proc AS p
            JOIN pg_language AS l ON l.oid = p.prolang
            WHERE p.pronamespace IN ('app'::regnamespace, 'gateway'::regnamespace)
                AND p.proname IN ('begin_request', 'begin_requests', 'begin_session', 'see_user')
            ORDER BY 1
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        let names = [
            "app.begin_request", "app.begin_requests", "app.begin_session", "app.see_user",
            "gateway.begin_request", "gateway.begin_session",
        ]
        #expect(found == names.map { "\($0) plpgsql v" })
    }

    @Test("docs/security.md shows its code whole")
    func shown() throws {
        func text(_ path: String) throws -> String {
            try String(
                contentsOf: SourceTree.root.appendingPathComponent(path), encoding: .utf8)
        }
        let code = try text("sql/functions/barrier.sql")
        #expect(try text("docs/security.md").contains("```sql\n\(code)```\n"))
    }
}
