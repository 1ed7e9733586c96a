import Foundation
import Postgres
import TestSupport
import Testing
import UseCases

@Suite("Help for people in the console")
struct ConsolePersonTests {
    let site: ConsoleSite

    init() throws { site = try ConsoleSite() }

    private static let passkey = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
    private static let otherPasskey = "cccccccc-cccc-4ccc-8ccc-cccccccccccc"
    private static let tablet = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"
    private static let page = "/people/\(ConsoleSite.ann)"

    private func addPasskey(_ id: String = Self.passkey, of user: String) throws {
        try site.asOwner(
            """
            INSERT INTO app.passkeys (id, user_id, credential_id, public_key, counter, label,
                    model, transports, is_backup_eligible, is_backed_up)
                VALUES ('\(id)', '\(user)', '\(id)', 'key', 0, 'Lost phone', gen_random_uuid(),
                    '{}', true, true)
            """)
    }

    private func kindsOfJobs() throws -> [String] {
        let kinds: String = try site.scalar(
            "SELECT coalesce(string_agg(kind, ' ' ORDER BY id), '') FROM jobs.live")
        return kinds.split(separator: " ").map { String($0) }
    }

    @Test("an admin removes a passkey of a person, who gets an e-mail; support only sees it")
    func passkey() throws {
        try addPasskey(of: ConsoleSite.ann)
        let path = Self.page + "/remove-passkey"
        let link = "\(path)?passkey=\(Self.passkey)"
        let seen = try site.browser(of: "sue@example.com").open(Self.page)
        #expect(seen.says("Lost phone") && !seen.targets.contains { $0.hasPrefix(path) })
        let browser = try site.browser(of: "root@example.com")
        #expect(try browser.open(Self.page).targets.contains(link))
        let removed = try browser.perform(link)
        #expect(removed.location == Self.page + "?done=remove-passkey", "\(removed)")
        #expect(try browser.open(Self.page).says("This person has no passkey"))
        #expect(try kindsOfJobs() == ["mail.identity_removed"])
        #expect(try site.audit().contains("identity.remove operator:root@example.com"))
        #expect(try browser.perform(link).status == 404)
    }

    @Test("the last way to sign in, a passkey of an operator and one of somebody else stay")
    func passkeysThatStay() throws {
        let browser = try site.browser(of: "root@example.com")
        try addPasskey(of: ConsoleSite.bo)
        let query = "?passkey=\(Self.passkey)"
        #expect(try browser.perform("\(Self.page)/remove-passkey\(query)").status == 404)
        try site.asOwner(
            """
            DELETE FROM app.user_identities WHERE user_id = '\(ConsoleSite.bo)';
            UPDATE app.users SET email_verified = false WHERE id = '\(ConsoleSite.bo)'
            """)
        let last = try browser.perform("/people/\(ConsoleSite.bo)/remove-passkey\(query)")
        #expect(last.status == 409 && last.alert?.contains("last_identity") == true, "\(last)")
        try addPasskey(Self.otherPasskey, of: ConsoleSite.sue)
        let operators = try browser.perform(
            "/people/\(ConsoleSite.sue)/remove-passkey?passkey=\(Self.otherPasskey)")
        #expect(operators.status == 409)
        #expect(operators.alert?.contains("operator_role_stands") == true, "\(operators)")
        let left: Int = try site.scalar("SELECT count(*) FROM app.passkeys")
        #expect(left == 2)
    }

    @Test("support ends one session of a person, and none by the page of somebody else")
    func session() throws {
        try site.asOwner(
            """
            INSERT INTO app.sessions (id, user_id, method, device, ends_at) VALUES
                ('\(Self.tablet)', '\(ConsoleSite.ann)', 'email', 'Tablet',
                    now() + interval '1 day'),
                (gen_random_uuid(), '\(ConsoleSite.ann)', 'email', 'Laptop',
                    now() + interval '1 day')
            """)
        let browser = try site.browser(of: "sue@example.com")
        let page = try browser.open(Self.page)
        #expect(page.says("Tablet") && page.says("Laptop"))
        let path = Self.page + "/end-session"
        let other = try browser.post(
            "/people/\(ConsoleSite.bo)/end-session",
            ["form_token": try browser.formToken(), "session": Self.tablet])
        #expect(other.status == 404)
        let ended = try browser.send(path, from: page, ["session": Self.tablet])
        #expect(ended.location == Self.page + "?done=end-session", "\(ended)")
        let devices: String = try site.scalar(
            "SELECT string_agg(device, ' ') FROM app.sessions WHERE ended_at IS NOT NULL")
        #expect(devices == "Tablet")
        #expect(try !browser.open(Self.page).says("Tablet"))
        #expect(try browser.send(path, from: page, ["session": Self.tablet]).status == 404)
    }

