import Foundation
import JSON
import Telemetry
import TestSupport
import Testing

@testable import Basics
@testable import Tracing

@Suite("Delivery of traces to a collector")
struct TraceExporterTests {
    private let metrics = Metrics()
    private let lines = Lock("")

    private func log() -> Log {
        Log(level: .info, format: .json) { [lines] bytes in
            lines.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        }
    }

    private func exporter(
        _ url: String, _ change: (inout TraceExporter.Settings) -> Void = { _ in }
    ) throws -> TraceExporter {
        var settings = TraceExporter.Settings(
            address: try #require(TraceExporter.address(of: url)),
            service: TracedService(name: "hearth-test", version: "1.2", instance: "a1"))
        settings.collectSeconds = 0.01
        settings.retrySeconds = 0.01
        settings.timeoutSeconds = 60
        change(&settings)
        let exporter = TraceExporter(settings, metrics, log())
        #expect(exporter.start())
        return exporter
    }

    /// Spans of one request: its own and those of its steps.
    private func spans(_ count: Int = 1) -> [TraceSpan] {
        let attributes: [TraceSpan.Attribute] = [
            .init("number", .integer(7)), .init("word", .literal("w")), .init("name", .name("n")),
        ]
        let start = 1_800_000_000_000_000_001
        var spans: [TraceSpan] = []
        for index in 0..<count {
            let kind: TraceSpan.Kind = index == 0 ? .server : .client
            let (parent, failure): (UInt64?, String?) =
                index == 0 ? (nil, "database_away") : (1, nil)
            spans.append(
                TraceSpan(
                    trace: 0xABC, id: UInt64(index + 1), parent: parent, kind: kind,
                    name: "span \(index)", start: start, end: start + 8, attributes: attributes,
                    failure: failure))
        }
        return spans
    }

    private func count(_ outcome: TraceExporter.Outcome) -> Int {
        let name = "hearth_trace_spans_total{outcome=\"\(outcome.rawValue)\"} "
        let line = metrics.text().split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { Int($0.dropFirst(name.count)) } ?? -1
    }

