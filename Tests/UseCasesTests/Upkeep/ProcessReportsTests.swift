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

    /// Metrics with classes, queues and a histogram.
    private static let classes = """
        hearth_http_responses_total{class="4xx"} 7
        hearth_http_responses_total{class="5xx"} 2
        hearth_jobs_oldest_ready_seconds{queue="mail"} 12.5
        hearth_jobs_oldest_ready_seconds{queue="upkeep"} 0
        hearth_times_seconds_bucket{route="/a b",le="0.5"} 3
        hearth_times_seconds_bucket{route="/a b",le="+Inf"} 4
        hearth_times_seconds_sum{route="/a b"} 1.5
        hearth_times_seconds_count{route="/a b"} 4
        hearth_times_seconds_bucket{route="/c",le="0.5"} 1
        hearth_times_seconds_bucket{route="/c",le="+Inf"} 1
        hearth_plain_seconds_bucket{le="1"} 2

        """

    @Test("a name with labels means one series")
    func series() {
        let errors = #"hearth_http_responses_total{class="5xx"}"#
        #expect(ProcessReports.sum(of: errors, in: Self.classes) == 2)
        #expect(ProcessReports.sum(of: "hearth_http_responses_total", in: Self.classes) == 9)
    }

    @Test("a histogram's counts are added over its labels, by upper bound")
    func buckets() {
        let buckets = ProcessReports.buckets(of: "hearth_times_seconds", in: Self.classes)
        #expect(buckets.map(\.bound) == ["0.5", "+Inf"] && buckets.map(\.count) == [4, 5])
        let plain = ProcessReports.buckets(of: "hearth_plain_seconds", in: Self.classes)
        #expect(plain.map(\.bound) == ["1"] && plain.map(\.count) == [2])
        #expect(ProcessReports.buckets(of: "hearth_absent", in: Self.classes).isEmpty)
    }

    @Test("a sample has sums, largest values and distributions")
    func sample() throws {
        try TestDatabase.with(.migrated) { database in
            let pool = Pool(database.settings(as: "hearth_api"))
            defer { pool.close() }
            let reports = ProcessReports(
                pool, .init(name: "hearth-api", version: "1.0", revision: ""),
                counters: [#"hearth_http_responses_total{class="4xx"}"#],
                largest: ["hearth_jobs_oldest_ready_seconds", "hearth_absent"],
                distributions: ["hearth_times_seconds", "hearth_none_seconds"],
                metrics: { Self.classes }, onFailure: { Issue.record($0) })
            try reports.report()
            let isStored = try Connection(database.settings()).query(
                """
                SELECT counters = '{"hearth_http_responses_total{class=\\"4xx\\"}": 7,
                    "hearth_jobs_oldest_ready_seconds": 12.5, "hearth_absent": null,
                    "hearth_times_seconds": {"0.5": 4, "+Inf": 5}, "hearth_none_seconds": {}}'
                FROM app.process_samples
                """
            ).scalar(Bool.self)
            #expect(isStored)
        }
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
