import Postgres
import TestSupport
import Testing

/// Runs every kind of statement on every relation, as callers without access to the family.
@Suite("Isolation of families by relation")
struct RelationIsolationTests {
    static let victims = Result { try Victims(in: try House()) }
    private var victims: Victims { get throws { try Self.victims.get() } }

    struct Relation: Sendable {
        let name: String
        let columns: [String]
    }

    static func relations(of house: House) throws -> [Relation] {
        try house.superuser().query(
            """
            SELECT c.oid::regclass::text, string_agg(a.attname, ',' ORDER BY a.attnum)
            FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
            WHERE c.relnamespace IN ('app'::regnamespace, 'api'::regnamespace)
                AND c.relkind IN ('r', 'p', 'v') AND NOT a.attisdropped
            GROUP BY c.oid ORDER BY 1
            """
        ).map { (row) throws(PostgresError) in
            Relation(
                name: try row.read(),
                columns: try row.read(String.self).split(separator: ",").map(String.init))
        }
    }

    /// Strangers with a family of their own, a removed member, and a connection without a begun
    /// request.
    static func intruders(_ victims: Victims) throws -> [Intruder] {
        let stranger = try victims.house.person()
        _ = try victims.house.family(of: stranger)
        let (removed, former) = (victims.removed, victims.removedMember)
        return [
            Intruder(role: .api, person: nil), Intruder(role: .api, person: stranger),
            Intruder(role: .api, person: removed, former: former),
            Intruder(role: .direct, person: nil), Intruder(role: .direct, person: stranger),
            Intruder(role: .direct, person: removed, former: former),
            Intruder(role: .anonymous, person: nil),
        ]
    }

