import Postgres
import TestSupport
import Testing

@testable import UseCases

@Suite("Reports of processes")
struct ProcessReportsTests {
    private static let text = """
        # TYPE hearth_http_requests_total counter
        hearth_http_requests_total{route="GET /a b",status="200"} 3
        hearth_http_requests_total{route="GET /c",status="500"} 2
        hearth_http_requests_total_of_another 7
        hearth_pool_in_use 4
        hearth_odd NaN

        """

    private func reports(_ pool: Pool) -> ProcessReports {
        ProcessReports(
            pool, .init(name: "hearth-api", version: "1.0", revision: ""),
            counters: ["hearth_http_requests_total", "hearth_pool_in_use", "hearth_absent"],
            metrics: { Self.text }, onFailure: { Issue.record($0) })
    }

    @Test("a metric's values are summed over its labels, without metrics of a longer name")
    func sums() {
        #expect(ProcessReports.sum(of: "hearth_http_requests_total", in: Self.text) == 5)
        #expect(ProcessReports.sum(of: "hearth_pool_in_use", in: Self.text) == 4)
        #expect(ProcessReports.sum(of: "hearth_odd", in: Self.text) == nil)
        #expect(ProcessReports.sum(of: "hearth_absent", in: Self.text) == nil)
    }

    @Test("a report renews its process's row, adds a sample a minute, and deletes old samples")
    func report() throws {
        try TestDatabase.with(.migrated) { database in
            let pool = Pool(database.settings(as: "hearth_worker"))
            defer { pool.close() }
            let connection = try Connection(database.settings())
            let reports = reports(pool)
            try reports.report()
            try connection.query(
                """
                INSERT INTO app.process_samples (process_id, at, counters)
                    SELECT id, now() - interval '8 days', '{}' FROM app.processes
                """)
            try connection.query(
                """
                INSERT INTO app.processes (id, program, version, revision, host, seen_at)
                VALUES (gen_random_uuid(), 'hearth-api', '1', '1', 'gone:1', now() - interval '8 days')
                """)
            try reports.report()
            let rows = try connection.query(
                "SELECT program || ' ' || version || ' ' || revision FROM app.processes"
            ).map { (row) throws(PostgresError) in try row.read(String.self) }
            #expect(rows == ["hearth-api 1.0 unknown"])
            let samples = try connection.query(
                """
                SELECT count(*) BETWEEN 1 AND 2 AND bool_and(counters
                    = '{"hearth_http_requests_total": 5, "hearth_pool_in_use": 4, "hearth_absent": null}')
                FROM app.process_samples
                """
            ).scalar(Bool.self)
            #expect(samples)
        }
    }

    @Test("a started reporter reports at once, and stops without waiting for its next report")
    func thread() throws {
        try TestDatabase.with(.migrated) { database in
            let pool = Pool(database.settings(as: "hearth_api"))
            defer { pool.close() }
            let connection = try Connection(database.settings())
            let reports = reports(pool)
            #expect(reports.start())
            try eventually {
                try connection.query("SELECT count(*) FROM app.processes").scalar(Int.self) == 1
            }
            reports.stop()
        }
    }
}