    @Test("spans are delivered in the JSON of OTLP, with the configured Authorization header")
    func delivered() throws {
        let collector = try TraceCollector(.accepts)
        let exporter = try exporter(collector.url) { $0.authorization = "Bearer abc" }
        for outcome in TraceExporter.Outcome.allCases { #expect(count(outcome) == 0) }
        exporter.take(spans(2))
        try eventually { count(.sent) == 2 }
        let head = try #require(collector.heads.first)
        #expect(head.hasPrefix("POST /v1/traces HTTP/1.1\r\n"))
        #expect(head.contains("\r\nContent-Type: application/json"))
        #expect(head.contains("\r\nAuthorization: Bearer abc"))
        let body = JSONField(try JSONValue(parsing: try #require(collector.bodies.first)))
        let group = try body["resourceSpans"].elements()[0]
        let resource = try group["resource"]["attributes"].elements().map {
            try "\($0["key"].string())=\($0["value"]["stringValue"].string())"
        }
        #expect(
            resource == [
                "service.name=hearth-test", "service.version=1.2", "service.instance.id=a1",
            ])
        let told = try group["scopeSpans"].elements()[0]["spans"].elements()
        #expect(told.count == 2)
        let root = told[0]
        #expect(try root["traceId"].string() == String(repeating: "0", count: 29) + "abc")
        #expect(try root["spanId"].string() == "0000000000000001")
        #expect(try root["parentSpanId"].ifPresent == nil)
        #expect(try root["kind"].integer() == 2)
        #expect(try root["startTimeUnixNano"].string() == "1800000000000000001")
        #expect(try root["status"]["code"].integer() == 2)
        let attributes = try root["attributes"].elements()
        #expect(try attributes[0]["value"]["intValue"].string() == "7")
        #expect(try attributes[1]["value"]["stringValue"].string() == "w")
        #expect(try attributes[3]["key"].string() == "error.type")
        #expect(try attributes[3]["value"]["stringValue"].string() == "database_away")
        #expect(try told[1]["parentSpanId"].string() == "0000000000000001")
        #expect(try told[1]["status"].ifPresent == nil)
        exporter.stop(withinSeconds: 60)
    }

    @Test("a collector that hangs blocks no recording, and spans beyond the queue are dropped")
    func hangs() throws {
        let collector = try TraceCollector(.hangs)
        let exporter = try exporter(collector.url) {
            $0.queueSpans = 100
            $0.batchSpans = 10
        }
        exporter.take(spans(10))
        try collector.awaitBodies { $0.count == 1 }
        // The request waits for a minute. If recording waited for it, each of these calls would.
        let start = MonotonicClock.nanoseconds()
        let results = onThreads(8) { _ in
            for _ in 0..<1_000 { exporter.take(spans(1)) }
        }
        for result in results { try result.get() }
        #expect(MonotonicClock.seconds(since: start) < 30)
        #expect(count(.queueFull) == 7_900)
        #expect(count(.sent) == 0 && collector.bodies.count == 1)
        // Stopping does not wait for the collector either.
        let end = MonotonicClock.nanoseconds()
        exporter.stop(withinSeconds: 0.1)
        #expect(MonotonicClock.seconds(since: end) < 30)
        exporter.take(spans(1))
        #expect(count(.queueFull) == 7_901, "nothing is taken after the end")
    }

    @Test("a request to a collector that hangs ends at its deadline, and later ones arrive")
    func deadline() throws {
        let collector = try TraceCollector(.hangs, .accepts)
        let exporter = try exporter(collector.url) {
            $0.timeoutSeconds = 0.2
            $0.attempts = 1
        }
        exporter.take(spans(3))
        try eventually { count(.unreachable) == 3 }
        try eventually { lines.withLock { $0 }.contains("could not deliver traces") }
        #expect(lines.withLock { $0 }.contains("took too long"))
        exporter.take(spans(2))
        try eventually { count(.sent) == 2 }
        try eventually { lines.withLock { $0 }.contains("delivered to the collector again") }
        exporter.stop(withinSeconds: 60)
    }

    @Test(
        "spans are dropped at once after a refusal or a response that is not valid OTLP",
        arguments: [
            TraceCollector.Behaviour.says(400, "{}"), .says(401, ""), .says(302, "{}"),
            .says(500, ""), .says(200, "<html>"), .says(200, "[]"),
            .says(200, "{\"partialSuccess\": {\"rejectedSpans\": \"many\"}}"), .endlessBody,
        ])
    func refused(behaviour: TraceCollector.Behaviour) throws {
        let collector = try TraceCollector(behaviour, .accepts)
        let exporter = try exporter(collector.url)
        exporter.take(spans(4))
        try eventually { count(.refused) == 4 }
        exporter.take(spans(1))
        try eventually { count(.sent) == 1 }
        #expect(collector.bodies.count == 2, "nothing is repeated")
        #expect(collector.sentBytes < 64 << 20)
        exporter.stop(withinSeconds: 60)
    }

    @Test("a response with endless headers ends the request and uses bounded memory")
    func headers() throws {
        let collector = try TraceCollector(.endlessHeaders)
        let exporter = try exporter(collector.url) { $0.attempts = 2 }
        exporter.take(spans(4))
        try eventually { count(.unreachable) == 4 }
        #expect(collector.bodies.count == 2)
        #expect(collector.sentBytes < 64 << 20)
        exporter.stop(withinSeconds: 60)
    }

    @Test("spans that the collector accepts and rejects are counted separately")
    func partial() throws {
        let body = "{\"partialSuccess\": {\"rejectedSpans\": \"3\", \"errorMessage\": \"no\"}}"
        let collector = try TraceCollector(.says(200, body))
        let exporter = try exporter(collector.url)
        exporter.take(spans(5))
        try eventually { count(.sent) == 2 && count(.refused) == 3 }
        exporter.stop(withinSeconds: 60)
    }

    @Test("spans refused by a busy collector are sent again, and counted once")
    func busy() throws {
        let collector = try TraceCollector(.says(503, ""), .says(429, ""), .accepts)
        let exporter = try exporter(collector.url)
        exporter.take(spans(2))
        try eventually { count(.sent) == 2 }
        #expect(collector.bodies.count == 3 && Set(collector.bodies).count == 1)
        #expect(count(.unreachable) == 0)
        exporter.stop(withinSeconds: 60)
    }

    @Test("a collector gets the spans recorded while it was unreachable")
    func away() throws {
        let first = try TraceCollector(.accepts)
        let port = first.port
        first.stop()
        let exporter = try exporter("http://127.0.0.1:\(port)") { $0.attempts = 1_000 }
        exporter.take(spans(2))
        let second = try TraceCollector(port: port, .accepts)
        try eventually { count(.sent) == 2 }
        #expect(second.bodies.count == 1)
        exporter.stop(withinSeconds: 60)
    }

    @Test("a full batch is sent at once, and stopping delivers the spans in the queue")
    func end() throws {
        let collector = try TraceCollector(.accepts)
        let exporter = try exporter(collector.url) {
            $0.collectSeconds = 3_600
            $0.batchSpans = 10
        }
        exporter.take(spans(10))
        try eventually { count(.sent) == 10 }
        exporter.take(spans(3))
        exporter.stop(withinSeconds: 60)
        #expect(count(.sent) == 13)
    }

    @Test("a collector in a public network is reached only over TLS")
    func addresses() throws {
        for url in ["ftp://127.0.0.1", "http://a@127.0.0.1", "no"] {
            #expect(TraceExporter.address(of: url) == nil, "\(url)")
        }
        // The address is refused before anything is sent.
        let exporter = try exporter("http://1.1.1.1") { $0.attempts = 1 }
        exporter.take(spans(1))
        try eventually { lines.withLock { $0 }.contains("must not be sent") }
        #expect(count(.unreachable) == 1)
        exporter.stop(withinSeconds: 60)
    }
}
