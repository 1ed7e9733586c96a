import Foundation
import Postgres
import Repositories
import TestSupport
import Testing

/// Streams and conditional reads read versions each time, of few families among very many.
@Suite("The versions of one's families")
struct VersionPlanTests {
    @Test(
        "are looked up, whatever the planner thinks of their number",
        arguments: [Changes.ofMe.text, Changes.ofMyFamilies.text, Changes.view.text])
    func lookedUp(read: String) throws {
        try TestDatabase.with(.migrated) { database in
            let fill = try String(
                contentsOf: SourceTree.root.appendingPathComponent("sql/bench/fill.sql"),
                encoding: .utf8)
            let superuser = try Connection(database.settings())
            // A script of one piece runs as one transaction, which VACUUM can't.
            try superuser.execute(
                script: fill.replacing(":families", with: "1000")
                    .replacing("VACUUM (ANALYZE, FREEZE);", with: "")
                    .replacing("CHECKPOINT;", with: "")
                        + """
                        INSERT INTO app.family_versions (family_unit_id)
                            SELECT id FROM app.family_units ON CONFLICT DO NOTHING;
                        INSERT INTO app.user_versions (user_id)
                            SELECT id FROM app.users ON CONFLICT DO NOTHING;
                        ANALYZE;
                        """)
            let connection = try Connection(database.settings(as: "hearth_api"))
            let plan = try connection.transaction { transaction in
                try transaction.query(
                    """
                    SELECT set_config('plan_cache_mode', 'force_generic_plan', true),
                        set_config('hearth.user_id', '00000000-0000-4000-8000-000000000002', true)
                    """)
                try transaction.query(SQL(unsafe: "PREPARE read AS \(read)"))
                return try transaction.query(
                    SQL(unsafe: "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE read")
                ).map { (row) throws(PostgresError) in try row.read(String.self) }
            }.joined(separator: "\n")
            #expect(plan.contains("rows=1"), "\(plan)")
            for wrong in ["Seq Scan", "Hash", "Rows Removed"] {
                #expect(!plan.contains(wrong), "\(plan)")
            }
        }
    }
}
