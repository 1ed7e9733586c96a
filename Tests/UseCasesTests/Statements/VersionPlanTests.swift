import Postgres
import Repositories
import TestSupport
import Testing

/// Plans of the queries with which streams and conditional reads look up the versions of a few
/// families among very many.
@Suite("Plans of reading versions")
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
        Read(text: DatedVersion.ofFamily.text, types: "uuid", values: family),
        Read(text: CallerVersions.bySignIn.text, types: signIn.types, values: signIn.values),
        Read(
            text: CallerFamilyVersion.bySignIn.text, types: signIn.types + ", uuid",
            values: signIn.values + ", " + family),
        Read(
            text: CallerVersions.bySession.text, types: "uuid, uuid", values: "\(user), \(user)"),
        Read(
            text: CallerFamilyVersion.bySession.text, types: "uuid, uuid, uuid",
            values: "\(user), \(user), \(family)"),
    ]

    @Test(
        "versions are read by index look-ups, whatever row count the planner expects",
        arguments: reads)
    func lookedUp(read: Read) throws {
        let plan = try plan(of: read)
        #expect(plan.contains("rows=1"), "\(plan)")
        for wrong in ["Seq Scan", "Hash", "Rows Removed"] {
            #expect(!plan.contains(wrong), "\(plan)")
        }
    }

    /// Counts the pages that a function reads, because its plan is not visible: a few for each
    /// look-up.
    @Test(
        "reading versions for several callers costs a few pages for each",
        arguments: [("NULL::uuid", 5), (family + "::uuid", 3)])
    func ofSeveral(family: String, lookUps: Int) throws {
        let signIns = Read(
            text: """
                SELECT * FROM app.versions_of_callers(array_fill('bench'::text, ARRAY[3]),
                    array_fill(decode(repeat('00', 24), 'hex') || int8send(2), ARRAY[3]),
                    array_fill('user@example.com'::text, ARRAY[3]), array_fill(true, ARRAY[3]),
                    array_fill(false, ARRAY[3]), array_fill(NULL::uuid, ARRAY[3]),
                    array_fill(NULL::uuid, ARRAY[3]), array_fill(\(family), ARRAY[3]))
                """)
        let sessions = Read(
            text: """
                SELECT * FROM app.versions_of_callers(array_fill(NULL::text, ARRAY[3]),
                    array_fill(NULL::bytea, ARRAY[3]), array_fill(NULL::text, ARRAY[3]),
                    array_fill(NULL::boolean, ARRAY[3]), array_fill(NULL::boolean, ARRAY[3]),
                    array_fill(\(Self.user)::uuid, ARRAY[3]),
                    array_fill(\(Self.user)::uuid, ARRAY[3]), array_fill(\(family), ARRAY[3]))
                """)
        for read in [signIns, sessions] {
            let plan = try plan(of: read)
            #expect(plan.contains("rows=3"), "\(plan)")
            let hits = try #require(plan.firstMatch(of: #/Buffers: shared hit=(\d+)/#)?.output.1)
            // Two levels of an index and a row, with some margin. The smallest table has eight
            // pages.
            #expect(try #require(Int(hits)) <= 3 * lookUps * 3 + 6, "\(plan)")
        }
    }

    /// The plan of the third execution of a read, when the functions it calls have cached plans.
    private func plan(of read: Read) throws -> String {
        try TestDatabase.with(.migrated) { database in
            let superuser = try Connection(database.settings())
            try superuser.execute(
                script: ManyFamilies.script(1000)
                    + """
                    INSERT INTO app.sessions (id, user_id, method, ends_at)
                        SELECT id, id, 'email', now() + interval '1 day' FROM app.users
                        WHERE kind = 'account';
                    ANALYZE;
                    """)
            let connection = try Connection(database.settings(as: "hearth_api"))
            return try connection.transaction { transaction in
                try transaction.query(
                    """
                    SELECT set_config('plan_cache_mode', 'force_generic_plan', true),
                        set_config('hearth.user_id', '00000000-0000-4000-8000-000000000002', true)
                    """)
                let (types, values) =
                    read.types.isEmpty ? ("", "") : ("(\(read.types))", "(\(read.values))")
                try transaction.query(SQL(unsafe: "PREPARE read \(types) AS \(read.text)"))
                var lines: [String] = []
                for _ in 0..<3 {
                    lines = try transaction.query(
                        SQL(
                            unsafe: "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, BUFFERS) "
                                + "EXECUTE read \(values)")
                    ).map { (row) throws(PostgresError) in try row.read(String.self) }
                }
                return lines
            }.joined(separator: "\n")
        }
    }
}
