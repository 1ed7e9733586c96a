import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("Webhooks, mail, doctor and system in the console")
struct ConsoleSystemTests {
    let site: ConsoleSite

    init() throws { site = try ConsoleSite() }

    private static let endpoint = "33333333-3333-4333-8333-333333333333"

    /// Adds a webhook with a discarded event and an attempt.
    private func addWebhook() throws {
        try site.asOwner(
            """
            INSERT INTO app.webhook_endpoints (id, url, secret_hash) VALUES
                ('\(Self.endpoint)', 'https://hooks.example/secret-path', sha256('x'));
            INSERT INTO app.webhook_events (event_type, data) VALUES ('family.created', '{}');
            INSERT INTO app.webhook_deliveries
                    (endpoint_id, event_number, state, attempts, settled_at, last_status,
                    last_error)
                SELECT '\(Self.endpoint)', number, 'failed', 9, now(), 500, 'status 500'
                FROM app.webhook_events;
            INSERT INTO app.webhook_attempts (endpoint_id, event_number, outcome, status, error)
                SELECT '\(Self.endpoint)', number, 'failed', 500, 'status 500'
                FROM app.webhook_events;
            """)
    }

    @Test("each page opens for every role, and a viewer sees no path of a webhook")
    func pages() throws {
        try addWebhook()
        for name in ["root", "sue", "vic"] {
            let browser = try site.browser(of: "\(name)@example.com")
            for path in [
                "/webhooks", "/webhooks/\(Self.endpoint)",
                "/webhooks/\(Self.endpoint)?state=failed",
                "/mail", "/mail/texts/en/invitation", "/mail/texts/es/reset", "/doctor", "/system",
            ] {
                let page = try browser.open(path)
                #expect(page.status == 200, "\(path) of \(name): \(page)")
                #expect(!page.says("secret-path") || name != "vic", "\(path)")
            }
        }
        let admin = try site.browser(of: "root@example.com")
        #expect(try admin.open("/webhooks/\(Self.endpoint)").says("secret-path"))
        #expect(try admin.open("/system").says("0022_console_screens"))
    }

    @Test("an admin sends discarded events again, and the audit log names the admin")
    func replay() throws {
        try addWebhook()
        let browser = try site.browser(of: "root@example.com")
        let done = try browser.perform("/webhooks/\(Self.endpoint)/replay-failed")
        #expect(done.status == 303, "\(done)")
        let state: String = try site.scalar("SELECT state FROM app.webhook_deliveries")
        #expect(state == "pending")
        let entries = try site.audit().filter { $0.hasPrefix("webhook.") }
        #expect(entries.count == 1 && entries.allSatisfy { $0.hasSuffix("root@example.com") })
    }

    @Test("a new secret of a webhook needs a passkey, and support and viewers get none")
    func rotation() throws {
        try addWebhook()
        let path = "/webhooks/\(Self.endpoint)/rotate"
        for name in ["sue", "vic"] {
            #expect(try site.browser(of: "\(name)@example.com").open(path).status == 403)
        }
        let asked = try site.browser(of: "root@example.com").open(path)
        #expect(asked.location?.hasPrefix("/confirm?return=") == true)
    }

    @Test("an address that gets no e-mail is allowed again by a form, never by a link")
    func suppression() throws {
        let browser = try site.browser(of: "root@example.com")
        let stopped = try browser.perform("/mail/suppress", ["email": "cy@example.com"])
        #expect(stopped.status == 303, "\(stopped)")
        let page = try browser.open("/mail")
        #expect(page.says("cy@example.com"))
        #expect(!page.targets.contains { $0.contains("cy@example.com") })
        let viewer = try site.browser(of: "vic@example.com").open("/mail")
        #expect(viewer.says("c***@example.com") && !viewer.says("cy@example.com"))
        let allowed = try browser.send("/addresses/allow", from: page)
        #expect(allowed.status == 303, "\(allowed)")
        let left: Int = try site.scalar("SELECT count(*) FROM app.suppressed_addresses")
        #expect(left == 0)
    }

    @Test("doctor examines the database for an admin, and for nobody else")
    func doctor() throws {
        let viewer = try site.browser(of: "vic@example.com")
        let token = try viewer.formToken()
        #expect(try viewer.post("/doctor/examine", ["form_token": token]).status == 403)
        let browser = try site.browser(of: "root@example.com")
        let page = try browser.open("/doctor")
        #expect(try browser.send("/doctor/examine", from: page).status == 303)
        let end = Date().addingTimeInterval(120)
        var shown = try browser.open("/doctor")
        while shown.header("Refresh") != nil, Date() < end { shown = try browser.open("/doctor") }
        #expect(shown.header("Refresh") == nil)
        #expect(shown.says("no faults found") || shown.says("findings."), "\(shown)")
    }

    @Test("pages opened at the same time share one read, and a change causes one more")
    func sharedReads() throws {
        // No snapshot expires by itself during the test.
        let site = try ConsoleSite(snapshotSeconds: 3_600)
        let session = try site.browser(of: "root@example.com").cookies
        let openPages = { (_ path: String) in
            let statuses = Mutex<[Int]>([])
            DispatchQueue.concurrentPerform(iterations: 12) { _ in
                let browser = ConsoleBrowser(site)
                browser.cookies = session
                let status = (try? browser.open(path))?.status ?? 0
                statuses.withLock { $0.append(status) }
            }
            return statuses.withLock { $0 }
        }
        let before = site.services.boardReads
        for path in ["/", "/jobs", "/jobs"] {
            #expect(openPages(path) == [Int](repeating: 200, count: 12))
        }
        #expect(site.services.boardReads == before + 1)
        let browser = ConsoleBrowser(site)
        browser.cookies = session
        let changed = try browser.perform("/mail/suppress", ["email": "cy@example.com"])
        #expect(changed.status == 303, "\(changed)")
        for path in ["/jobs", "/"] {
            #expect(openPages(path) == [Int](repeating: 200, count: 12))
        }
        #expect(site.services.boardReads == before + 2)
    }

    @Test("a stream of changes needs a session")
    func streamNeedsSession() throws {
        #expect(try ConsoleBrowser(site).open("/live").status == 401)
    }

    @Test("the console says whether it can work")
    func readiness() throws {
        #expect(try ConsoleBrowser(site).open("/healthz").status == 200)
        let ready = try ConsoleBrowser(site).open("/readyz")
        #expect(ready.status == 200 && ready.says("ready"), "\(ready)")
    }

    @Test("a new passkey of an operator is mailed to each admin")
    func passkeyMail() throws {
        let browser = try site.browser(of: "vic@example.com")
        var device = try ConsoleSignInTests.Device()
        #expect(try device.enrol(browser).status == 303)
        let recipient: String = try site.scalar(
            """
            SELECT string_agg(payload->>'recipient', ' ') FROM jobs.live
            WHERE kind = 'mail.operator_passkey'
            """)
        #expect(recipient == ConsoleSite.root)
    }
}
