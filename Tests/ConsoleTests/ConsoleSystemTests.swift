import Console
import Crypto
import Doctor
import Foundation
import Identity
import MailSupport
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
        #expect(try admin.open("/system").says("0018_console"))
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

    @Test("a pending, test or unwanted event is not sent again, and no replay is recorded")
    func nothingToReplay() throws {
        try addWebhook()
        let path = "/webhooks/\(Self.endpoint)"
        let browser = try site.browser(of: "root@example.com")
        let event: String = try site.scalar("SELECT id::text FROM app.webhook_events")
        let again = path + "/replay-event"
        #expect(try browser.open(path).targets.contains(again))
        let token = try browser.formToken()
        for (change, undo) in [
            (
                """
                UPDATE app.webhook_deliveries SET state = 'pending', settled_at = NULL;
                SELECT app.enqueue_first_webhooks('\(Self.endpoint)')
                """,
                """
                DELETE FROM jobs.live WHERE kind = 'webhook.deliver';
                UPDATE app.webhook_deliveries SET state = 'failed', settled_at = now()
                """
            ),
            (
                "UPDATE app.webhook_events SET event_type = 'webhook.test'",
                "UPDATE app.webhook_events SET event_type = 'family.created'"
            ),
            (
                "UPDATE app.webhook_endpoints SET event_types = '{member.joined}'",
                "UPDATE app.webhook_endpoints SET event_types = '{}'"
            ),
        ] {
            try site.asOwner(change)
            #expect(try !browser.open(path).targets.contains(again), "\(change)")
            for name in ["replay-event", "replay-failed", "replay"] {
                let page = try browser.post(
                    "\(path)/\(name)", ["form_token": token, "event": event, "hours": "24"])
                #expect(page.status == 409, "\(change), \(name): \(page)")
            }
            try site.asOwner(undo)
        }
        #expect(try site.audit().allSatisfy { !$0.hasPrefix("webhook.") })
        let sent = try browser.send(again, from: browser.open(path))
        #expect(sent.status == 303 && sent.location == "\(path)?done=replay-event&n=1", "\(sent)")
        #expect(try site.audit().contains("webhook.replay operator:root@example.com"))
    }

    @Test("a new webhook secret requires a passkey, and is shown once")
    func rotation() throws {
        try addWebhook()
        let page = "/webhooks/\(Self.endpoint)"
        let path = page + "/rotate"
        let asked = try site.browser(of: "root@example.com").open(path)
        #expect(asked.location?.hasPrefix("/confirm?return=") == true)
        let browser = try site.provenBrowser(of: "root@example.com")
        let question = try browser.open(path)
        #expect(question.status == 200 && !question.says("whsec_"))
        let shown = try browser.send(path, from: question, ["hours": "24"])
        #expect(shown.status == 200, "\(shown)")
        let secret = try #require(shown.text.firstMatch(of: /whsec_([A-Za-z0-9+\/=]+)/)).1
        let bytes = try #require(Data(base64Encoded: String(secret)))
        let stored: PostgresBytes = try site.scalar("SELECT secret_hash FROM app.webhook_endpoints")
        #expect(SHA256Digest(of: [UInt8](bytes)).bytes == stored.bytes)
        for place in [page, path, page + "?done=rotate"] {
            #expect(try !browser.open(place).says("whsec_"), "\(place)")
        }
        let entries = try site.audit().filter { $0.hasPrefix("webhook.") }
        #expect(entries == ["webhook.rotate operator:root@example.com"])
        let late = try browser.perform(path, ["hours": "169"])
        #expect(late.status == 400 && late.alert?.contains("from 0 to 168") == true)
    }

    @Test("each operation of these screens is refused to viewers, to support and without a session")
    func rights() throws {
        try addWebhook()
        let event: String = try site.scalar("SELECT id::text FROM app.webhook_events")
        let webhook = "/webhooks/\(Self.endpoint)"
        let operations: [(path: String, fields: [String: String])] = [
            (webhook + "/test", [:]), (webhook + "/replay-failed", [:]),
            (webhook + "/replay", ["hours": "24"]), (webhook + "/replay-event", ["event": event]),
            (webhook + "/pause-webhook", [:]), (webhook + "/rotate", ["hours": "0"]),
            (webhook + "/remove-webhook", [:]), ("/mail/suppress", ["email": "cy@example.com"]),
            ("/mail/unsuppress", ["email": "cy@example.com"]),
            ("/addresses/allow", ["email": "cy@example.com"]),
            ("/mail/test", ["mail": "invitation", "language": "en"]), ("/doctor/examine", [:]),
            ("/doctor/fix", [:]), ("/issuers/apply", [:]), ("/system/token", ["token": "x"]),
        ]
        for name in ["sue", "vic"] {
            let browser = try site.browser(of: "\(name)@example.com")
            let token = try browser.formToken()
            for place in ["/webhooks", webhook, "/mail", "/doctor", "/system"] {
                let targets = try browser.open(place).targets
                #expect(operations.allSatisfy { !targets.contains($0.path) }, "\(place) of \(name)")
            }
            for operation in operations {
                let fields = operation.fields.merging(["form_token": token]) { $1 }
                let done = try browser.post(operation.path, fields)
                #expect(done.status == 403, "\(operation.path) by \(name): \(done)")
                if operation.path != "/addresses/allow", !operation.path.hasSuffix("-event") {
                    #expect(try browser.open(operation.path).status == 403, "\(operation.path)")
                }
            }
        }
        for operation in operations {
            let done = try ConsoleBrowser(site).post(operation.path, operation.fields)
            #expect(done.status == 303 && done.location == "/sign-in", "\(operation.path)")
        }
        #expect(try site.audit().allSatisfy { $0.hasPrefix("operator.sign_in") })
        let state: String = try site.scalar("SELECT state FROM app.webhook_deliveries")
        #expect(state == "failed")
    }

    @Test("an admin performs the operations on webhooks, and the audit log names the admin")
    func webhooks() throws {
        try addWebhook()
        let page = "/webhooks/\(Self.endpoint)"
        let browser = try site.provenBrowser(of: "root@example.com")
        for operation in ["test", "resume-webhook"] {
            if operation == "resume-webhook" {
                #expect(try browser.perform(page + "/pause-webhook").status == 303)
            }
            let sent = try browser.send("\(page)/\(operation)", from: browser.open(page))
            #expect(sent.status == 303, "\(operation): \(sent)")
        }
        let replayed = try browser.perform(page + "/replay", ["hours": "24"])
        #expect(replayed.status == 303, "\(replayed)")
        let removed = try browser.perform(page + "/remove-webhook")
        #expect(removed.location == "/webhooks?done=remove-webhook", "\(removed)")
        let left: Int = try site.scalar("SELECT count(*) FROM app.webhook_endpoints")
        #expect(left == 0)
        #expect(
            try site.audit().filter { $0.hasPrefix("webhook.") }
                == ["test", "pause", "resume", "replay", "remove"].map {
                    "webhook.\($0) operator:root@example.com"
                })
    }

    /// Facts about a console whose settings name Hearth as an issuer.
    ///
    /// - Parameter isReadable: Whether the console can read the files of its settings.
    private func makeSystem(isReadable: Bool = true) -> ConsoleSystem {
        struct Unreadable: Error, CustomStringConvertible {
            var description: String { "/etc/hearth/keys.pem: permission denied" }
        }
        return ConsoleSystem(
            settings: [
                "HEARTH_ISSUERS_FILE=/etc/hearth/issuers.json ('/etc/hearth/console.conf', line 3)",
                "HEARTH_OUTBOX_DIR=.local/outbox (default)",
                "HEARTH_LOG_LEVEL=info ('/etc/hearth/console.conf', line 4)",
                "HEARTH_CONSOLE_PUBLIC_URL=https://console.test (environment)",
                "HEARTH_SMTP_URL (not set)",
            ],
            settingsWithoutPaths: [
                "HEARTH_ISSUERS_FILE (set)", "HEARTH_OUTBOX_DIR (set)", "HEARTH_LOG_LEVEL=info",
                "HEARTH_CONSOLE_PUBLIC_URL=https://console.test", "HEARTH_SMTP_URL (not set)",
            ], secretKeyCount: 1,
            configuredIssuers: { signsTokens in
                if !isReadable { throw Unreadable() }
                return try ConfiguredIssuers(
                    issuersFile: nil, signsTokens: signsTokens, publicURL: "https://family.test")
            }, issuers: [], publicURL: "https://family.test")
    }

    @Test("an admin applies the issuers of the settings, and the audit log names the admin")
    func issuers() throws {
        let site = try ConsoleSite(system: makeSystem())
        let browser = try site.browser(of: "root@example.com")
        #expect(try browser.open("/system").says("Whether they are applied is unknown"))
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("keys.pem").path
        try SigningKeys.create(path)
        let pool = Pool(site.test.settings(as: "hearth_api"))
        defer { pool.close() }
        try site.reports(of: SigningKeys(path: path), through: pool).report()
        let page = try browser.open("/system")
        #expect(page.says("other issuers than the database"))
        #expect(page.targets.contains("/issuers/apply"))
        let done = try browser.perform("/issuers/apply")
        #expect(done.status == 303, "\(done)")
        let after = try browser.open("/system")
        #expect(after.says("https://family.test") && after.says("applied"))
        #expect(!after.targets.contains("/issuers/apply"))
        #expect(try site.audit().contains("issuer.add operator:root@example.com"))
    }

    @Test("only an admin sees paths of files, and why a file can't be read")
    func paths() throws {
        let site = try ConsoleSite(system: makeSystem(isReadable: false))
        let admin = try site.browser(of: "root@example.com").open("/system")
        #expect(admin.says("permission denied") && admin.says("/etc/hearth/issuers.json"))
        for name in ["sue", "vic"] {
            let page = try site.browser(of: "\(name)@example.com").open("/system")
            for word in ["permission denied", "/etc/hearth", "keys.pem", ".local", "line 3"] {
                #expect(!page.says(word), "\(name): \(word)")
            }
            #expect(page.says("can't be read") && page.says("HEARTH_ISSUERS_FILE (set)"))
            #expect(page.says("HEARTH_LOG_LEVEL=info"))
            #expect(page.says("HEARTH_CONSOLE_PUBLIC_URL=https://console.test"))
            #expect(page.says("HEARTH_SMTP_URL (not set)"))
        }
    }

    @Test("a cursor, time or number that no page links to gets 400 or an empty page, never a crash")
    func outOfRange() throws {
        try addWebhook()
        let browser = try site.browser(of: "root@example.com")
        let (least, most) = (Int64.min, Int64.max)
        let webhook = "/webhooks/\(Self.endpoint)"
        for after in [
            "\(least).1", "\(most).1", "-1.1", "0.0", "0.-1", "0.\(least)", "0.\(most)", "1", ".",
            "1.", "x.1", "1.x", "99999999999999999999.1", "253402300800000000.1",
        ] {
            #expect(try browser.open("/mail?after=\(after)").status == 400, "\(after)")
        }
        for path in ["/jobs/list", webhook] {
            for after in ["\(least)", "-1", "0", "x", "9223372036854775808"] {
                #expect(try browser.open("\(path)?after=\(after)").status == 400, "\(after)")
            }
        }
        // 24 bytes of 0x80, which are a negative time, and 24 of 0x7F.
        let cursors = [
            String(repeating: "gICA", count: 8), String(repeating: "f39_", count: 8),
        ]
        for path in ["/people", "/families", "/audit", "/audit.csv", "/audit.json"] {
            for cursor in cursors + ["x", "\(least)"] {
                #expect(try browser.open("\(path)?after=\(cursor)").status == 409, "\(path)")
            }
        }
        for path in [
            "/mail?after=0.1", "/mail?after=253402300799999999.2147483647",
            "/jobs/list?after=\(most)", "\(webhook)?after=\(most)",
            "/audit?from=0001-01-01&until=9999-12-31", "/audit?until=0001-01-01",
            "/audit?from=0001-01-01T00:00:00%2B23:59", "/?done=examine&n=\(least)",
            "/people?done=erase&n=\(most)",
        ] {
            let page = try browser.open(path)
            #expect(page.status == 200, "\(path): \(page)")
        }
        for number in ["\(least)", "\(most)", "0", "-1", "x"] {
            #expect(try browser.open("/jobs/\(number)").status == 404, "\(number)")
            #expect(try browser.open("/jobs/\(number)/retry").status == 404, "\(number)")
            let found = try browser.search(number, from: browser.open("/"))
            #expect(found.status == 200, "\(number)")
            let hours = try browser.perform(webhook + "/replay", ["hours": number])
            #expect(hours.status == 400, "\(number)")
        }
        #expect(try browser.open("/healthz").status == 200)
    }

    @Test("the overview has plots of invitations made, accepted and failed")
    func invitationPlots() throws {
        let family = try site.makeFamily()
        try site.asOwner(
            """
            INSERT INTO app.family_invitations (family_unit_id, invited_by, invited_email, role,
                    household_role, delivery, status, accepted_at, accepted_by, closed_at,
                    delivery_status, delivery_generation)
                SELECT '\(family)', '\(ConsoleSite.ann)', 'i' || n || '@example.com', 'parent',
                    'adult', 'email', CASE WHEN n <= 2 THEN 'accepted' ELSE 'pending' END,
                    CASE WHEN n <= 2 THEN now() END,
                    CASE WHEN n <= 2 THEN '\(ConsoleSite.bo)'::uuid END,
                    CASE WHEN n <= 2 THEN now() END,
                    CASE WHEN n = 3 THEN 'failed' ELSE 'sent' END, 1
                FROM generate_series(1, 5) AS n
            """)
        for name in ["vic", "root"] {
            let browser = try site.browser(of: "\(name)@example.com")
            for path in ["/", "/?period=week"] {
                let page = try browser.open(path)
                for caption in [
                    "Invitations: 5", "Accepted invitations: 2",
                    "Invitations that no e-mail reached: 1",
                ] {
                    #expect(page.says("<figcaption>\(caption)</figcaption>"), "\(caption)")
                }
            }
        }
    }

    @Test("an address that gets no e-mail is allowed again by a form, never by a link")
    func suppression() throws {
        let browser = try site.browser(of: "root@example.com")
        let stopped = try browser.perform("/mail/suppress", ["email": "cy@example.com"])
        #expect(stopped.status == 303, "\(stopped)")
        let place = try #require(stopped.location)
        #expect(place.hasPrefix("/mail?done=suppress&about=") && !place.contains("example"))
        #expect(try browser.open(place).says("No e-mail goes to cy@example.com."))
        // Another session can't open the name.
        let other = try site.browser(of: "root@example.com")
        #expect(try other.open(place).says("No e-mail goes to this address."))
        let page = try browser.open("/mail")
        #expect(page.says("cy@example.com"))
        #expect(!page.targets.contains { $0.contains("cy@example.com") })
        let viewer = try site.browser(of: "vic@example.com").open("/mail")
        #expect(viewer.says("c***@example.com") && !viewer.says("cy@example.com"))
        let allowed = try browser.send("/addresses/allow", from: page)
        #expect(allowed.status == 303, "\(allowed)")
        let after = try browser.open(try #require(allowed.location))
        #expect(after.says("E-mail goes to cy@example.com again."), "\(after)")
        #expect(try browser.open("/mail/suppress").heading == "Stop e-mail to an address")
        let left: Int = try site.scalar("SELECT count(*) FROM app.suppressed_addresses")
        #expect(left == 0)
        #expect(try browser.perform("/mail/suppress", ["email": "cy@example.com"]).status == 303)
        let address = ["email": "cy@example.com"]
        #expect(try browser.perform("/mail/unsuppress", address).status == 303)
        let again = try browser.perform("/mail/unsuppress", address)
        #expect(again.status == 409 && again.alert?.contains("address_not_suppressed") == true)
        #expect(
            try site.audit().filter { $0.hasPrefix("mail.") }
                == ["suppress", "unsuppress", "suppress", "unsuppress"].map {
                    "mail.\($0) operator:root@example.com"
                })
    }

    @Test("doctor examines the database for an admin, and for nobody else")
    func doctor() throws {
        let viewer = try site.browser(of: "vic@example.com")
        let token = try viewer.formToken()
        #expect(try viewer.post("/doctor/examine", ["form_token": token]).status == 403)
        let browser = try site.browser(of: "root@example.com")
        let page = try browser.open("/doctor")
        #expect(try browser.send("/doctor/examine", from: page).status == 303)
        let end = Date().addingTimeInterval(300)
        var shown = try browser.open("/doctor")
        let refresh = "<noscript><meta http-equiv=\"refresh\""
        while shown.says(refresh), Date() < end {
            #expect(!shown.says("<strong></strong>"), "\(shown)")
            shown = try browser.open("/doctor")
        }
        #expect(!shown.says(refresh) && shown.header("Refresh") == nil)
        #expect(shown.says("no faults found"), "\(shown)")
        #expect(shown.says("by root@example.com"))
        #expect(try !viewer.open("/doctor").says("root@example.com"))
    }

    @Test("an admin's repair with doctor is in the audit log, even if there is no fault")
    func repairs() throws {
        let browser = try site.browser(of: "root@example.com")
        let started = try browser.perform("/doctor/fix")
        #expect(started.status == 303, "\(started)")
        try eventually(within: 120) { try browser.open("/doctor").says("no faults found") }
        #expect(try browser.open("/doctor").says("Examination with repairs by root@example.com"))
        let entries = try site.audit().filter { !$0.hasPrefix("operator.sign_in") }
        #expect(entries == ["doctor.fix operator:root@example.com"])
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

    @Test("the console reports that it is healthy and ready")
    func readiness() throws {
        #expect(try ConsoleBrowser(site).open("/healthz").status == 200)
        let ready = try ConsoleBrowser(site).open("/readyz")
        #expect(ready.status == 200 && ready.says("ready"), "\(ready)")
    }

    @Test("each admin is mailed when an operator adds a passkey")
    func passkeyMail() throws {
        try site.asOwner(
            """
            INSERT INTO app.operators (user_id, role, added_by) VALUES
                ('\(ConsoleSite.ann)', 'admin', 'operator:jo')
            """)
        let browser = try site.browser(of: "vic@example.com")
        var device = try ConsoleSignInTests.Device()
        #expect(try device.enrol(browser).status == 303)
        let recipients: String = try site.scalar(
            """
            SELECT string_agg(payload->>'recipient', ' ' ORDER BY payload->>'recipient')
            FROM jobs.live
            WHERE kind = 'mail.operator_passkey'
            """)
        #expect(recipients == "\(ConsoleSite.ann) \(ConsoleSite.root)")
    }
}
