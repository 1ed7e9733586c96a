import Basics
import Foundation
import Glibc
import MailSupport
import TestSupport
import Testing

@Suite("Traces and log lines of the console")
struct ConsoleTraceTests {
    /// A caller's trace that is recorded.
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test("the span of a page names its route and contains its round trips, and no id or address")
    func pages() throws {
        let spans = Lock<[TraceSpan]>([])
        let site = try ConsoleSite(
            tracer: Tracer(oneIn: 1) { taken in spans.withLock { $0 += taken } })
        let family = try site.makeFamily(named: "Unmistakable Home")
        let browser = try site.browser(of: "root@example.com")
        spans.withLock { $0 = [] }
        #expect(try browser.open("/families/\(family)").status == 200)
        #expect(try browser.open("/healthz").status == 200)
        #expect(try browser.open("/console.css").status == 200)
        let page = try #require(spans.withLock { $0 }.first { $0.parent == nil })
        #expect(page.name == "GET /families/:id" && page.kind == .server)
        #expect(page.failure == nil)
        #expect(
            page.attributes.contains {
                "\($0.name)" == "http.response.status_code" && $0.value == .integer(200)
            })
        let steps = spans.withLock { $0 }.filter { $0.parent == page.id }
        #expect(steps.contains { $0.name == "wait for a connection" })
        #expect(steps.contains { $0.name == "round trip" })
        #expect(spans.withLock { $0 }.count { $0.parent == nil } == 1)
        let told = spans.withLock { $0 }.map { span in
            span.name + span.attributes.map(\.value.text).joined(separator: " ")
        }.joined(separator: " ")
        for secret in [family, "Unmistakable", "root@example.com", ConsoleSite.root] {
            #expect(!told.localizedCaseInsensitiveContains(secret), "\(secret)")
        }
    }

    @Test("the span of a refused change names the refusal's code, and is not a failure")
    func refusals() throws {
        let spans = Lock<[TraceSpan]>([])
        let site = try ConsoleSite(
            tracer: Tracer(oneIn: 1) { taken in spans.withLock { $0 += taken } })
        let browser = try site.browser(of: "root@example.com")
        // An operator can't be blocked.
        let page = try browser.perform("/people/\(ConsoleSite.sue)/block", ["reason": "x"])
        #expect(page.status == 409, "\(page)")
        let span = try #require(
            spans.withLock { $0 }.last { $0.name.hasPrefix("POST /people/:id") })
        #expect(span.name == "POST /people/:id/:operation" && span.failure == nil)
        #expect(
            span.attributes.contains {
                "\($0.name)" == "hearth.code" && $0.value == .name("operator_role_stands")
            })
    }

    @Test("requests without a route share one name")
    func unknown() throws {
        let spans = Lock<[TraceSpan]>([])
        let site = try ConsoleSite(
            tracer: Tracer(oneIn: 1) { taken in spans.withLock { $0 += taken } })
        let browser = try site.browser(of: "vic@example.com")
        spans.withLock { $0 = [] }
        #expect(try browser.open("/nowhere/unmistakable").status == 404)
        let names = spans.withLock { $0 }.filter { $0.parent == nil }.map(\.name)
        #expect(names == ["GET unknown"])
    }

    @Test(
        "hearth-console delivers spans of its own service, and its log line has route and trace")
    func program() throws {
        let site = try ConsoleSite()
        let collector = try TraceCollector(.accepts)
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("log")
        try Data().write(to: file)
        let port = try FreePort.find()
        let program = try ChildProgram(
            ConsoleSite.program("hearth-console"), [],
            environment: [
                "HEARTH_ADMIN_DATABASE_URL": site.test.url(as: "hearth_admin"),
                "HEARTH_VIEWER_DATABASE_URL": site.test.url(as: "hearth_viewer"),
                "HEARTH_SECRET_KEY": ConsoleSite.secret,
                "HEARTH_CONSOLE_LISTEN": "127.0.0.1:\(port)",
                "HEARTH_OTLP_URL": collector.url, "HEARTH_OTLP_ONE_IN": "1",
            ], errors: try FileHandle(forWritingTo: file))
        defer { program.kill() }
        try FreePort.awaitListener(on: port, by: program)
        let page = try ConsoleBrowser.exchange(
            """
            GET /sign-in HTTP/1.1\r\nHost: console.test\r\nConnection: close\r\n\
            traceparent: \(Self.parent)\r\n\r\n
            """, port: UInt16(port))
        #expect(page.hasPrefix("HTTP/1.1 200"), "\(page.prefix(200))")
        try collector.awaitBodies { bodies in
            bodies.contains { String(decoding: $0, as: UTF8.self).contains("GET /sign-in") }
        }
        let sent = collector.bodies.map { String(decoding: $0, as: UTF8.self) }.joined()
        #expect(sent.contains("hearth-console"))
        #expect(sent.contains("0af7651916cd43dd8448eb211c80319c"))
        program.signal(SIGTERM)
        try program.awaitEnd()
        #expect(program.exitCode == 0)
        let log = try String(contentsOf: file, encoding: .utf8)
        let line = try #require(
            log.split(separator: "\n").first { $0.contains("\"message\":\"request\"") })
        #expect(line.contains("\"route\":\"/sign-in\"") && line.contains("\"method\":\"GET\""))
        #expect(line.contains("\"status\":200"))
        #expect(line.contains("0af7651916cd43dd8448eb211c80319c"))
    }
}