    @Test("support sends a link to reset the password, but not to an operator or a blocked person")
    func reset() throws {
        let browser = try site.browser(of: "sue@example.com")
        let sent = try browser.perform(Self.page + "/send-reset")
        #expect(sent.location == Self.page + "?done=send-reset", "\(sent)")
        let token: String = try site.scalar(
            "SELECT purpose || ' ' || email FROM app.email_tokens")
        #expect(token == "reset ann.fisher@example.com")
        #expect(try kindsOfJobs() == ["mail.ticket"])
        #expect(try site.audit().contains("user.send_reset operator:sue@example.com"))
        try site.asOperator { session in
            _ = try session.block(session.user("bo@example.com").id, reason: "test")
        }
        let blocked = try browser.perform("/people/\(ConsoleSite.bo)/send-reset")
        #expect(blocked.status == 409, "\(blocked)")
        #expect(!blocked.says("hearth-admin"))
        try site.asOwner(
            """
            INSERT INTO app.suppressed_addresses (email, reason)
                VALUES ('ann.fisher@example.com', 'x')
            """)
        let stopped = try browser.perform(Self.page + "/send-reset")
        #expect(stopped.alert?.contains("'Allow e-mail to an address'") == true, "\(stopped)")
        #expect(!stopped.says("hearth-admin"))
        let root = try site.browser(of: "root@example.com")
        let operators = try root.perform("/people/\(ConsoleSite.sue)/send-reset")
        #expect(operators.status == 409)
        #expect(operators.alert?.contains("operator_role_stands") == true, "\(operators)")
        let tokens: Int = try site.scalar("SELECT count(*) FROM app.email_tokens")
        #expect(tokens == 1)
    }

    @Test("the export of a person needs a passkey, is a file, and is in the audit log")
    func export() throws {
        let path = Self.page + "/export"
        let asked = try site.browser(of: "root@example.com").open(path)
        #expect(asked.location?.hasPrefix("/confirm?return=") == true)
        let browser = try site.provenBrowser(of: "root@example.com")
        let file = try browser.send(path, from: browser.open(path))
        #expect(file.status == 200 && file.header("Content-Type") == "application/json")
        let name = "attachment; filename=\"\(ConsoleSite.ann).json\""
        #expect(file.header("Content-Disposition") == name)
        let document = try JSONSerialization.jsonObject(with: Data(file.text.utf8))
        #expect(document is [String: Any] && file.says("ann.fisher@example.com"))
        #expect(try site.audit().contains("user.export operator:root@example.com"))
    }

    @Test("a list that is cut on the page of a person says so, and a shorter one does not")
    func cut() throws {
        func page(signIns count: Int) throws -> ConsolePage {
            try site.asOwner(
                """
                INSERT INTO app.sign_ins_log (user_id, kind, way)
                    SELECT '\(ConsoleSite.ann)', 'sign_in', 'email'
                    FROM generate_series(1, \(count))
                """)
            return try site.browser(of: "root@example.com").open(Self.page)
        }
        let sentence = "Only the 50 latest are shown."
        #expect(try !page(signIns: 49).says(sentence))
        #expect(try page(signIns: 1).says(sentence))
    }

    @Test("a person's page says if families or refusals are left out, but shows what matters first")
    func leftOut() throws {
        try Connection(site.test.settings()).execute(script: ManyFamilies.script(200))
        let own = try site.makeFamily()
        let sentence = "Only the first"
        let browser = try site.browser(of: "root@example.com")
        #expect(try !browser.open(Self.page).says(sentence))
        try site.asOwner(
            """
            INSERT INTO app.family_members (family_unit_id, user_id, user_kind, role,
                    household_role, status, joined_via, added_at, removed_at)
                SELECT f.id, '\(ConsoleSite.ann)', 'account', 'parent', 'adult', 'removed', 'code',
                    now() - interval '2 years', now() - interval '1 year'
                FROM app.family_units AS f WHERE f.id <> '\(own)';
            INSERT INTO app.suppressed_addresses (email, since, reason)
                VALUES ('ann.fisher@example.com', now() - interval '1 year', 'no such user');
            INSERT INTO app.refused_invitations (email, family_unit_id)
                SELECT 'ann.fisher@example.com', f.id FROM app.family_units AS f
            """)
        let page = try browser.open(Self.page)
        for limit in ["\(sentence) 200 are shown.", "\(sentence) 50 are shown."] {
            #expect(page.says(limit), "\(page)")
        }
        #expect(page.says("member since") && page.says("no such user"), "\(page)")
    }