    /// The columns that the role may read. A query of `*` would be refused as a whole.
    private func readable(_ relation: Relation, by role: Intruder.Role) throws -> [String] {
        try victims.house.superuser().query(
            """
            SELECT attname::text FROM pg_attribute
            WHERE attrelid = \(relation.name)::text::regclass AND attnum > 0 AND NOT attisdropped
                AND has_column_privilege(\(role.rawValue), attrelid, attnum, 'SELECT')
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
    }

    /// Extensions that this installation of PostgreSQL has. CREATE EXTENSION of any other fails
    /// because its files are missing.
    static func availableExtensions(of house: House) throws -> [String] {
        try house.superuser().query(
            """
            SELECT DISTINCT quote_ident(name) FROM pg_available_extension_versions
            WHERE requires IS NULL AND name NOT IN (SELECT extname FROM pg_extension) ORDER BY 1
            """
        ).map { (row) throws(PostgresError) in try row.read() }
    }

    @Test("a stranger can't read another family's rows, people, codes, secrets, log or preferences")
    func reads() throws {
        let victims = try victims
        let relations = try Self.relations(of: victims.house)
        #expect(relations.count > 30)
        for intruder in try Self.intruders(victims) {
            let connection = try intruder.connect(to: victims.house)
            for relation in relations {
                let columns = try readable(relation, by: intruder.role)
                let list = columns.isEmpty ? "*" : columns.joined(separator: ", ")
                let statement = "SELECT concat_ws(' ', \(columns.isEmpty ? "r" : list)) FROM "
                // A former member still sees its membership, who removed it, and which of its own
                // changes were in that family.
                let isFormer =
                    intruder.former != nil
                    && ["app.family_members", "app.user_changes"].contains(relation.name)
                let except = isFormer ? " WHERE user_id <> app.user_id()" : ""
                let outcome = try intruder.run(
                    statement + relation.name + " AS r" + except, reads: true, on: connection)
                switch outcome {
                case .answered(let rows):
                    #expect(!columns.isEmpty, "\(intruder): \(relation.name)")
                    if intruder.person == nil { #expect(rows == [], "\(relation.name)") }
                    for mark in victims.marks {
                        #expect(
                            !rows.contains { $0.contains(mark) },
                            "\(intruder) reads \(mark) in \(relation.name)")
                    }
                case .refused(let state, _):
                    #expect(state == .insufficientPrivilege, "\(intruder): \(relation.name)")
                default: Issue.record("\(intruder): \(relation.name): \(outcome)")
                }
            }
        }
    }

    /// Statements that would change, lock or copy the contents of a relation.
    private func attempts(_ relation: Relation) -> [String] {
        let name = relation.name
        return relation.columns.flatMap { column in
            [
                "UPDATE \(name) SET \(column) = \(column)",
                "UPDATE \(name) SET \(column) = NULL",
                "INSERT INTO \(name) (\(column)) VALUES (NULL)",
            ]
        } + [
            "DELETE FROM \(name)", "INSERT INTO \(name) DEFAULT VALUES",
            "INSERT INTO \(name) SELECT * FROM \(name)",
            "INSERT INTO \(name) SELECT * FROM \(name) ON CONFLICT DO NOTHING",
            "INSERT INTO \(name) DEFAULT VALUES ON CONFLICT DO NOTHING",
            "MERGE INTO \(name) AS r USING (SELECT) AS s ON true WHEN MATCHED THEN DELETE",
            "TRUNCATE \(name) CASCADE", "SELECT FROM \(name) FOR UPDATE",
            "LOCK TABLE \(name) IN ACCESS EXCLUSIVE MODE", "COPY \(name) TO STDOUT",
            "COPY \(name) FROM STDIN", "COPY \(name) TO '/dev/null'",
            "COPY \(name) TO PROGRAM 'true'",
            "ALTER TABLE \(name) DISABLE ROW LEVEL SECURITY", "DROP TABLE \(name)",
            "DROP VIEW \(name)", "GRANT SELECT ON \(name) TO anon",
            "CREATE POLICY mine ON \(name) USING (true)",
            "CREATE RULE mine AS ON UPDATE TO \(name) DO INSTEAD NOTHING",
            "COMMENT ON TABLE \(name) IS 'mine'",
        ]
    }

    /// Whether a statement may succeed because it does not affect another family's rows.
    private func mayRun(_ statement: String, _ intruder: Intruder) -> Bool {
        // A role that may delete from a table may lock it, too.
        statement.hasPrefix("LOCK TABLE") && intruder.role == .direct
            && statement.contains("family_invitations")
    }

    @Test("no statement can change, delete, copy, lock, truncate or alter another family's data")
    func writes() throws {
        let victims = try victims
        let before = try victims.fingerprint()
        let relations = try Self.relations(of: victims.house)
        for intruder in try Self.intruders(victims) {
            var connection = try intruder.connect(to: victims.house)
            var count = 0
            for statement in relations.flatMap(attempts) {
                count += 1
                switch try intruder.run(statement, on: connection) {
                case .refused(_, let told):
                    for mark in victims.marks where !statement.contains(mark) {
                        #expect(!told.contains(mark), "\(intruder): \(statement): \(told)")
                    }
                case .touched(let rows):
                    let isHarmless = rows == 0 && !statement.hasPrefix("LOCK")
                    let isOwn =
                        intruder.person != nil
                        && (statement.hasPrefix("UPDATE") || statement.hasSuffix("FOR UPDATE"))
                    #expect(
                        isHarmless || isOwn || mayRun(statement, intruder),
                        "\(intruder): \(statement) touched \(rows)")
                case .copied:
                    // Restricted by row-level security, as SELECT is.
                    #expect(
                        [
                            "COPY app.consents TO STDOUT",
                            "COPY app.member_preferences TO STDOUT",
                            "COPY app.family_attributes TO STDOUT",
                        ].contains(statement) && intruder.role == .api,
                        "\(intruder): \(statement)")
                    connection = try intruder.connect(to: victims.house)
                case .answered: Issue.record("\(statement)")
                }
            }
            #expect(count > 800)
            #expect(try victims.fingerprint() == before, "\(intruder)")
        }
    }

    @Test("a role can't become another one, bypass row-level security, or create objects")
    func escapes() throws {
        let victims = try victims
        let extensions = try Self.availableExtensions(of: victims.house)
        for intruder in try Self.intruders(victims) {
            let connection = try intruder.connect(to: victims.house)
            for statement in [
                "SET LOCAL ROLE hearth_owner", "SET LOCAL ROLE hearth_authz",
                "SET LOCAL ROLE postgres",
                "SET LOCAL ROLE hearth_worker", "SET SESSION AUTHORIZATION hearth_owner",
                "SET LOCAL session_replication_role = replica", "CREATE TABLE app.mine ()",
                "CREATE TABLE api.mine ()", "CREATE TABLE public.mine ()",
                "CREATE SCHEMA mine", "CREATE ROLE mine",
                "CREATE FUNCTION app.mine() RETURNS int LANGUAGE sql RETURN 1",
                "ALTER ROLE hearth_api BYPASSRLS",
                "ALTER DATABASE \(victims.house.test.name) SET x.y = 1",
                "REASSIGN OWNED BY hearth_owner TO anon", "SELECT pg_read_file('postgresql.conf')",
                "ALTER SYSTEM SET log_statement = 'all'",
            ] + extensions.map({ "CREATE EXTENSION \($0)" }) {
                guard case .refused(let state, _) = try intruder.run(statement, on: connection)
                else {
                    Issue.record("\(intruder): \(statement)")
                    continue
                }
                #expect(
                    state == .insufficientPrivilege || state == "25001",
                    "\(intruder): \(statement): \(state)")
            }
            let bypass = try intruder.run(
                "SELECT count(*)::text FROM (SELECT set_config('row_security', 'off', true)) AS s, "
                    + "app.family_members", reads: true, on: connection)
            if case .answered(let rows) = bypass {
                #expect(rows == [intruder.person == nil ? "0" : "1"], "\(intruder)")
            }
        }
    }
}
