import Basics
import Foundation
import FoundationNetworking
import JSON
import MailSupport
import Synchronization
import TestSupport
import Testing
import UseCaseSupport
import UseCases

/// Traces of the real programs, delivered to a collector on a real socket.
@Suite("Traces of hearth-api and hearth-worker")
struct TraceTests {
    private let office: PostOffice

    init() throws { office = try PostOffice() }

    private struct TracedSpan {
        let service: String
        let trace, id, name: String
        let parent: String?
        let attributes: [String: String]
        let failed: Bool
    }

    /// The spans of requests to a collector.
    private static func spans(_ bodies: [[UInt8]]) throws -> [TracedSpan] {
        try bodies.flatMap { body -> [TracedSpan] in
            let group = try JSONField(JSONValue(parsing: body))["resourceSpans"].elements()[0]
            let service = try group["resource"]["attributes"].elements()[0]["value"]
            return try group["scopeSpans"].elements()[0]["spans"].elements().map {
                span -> TracedSpan in
                var attributes: [String: String] = [:]
                for item in try span["attributes"].ifPresent?.elements() ?? [] {
                    let value = try item["value"]
                    attributes[try item["key"].string()] =
                        try value["stringValue"].ifPresent?.string()
                        ?? value["intValue"].string()
                }
                return TracedSpan(
                    service: try service["stringValue"].string(),
                    trace: try span["traceId"].string(), id: try span["spanId"].string(),
                    name: try span["name"].string(),
                    parent: try span["parentSpanId"].ifPresent?.string(), attributes: attributes,
                    failed: try span["status"].ifPresent != nil)
            }
        }
    }

    private static func settings(_ collector: TraceCollector) -> [String: String] {
        ["HEARTH_OTLP_URL": collector.url, "HEARTH_OTLP_ONE_IN": "1"]
    }

    /// Sends a request with a header, and returns its status.
    private func get(_ url: String, token: String, traceparent: String? = nil) throws -> Int {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.timeoutInterval = 30
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue(traceparent, forHTTPHeaderField: "traceparent")
        let status = Mutex<Int?>(nil)
        let done = DispatchSemaphore(value: 0)
        let session = URLSession(configuration: .ephemeral)
        session.dataTask(with: request) { _, response, _ in
            status.withLock { $0 = (response as? HTTPURLResponse)?.statusCode }
            done.signal()
        }.resume()
        defer { session.invalidateAndCancel() }
        guard done.wait(timeout: .now() + 60) == .success else { throw TimedOut() }
        return try #require(status.withLock { $0 })
    }

    @Test("spans of requests contain waits and round trips, and no personal data")
    func requests() throws {
        let collector = try TraceCollector(.accepts)
        let api = try APIProcess(office, Self.settings(collector))
        let person = Person(name: "Unmistakable Name")
        let token = try api.token(of: person)
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        #expect(try get(api.url + "/api/me", token: token, traceparent: parent) == 200)
        let created = try api.send(
            "POST", "/api/family/create", token: token, body: ["familyName": "Unmistakable Home"])
        #expect(created.status == 200, "\(created.text)")
        #expect(try get(api.url + "/api/family/\(UUID())", token: token) == 404)
        #expect(try get(api.url + "/healthz", token: token) == 200)
        try collector.awaitBodies { bodies in
            let names = (try? Self.spans(bodies).map(\.name)) ?? []
            return names.contains("POST /api/family/create") && names.contains { $0.contains(":") }
        }
        let spans = try Self.spans(collector.bodies)
        #expect(Set(spans.map(\.service)) == ["hearth-api"])
        let read = try #require(spans.first { $0.name == "GET /api/me" })
        #expect(read.trace == "0af7651916cd43dd8448eb211c80319c")
        #expect(read.parent == "b7ad6b7169203331")
        #expect(read.attributes["http.route"] == "/api/me" && !read.failed)
        #expect(read.attributes["http.response.status_code"] == "200")
        for root in spans where root.name == "GET /api/me" || root.name.hasPrefix("POST") {
            let steps = spans.filter { $0.parent == root.id && $0.trace == root.trace }
            #expect(steps.contains { $0.name == "wait for a connection" }, "\(root.name)")
            #expect(steps.contains { $0.name == "round trip" }, "\(root.name)")
        }
        let missing = try #require(spans.first { $0.attributes["hearth.code"] != nil })
        #expect(missing.attributes["http.response.status_code"] == "404" && !missing.failed)
        #expect(!spans.contains { $0.name.contains("healthz") })
        let sent = collector.bodies.map { String(decoding: $0, as: UTF8.self) }.joined()
        for secret in ["Unmistakable", person.email, "\(person.subject)", token] {
            #expect(!sent.localizedCaseInsensitiveContains(secret), "\(secret)")
        }
        // The log contains the ids with which a person can find the trace.
        #expect(try api.log().contains(read.trace))
        #expect(try api.log().contains(read.id))
    }

