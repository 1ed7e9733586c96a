import Foundation
import Postgres
import TestSupport
import Testing

/// The audit trail of a database with entries, before and after it is divided into months.
@Suite("The audit trail across the division into months")
struct AuditUpgradeTests {
    /// The checkout's SQL without what the division brought: the gap that this leaves is closed
    /// later, out of order.
    private static func earlierFiles(in folder: Folder) throws {
        let files = FileManager.default
        for part in ["migrations", "functions"] {
            let source = SourceTree.root.appendingPathComponent("sql/\(part)").path
            try files.createDirectory(
                atPath: folder.path(part), withIntermediateDirectories: true)
            for name in try files.contentsOfDirectory(atPath: source)
            where !name.contains("audit_trail_b") && name != "audit_months.sql" {
                try files.copyItem(
                    atPath: "\(source)/\(name)", toPath: folder.path("\(part)/\(name)"))
            }
        }
    }

    private func migrate(_ database: TestDatabase, _ words: [String], as role: String?) throws {
        let ending = try run(
            "hearth-migrate", words + ["--database-url", database.url(as: role)])
        try #require(ending.code == 0, "\(ending.errors)")
    }

    private func text(_ database: TestDatabase, _ sql: SQL) throws -> String? {
        try Connection(database.settings()).query(sql).scalar(String?.self)
    }

    @Test("what was written stays, closed as before; what running programs use goes on")
    func divided() throws {
        let folder = try Folder()
        try Self.earlierFiles(in: folder)
        try TestDatabase.with(.empty) { database in
            let earlier = ["--dir", folder.path("migrations")]
            let up = ["up", "--allow-out-of-order"]
            try migrate(database, ["bootstrap"] + earlier, as: nil)
            try migrate(database, up + earlier, as: "hearth_migrator")
            let program = try Connection(database.settings(as: "hearth_admin"))
            let page = SQL(
                unsafe: """
                    SELECT string_agg(id::text || at, ',' ORDER BY at DESC, id DESC)
                    FROM app.audit_log WHERE action = 'test.entry'
                    """)
            try Connection(database.settings()).execute(
                script: """
                    INSERT INTO app.audit_log (action, at)
                        SELECT 'test.entry', now() - n * interval '1 hour'
                        FROM generate_series(1, 3000) AS n
                    """)
            let before = try program.query(page).scalar(String.self)
            // A transaction of a running program may hold the table for a while.
            let dir = SourceTree.root.appendingPathComponent("sql/migrations").path
            try migrate(database, up + ["--dir", dir], as: "hearth_migrator")
            #expect(try program.query(page).scalar(String.self) == before)
            try migrate(database, ["verify", "--dir", dir], as: "hearth_migrator")
            let parts = try text(
                database,
                """
                SELECT string_agg(concat_ws(' ', c.relname, c.relforcerowsecurity,
                    (SELECT string_agg(DISTINCT a.grantee::regrole::text, ',')
                        FROM aclexplode(c.relacl) AS a),
                    (SELECT count(*) FROM pg_policy AS p WHERE p.polrelid = c.oid)),
                    ', ' ORDER BY c.relname)
                FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
                WHERE i.inhparent = 'app.audit_log'::regclass
                """)
            #expect(parts == "audit_log_earlier t hearth_owner 0, audit_log_other t 0")
            // The functions and the view that were made for the earlier table.
            try program.transaction { transaction in
                try transaction.query("SELECT app.begin_operation('jo')")
                try transaction.query("SELECT app.note_purge('{}')")
            }
            let noted = try text(
                database,
                "SELECT left(id::text, 15) FROM app.audit_log WHERE action = 'purge.run'")
            #expect(noted?.hasSuffix("7") == true)
            let left = try text(
                database,
                """
                SELECT string_agg(d.classid::regclass::text, ', ') FROM pg_depend AS d
                WHERE d.refobjid = 'app.audit_log_earlier'::regclass
                    AND d.classid IN ('pg_rewrite'::regclass, 'pg_proc'::regclass)
                """)
            #expect(left == nil)
        }
    }
}
