import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Basics

/// Spans that were passed on.
final class TakenSpans: Sendable {
    private let taken = Mutex<[TraceSpan]>([])
    var spans: [TraceSpan] { taken.withLock { $0 } }
    func take(_ spans: [TraceSpan]) { taken.withLock { $0 += spans } }

    func tracer(oneIn: Int = 1) -> Tracer { Tracer(oneIn: oneIn) { self.take($0) } }
}

@Suite("Traces of requests and jobs")
struct TracerTests {
    private let taken = TakenSpans()

    @Test("a tracer records one in the given number of requests, and with 1 every request")
    func ratio() {
        let all = taken.tracer()
        #expect((0..<100).allSatisfy { _ in all.begin() != nil })
        let some = taken.tracer(oneIn: 10)
        let count = (0..<100_000).count { _ in some.begin() != nil }
        // A binomial distribution with a standard deviation of 95.
        #expect((9_000...11_000).contains(count), "\(count)")
    }

    @Test("a caller's trace is continued if the caller records it, at most ten times a second")
    func callers() {
        let tracer = taken.tracer(oneIn: 1_000_000)
        func recording(_ isSampled: Bool) -> TraceRecording? {
            // No multiple of a million.
            tracer.begin(for: SpanParent(trace: 77, span: 5, isSampled: isSampled))
        }
        #expect(recording(false) == nil)
        let first = recording(true)
        #expect(first?.trace == 77 && first?.root != 5)
        let start = MonotonicClock.nanoseconds() / 1_000_000_000
        let count = (0..<1_000).count { _ in recording(true) != nil }
        let seconds = MonotonicClock.nanoseconds() / 1_000_000_000 - start + 1
        #expect(count <= Tracer.demandedPerSecond * seconds && count >= 9, "\(count)")
        let chosen = SpanParent(trace: 5_000_000, span: 5, isSampled: true)
        #expect((0..<100).allSatisfy { _ in tracer.begin(for: chosen) != nil })
    }

    @Test("steps are children of the request's span, which ends the trace")
    func steps() throws {
        let parent = SpanParent(trace: 77, span: 5, isSampled: true)
        let recording = try #require(taken.tracer().begin(for: parent))
        recording.add("round trip", .client, start: 2_000, end: 3_000, failure: "server")
        recording.end("GET /x", .server, start: 1_000, end: 4_000, [.init("a", .integer(1))])
        recording.add("late", start: 5_000, end: 6_000)
        recording.end("again", .server, start: 1_000, end: 4_000, [])
        let spans = taken.spans
        #expect(spans.map(\.name) == ["GET /x", "round trip"])
        #expect(spans.allSatisfy { $0.trace == 77 && $0.id != 0 })
        #expect(spans[0].parent == 5 && spans[0].id == recording.root)
        #expect(spans[1].parent == recording.root && spans[1].failure == "server")
        #expect(spans[1].start - spans[0].start == 1_000)
        #expect(spans[0].end - spans[0].start == 3_000)
        #expect(spans[0].start > 1_700_000_000_000_000_000, "since 1970")
    }

    @Test("a trace has a bounded number of steps")
    func bound() throws {
        let recording = try #require(taken.tracer().begin())
        for _ in 0..<10_000 { recording.add("step", start: 0, end: 1) }
        recording.end("job", .consumer, start: 0, end: 1, [])
        #expect(taken.spans.count == TraceRecording.spanLimit + 1)
    }

    @Test("shared waits for connections and shared round trips are steps of each request")
    func database() throws {
        let pool = Pool(try TestDatabase.cluster())
        defer { pool.close() }
        let tracer = taken.tracer()
        let (one, two) = (try #require(tracer.begin()), try #require(tracer.begin()))
        try TraceScope.within([one, two]) {
            try pool.withConnection { connection in
                try connection.query("SELECT 'a secret value'")
                #expect(throws: PostgresError.self) { try connection.query("SELECT 1 / 0") }
            }
        }
        // Nothing is traced outside.
        _ = try pool.withConnection { try $0.query("SELECT 1") }
        for recording in [one, two] { recording.end("x", .server, start: 0, end: 1, []) }
        for recording in [one, two] {
            let steps = taken.spans.filter { $0.parent == recording.root }
            #expect(steps.map(\.name) == ["wait for a connection", "round trip", "round trip"])
            #expect(steps.map(\.failure) == [nil, nil, "server"])
            let failed = steps[2].attributes.map { "\($0.name)=\($0.value.text)" }
            #expect(failed.contains("db.response.status_code=22012"))
            #expect(failed.contains("db.operation.batch.size=1"))
            #expect(failed.contains { $0.hasPrefix("code.file.path=TracingTests/") })
            #expect(!steps.contains { $0.attributes.contains { $0.value.text.contains("secret") } })
        }
    }

    @Test("a wait for a connection that times out is recorded as a failed step")
    func exhausted() throws {
        var settings = Pool.Settings()
        settings.size = 1
        settings.leaseTimeoutSeconds = 0.01
        let pool = Pool(try TestDatabase.cluster(), settings)
        defer { pool.close() }
        let recording = try #require(taken.tracer().begin())
        try pool.withConnection { _ in
            _ = #expect(throws: PostgresError.self) {
                try TraceScope.within(recording) { try pool.withConnection { _ in } }
            }
        }
        recording.end("x", .server, start: 0, end: 1, [])
        #expect(taken.spans.compactMap(\.failure) == ["poolExhausted"])
    }
}
