import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing
import UseCases

@testable import Console

@Suite("Plots of the console")
struct ConsolePlotTests {
    @Test("a quantile is interpolated within its bucket, and never beyond the last finite bound")
    func quantiles() throws {
        let buckets = [(0.5, 100.0), (0.1, 50), (.infinity, 110)].map {
            Quantile.Bucket(bound: $0.0, count: $0.1)
        }
        func milliseconds(_ share: Double) throws -> Int {
            Int((try #require(Quantile.value(share, buckets)) * 1_000).rounded())
        }
        #expect(try milliseconds(0.25) == 55)
        #expect(try milliseconds(50.0 / 110) == 100)
        #expect(try milliseconds(75.0 / 110) == 300)
        #expect(try milliseconds(0.99) == 500)
        #expect(Quantile.value(0.5, []) == nil)
        #expect(Quantile.value(0.5, [.init(bound: 1, count: 0)]) == nil)
    }

    @Test("a value that several pages need at the same time is read once, for all of them")
    func readOnce() throws {
        let cache = TimedCache<Int>(seconds: 60)
        let asking = Mutex(0)
        let reads = Mutex(0)
        let values = onThreads(4) { _ in
            asking.withLock { $0 += 1 }
            return try cache.value(now: 1) {
                // The reader goes on when every page has asked.
                while asking.withLock({ $0 }) < 4 { sched_yield() }
                return reads.withLock { reads in
                    reads += 1
                    return reads
                }
            }
        }
        #expect(try values.map { try $0.get() } == [1, 1, 1, 1])
        #expect(try cache.value(now: 60) { 2 } == 1)
        #expect(try cache.value(now: 61) { 2 } == 2)
        struct Failure: Error {}
        #expect(throws: Failure.self) { try cache.value(now: 200) { throw Failure() } }
        #expect(try cache.value(now: 200) { 3 } == 3)
    }

    @Test("a plot without values has no maximum and no scale, and one of levels says 'none'")
    func noValues() {
        func html(_ values: [Double], isLevel: Bool) -> String {
            Plot(title: "Wait", values: values, start: 0, stepSeconds: 3_600, isLevel: isLevel)
                .html.text
        }
        for values in [[], [0, 0]] as [[Double]] {
            let level = html(values, isLevel: true)
            #expect(level.contains("<figcaption>Wait: none</figcaption>"), "\(level)")
            #expect(!level.contains("at most") && level.contains("Nothing in this time."))
            let sum = html(values, isLevel: false)
            #expect(sum.contains("<figcaption>Wait: 0</figcaption>"), "\(sum)")
            #expect(!sum.contains("at most"), "\(sum)")
        }
        let level = html([0, 0.5], isLevel: true)
        #expect(level.contains("<figcaption>Wait: 0.5 at most</figcaption>"), "\(level)")
        #expect(level.contains("1 at most</text>"), "\(level)")
    }

    /// Adds a process with samples.
    ///
    /// - Parameter samples: Time before the beginning of the current hour, and counters.
    private func add(
        _ samples: [(ago: String, counters: String)], of program: String = "hearth-api",
        to site: ConsoleSite
    ) throws {
        let id = UUID().uuidString
        try site.asOwner(
            """
            INSERT INTO app.processes (id, program, version, revision, host, since)
                VALUES ('\(id)', '\(program)', '1', '1', 'host:1', now() - interval '1 day')
            """)
        for sample in samples {
            try site.asOwner(
                """
                INSERT INTO app.process_samples (process_id, at, counters) VALUES (
                    '\(id)', date_trunc('hour', now(), 'UTC') - interval '\(sample.ago)',
                    '\(sample.counters)')
                """)
        }
    }

    /// Counters of a process of the API.
    private func counters(
        failed: Int, rejected: Int, wait: Double = 0, buckets: [Int] = [0, 0, 0]
    ) -> String {
        """
        {"hearth_http_responses_total{class=\\"5xx\\"}": \(failed),
        "hearth_http_responses_total{class=\\"4xx\\"}": \(rejected),
        "hearth_jobs_oldest_ready_seconds": \(wait),
        "hearth_http_request_duration_seconds":
            {"0.1": \(buckets[0]), "0.5": \(buckets[1]), "+Inf": \(buckets[2])}}
        """
    }

    @Test("the overview plots failed requests, latency and the wait of jobs of all processes")
    func overview() throws {
        let site = try ConsoleSite()
        try add(
            [
                ("115 minutes", counters(failed: 10, rejected: 100, wait: 3)),
                ("90 minutes", counters(failed: 11, rejected: 103, wait: 42)),
                ("70 minutes", counters(failed: 12, rejected: 104, buckets: [40, 80, 80])),
                // Nothing was sampled in between; the increase belongs to this step.
                ("10 minutes", counters(failed: 15, rejected: 104, buckets: [40, 80, 80])),
            ], to: site)
        try add(
            [
                ("100 minutes", counters(failed: 1, rejected: 0)),
                ("75 minutes", counters(failed: 3, rejected: 0, buckets: [10, 20, 20])),
            ], to: site)
        // Samples of former releases have neither.
        try add([("100 minutes", "{}"), ("50 minutes", "{\"x\": null}")], to: site)
        try add(
            [
                ("100 minutes", "{\"hearth_jobs_oldest_ready_seconds\": 900}"),
                ("50 minutes", "{\"hearth_http_request_duration_seconds\": 1}"),
            ], of: "hearth-worker", to: site)
        for name in ["vic", "root"] {
            let page = try site.browser(of: "\(name)@example.com").open("/")
            for caption in [
                "Failed requests (5xx): 7", "Rejected requests (4xx): 4",
                "Half of the requests answered within, in ms: 100 at most",
                "99 % of the requests answered within, in ms: 492 at most",
                "Longest wait of a due job, in seconds: 42 at most",
            ] {
                #expect(
                    page.says("<figcaption>\(caption)</figcaption>"), "\(name): \(caption)")
            }
        }
        let week = try site.browser(of: "vic@example.com").open("/?period=week")
        #expect(week.says("<figcaption>Failed requests (5xx): 7</figcaption>"))
    }

    @Test("refused e-mails, and standbys that serve no reads, are problems on the overview")
    func problems() throws {
        let healthy = try ConsoleSite()
        let before = try healthy.browser(of: "vic@example.com").open("/")
        #expect(before.says("No problems found."), "\(before)")
        let site = try ConsoleSite()
        func mails(refused: Int, rejected: Int) -> String {
            """
            {"hearth_mails_total{outcome=\\"refused\\"}": \(refused),
            "hearth_mails_total{outcome=\\"rejected\\"}": \(rejected)}
            """
        }
        try add(
            [
                ("100 minutes", mails(refused: 1, rejected: 4)),
                ("50 minutes", mails(refused: 2, rejected: 5)),
            ], of: "hearth-worker", to: site)
        try site.asOwner(
            """
            INSERT INTO app.standby_readers (id, number, standbys, renewed_at)
                VALUES (gen_random_uuid(), 1, '{}', clock_timestamp())
            """)
        let page = try site.browser(of: "vic@example.com").open("/")
        #expect(page.says("Mail servers have refused 2 e-mails in the last 24 hours"), "\(page)")
        #expect(page.says("No standby serves reads"))
    }

    @Test(
        "plots leave out counters that are not numbers, and cap those that are far too large",
        arguments: [
            "\"many\"", "true", "null", "[1]", "1e400", "-1e400",
        ])
    func oddCounters(value: String) throws {
        let site = try ConsoleSite()
        try add([("100 minutes", counters(failed: 1, rejected: 0, wait: 3))], to: site)
        try add(
            ["90 minutes", "80 minutes"].map { ago in
                (
                    ago: ago,
                    counters: """
                    {"hearth_http_responses_total{class=\\"5xx\\"}": \(value),
                    "hearth_jobs_oldest_ready_seconds": \(value),
                    "hearth_http_request_duration_seconds": {"0.1": \(value), "+Inf": \(value)}}
                    """
                )
            }, to: site)
        let page = try site.browser(of: "vic@example.com").open("/")
        #expect(page.status == 200 && page.says("Failed requests (5xx): 0"), "\(page)")
        let longest = value == "1e400" ? "1000000000000000" : "3"
        #expect(
            page.says("Longest wait of a due job, in seconds: \(longest) at most"), "\(page)")
    }

