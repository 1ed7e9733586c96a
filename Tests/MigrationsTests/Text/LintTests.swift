import Testing

@testable import Migrations

struct LintTests {
    /// The rules that find something in files, run in this order.
    private func rules(
        _ scripts: String..., sizes: TableSizes? = nil, tenants: [String] = ["app"]
    ) throws -> [String] {
        var configuration = FolderConfiguration()
        configuration.tenantSchemas = tenants
        configuration.tenantTableExceptions = ["app.countries": "the same for all"]
        var linter = Linter(configuration, sizes: sizes)
        for (index, sql) in scripts.enumerated() {
            linter.look(at: try Script(SourceText(sql)), file: "\(index)")
        }
        linter.finish()
        return linter.findings.values.flatMap { $0.map(\.rule) }.sorted()
    }

    private static let alone = "-- hearth: no-transaction\n"

    @Test(
        "what hurts is found by the rule for it",
        arguments: [
            ("index-not-concurrent", "CREATE INDEX i ON t (a)"),
            ("drop-index-not-concurrent", "DROP INDEX i"),
            ("reindex-not-concurrent", "REINDEX TABLE t"),
            ("column-type", "ALTER TABLE t ALTER COLUMN a TYPE bigint"),
            ("set-not-null", "ALTER TABLE t ALTER COLUMN a SET NOT NULL"),
            ("constraint-validated", "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)"),
            ("constraint-validated", "ALTER TABLE t ADD CONSTRAINT c FOREIGN KEY (a) REFERENCES u"),
            ("constraint-index", "ALTER TABLE t ADD CONSTRAINT c UNIQUE (a)"),
            ("constraint-index", "ALTER TABLE t ADD PRIMARY KEY (a)"),
            ("column-rewrite", "ALTER TABLE t ADD a uuid DEFAULT gen_random_uuid()"),
            ("column-rewrite", "ALTER TABLE t ADD a bigserial"),
            ("column-rewrite", "ALTER TABLE t ADD a int GENERATED ALWAYS AS IDENTITY"),
            ("column-rewrite", "ALTER TABLE t ADD a int GENERATED ALWAYS AS (b + 1) STORED"),
            ("table-rewrite", "ALTER TABLE t SET UNLOGGED"),
            ("table-rewrite", "CLUSTER t USING i"),
            ("attach-partition", "ALTER TABLE t ATTACH PARTITION p FOR VALUES IN (1)"),
            ("lock-table", "LOCK TABLE t"),
            ("rename", "ALTER TABLE t RENAME TO u"),
            ("rename", "ALTER TABLE t RENAME COLUMN a TO b"),
            ("drop-column", "ALTER TABLE t DROP COLUMN a"),
            ("drop-table", "DROP TABLE t"),
            ("truncate", "TRUNCATE t"),
            ("every-row", "UPDATE t SET a = 1"),
            ("every-row", "DELETE FROM t"),
            ("enum-value", "ALTER TYPE e ADD VALUE 'x'"),
            ("row-security-off", "ALTER TABLE app.t DISABLE ROW LEVEL SECURITY"),
            ("row-security-off", "ALTER TABLE app.t NO FORCE ROW LEVEL SECURITY"),
            ("grant-public", "GRANT SELECT ON app.t TO PUBLIC"),
            ("grant-public", "GRANT USAGE ON SCHEMA app TO PUBLIC"),
            ("grant-public", "GRANT EXECUTE ON FUNCTION app.f(int) TO public"),
            ("policy-public", "CREATE POLICY p ON app.t USING (true)"),
            (
                "definer-search-path",
                "CREATE FUNCTION f() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'"
            ),
            ("tenant-table-unguarded", "CREATE TABLE app.t (a int)"),
            ("may-run-twice", alone + "CALL p()"),
            ("no-transaction-needlessly", alone + "CREATE TABLE t ()"),
            ("unknown-rule", "-- hearth: allow no-such-rule: whatever\nSELECT 1"),
        ])
    func found(_ rule: String, _ sql: String) throws {
        #expect(try rules(sql) == [rule])
    }