    /// Makes each export of an account take a while.
    private func slowExports(_ site: ConsoleSite, seconds: Double) throws {
        try site.asOwner(
            """
            CREATE OR REPLACE FUNCTION app.export_of_account(p_account uuid) RETURNS jsonb
            LANGUAGE plpgsql SET search_path = '' AS $$
            BEGIN
                PERFORM pg_sleep(\(seconds));
                RETURN jsonb_build_object('id', p_account);
            END $$
            """)
    }

    @Test("an export that takes too long is cancelled with a message, and is in the audit log")
    func longExport() throws {
        let site = try ConsoleSite(exportSeconds: 1)
        try slowExports(site, seconds: 30)
        let path = Self.page + "/export"
        let browser = try site.provenBrowser(of: "root@example.com")
        let page = try browser.send(path, from: browser.open(path))
        #expect(page.status == 503, "\(page)")
        #expect(page.alert?.contains("took longer than 1 seconds") == true, "\(page)")
        #expect(page.alert?.contains("hearth-admin user export \(ConsoleSite.ann)") == true)
        #expect(page.header("Content-Disposition") == nil)
        let exports = try site.audit().filter { $0.hasPrefix("user.export") }
        #expect(exports == ["user.export operator:root@example.com"])
    }

    @Test("an export may take longer than the other statements of its connection")
    func deadline() throws {
        try slowExports(site, seconds: 2)
        var settings = site.test.settings(as: "hearth_admin")
        settings.statementTimeoutSeconds = 1
        let session = try OperatorSession(settings, operatorName: "jo")
        let ann = try session.user(ConsoleSite.ann).id
        let document = try session.exportAccount(ann, seconds: 60)
        #expect(String(decoding: document, as: UTF8.self).contains(ConsoleSite.ann))
    }

    @Test("the page of a person shows what stops e-mail to the address, and discarded e-mails")
    func mail() throws {
        let browser = try site.browser(of: "root@example.com")
        #expect(try browser.open(Self.page).says("The address gets every e-mail"))
        try site.asOwner(
            """
            INSERT INTO app.suppressed_addresses (email, since, reason)
                VALUES ('ann.fisher@example.com', now(), 'no such user');
            INSERT INTO app.refused_invitations (email) VALUES ('ann.fisher@example.com');
            INSERT INTO jobs.dead (id, queue, kind, payload, max_attempts, attempt, crashes,
                    priority, run_at, enqueued_at, last_error)
                OVERRIDING SYSTEM VALUE
                SELECT n, 'mail', 'mail.account_blocked', jsonb_build_object('recipient', r),
                    25, 25, 0, 0, now(), now(), 'the server said 550 no'
                FROM (VALUES (900, '\(ConsoleSite.ann)'), (901, '\(ConsoleSite.bo)'))
                    AS j (n, r)
            """)
        let page = try browser.open(Self.page)
        #expect(page.says("gets no e-mail") && page.says("no such user"))
        #expect(page.says("gets no invitations") && page.says("the server said 550 no"))
        #expect(page.targets.contains("/jobs/900") && !page.targets.contains("/jobs/901"))
        #expect(page.targets.contains("/addresses/allow"))
        let viewer = try site.browser(of: "vic@example.com").open(Self.page)
        #expect(viewer.says("gets no e-mail") && !viewer.says("no such user"))
        #expect(!viewer.says("ann.fisher") && !viewer.targets.contains("/addresses/allow"))
    }