    @Test("the overview reports plots that can't be read, and shows everything else")
    func failure() throws {
        let site = try ConsoleSite(mayLog: true)
        try add([("100 minutes", counters(failed: 1, rejected: 0))], to: site)
        try site.asOwner(
            """
            INSERT INTO app.standby_readers (id, number, standbys, renewed_at)
                VALUES (gen_random_uuid(), 1, '{}', clock_timestamp());
            DROP VIEW app.console_invitation_times
            """)
        let browser = try site.browser(of: "root@example.com")
        for _ in 0..<2 {
            let page = try browser.open("/")
            #expect(page.status == 200, "\(page)")
            #expect(page.says("No standby serves reads") && page.says("host:1"))
            #expect(page.says("The plots could not be read") && !page.says("No problems found"))
            #expect(page.says("the number of e-mails that mail servers refused, can't be read"))
        }
        // The failure is cached for a minute.
        let lines = site.logged.all.filter { $0.contains("could not read the plots") }
        #expect(lines.count == 1, "\(site.logged.all)")
    }

    @Test("the points of plots are read by the key of samples, however many there are")
    func reads() throws {
        let site = try ConsoleSite()
        try site.asOwner(
            """
            INSERT INTO app.processes (id, program, version, revision, host, since)
                SELECT gen_random_uuid(), 'hearth-api', '1', '1', 'host:' || n,
                    now() - interval '2 days'
                FROM generate_series(1, 10) AS n;
            INSERT INTO app.process_samples (process_id, at, counters)
                SELECT p.id, now() - n * interval '1 minute',
                    jsonb_build_object('hearth_jobs_ended_total', 10000 - n,
                        'hearth_jobs_oldest_ready_seconds', n)
                FROM app.processes AS p, generate_series(1, 2800) AS n;
            ANALYZE app.processes, app.process_samples
            """)
        let connection = try Connection(site.test.settings(as: "hearth_viewer"))
        func reads() throws -> Int64 {
            try connection.execute(script: "SELECT pg_stat_force_next_flush()")
            return try connection.query(
                """
                SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables
                WHERE relname = 'process_samples'
                """
            ).scalar(Int64.self)
        }
        let before = try reads()
        let yesterday = Int64(Date().timeIntervalSince1970 - 86_400) * 1_000_000
        let points = try ConsoleReader(on: connection).points(
            since: .init(microseconds: yesterday), step: "3600 seconds")
        // Each sample counts one job more than the one before.
        let ended = points.filter { $0.series == "hearth_jobs_ended_total" }
        #expect(ended.count == 24 && ended.dropLast().allSatisfy { $0.value == 600 })
        // The longest wait is in the oldest sample of the first hour, whose beginning is earlier.
        let waits = points.filter { $0.series == "queue wait" }.map(\.value)
        #expect((1430...1501).contains(waits.max() ?? 0) && waits.count == 24, "\(waits)")
        let count = try reads() - before
        #expect(count < 2_000, "\(count) rows were read")
    }
}