    @Test("an unsampled trace of a caller is not recorded")
    func unsampled() throws {
        let collector = try TraceCollector(.accepts)
        let api = try APIProcess(office, Self.settings(collector))
        let token = try api.token(of: Person())
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
        #expect(try get(api.url + "/api/me", token: token, traceparent: parent) == 200)
        #expect(try get(api.url + "/api/me/invitations", token: token) == 200)
        try collector.awaitBodies { !$0.isEmpty }
        #expect(try !Self.spans(collector.bodies).contains { $0.name == "GET /api/me" })
    }

    @Test("a job has a span with its round trips")
    func jobs() throws {
        let collector = try TraceCollector(.accepts)
        let worker = try office.worker(nil, Self.settings(collector))
        defer { worker.kill() }
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        try office.invite("unmistakable@example.org", by: inviter)
        try collector.awaitBodies { bodies in
            (try? Self.spans(bodies).contains { $0.name == "job mail.invitation" }) ?? false
        }
        let spans = try Self.spans(collector.bodies)
        let job = try #require(spans.first { $0.name == "job mail.invitation" })
        #expect(job.service == "hearth-worker" && job.parent == nil && !job.failed)
        #expect(job.attributes["hearth.job.outcome"] == "done")
        #expect(job.attributes["hearth.job.attempt"] == "1")
        #expect(spans.contains { $0.parent == job.id && $0.name == "round trip" })
        let sent = collector.bodies.map { String(decoding: $0, as: UTF8.self) }.joined()
        #expect(!sent.contains("unmistakable"))
    }

    @Test("while the collector hangs, requests are served, spans are dropped, and the API can stop")
    func hangs() throws {
        let collector = try TraceCollector(.hangs)
        let api = try APIProcess(office, Self.settings(collector))
        let token = try api.token(of: Person())
        #expect(try get(api.url + "/api/me", token: token) == 200)
        // From here on a request to the collector waits for ten seconds at least.
        try collector.awaitBodies { $0.count == 1 }
        let slowest = Mutex(0.0)
        let results = onThreads(4) { _ in
            for _ in 0..<500 {
                let start = MonotonicClock.nanoseconds()
                let status = try get(api.url + "/api/me", token: token)
                #expect(status == 200)
                let seconds = MonotonicClock.seconds(since: start)
                slowest.withLock { $0 = max($0, seconds) }
            }
        }
        for result in results { try result.get() }
        #expect(slowest.withLock { $0 } < 5, "a request waited for the collector")
        let text = try api.send("GET", "/metrics").text
        let dropped = try #require(
            text.firstMatch(of: /hearth_trace_spans_total\{outcome="queue_full"\} ([0-9]+)/))
        #expect(Int(dropped.output.1) ?? 0 > 0)
        api.process.signal(SIGTERM)
        try api.process.awaitEnd(within: 30)
        #expect(api.process.exitCode == 0)
    }

    @Test("an address that no collector can have is refused as a setting")
    func wrong() throws {
        for url in ["localhost:4318", "grpc://localhost:4317", "http://u:p@localhost:4318"] {
            let program = try ChildProgram(
                PostOffice.program("hearth-worker"), ["--check-config"],
                environment: [
                    "HEARTH_WORKER_DATABASE_URL": office.test.url(as: "hearth_worker"),
                    "HEARTH_SECRET_KEY": PostOffice.secret, "HEARTH_PUBLIC_URL": "https://a.test",
                    "HEARTH_OTLP_URL": url,
                ])
            _ = try program.wholeOutput()
            #expect(program.exitCode == 78, "\(url)")
        }
    }
}
