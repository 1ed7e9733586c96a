import Foundation
import Postgres
import TestSupport
import Testing

/// Plans of the checks of `hearth-admin doctor` in a database with many families.
@Suite("Plans of the fault checks")
struct FaultCheckPlanTests {
    private func connection() throws -> Connection {
        try Connection(PlanTests.house.get().test.settings())
    }

    private struct RolledBack: Error {}

    /// Runs `body` in a transaction that is rolled back, and returns its result.
    private func undone<Found>(
        on connection: Connection, _ body: (Transaction) throws -> Found
    ) throws -> Found {
        var found: Found?
        do {
            try connection.transaction { transaction in
                found = try body(transaction)
                throw RolledBack()
            }
        } catch is RolledBack {}
        return try #require(found)
    }

    /// - Parameter factor: Ratio of the planner's expected rows to the real ones.
    @Test(
        "no check looks up rows one by one while the data are sound", arguments: [1, 30, 1_000])
    func scans(factor: Int) throws {
        let checks = try connection().query("SELECT unnest(app.fault_checks())")
            .map { (row) throws(PostgresError) in try row.read(String.self) }
        #expect(checks.count > 5)
        for check in checks {
            let (found, scans) = try undone(on: try connection()) { transaction in
                // The planner multiplies the real number of pages by its estimate of rows per page.
                try transaction.query(
                    """
                    UPDATE pg_class SET reltuples = reltuples * \(factor)
                    WHERE relnamespace = 'app'::regnamespace AND reltuples > 0
                    """)
                // Of large tables the planner knows a sample, with too few distinct values.
                try transaction.query(
                    """
                    UPDATE pg_statistic SET stadistinct = stadistinct / 5
                    WHERE starelid = 'app.family_members'::regclass AND stadistinct < 0
                        AND \(factor > 1)
                    """)
                let found = try transaction.query(
                    "SELECT count(*) FROM app.find_faults_of(\(check), 500)"
                ).scalar(Int.self)
                // Two statements, so that the counts of the first are available.
                let scans = try transaction.query(
                    """
                    SELECT coalesce(sum(seq_scan + idx_scan), 0)::bigint
                    FROM pg_stat_xact_all_tables WHERE schemaname = 'app'
                    """
                ).scalar(Int.self)
                return (found, scans)
            }
            #expect(found == 0, "\(check)")
            // With 2,000 families, a look-up for each of them would be 2,000 scans. What a unique
            // index guarantees is not checked.
            let isKeptApart = ["seats", "players"].contains(check)
            #expect((scans == 0) == isKeptApart && scans < 50, "\(check): \(scans) scans")
        }
    }

    @Test("the codes of fill.sql are distinct and well-formed, even beyond sixteen million")
    func codes() throws {
        let fill = try String(
            contentsOf: SourceTree.root.appendingPathComponent("sql/bench/fill.sql"),
            encoding: .utf8)
        let begin = try #require(fill.range(of: "CREATE FUNCTION pg_temp.code"))
        let end = try #require(fill[begin.lowerBound...].range(of: ";\n"))
        let connection = try connection()
        try connection.execute(script: String(fill[begin.lowerBound..<end.upperBound]))
        let (unlike, formed) = try #require(
            try connection.query(
                """
                SELECT count(DISTINCT c.code), count(*) FILTER (
                    WHERE c.code ~ '^FAM-[A-HJKMNP-Z2-9]{6}$')
                FROM (VALUES (1), (16776216), (45405000), (446211481)) AS b (n),
                    generate_series(b.n, b.n + 1999) AS n (n), pg_temp.code(n.n) AS c (code)
                """
            ).map { (row) throws(PostgresError) in
                (try row.read(Int.self), try row.read(Int.self))
            }.first)
        #expect(unlike == 8000 && formed == 8000)
    }

    @Test("widespread faults are reported up to a limit for each kind")
    func many() throws {
        let house = try House()
        let parent = try house.person()
        for _ in 0..<3 {
            let family = try house.family(of: parent)
            _ = try house.child(of: parent, in: family)
            _ = try house.child(of: parent, in: family)
        }
        try house.superuser().execute(
            script: """
                SET session_replication_role = replica;
                DELETE FROM app.guardianships;
                DELETE FROM app.family_codes;
                UPDATE app.family_units SET emptied_at = now();
                UPDATE app.family_members SET slot = slot + 40;
                """)
        let found = try house.superuser().query(
            """
            SELECT string_agg(kind || ' ' || count, ', ' ORDER BY kind)
            FROM (SELECT kind, count(*) FROM app.find_faults(2) GROUP BY kind) AS f (kind, count)
            """
        ).scalar(String.self)
        #expect(
            found
                == "code_wrong 2, emptiness_wrong 2, guardianship_wrong 2, slot_wrong 2")
    }
}