    @Test("the page of a person shows each e-mail to the account with its outcome, to viewers too")
    func mails() throws {
        let root = try site.browser(of: "root@example.com")
        #expect(try root.open(Self.page).says("No e-mail has been sent to the account lately"))
        _ = try root.perform(Self.page + "/send-reset")
        try site.asOwner(
            """
            UPDATE jobs.live SET attempt = 3, last_error = '451 <ann.fisher@example.com>: later';
            INSERT INTO jobs.history (id, attempt, queue, kind, outcome, recipient) VALUES
                (900, 0, 'mail', 'mail.password_changed', 'done', '\(ConsoleSite.ann)'),
                (901, 0, 'mail', 'mail.consent_code', 'expired', '\(ConsoleSite.ann)'),
                (902, 1, 'mail', 'mail.graduated', 'cancelled', '\(ConsoleSite.ann)'),
                (903, 0, 'mail', 'mail.account_blocked', 'done', '\(ConsoleSite.bo)')
            """)
        func row(_ name: String, _ page: ConsolePage) -> Substring {
            page.text.split(separator: "\n").first { $0.contains(">\(name)</a>") } ?? ""
        }
        for name in ["root", "vic"] {
            let page = try site.browser(of: "\(name)@example.com").open(Self.page)
            #expect(row("code or link", page).contains("is tried again"), "\(page)")
            #expect(row("code or link", page).contains("<td>3</td>"))
            let hasAddress = row("code or link", page).contains("ann.fisher@example.com")
            #expect(hasAddress == (name == "root"))
            let job: Int64 = try site.scalar("SELECT id FROM jobs.live")
            for path in ["/jobs/\(job)", "/jobs/list"] {
                let shown = try site.browser(of: "\(name)@example.com").open(path)
                #expect(shown.says("451") && shown.says("later"), "\(shown)")
                #expect(shown.says("ann.fisher") == (name == "root"), "\(path)")
            }
            #expect(row("password changed", page).contains("sent"))
            #expect(row("consent code", page).contains("too late"))
            #expect(row("graduated", page).contains("no longer needed"))
            #expect(row("account blocked", page).isEmpty)
            #expect(page.targets.contains("/jobs/900"))
        }
    }

    @Test("a person's page shows their own and their children's consents, and which are in force")
    func consents() throws {
        let family = try site.makeFamily()
        let browser = try site.browser(of: "root@example.com")
        #expect(try browser.open(Self.page).says("This person has given no consent"))
        try site.asOwner(
            """
            INSERT INTO app.account_consents (user_id, purpose, version, given_at, ended_at)
                VALUES ('\(ConsoleSite.ann)', 'terms', 'old-terms', now() - interval '2 days',
                        now() - interval '1 day'),
                    ('\(ConsoleSite.ann)', 'terms', 'new-terms', now() - interval '1 day', NULL),
                    ('\(ConsoleSite.bo)', 'terms', 'others', now(), NULL);
            INSERT INTO app.consents (family_unit_id, member_id, purpose, version, method, given_by,
                    given_at, ended_at)
                SELECT m.family_unit_id, m.id, 'photos', 'child-1', 'email_code',
                    '\(ConsoleSite.ann)', now() - interval '3 days', now()
                FROM app.family_members AS m
                WHERE m.family_unit_id = '\(family)' AND m.user_kind = 'managed'
            """)
        let page = try browser.open(Self.page)
        func row(_ version: String) -> String {
            page.text.split(separator: "\n").first { $0.contains("<td>\(version)</td>") }
                .map { String($0) } ?? ""
        }
        #expect(row("old-terms").contains("<td>replaced</td>"), "\(page)")
        #expect(row("new-terms").contains("in force"), "\(page)")
        #expect(row("child-1").contains("withdrawn") && row("child-1").contains("a mailed code"))
        #expect(row("child-1").contains("Nemo Little Fisher") && row("others").isEmpty)
        let child: String = try site.scalar(
            "SELECT id::text FROM app.users WHERE kind = 'managed'")
        let viewer = try site.browser(of: "vic@example.com")
        for path in [Self.page, "/people/\(child)"] {
            let shown = try viewer.open(path)
            #expect(shown.says("child-1") && shown.says("N. L. F."), "\(path)")
            #expect(!shown.says("Nemo"), "\(path)")
        }
    }

