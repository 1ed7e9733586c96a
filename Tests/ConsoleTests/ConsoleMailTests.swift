import Foundation
import MailSupport
import Postgres
import TestSupport
import Testing

@Suite("E-mail in the console")
struct ConsoleMailTests {
    /// Settings with which the console sends to a mail server.
    private func settings(_ server: MailServer) -> [String: String] {
        [
            "HEARTH_SMTP_URL": server.url, "HEARTH_SMTP_TLS": "none",
            "HEARTH_MAIL_FROM": "Hearth <hearth@example.org>",
        ]
    }

    private static let fields = ["mail": "invitation", "language": "es"]

    @Test("a test e-mail goes to the operator's own address, and the audit log names the operator")
    func test() throws {
        let server = try MailServer(.aiosmtpd)
        let site = try ConsoleSite(mail: settings(server))
        let browser = try site.browser(of: "root@example.com")
        #expect(try browser.open("/mail").targets.contains("/mail/test"))
        let sent = try browser.send("/mail/test", from: browser.open("/mail/test"), Self.fields)
        #expect(sent.status == 200 && sent.says("has accepted the e-mail"), "\(sent)")
        let message = try ReadMessage(try #require(try server.messages().first))
        #expect(message.to == "root@example.com" && message.defects.isEmpty)
        #expect(message.subject.hasPrefix("[Test] "))
        #expect(message.text.contains("Sample Family"))
        #expect(try site.audit().contains("mail.test operator:root@example.com"))
    }

    @Test("a refusal of the mail server is shown with its stage and code")
    func refused() throws {
        let server = try MailServer(.scripted(["--at", "rcpt=550 5.1.1 no"]))
        let site = try ConsoleSite(mail: settings(server))
        let browser = try site.browser(of: "root@example.com")
        let sent = try browser.send("/mail/test", from: browser.open("/mail/test"), Self.fields)
        #expect(sent.status == 409, "\(sent)")
        #expect(sent.alert?.contains("at RCPT: 550 5.1.1") == true)
    }

    @Test("a pause of e-mail is told on the pages Mail and of a person, and gone once it has ended")
    func pause() throws {
        let site = try ConsoleSite()
        let root = try site.browser(of: "root@example.com")
        let person = "/people/\(ConsoleSite.ann)"
        #expect(try root.perform(person + "/send-reset").status == 303)
        let paused = try root.perform("/queues/mail/pause", ["reason": "the server is moved"])
        #expect(paused.status == 303, "\(paused)")
        for name in ["root", "vic"] {
            let browser = try site.browser(of: "\(name)@example.com")
            for path in ["/mail", person] {
                let page = try browser.open(path)
                let list = /<ul class="troubles">(.*?)<\/ul>/.dotMatchesNewlines()
                let sentence = String(
                    try #require(page.text.firstMatch(of: list), "\(path): \(page)").1)
                #expect(sentence.contains("<a href=\"/jobs\">mail</a> has been paused since"))
                #expect(sentence.contains("with 1 job waiting: the server is moved"))
            }
            #expect(try browser.open(person).says("waits for the end of the pause"))
        }
        #expect(try root.send("/queues/mail/resume", from: root.open("/jobs")).status == 303)
        for path in ["/mail", person] {
            #expect(try !root.open(path).says("has been paused since"), "\(path)")
        }
        #expect(try root.open(person).says("<td>waits</td>"))
    }

    @Test("a mail server that accepts nothing is told on the overview, without any pause")
    func failing() throws {
        let site = try ConsoleSite()
        let root = try site.browser(of: "root@example.com")
        #expect(try root.open("/").says("No problems found"))
        #expect(try root.perform("/people/\(ConsoleSite.ann)/send-reset").status == 303)
        try site.asOwner(
            """
            UPDATE jobs.live SET attempt = 3, run_at = now() + interval '1 minute',
                last_error = '451 <grandma@example.com>: later';
            INSERT INTO jobs.attempts (job, attempt, queue, kind, error)
                SELECT id, n, queue, kind, last_error FROM jobs.live, generate_series(1, 3) AS n
            """)
        _ = try root.perform("/people/\(ConsoleSite.ann)/clear-limits")
        let sentence = "The last error: 451 &lt;&lt;address&gt;&gt;: later"
        for path in ["/", "/mail", "/people/\(ConsoleSite.ann)"] {
            let page = try root.open(path)
            #expect(page.says("No job of the queue <a href=") && page.says(sentence), "\(page)")
        }
        #expect(try root.open("/jobs").says(">fails</span>: 451 &lt;&lt;address"))
        try site.asOwner(
            """
            INSERT INTO jobs.history (id, attempt, queue, kind, outcome)
                VALUES (900, 0, 'mail', 'mail.password_changed', 'done')
            """)
        _ = try root.perform("/people/\(ConsoleSite.ann)/clear-limits")
        #expect(try root.open("/").says("No problems found"))
    }

    @Test("no test is sent to a suppressed address, or of an unknown e-mail or language")
    func impossible() throws {
        let server = try MailServer()
        let site = try ConsoleSite(mail: settings(server))
        let browser = try site.browser(of: "root@example.com")
        let page = try browser.open("/mail/test")
        for (name, value) in [("mail", "none"), ("mail", ""), ("language", "xx")] {
            let fields = Self.fields.merging([name: value]) { $1 }
            #expect(try browser.send("/mail/test", from: page, fields).status == 400, "\(value)")
        }
        try site.asOwner(
            """
            INSERT INTO app.suppressed_addresses (email, reason)
                VALUES ('root@example.com', 'no such user')
            """)
        let stopped = try browser.send("/mail/test", from: page, Self.fields)
        #expect(stopped.status == 409 && stopped.alert?.contains("address_suppressed") == true)
        #expect(stopped.alert?.contains("'Allow e-mail to an address'") == true, "\(stopped)")
        #expect(!stopped.says("hearth-admin mail unsuppress"))
        #expect(try server.messages().isEmpty)
    }

    @Test("e-mail to an operator's address can't be stopped, nor allowed again by the operator")
    func operators() throws {
        let site = try ConsoleSite()
        let root = try site.browser(of: "root@example.com")
        let other = try root.perform("/mail/suppress", ["email": "Sue@example.com"])
        #expect(other.status == 409 && other.says("operator_role_stands"), "\(other)")
        for operation in ["suppress", "unsuppress"] {
            let own = try root.perform("/mail/\(operation)", ["email": "Root@example.com"])
            #expect(own.status == 403 && own.says("your own account"), "\(own)")
        }
        try site.asOwner(
            """
            INSERT INTO app.email_sign_ins (user_id, email)
                VALUES ('\(ConsoleSite.root)', 'root.at.home@example.org')
            """)
        let further = try root.perform("/mail/suppress", ["email": "root.at.home@example.org"])
        #expect(further.status == 403, "\(further)")
        #expect(try root.perform("/mail/suppress", ["email": "b@example.org"]).status == 303)
    }

    @Test("each e-mail is shown with made-up values, also with the operator's own texts")
    func previews() throws {
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in [
            ("en/reset.subject.txt", "A new password for {{app}}\n"),
            ("fr/reset.subject.txt", "Un mot de passe pour {{app}}\n"),
            ("fr/reset.txt", "Un mot de passe : {{link}}\n"),
            ("fr/reset.html", "<p><a href=\"{{link}}\">Un mot de passe</a></p>\n"),
        ] {
            let file = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let site = try ConsoleSite(
            mail: ["HEARTH_MAIL_TEMPLATES": folder.path, "HEARTH_APP_NAME": "Nest"])
        let browser = try site.browser(of: "vic@example.com")
        let english = try browser.open("/mail/texts/en/reset")
        #expect(english.says("A new password for Nest") && english.says("replaces this part"))
        let french = try browser.open("/mail/texts/fr/reset")
        #expect(french.says("Un mot de passe pour Nest") && french.says("/reset-password?token="))
        let invitation = try browser.open("/mail/texts/es/invitation")
        #expect(invitation.says("Sample Family") && !invitation.says("replaces this part"))
        let html = try browser.open("/mail/texts/es/invitation/html")
        #expect(html.status == 200 && html.says("Sample Family"))
        let policy = try #require(html.header("Content-Security-Policy"))
        #expect(policy.contains("default-src 'none'") && policy.hasSuffix("sandbox"))
        #expect(html.headers.filter { $0.name == "content-security-policy" }.count == 1)
        for path in ["/mail/texts/de/reset", "/mail/texts/en/none", "/mail/texts/de/reset/html"] {
            #expect(try browser.open(path).status == 404, "\(path)")
        }
        let list = try browser.open("/mail")
        let shown = list.targets.filter { $0.hasPrefix("/mail/texts/") }
        for path in shown {
            #expect(try browser.open(path).status == 200, "\(path)")
        }
        #expect(shown.count > 30)
    }

    @Test("the outcomes of e-mails are told in the words of a person's page")
    func words() throws {
        let site = try ConsoleSite()
        try site.asOwner(
            """
            INSERT INTO jobs.history (id, attempt, queue, kind, outcome) VALUES
                (900, 0, 'mail', 'mail.ticket', 'done'),
                (901, 0, 'mail', 'mail.password_changed', 'done')
            """)
        let page = try site.browser(of: "vic@example.com").open("/mail")
        #expect(page.says("<td>code or link</td>") && page.says("<td>password changed</td>"))
        #expect(!page.says("mail.ticket"), "\(page)")
    }

    @Test("addresses that get no e-mail are paged without gaps or repetitions, even at equal times")
    func pages() throws {
        let site = try ConsoleSite()
        let family = try site.makeFamily()
        try site.asOwner(
            """
            INSERT INTO app.suppressed_addresses (email, since, reason)
                SELECT 's' || n || '@example.com', now() - n / 60 * interval '1 hour', 'dead'
                FROM generate_series(1, 130) AS n;
            INSERT INTO app.refused_invitations (email, since, family_unit_id)
                SELECT 's' || n || '@example.com', now() - n / 60 * interval '1 hour',
                    '\(family)'
                FROM generate_series(1, 70) AS n;
            INSERT INTO app.mail_verdicts (mailbox, verdicts, reason, held_since)
                SELECT 'h' || n || '@example.com', ARRAY[now()], 'full', now()
                FROM generate_series(1, 30) AS n;
            """)
        let browser = try site.browser(of: "root@example.com")
        var path: String? = "/mail"
        var seen: [String] = []
        while let next = path {
            let page = try browser.open(next)
            #expect(page.status == 200 && !next.contains("example"), "\(next)")
            seen += page.text.matches(of: /<tr><td>([sh][0-9]+@example\.com)<\/td><td>([^<]*)/)
                .map { "\($0.1) \($0.2)" }
            path = page.targets.first { $0.hasPrefix("/mail?after=") }
            try #require(seen.count < 1_000)
        }
        #expect(seen.count == 230 && Set(seen).count == 230)
    }

    @Test("a page of addresses is read from the indexes, however many there are")
    func plan() throws {
        let site = try ConsoleSite()
        try site.asOwner(
            """
            INSERT INTO app.suppressed_addresses (email, since, reason)
                SELECT 's' || n || '@example.com', now() - n * interval '1 second', 'dead'
                FROM generate_series(1, 20000) AS n;
            ANALYZE app.suppressed_addresses;
            """)
        let connection = try Connection(site.test.settings())
        func reads() throws -> Int64 {
            try connection.execute(script: "SELECT pg_stat_force_next_flush()")
            return try connection.query(
                """
                SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables
                WHERE relname = 'suppressed_addresses'
                """
            ).scalar(Int64.self)
        }
        let before = try reads()
        let page: Int = try connection.query(
            "SELECT count(*) FROM app.console_held_off_page(now() - interval '1 hour', 1, 51)"
        ).scalar(Int.self)
        #expect(page == 51)
        let after = try reads()
        #expect(after - before < 500, "\(after - before) rows were read")
    }

    @Test("the state of a person's address is looked up in the indexes, in a plan for all values")
    func stateOfAddress() throws {
        let site = try ConsoleSite()
        let family = try site.makeFamily()
        try site.asOwner(
            """
            INSERT INTO app.suppressed_addresses (email, since, reason)
                SELECT 's' || n || '@example.com', now(), 'dead'
                FROM generate_series(1, 20000) AS n
                UNION ALL SELECT 'ann.fisher@example.com', now(), 'dead';
            INSERT INTO app.mail_verdicts (mailbox, verdicts, reason, held_since)
                SELECT 's' || n || '@example.com', ARRAY[now()], 'full', now()
                FROM generate_series(1, 20000) AS n
                UNION ALL SELECT 'ann.fisher@example.com', ARRAY[now()], 'full', now();
            INSERT INTO app.refused_invitations (email, family_unit_id)
                SELECT 's' || n || '@example.com', CASE WHEN n % 2 = 0 THEN '\(family)'::uuid END
                FROM generate_series(1, 20000) AS n
                UNION ALL SELECT 'ann.fisher@example.com', NULL
                UNION ALL SELECT 'ann.fisher@example.com', '\(family)';
            ANALYZE app.suppressed_addresses, app.mail_verdicts, app.refused_invitations;
            """)
        var settings = site.test.settings()
        settings.plans = .generic
        let connection = try Connection(settings)
        func reads() throws -> Int64 {
            try site.rowsRead(
                on: connection,
                "^app.(suppressed_addresses|mail_verdicts|refused_invitations)$")
        }
        let before = try reads()
        let states: String = try connection.query(
            """
            SELECT string_agg(s.state, ' ' ORDER BY s.state)
            FROM app.console_mail_state('\(unsafe: ConsoleSite.ann)', 50) AS s
            """
        ).scalar(String.self)
        #expect(states == "held_off no_invitations no_invitations suppressed")
        let count = try reads() - before
        #expect((4..<50).contains(count), "\(count) rows were read")
    }
}
