import Testing

@testable import Migrations

struct ExecutionTests {
    private func execution(_ sql: String) throws -> Execution {
        let statements = try Script(SourceText("-- hearth: no-transaction\n" + sql)).statements
        return Execution(of: try #require(statements.first))
    }

    @Test(
        "an index created concurrently is identified by its name and table",
        arguments: [
            "CREATE INDEX CONCURRENTLY i ON s.t (a)",
            "create unique index concurrently if not exists \"i\" on only S.\"t\" using btree (a)",
        ])
    func createIndex(_ sql: String) throws {
        let index = Execution.IndexCreation(name: "i", table: QualifiedName(schema: "s", "t"))
        #expect(try execution(sql) == .alone(.createIndex(index)))
    }

    @Test("quoted and unquoted names are read as PostgreSQL reads them")
    func names() throws {
        #expect(
            try execution("DROP INDEX CONCURRENTLY IF EXISTS \"A\"\"b\".Cd")
                == .alone(.dropIndex(QualifiedName(schema: "A\"b", "cd"))))
    }

    @Test("a statement that can't run in a transaction is classified by how it is resumed")
    func alone() throws {
        #expect(
            try execution("REINDEX TABLE CONCURRENTLY s.t")
                == .alone(.reindex(isConcurrent: true)))
        #expect(try execution("REINDEX SCHEMA s") == .alone(.reindex(isConcurrent: false)))
        #expect(
            try execution("ALTER TABLE IF EXISTS t DETACH PARTITION p CONCURRENTLY")
                == .alone(
                    .detachPartition(table: QualifiedName("t"), partition: QualifiedName("p"))))
        #expect(try execution("CREATE DATABASE d") == .alone(.create(.database, "d")))
        #expect(try execution("DROP TABLESPACE IF EXISTS s") == .alone(.drop(.tablespace, "s")))
        #expect(try execution("VACUUM t") == .alone(.again))
        #expect(try execution("CALL p()") == .alone(.again))
        #expect(try execution("DO $$ BEGIN COMMIT; END $$") == .alone(.again))
    }

    @Test("statements that can run in a transaction run in one with their journal entry")
    func atomic() throws {
        for sql in ["UPDATE t SET a = 1", "CREATE INDEX i ON t (a)", "DO $$ BEGIN END $$"] {
            #expect(try execution(sql) == .atomic)
        }
    }

    @Test("statements that set up the session are classified to run in every session")
    func session() throws {
        let statements = [
            "SET search_path = app", "RESET ALL", "SELECT set_config('a.b', 'c', false)",
            "SELECT pg_catalog.set_config('search_path', '', false)",
        ]
        for sql in statements { #expect(try execution(sql) == .session) }
    }
}
