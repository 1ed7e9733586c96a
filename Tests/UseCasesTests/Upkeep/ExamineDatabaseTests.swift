import Postgres
import TestSupport
import Testing

@testable import UseCases

@Suite("The daily examination")
struct ExamineDatabaseTests {
    /// Stored results as `area=findings`, without those of areas that the worker doesn't examine.
    private func results(_ test: TestDatabase) throws -> [String] {
        try Connection(test.settings()).query(
            """
            SELECT area || '=' || findings FROM app.doctor_results
            WHERE examined_at > now() - interval '1 day' ORDER BY area
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
    }

    /// Makes the stored results look a week old, to distinguish them from the results of an
    /// examination.
    private func makeOld(_ test: TestDatabase) throws {
        try Connection(test.settings()).execute(
            script: "UPDATE app.doctor_results SET examined_at = now() - interval '7 days'")
    }

    @Test("the examination counts faults by area, and stores 0 for areas without faults")
    func counts() throws {
        try TestDatabase.with(.migrated) { test in
            let pool = Pool(test.settings(as: "hearth_worker"))
            defer { pool.close() }
            try makeOld(test)
            #expect(try ExamineDatabase(pool) { false } == 0)
            #expect(
                try results(test) == ["addresses=0", "audit_log=0", "data=0", "timestamps=0"])
            try makeOld(test)
            try Connection(test.settings()).execute(
                script: """
                    INSERT INTO app.users (id, email, email_verified)
                        VALUES (gen_random_uuid(), 'one@münchen.example', true);
                    INSERT INTO app.rate_limits (bucket, window_start, hits)
                        VALUES ('ahead', now() + interval '2 days', 1);
                    """)
            #expect(try ExamineDatabase(pool) { false } == 2)
            #expect(
                try results(test) == ["addresses=1", "audit_log=0", "data=0", "timestamps=1"])
        }
    }

    @Test("an examination that stops early stores nothing")
    func stopped() throws {
        try TestDatabase.with(.migrated) { test in
            let pool = Pool(test.settings(as: "hearth_worker"))
            defer { pool.close() }
            try makeOld(test)
            var parts = 0
            let findings = try ExamineDatabase(pool) {
                parts += 1
                return parts == 3
            }
            #expect(findings == nil && parts == 3)
            #expect(try results(test) == [])
        }
    }

    @Test("the results of a read-only transaction are not stored, and raise no error")
    func readOnly() throws {
        try TestDatabase.with(.migrated) { test in
            try makeOld(test)
            let admin = try Connection(test.settings(as: "hearth_admin"))
            try admin.execute(
                script: "BEGIN READ ONLY; SELECT app.record_findings('data', 1); COMMIT")
            #expect(try results(test) == [])
            try admin.execute(script: "SELECT app.record_findings('data', 1)")
            #expect(try results(test) == ["data=1"])
        }
    }
}
