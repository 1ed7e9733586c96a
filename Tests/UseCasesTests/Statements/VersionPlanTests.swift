import Foundation
import Postgres
import Repositories
import TestSupport
import Testing

/// Streams and conditional reads read versions each time, of few families among very many.
@Suite("The versions of one's families")
struct VersionPlanTests {
    /// A statement, with the types of its parameters and their values.
    struct Read: Sendable {
        let text: String
        var types = ""
        var values = ""
    }

    private static let user = "'00000000-0000-4000-8000-000000000002'"
    private static let family = "'00000000-0000-4000-9000-000000000001'"
    private static let signIn = Read(
        text: "", types: "text, bytea, text, boolean, boolean",
        values: "'bench', decode(repeat('00', 24), 'hex') || int8send(2), 'user@example.com', "
            + "true, false")
    private static let reads = [
        Read(text: Changes.followed.text), Read(text: SeenVersions.mine.text),
        Read(text: SeenVersion.ofFamily.text, types: "uuid", values: family),
        Read(text: FoundVersions.bySignIn.text, types: signIn.types, values: signIn.values),
        Read(
            text: FoundVersion.bySignIn.text, types: signIn.types + ", uuid",
            values: signIn.values + ", " + family),
        Read(
            text: FoundVersions.bySession.text, types: "uuid, uuid", values: "\(user), \(user)"),
        Read(
            text: FoundVersion.bySession.text, types: "uuid, uuid, uuid",
            values: "\(user), \(user), \(family)"),
    ]

    @Test("are looked up, whatever the planner thinks of their number", arguments: reads)
    func lookedUp(read: Read) throws {
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
                        INSERT INTO app.sessions (id, user_id, method, ends_at)
                            SELECT id, id, 'email', now() + interval '1 day' FROM app.users
                            WHERE kind = 'account';
                        ANALYZE;
                        """)
            let connection = try Connection(database.settings(as: "hearth_api"))
            let plan = try connection.transaction { transaction in
                try transaction.query(
                    """
                    SELECT set_config('plan_cache_mode', 'force_generic_plan', true),
                        set_config('hearth.user_id', '00000000-0000-4000-8000-000000000002', true)
                    """)
                let (types, values) =
                    read.types.isEmpty ? ("", "") : ("(\(read.types))", "(\(read.values))")
                try transaction.query(SQL(unsafe: "PREPARE read \(types) AS \(read.text)"))
                return try transaction.query(
                    SQL(unsafe: "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE read \(values)")
                ).map { (row) throws(PostgresError) in try row.read(String.self) }
            }.joined(separator: "\n")
            #expect(plan.contains("rows=1"), "\(plan)")
            for wrong in ["Seq Scan", "Hash", "Rows Removed"] {
                #expect(!plan.contains(wrong), "\(plan)")
            }
        }
    }
}
