import TestSupport
import Testing

@testable import Telemetry

@Suite("Metrics")
struct MetricsTests {
    @Test("counters and gauges are written with help, type and labels")
    func text() {
        let metrics = Metrics()
        let requests = metrics.counters(
            "hearth_requests_total", "Requests.",
            [MetricLabel("route", ["GET /a", "GET /b"]), MetricLabel("status", ["200", "404"])])
        let waiting = metrics.gauge("hearth_pool_waiting", "Waiting.")
        requests["GET /a", "200"].add()
        requests["GET /b", "404"].add(2)
        waiting.set(5)
        waiting.set(3)
        #expect(
            metrics.text() == """
                # HELP hearth_requests_total Requests.
                # TYPE hearth_requests_total counter
                hearth_requests_total{route="GET /a",status="200"} 1
                hearth_requests_total{route="GET /b",status="404"} 2
                # HELP hearth_pool_waiting Waiting.
                # TYPE hearth_pool_waiting gauge
                hearth_pool_waiting 3

                """)
    }

    @Test("OpenMetrics names counters without their suffix, and ends with EOF")
    func openMetrics() {
        let metrics = Metrics()
        metrics.counter("hearth_reads_total", "Reads.").add(2)
        metrics.gauge("hearth_pool_waiting", "Waiting.").set(3)
        let durations = metrics.histograms(
            "hearth_seconds", "Seconds.", [MetricLabel("route", ["a"])], bucketsSeconds: [0.5, 1])
        durations["a"].observe(nanoseconds: 1_000_000_000)
        #expect(
            metrics.text(in: .openMetrics) == """
                # HELP hearth_reads Reads.
                # TYPE hearth_reads counter
                hearth_reads_total 2
                # HELP hearth_pool_waiting Waiting.
                # TYPE hearth_pool_waiting gauge
                hearth_pool_waiting 3
                # HELP hearth_seconds Seconds.
                # TYPE hearth_seconds histogram
                hearth_seconds_bucket{route="a",le="0.5"} 0
                hearth_seconds_bucket{route="a",le="1.0"} 1
                hearth_seconds_bucket{route="a",le="+Inf"} 1
                hearth_seconds_sum{route="a"} 1
                hearth_seconds_count{route="a"} 1
                # EOF

                """)
    }

    @Test(
        "the metrics have the format that Accept prefers",
        arguments: [
            ([], MetricsFormat.prometheus), (["*/*"], .prometheus), (["text/plain"], .prometheus),
            (["application/openmetrics-text"], .openMetrics),
            (["application/openmetrics-text; version=1.0.0"], .openMetrics),
            (["application/openmetrics-text;q=0", "*/*"], .prometheus),
            (["text/plain, application/openmetrics-text;q=0.5"], .prometheus),
            (
                [
                    "application/openmetrics-text;version=1.0.0,"
                        + "application/openmetrics-text;version=0.0.1;q=0.75,"
                        + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
                ], .openMetrics
            ),
        ])
    func accepted(_ headers: [String], _ format: MetricsFormat) {
        #expect(MetricsFormat(accepting: headers) == format)
    }

    @Test("undeclared label values count as `other`, so that the number of series stays bounded")
    func bounded() {
        let metrics = Metrics()
        let family = metrics.counters("x_total", "X.", [MetricLabel("status", ["200"])])
        for status in 300..<600 { family[String(status)].add() }
        #expect(metrics.text().contains("x_total{status=\"other\"} 300\n"))
        #expect(metrics.text().split(separator: "\n").count == 4)
    }

    @Test("a sampled gauge shows its values with escaped labels, and nothing if it has none")
    func asked() {
        let metrics = Metrics()
        metrics.gauges("none", "None.", ["queue"]) { [] }
        metrics.gauges("jobs", "Jobs.", ["queue", "state"]) {
            [(["mail", "ready"], 0), (["a\"b", "dead"], 2.5)]
        }
        #expect(
            metrics.text() == """
                # HELP jobs Jobs.
                # TYPE jobs gauge
                jobs{queue="mail",state="ready"} 0
                jobs{queue="a\\"b",state="dead"} 2.5

                """)
    }

    @Test("a counter with at most one label is shown before its first count")
    func zero() {
        let metrics = Metrics()
        _ = metrics.counter("x_total", "X.")
        _ = metrics.counters("y_total", "Y.", [MetricLabel("a", ["1"])])
        _ = metrics.counters("z_total", "Z.", [MetricLabel("a", ["1"]), MetricLabel("b", ["2"])])
        let samples = metrics.text().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(samples == ["x_total 0", "y_total{a=\"1\"} 0"])
    }

    @Test("label combinations that a declaration names are shown before their first count")
    func zeroOfCombinations() {
        let metrics = Metrics()
        let labels = [MetricLabel("a", ["1", "2"]), MetricLabel("b", ["3", "4"])]
        let family = metrics.counters("x_total", "X.", labels, shown: [["1", "4"], ["2", "4"]])
        family["1", "3"].add()
        let samples = metrics.text().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(
            samples == [
                #"x_total{a="1",b="3"} 1"#, #"x_total{a="1",b="4"} 0"#, #"x_total{a="2",b="4"} 0"#,
            ])
    }

    @Test("a histogram's buckets include values at their bound, and add up")
    func histogram() {
        let metrics = Metrics()
        let family = metrics.histograms(
            "x_seconds", "X.", [MetricLabel("route", ["a"])], bucketsSeconds: [0.001, 1])
        for nanoseconds in [0, 1_000_000, 1_000_001, 2_000_000_000] {
            family["a"].observe(nanoseconds: nanoseconds)
        }
        #expect(
            metrics.text() == """
                # HELP x_seconds X.
                # TYPE x_seconds histogram
                x_seconds_bucket{route="a",le="0.001"} 2
                x_seconds_bucket{route="a",le="1"} 3
                x_seconds_bucket{route="a",le="+Inf"} 4
                x_seconds_sum{route="a"} 2.002000001
                x_seconds_count{route="a"} 4

                """)
    }

    @Test("label values are escaped")
    func escaping() {
        let metrics = Metrics()
        metrics.counters("x_total", "X.", [MetricLabel("l", ["a\"b\\c\nd"])])["a\"b\\c\nd"].add()
        #expect(metrics.text().contains(#"x_total{l="a\"b\\c\nd"} 1"#))
    }

    @Test("no count is lost when 32 threads count at once")
    func threads() {
        let metrics = Metrics()
        let counter = metrics.counter("x_total", "X.")
        let histogram = metrics.histograms("x_seconds", "X.", [], bucketsSeconds: [1])
        StartedThreads.start(32) { _ in
            for _ in 0..<1000 {
                counter.add()
                histogram[].observe(nanoseconds: 1)
            }
        }.join()
        #expect(counter.current == 32_000)
        #expect(metrics.text().contains("x_seconds_count 32000\n"))
    }

    @Test("a sampled gauge is queried each time, and left out if it has no value")
    func sampled() {
        let metrics = Metrics()
        metrics.gauge("a", "A.") { 1.5 }
        metrics.gauge("b", "B.") { nil }
        metrics.gauge("c", "C.") { .infinity }
        #expect(metrics.text().contains("\na 1.5\n"))
        #expect(!metrics.text().contains("b"))
        #expect(metrics.text().hasSuffix("\nc +Inf\n"))
    }

    @Test("process metrics show memory, processor time and start time")
    func process() {
        let metrics = Metrics()
        metrics.addProcess()
        let lines = metrics.text().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == 3)
        for line in lines {
            let value = line.split(separator: " ").last.flatMap { Double($0) }
            #expect((value ?? 0) > 0)
        }
    }
}
