import Testing

@testable import Migrations

struct LintTests {
    /// Returns the rules with findings in files that run in this order.
    private func rules(
        _ scripts: String..., sizes: TableSizes? = nil, tenants: [String] = ["app"]
    ) throws -> [String] {
        try rules(scripts, sizes: sizes, tenants: tenants)
    }

    private func rules(
        _ scripts: [String], sizes: TableSizes? = nil, tenants: [String] = ["app"]
    ) throws -> [String] {
        var configuration = FolderConfiguration()
        configuration.tenantSchemas = tenants
        configuration.tenantTableExceptions = ["app.countries": "the same for all"]
        var linter = Linter(configuration, sizes: sizes)
        for (index, sql) in scripts.enumerated() {
            linter.check(try Script(SourceText(sql)), file: "\(index)")
        }
        linter.finish()
        return linter.findings.values.flatMap { $0.map(\.rule) }.sorted()
    }

    private static let alone = "-- hearth: no-transaction\n"

    @Test(
        "each risky statement is found by the rule for it",
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
            ("drop-schema", "DROP SCHEMA public CASCADE"),
            ("drop-owned", "DROP OWNED BY CURRENT_USER"),
            ("not-null-column", "ALTER TABLE t ADD COLUMN IF NOT EXISTS c int NOT NULL"),
            ("not-null-column", "ALTER TABLE t ADD c int NOT NULL DEFAULT NULL"),
            ("truncate", "TRUNCATE t"),
            ("every-row", "UPDATE t SET a = 1"),
            ("every-row", "DELETE FROM t"),
            ("every-row", "WITH x AS (DELETE FROM t RETURNING 1) SELECT count(*) FROM x"),
            ("every-row", "EXPLAIN ANALYZE UPDATE t SET a = 1"),
            ("enum-value", "ALTER TYPE e ADD VALUE 'x'"),
            ("row-security-off", "ALTER TABLE app.t DISABLE ROW LEVEL SECURITY"),
            ("row-security-off", "ALTER TABLE app.t NO FORCE ROW LEVEL SECURITY"),
            ("grant-public", "GRANT SELECT ON app.t TO PUBLIC"),
            ("grant-public", "GRANT ALL ON t TO PUBLIC"),
            ("grant-public", "SET search_path = x, app; GRANT ALL ON t TO PUBLIC"),
            ("row-security-off", "ALTER TABLE t DISABLE ROW LEVEL SECURITY"),
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
        "safer alternatives have no findings",
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
            "DROP SCHEMA s", "CREATE SCHEMA s; DROP SCHEMA s CASCADE",
            "ALTER TABLE t ADD c int NOT NULL DEFAULT 1",
            "CREATE TABLE t (); ALTER TABLE t ADD c int NOT NULL",
            "WITH x AS (DELETE FROM t WHERE a RETURNING 1) SELECT count(*) FROM x",
            "SET search_path = other; GRANT SELECT ON t TO PUBLIC",
            "CREATE TABLE t (); ALTER TABLE t DISABLE ROW LEVEL SECURITY",
            "CREATE TABLE t (a int); ALTER TABLE t RENAME a TO b",
            "SET search_path = s; CREATE TABLE t (a int); ALTER TABLE t ALTER a TYPE bigint",
        ])
    func harmless(_ sql: String) throws {
        #expect(try rules(sql) == [])
    }

    @Test("a table from an earlier file is empty, and a later file can protect it")
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
        "a table that may have existed before under this name is not treated as new",
        arguments: [
            "CREATE TABLE IF NOT EXISTS t (a int)",
            "CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS a",
            "CREATE TABLE t (); ALTER TABLE t RENAME TO u; ALTER TABLE big RENAME TO t",
            "CREATE TABLE x.t (); DROP TABLE x.t",
            "CREATE SCHEMA s; CREATE TABLE s.t (a int)",
            "CREATE SCHEMA s; CREATE TABLE s.t (a int); SET search_path = public",
            "SET search_path = s; CREATE TABLE t (a int); RESET search_path",
            "SET search_path = s; CREATE TABLE t (a int); RESET ALL",
            "SET search_path = s; CREATE TABLE t (a int); SET SCHEMA 'public'",
            "CREATE TABLE t (a int); SELECT set_config('search_path', 's', true)",
            "CREATE TABLE t (a int); DO 'BEGIN SET search_path = s; END'",
            "CREATE TABLE t (a int); SET ROLE other",
            "CREATE TABLE t (a int); ALTER TABLE t SET SCHEMA s",
        ])
    func maybeNew(_ sql: String) throws {
        #expect(try rules(sql + "; CREATE INDEX i ON t (a)").contains("index-not-concurrent"))
    }

    @Test(
        "a table of another schema or search path is not treated as the new one",
        arguments: [
            (["CREATE SCHEMA s; CREATE TABLE s.big (i int); DROP TABLE big"], "drop-table"),
            (["CREATE TABLE big (i int); DROP TABLE s.big"], "drop-table"),
            (
                [
                    "CREATE SCHEMA s; CREATE TABLE s.big (i int); SET search_path = public; "
                        + "ALTER TABLE big ALTER i TYPE bigint"
                ], "column-type"
            ),
            (["SET search_path = s; CREATE TABLE big ()", "DROP TABLE big"], "drop-table"),
            (
                [
                    "CREATE TABLE s.big (); ALTER SCHEMA s RENAME TO r; "
                        + "ALTER SCHEMA old RENAME TO s; DROP TABLE s.big"
                ], "drop-table"
            ),
            (
                [
                    Self.alone + "SET LOCAL search_path = s; CREATE TABLE big (); VACUUM",
                    "SET search_path = s; DROP TABLE big",
                ], "drop-table"
            ),
        ])
    func otherSchema(_ scripts: [String], _ rule: String) throws {
        #expect(try rules(scripts) == [rule])
    }

    @Test("an unqualified table is new to a later file that sets the same search path")
    func sameSearchPath() throws {
        let path = "SET search_path = s, public;"
        #expect(try rules(path + "CREATE TABLE t ()", path + "DROP TABLE t") == [])
    }

    @Test("row-level security on a table of another schema does not protect a tenant's table")
    func guardedElsewhere() throws {
        let guarded = "ALTER TABLE t ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;"
        let made = "CREATE TABLE app.t ();"
        #expect(try rules(made + guarded) == ["tenant-table-unguarded"])
        #expect(try rules(made + "SET search_path = app, public;" + guarded) == [])
    }

    @Test("every schema may hold tenant tables if the configuration names none")
    func noSchemas() throws {
        let grant = "GRANT ALL ON s.t TO PUBLIC"
        #expect(try rules(grant, tenants: []) == ["grant-public"])
        let off = "ALTER TABLE s.t DISABLE ROW LEVEL SECURITY"
        #expect(try rules(off, tenants: []) == ["row-security-off"])
        #expect(try rules("GRANT CONNECT ON DATABASE d TO PUBLIC", tenants: []) == [])
    }

    @Test("a table created with IF NOT EXISTS is new if the database has none")
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

    @Test("a table that the database knows to be empty has no findings")
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

    @Test("an allowance suppresses a rule for its statement and for no other")
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

    @Test("rules have unique names, and say why they matter and what to do instead")
    func table() {
        #expect(Set(LintRule.all.map(\.name)).count == LintRule.all.count)
        for rule in LintRule.all {
            #expect(rule.risk.hasSuffix(".") && rule.advice.hasSuffix("."))
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
