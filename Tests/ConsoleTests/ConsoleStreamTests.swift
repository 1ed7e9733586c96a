import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Renewal of the console's pages")
struct ConsoleStreamTests {
    /// Opens a stream, and reads its beginning.
    private func open(_ part: String, with browser: ConsoleBrowser) throws -> ConsoleEvents {
        // Reads the database, so that the stream begins with the present state.
        try #require(try browser.open("/").status == 200)
        let stream = try browser.stream(part)
        let head = try stream.head()
        try #require(head.hasPrefix("HTTP/1.1 200"), "\(head)")
        try #require(head.contains("text/event-stream"), "\(head)")
        #expect(try stream.next() == "retry: 5000")
        return stream
    }

    private func addAttempt(_ site: ConsoleSite) throws {
        try site.asOwner(
            """
            INSERT INTO app.webhook_endpoints (id, url, secret_hash) VALUES
                (gen_random_uuid(), 'https://hooks.example/', sha256('x'));
            INSERT INTO app.webhook_events (event_type, data) VALUES ('family.created', '{}');
            INSERT INTO app.webhook_attempts (endpoint_id, event_number, outcome, status)
                SELECT e.id, n.number, 'failed', 500
                FROM app.webhook_endpoints AS e, app.webhook_events AS n;
            """)
    }

    @Test("a stream needs a session, and the name of a part of the console")
    func needs() throws {
        let site = try ConsoleSite()
        #expect(try ConsoleBrowser(site).open("/live?part=jobs").status == 401)
        let browser = try site.browser(of: "vic@example.com")
        for path in ["/live", "/live?part=", "/live?part=people", "/live?part=jobs&part=jobs"] {
            let page = try browser.open(path)
            #expect(page.status == 400 && page.says("overview, jobs, webhooks, doctor"), "\(path)")
        }
    }

    @Test("the script is smaller than 15 KB, and follows the part of its page")
    func script() throws {
        let site = try ConsoleSite()
        let browser = try site.browser(of: "vic@example.com")
        let script = try browser.open("/console.js")
        #expect(script.text.utf8.count < 15_000 && script.says("/live?part="))
        let pages = [("/", "overview"), ("/jobs", "jobs"), ("/doctor", "doctor")]
        for (path, part) in pages {
            let page = try browser.open(path)
            #expect(page.says("data-live=\"\(part)\"") && page.says("renewal-state"), "\(path)")
        }
    }

    @Test("a change in the database is reported to the pages of its part")
    func change() throws {
        let site = try ConsoleSite()
        let browser = try site.browser(of: "vic@example.com")
        let stream = try open("webhooks", with: browser)
        try addAttempt(site)
        #expect(try stream.event() == "event: change\ndata: webhooks")
    }

    @Test("the failure of a queue is reported to the overview")
    func failure() throws {
        let site = try ConsoleSite()
        try site.asOwner(
            """
            INSERT INTO jobs.live (queue, kind, run_at, attempt, last_error)
                VALUES ('mail', 'mail.reset', now() + interval '1 hour', 3, 'refused')
            """)
        let browser = try site.browser(of: "vic@example.com")
        let stream = try open("overview", with: browser)
        try site.asOwner(
            """
            INSERT INTO jobs.attempts (job, attempt, queue, kind, error)
                SELECT id, n, queue, kind, last_error FROM jobs.live, generate_series(1, 3) AS n
            """)
        #expect(try stream.event() == "event: change\ndata: overview")
    }

    @Test("a change that is first seen while a page loads is reported to the other pages")
    func changeSeenByPage() throws {
        // No snapshot expires and no session is checked by itself during the test.
        let site = try ConsoleSite(snapshotSeconds: 3_600, sessionCheckSeconds: 3_600)
        let browser = try site.browser(of: "root@example.com")
        let stream = try open("webhooks", with: browser)
        try addAttempt(site)
        // A change by this process ends the snapshot, so that the next page reads.
        let stopped = try browser.perform("/mail/suppress", ["email": "cy@example.com"])
        #expect(stopped.status == 303)
        #expect(try browser.open("/").status == 200)
        #expect(try stream.event() == "event: change\ndata: webhooks")
    }

    @Test("steps of an examination are reported at most once a second, and its end always")
    func examination() throws {
        let site = try ConsoleSite(sessionCheckSeconds: 3_600)
        let browser = try site.browser(of: "root@example.com")
        let stream = try open("doctor", with: browser)
        let began = Date()
        #expect(
            try browser.send("/doctor/examine", from: browser.open("/doctor")).status == 303)
        var events = 0
        repeat {
            #expect(try stream.event() == "event: change\ndata: doctor")
            events += 1
        } while try browser.open("/doctor").says("http-equiv=\"refresh\"")
        #expect(Double(events) <= Date().timeIntervalSince(began) + 2, "\(events) events")
    }

    @Test("a stream ends after its operator was removed or blocked, or has signed out")
    func ended() throws {
        let site = try ConsoleSite(sessionCheckSeconds: 0.2)
        let browsers = try ["vic", "sue", "root"].map { try site.browser(of: "\($0)@example.com") }
        let streams = try browsers.map { try open("overview", with: $0) }
        #expect(try streams[0].next() != nil, "it lasts as long as the session")
        try site.asOperator { try $0.removeOperator($0.user("vic@example.com").id) }
        try site.block(ConsoleSite.sue)
        _ = try browsers[2].send("/sign-out", from: browsers[2].open("/"))
        for stream in streams {
            var last: String?
            while let event = try stream.event() { last = event }
            #expect(last == "event: ended\ndata: ")
        }
    }

    @Test("an operator has at most 64 streams, and other operators still get some")
    func limit() throws {
        let site = try ConsoleSite(snapshotSeconds: 3_600, sessionCheckSeconds: 3_600)
        let browser = try site.browser(of: "root@example.com")
        var streams = try (0..<64).map { _ in try open("jobs", with: browser) }
        let refused = try browser.open("/live?part=jobs")
        #expect(refused.status == 503 && refused.says("Too many pages"), "\(refused)")
        _ = try open("jobs", with: site.browser(of: "sue@example.com"))
        streams.removeLast()
        try eventually {
            guard let stream = try? browser.stream("jobs") else { return false }
            return try stream.head().hasPrefix("HTTP/1.1 200")
        }
    }

    @Test("streams end when the process drains, and no further one is opened")
    func draining() throws {
        let site = try ConsoleSite(sessionCheckSeconds: 3_600)
        let browser = try site.browser(of: "vic@example.com")
        let stream = try open("overview", with: browser)
        site.services.beginDraining()
        var last: String?
        while let text = try stream.next() { last = text }
        #expect(last == ": closed")
        #expect(try browser.open("/live?part=jobs").status == 503)
        #expect(try browser.open("/readyz").status == 503)
    }
}