    @Test(
        "the safer way is not found fault with",
        arguments: [
            alone + "CREATE INDEX CONCURRENTLY i ON t (a)",
            alone + "DROP INDEX CONCURRENTLY i",
            alone + "REINDEX TABLE CONCURRENTLY t",
            "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0) NOT VALID",
            "ALTER TABLE t VALIDATE CONSTRAINT c",
            "ALTER TABLE t ADD CONSTRAINT c UNIQUE USING INDEX i",
            "ALTER TABLE t ADD a int DEFAULT 1", "ALTER TABLE t ADD a timestamptz DEFAULT now()",
            "ALTER TABLE t ADD a date DEFAULT CURRENT_DATE", "UPDATE t SET a = 1 WHERE b",
            "CREATE TABLE t (a int); CREATE INDEX i ON t (a); UPDATE t SET a = 1; DROP TABLE t",
            "CREATE TABLE s.t (a int); ALTER TABLE s.t ADD PRIMARY KEY (a), ALTER a TYPE bigint",
            "CREATE TABLE app.t (); ALTER TABLE app.t ENABLE ROW LEVEL SECURITY, "
                + "FORCE ROW LEVEL SECURITY", "CREATE TABLE app.countries ()",
            "CREATE TEMP TABLE t (a int)", "CREATE POLICY p ON app.t TO api USING (true)",
            "GRANT SELECT ON app.t TO api", "GRANT SELECT ON other.t TO PUBLIC",
            "CREATE FUNCTION f() RETURNS int LANGUAGE sql SECURITY DEFINER SET search_path = '' "
                + "AS 'SELECT 1'", "ALTER TYPE e RENAME VALUE 'a' TO 'b'",
        ])
    func harmless(_ sql: String) throws {
        #expect(try rules(sql) == [])
    }

    @Test("a table that an earlier file makes is guarded by a later one, and has no rows yet")
    func acrossFiles() throws {
        let made = "CREATE TABLE app.t (a int);"
        let guarded =
            "ALTER TABLE app.t ENABLE ROW LEVEL SECURITY; "
            + "ALTER TABLE app.t FORCE ROW LEVEL SECURITY;"
        #expect(try rules(made, "CREATE INDEX i ON app.t (a);" + guarded) == [])
        #expect(
            try rules(made + guarded, "ALTER TABLE app.t DISABLE ROW LEVEL SECURITY")
                == ["row-security-off", "tenant-table-unguarded"])
        #expect(try rules(made, "DROP TABLE app.t") == [])
    }

    @Test(
        "a table that may have been there before, under this name, is not taken for a new one",
        arguments: [
            "CREATE TABLE IF NOT EXISTS t (a int)",
            "CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS a",
            "CREATE TABLE t (); ALTER TABLE t RENAME TO u; ALTER TABLE big RENAME TO t",
            "CREATE TABLE x.t (); DROP TABLE x.t",
        ])
    func maybeNew(_ sql: String) throws {
        #expect(try rules(sql + "; CREATE INDEX i ON t (a)").contains("index-not-concurrent"))
    }

    @Test("a table that is made if it is missing is new where the database has none")
    func newInDatabase() throws {
        let sizes = TableSizes([
            QualifiedName(schema: "public", "big"): .init(rows: 9, bytes: 400 << 20)
        ])
        func made(_ name: String) -> String {
            "CREATE TABLE IF NOT EXISTS \(name) (a int); CREATE INDEX i ON \(name) (a)"
        }
        #expect(try rules(made("big"), sizes: sizes) == ["index-not-concurrent"])
        #expect(try rules(made("fresh"), sizes: sizes) == [])
    }

    @Test("what the database knows to be empty is not found fault with")
    func sizes() throws {
        let sizes = TableSizes([
            QualifiedName(schema: "s", "big"): .init(rows: 5_000_000, bytes: 400 << 20),
            QualifiedName(schema: "s", "empty"): .init(rows: -1, bytes: 0),
        ])
        func index(_ table: String) -> String { "CREATE INDEX i ON \(table) (a)" }
        #expect(try rules(index("s.big"), sizes: sizes) == ["index-not-concurrent"])
        #expect(try rules(index("big"), sizes: sizes) == ["index-not-concurrent"])
        #expect(try rules(index("s.empty"), sizes: sizes) == [])
    }

    @Test("a rule that is allowed for a statement is silent there and nowhere else")
    func allowed() throws {
        let sql = """
            -- hearth: allow index-not-concurrent: small
            CREATE INDEX i ON t (a);
            CREATE INDEX j ON t (a);
            """
        #expect(try rules(sql) == ["index-not-concurrent"])
        #expect(
            try rules("-- hearth: allow tenant-table-unguarded: x\nCREATE TABLE app.t ()") == [])
    }

    @Test("rules have names of their own, and say why and what to do instead")
    func table() {
        #expect(Set(LintRule.all.map(\.name)).count == LintRule.all.count)
        for rule in LintRule.all {
            #expect(rule.why.hasSuffix(".") && rule.safer.hasSuffix("."))
        }
    }

    @Test("a file that the parser doesn't understand is planned without findings")
    func unparsed() throws {
        let folder = try TestFolder(["0001_a.sql": "CREATE TABLE t (); FROBNICATE t;"])
        let plan = try Plan.offline(folder.read())
        #expect(plan.files.first?.unparsed?.hasPrefix("line 1: syntax error") == true)
        #expect(plan.files.first?.statements.count == 2)
        #expect(plan.findings.isEmpty)
    }
}
