import Testing

@testable import Migrations

struct RefusalTests {
    private func refusals(_ sql: String, server: Int? = nil) throws -> [String] {
        Refusals.found(
            in: try Script(SourceText(sql)), file: "f.sql", serverMajorVersion: server
        ).map { "\($0.line) \($0.rule.rawValue)" }
    }

    private let noTransaction = "-- hearth: no-transaction\n"

    @Test(
        "transaction control is refused in every file, with its line",
        arguments: [
            "BEGIN", "begin work", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT a",
            "RELEASE a", "START TRANSACTION", "PREPARE TRANSACTION 'x'", "ROLLBACK TO a",
        ])
    func transactionControl(_ statement: String) throws {
        #expect(try refusals("SELECT 1;\n\(statement);") == ["2 transaction-control"])
        #expect(try refusals(noTransaction + statement) == ["2 transaction-control"])
    }

    @Test(
        "a statement that can't run in a transaction is refused only in transactional files",
        arguments: [
            "CREATE INDEX CONCURRENTLY i ON t (a)", "CREATE UNIQUE INDEX CONCURRENTLY i ON t (a)",
            "DROP INDEX CONCURRENTLY IF EXISTS s.i", "REINDEX TABLE CONCURRENTLY t",
            "REINDEX (CONCURRENTLY, VERBOSE) INDEX i", "REINDEX DATABASE d",
            "ALTER TABLE t DETACH PARTITION p CONCURRENTLY", "VACUUM FULL t", "CREATE DATABASE d",
            "DROP DATABASE d", "CREATE TABLESPACE s LOCATION '/x'", "DROP TABLESPACE s",
            "ALTER SYSTEM SET work_mem = '4MB'", "ALTER DATABASE d SET TABLESPACE s", "CLUSTER",
            "CREATE SUBSCRIPTION s CONNECTION '' PUBLICATION p",
            "DO $$ BEGIN UPDATE t SET a = 1; COMMIT; END $$",
            "DO $b$ BEGIN /* COMMIT; */ ROLLBACK; END $b$",
        ])
    func needsNoTransaction(_ statement: String) throws {
        #expect(try refusals("\n" + statement) == ["2 needs-no-transaction"])
        #expect(try refusals(noTransaction + statement) == [])
    }

    @Test(
        "statements that only look similar are not refused",
        arguments: [
            "REFRESH MATERIALIZED VIEW CONCURRENTLY v", "CREATE INDEX i ON t (a)",
            "SELECT 'COMMIT; \\i x'", "CREATE TABLE \"commit\" (a int)", "COPY t TO '/x'",
            "COPY t FROM '/x'", "PREPARE p AS SELECT 1", "DO $$ BEGIN PERFORM 'COMMIT;'; END $$",
            "DO $$ BEGIN -- COMMIT;\n END $$", "CLUSTER t USING i", "SET LOCAL ROLE x",
            "CREATE SUBSCRIPTION s CONNECTION '' PUBLICATION p WITH (create_slot = false)",
            "SET standard_conforming_strings = on",
            "CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; END",
        ])
    func allowed(_ statement: String) throws {
        #expect(try refusals(statement) == [])
    }

    @Test("a COPY to the client is refused, because nobody would read it")
    func copyToStdout() throws {
        #expect(try refusals("SELECT 1;\nCOPY (SELECT 1) TO STDOUT;") == ["2 copy-from-stdin"])
    }

    @Test("psql commands and COPY data are refused with their line")
    func psql() throws {
        #expect(
            try refusals("SELECT 1;\n\\connect x\nCREATE TABLE t ();\n\\i y")
                == ["2 backslash-command", "4 backslash-command"])
        #expect(
            try refusals("COPY t (a, \"from\") FROM STDIN (FORMAT csv);") == ["1 copy-from-stdin"])
    }

    @Test("statements that would release the runner's lock or change quoting are refused")
    func session() throws {
        #expect(try refusals("SELECT pg_advisory_unlock_all()") == ["1 frees-the-lock"])
        #expect(try refusals(noTransaction + "DISCARD ALL") == ["2 frees-the-lock"])
        #expect(try refusals("SET standard_conforming_strings TO off") == ["1 changes-quoting"])
    }

    @Test("a no-transaction file must name its indexes and create nothing temporary")
    func resumable() throws {
        #expect(
            try refusals(noTransaction + "CREATE INDEX CONCURRENTLY ON t (a)")
                == ["2 unnamed-index"])
        #expect(try refusals(noTransaction + "CREATE TEMP TABLE t ()") == ["2 temporary-object"])
        #expect(try refusals("CREATE TEMP TABLE t ()") == [])
    }

    @Test("a syntax error is refused unless the server is newer than the parser")
    func syntax() throws {
        let wrong = "SELECT 1;\nSELEC 2;"
        #expect(try refusals(wrong, server: PgQuery.majorVersion) == ["2 syntax"])
        #expect(try refusals(wrong, server: PgQuery.majorVersion + 1) == [])
        #expect(try refusals(wrong) == [])
    }

    @Test("a refusal is formatted like a compiler's error")
    func description() {
        #expect(
            RefusedStatement(.nulByte, file: "0001_a.sql", line: 3).description
                == "0001_a.sql:3: a NUL byte, which PostgreSQL can't store [nul-byte]")
    }
}