    @Test("a person's page leads to the children, a child's to its guardians, primary first")
    func kin() throws {
        let family = try site.makeFamily()
        let browser = try site.browser(of: "root@example.com")
        func member(_ name: String) throws -> (id: String, user: String) {
            let ids: String = try site.scalar(
                """
                SELECT m.id || ' ' || m.user_id FROM app.family_members AS m
                JOIN app.users AS u ON u.id = m.user_id WHERE u.full_name = \(name)
                """)
            let parts = ids.split(separator: " ").map { String($0) }
            return (parts[0], parts[1])
        }
        let child = try member("Nemo Little Fisher")
        let added = try browser.perform(
            "/members/\(child.id)/add-guardian", ["guardian": member("Bo Tern").id])
        #expect(added.status == 303, "\(added)")
        func row(_ user: String, _ page: ConsolePage) -> Substring {
            page.text.split(separator: "\n").first {
                $0.contains("href=\"/people/\(user)\"") && $0.contains("/families/\(family)")
            } ?? ""
        }
        for (guardian, kind) in [(ConsoleSite.ann, "primary"), (ConsoleSite.bo, "further")] {
            let page = try browser.open("/people/\(guardian)")
            #expect(page.says("<h2>Children</h2>") && !page.says("<h2>Guardians</h2>"))
            #expect(row(child.user, page).contains("<td>\(kind)</td>"), "\(page)")
        }
        let page = try browser.open("/people/\(child.user)")
        #expect(page.says("<h2>Guardians</h2>") && !page.says("<h2>Children</h2>"))
        let names = page.text.matches(of: />(Ann Fisher|Bo Tern)</).map { String($0.1) }
        #expect(names == ["Ann Fisher", "Bo Tern"], "\(page)")
        #expect(row(ConsoleSite.ann, page).contains("<td>primary</td>"))
        #expect(row(ConsoleSite.bo, page).contains("<td>further</td>"))
        let stranger = try browser.open("/people/\(ConsoleSite.sue)")
        #expect(stranger.says("This person is not a guardian of any child."))
        let viewer = try site.browser(of: "vic@example.com").open(Self.page)
        #expect(row(child.user, viewer).contains("N. L. F.") && !viewer.says("Nemo"), "\(viewer)")
    }

    @Test("a person's page leads to the open invitations to the address, or of a child to grow up")
    func invitations() throws {
        let family = try site.makeFamily()
        let child: String = try site.scalar(
            "SELECT user_id::text FROM app.family_members WHERE user_kind = 'managed'")
        let browser = try site.browser(of: "root@example.com")
        let path = "/people/\(ConsoleSite.sue)"
        #expect(try browser.open(path).says("There is no open invitation"))
        try site.asOwner(
            """
            INSERT INTO app.family_invitations (kind, graduate_id, family_unit_id, invited_by,
                    invited_email, role, household_role, delivery, sent_count, last_sent_at, status,
                    closed_at)
                VALUES ('member', NULL, '\(family)', '\(ConsoleSite.ann)', 'sue@example.com',
                        'parent', 'adult', 'email', 1, now(), 'pending', NULL),
                    ('member', NULL, '\(family)', '\(ConsoleSite.ann)', 'sue@example.com',
                        'parent', 'adult', 'email', 1, now(), 'revoked', now()),
                    ('graduation', (
                        SELECT m.id FROM app.family_members AS m WHERE m.user_kind = 'managed'),
                        '\(family)', '\(ConsoleSite.ann)', 'nemo@example.com', 'player', 'kid',
                        'email', 1, now(), 'pending', NULL)
            """)
        func row(_ email: String) throws -> String {
            let id: String = try site.scalar(
                """
                SELECT id::text FROM app.family_invitations
                WHERE invited_email = \(email) AND status = 'pending'
                """)
            return "/families/\(family)#invitation-\(id)"
        }
        func rows(_ path: String, _ browser: ConsoleBrowser) throws -> Set<String> {
            try browser.open(path).targets.filter { $0.contains("#invitation-") }
        }
        #expect(try rows(path, browser) == [row("sue@example.com")])
        #expect(try rows("/people/\(child)", browser) == [row("nemo@example.com")])
        #expect(try rows(Self.page, browser) == [])
        let viewer = try site.browser(of: "vic@example.com")
        #expect(try rows(path, viewer) == [row("sue@example.com")])
        let masked = try viewer.open("/people/\(child)")
        #expect(masked.says("n***@example.com") && !masked.says("nemo@example.com"), "\(masked)")
    }
}
