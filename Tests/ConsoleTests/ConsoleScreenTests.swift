import Crypto
import Foundation
import Postgres
import TestSupport
import Testing
import UseCases

@Suite("Screens of the console")
struct ConsoleScreenTests {
    let site: ConsoleSite
    let family: String

    init() throws {
        site = try ConsoleSite()
        family = try site.makeFamily()
    }

    private func memberID(_ user: String) throws -> String {
        try site.scalar("SELECT id::text FROM app.family_members WHERE user_id = \(user)::uuid")
    }

    private func childID() throws -> String {
        try site.scalar(
            "SELECT user_id::text FROM app.family_members WHERE user_kind = 'managed'")
    }

    private func addPerson(_ id: String, _ email: String, named name: String, role: String) throws {
        try site.asOwner(
            """
            INSERT INTO app.users (id, email, email_verified, full_name, role)
                VALUES ('\(id)', '\(email)', true, '\(name)', '\(role)')
            """)
    }

    /// Adds a dead job of the queue `mail` for Ann, and returns its number.
    private func addDeadJob(error: String = "the server said 550 no") throws -> Int64 {
        try site.scalar(
            """
            WITH enqueued AS (
                SELECT jobs.enqueue('mail', 'mail.account_blocked', NULL,
                    jsonb_build_object('recipient', \(ConsoleSite.ann))) AS id),
            dead AS (
                INSERT INTO jobs.dead (id, queue, kind, payload, max_attempts, attempt, crashes,
                        priority, run_at, enqueued_at, last_error)
                    OVERRIDING SYSTEM VALUE
                    SELECT e.id + 1000, 'mail', 'mail.account_blocked', '{"recipient": "secret"}',
                        25, 25, 0, 0, now(), now(), \(error)
                    FROM enqueued AS e RETURNING id)
            SELECT id FROM dead
            """)
    }

    @Test("every page of the navigation opens for each role, and names the operator")
    func rail() throws {
        for name in ["root", "sue", "vic"] {
            let browser = try site.browser(of: "\(name)@example.com")
            for path in [
                "/", "/?period=week", "/families", "/people", "/jobs", "/jobs/list", "/audit",
            ] {
                let page = try browser.open(path)
                #expect(page.status == 200, "\(path) of \(name): \(page)")
                #expect(page.says("\(name)@example.com"))
                #expect(page.text.utf8.count < 60_000)
            }
        }
    }

    @Test("a viewer sees no full address, no child's name, no code and no payload")
    func viewer() throws {
        let job = try addDeadJob()
        let child = try childID()
        let code: String = try site.scalar("SELECT family_code FROM app.family_units")
        let kid = "55555555-5555-4555-8555-555555555555"
        try addPerson(kid, "kit@example.com", named: "Kit Young Tern", role: "player")
        try site.asOperator { session in
            _ = try session.addMember(
                session.user(kid).id, to: session.family(family).id, role: nil, householdRole: nil)
            _ = try session.block(
                session.user("bo@example.com").id, reason: "writes ann.fisher@example.com")
        }
        let paths = [
            "/", "/people", "/people/\(ConsoleSite.ann)", "/people/\(ConsoleSite.bo)",
            "/people/\(child)", "/people/\(kid)", "/families", "/families/\(family)", "/jobs",
            "/jobs/\(job)",
            "/audit", "/audit.csv", "/audit.json", "/audit?user=\(ConsoleSite.ann)",
        ]
        let secrets = [
            "ann.fisher@example.com", "bo@example.com", "Nemo", "Little Fisher", "Young Tern",
            "kit@example.com", code, "recipient",
        ]
        let admin = try site.browser(of: "root@example.com")
        let viewer = try site.browser(of: "vic@example.com")
        var seen = Set<String>()
        for path in paths {
            let page = try admin.open(path)
            #expect(page.status == 200, "\(path): \(page)")
            seen.formUnion(secrets.filter(page.text.contains))
            let masked = try viewer.open(path)
            #expect(masked.status == 200, "\(path): \(masked)")
            let shown = secrets.filter(masked.text.contains)
            #expect(shown == [], "\(path) shows a viewer \(shown)")
            #expect(!masked.says("root@example.com") && !masked.says("sue@example.com"))
        }
        #expect(seen == Set(secrets), "an admin sees them all, or this test proves nothing")
        let page = try viewer.open("/families/\(family)")
        #expect(page.says("N. L. F.") && page.says("K. Y. T."))
        #expect(try viewer.search("kit y", from: page).says("Nothing found."))
        #expect(try admin.search("kit y", from: admin.open("/")).location == "/people/\(kid)")
        #expect(try viewer.open("/people").says("a***@example.com"))
    }

    @Test("a viewer sees no address that stands within a name, and finds nobody by it")
    func addressesInNames() throws {
        let address = "carl@example.com"
        let carl = "66666666-6666-4666-8666-666666666666"
        try addPerson(carl, "other@example.com", named: "\(address) Heron", role: "parent")
        try site.asOperator { session in
            _ = try session.createFamily(
                owner: session.user(carl).id, name: .init("\(address) and Co"), role: nil)
        }
        let other: String = try site.scalar(
            "SELECT id::text FROM app.family_units WHERE family_name LIKE 'carl@%'")
        let admin = try site.browser(of: "root@example.com")
        let viewer = try site.browser(of: "vic@example.com")
        let paths = [
            "/people", "/people/\(carl)", "/families", "/families?list=name", "/families/\(other)",
            "/audit", "/audit.csv", "/audit.json",
        ]
        for path in paths {
            #expect(try admin.open(path).text.contains(address), "\(path)")
            let masked = try viewer.open(path)
            #expect(!masked.text.contains(address), "\(path)")
            let mask = path.contains(".") ? "<address>" : "&lt;address&gt;"
            #expect(masked.text.contains(mask), "\(path) still names the person")
        }
        #expect(try viewer.open("/people/\(carl)").says("&lt;address&gt; Heron"))
        // A viewer does not see the names that people give to passkeys and devices.
        try site.asOwner(
            """
            INSERT INTO app.sessions (id, user_id, method, device, ends_at) VALUES
                (gen_random_uuid(), '\(carl)', 'email', 'Nemo''s tablet', now() + interval '1 day');
            INSERT INTO app.passkeys (id, user_id, credential_id, public_key, counter, label,
                    model, transports, is_backup_eligible, is_backed_up)
                VALUES (gen_random_uuid(), '\(carl)', 'x', 'key', 0, 'Key of Nemo',
                    gen_random_uuid(), '{}', true, true)
            """)
        let whole = try admin.open("/people/\(carl)")
        #expect(whole.says("Nemo&#39;s tablet") && whole.says("Key of Nemo"), "\(whole)")
        let masked = try viewer.open("/people/\(carl)")
        #expect(!masked.text.contains("Nemo"))
        #expect(masked.text.ranges(of: "<td>not shown</td>").count == 2, "\(masked)")
        #expect(try admin.search("carl@ex", from: admin.open("/")).text.contains(address))
        #expect(try viewer.search("carl@ex", from: viewer.open("/")).says("Nothing found."))
        #expect(try viewer.search("Carl@", from: viewer.open("/")).says("Nothing found."))
    }

    @Test("a viewer sees a guardian who was once a kid of a family by initials on every page")
    func guardianNames() throws {
        let paths = ["/families/\(family)", "/people/\(try childID())"]
        let viewer = try site.browser(of: "vic@example.com")
        for path in paths { #expect(try viewer.open(path).says("Ann Fisher"), "\(path)") }
        let other: String = try site.asOperator { session in
            try session.createFamily(
                owner: session.user(ConsoleSite.bo).id, name: .init("The Herons"), role: nil
            ).id.description
        }
        try site.asOwner(
            """
            INSERT INTO app.family_members (family_unit_id, user_id, user_kind, role,
                    household_role, status, joined_via, removed_at)
                VALUES ('\(other)', '\(ConsoleSite.ann)', 'account', 'player', 'kid', 'removed',
                    'code', now())
            """)
        for path in paths {
            let page = try viewer.open(path)
            #expect(!page.says("Ann Fisher") && page.says("A. F."), "\(path): \(page)")
        }
    }

    @Test("the database role of viewers can't read tables with personal data")
    func viewerRole() throws {
        let connection = try Connection(site.test.settings(as: "hearth_viewer"))
        for table in [
            "app.users", "app.family_members", "app.family_units", "app.family_invitations",
            "app.audit_log", "app.sessions", "app.sign_ins_log", "jobs.live", "jobs.dead",
            "app.console_sessions", "app.console_links", "app.console_passkeys", "app.passwords",
        ] {
            #expect(throws: PostgresError.self, "\(table)") {
                _ = try connection.query("SELECT * FROM \(unsafe: table)")
            }
        }
        #expect(throws: PostgresError.self) {
            _ = try connection.query("SELECT app.begin_operation('jo')")
        }
    }

    @Test("views of a person are recorded once in ten minutes, with the operator's name")
    func views() throws {
        let browser = try site.browser(of: "vic@example.com")
        for _ in 0..<3 {
            #expect(try browser.open("/people/\(ConsoleSite.ann)").status == 200)
        }
        let views = try site.audit().filter { $0.hasPrefix("user.view") }
        #expect(views == ["user.view operator:vic@example.com"])
    }

    @Test("a confirmation page that shows a person is recorded as a view, a refused one is not")
    func viewsBeforeChanges() throws {
        func views() throws -> [String] {
            try Connection(site.test.settings()).query(
                """
                SELECT subject_user_id::text || ' ' || actor_label FROM app.audit_log
                WHERE action = 'user.view' ORDER BY at, id
                """
            ).decode(as: Scalar<String>.self).map(\.value)
        }
        let path = "/people/\(ConsoleSite.ann)/block"
        #expect(try site.browser(of: "vic@example.com").open(path).status == 403)
        #expect(try views() == [])
        let support = try site.browser(of: "sue@example.com")
        for _ in 0..<2 { #expect(try support.open(path).status == 200) }
        #expect(try views() == ["\(ConsoleSite.ann) operator:sue@example.com"])
        let member = try memberID(ConsoleSite.bo)
        let root = try site.browser(of: "root@example.com")
        #expect(try root.open("/members/\(member)/remove").status == 200)
        #expect(try views().last == "\(ConsoleSite.bo) operator:root@example.com")
        #expect(try views().count == 2)
    }

    @Test("the overview says that there are more errors of dead jobs than it names")
    func manyErrors() throws {
        func add(_ numbers: ClosedRange<Int>) throws {
            try site.asOwner(
                """
                INSERT INTO jobs.dead (id, queue, kind, payload, max_attempts, attempt, crashes,
                        priority, run_at, enqueued_at, last_error)
                    SELECT n, 'mail', 'mail.invitation', '{}', 25, 25, 0, 0, now(), now(),
                        'error ' || n
                    FROM generate_series(\(numbers.lowerBound), \(numbers.upperBound)) AS n
                """)
        }
        let sentence = "has further errors of dead jobs"
        try add(801...820)
        let browser = try site.browser(of: "vic@example.com")
        let page = try browser.open("/")
        #expect(page.says("error 820") && !page.says(sentence), "\(page)")
        try add(821...821)
        try eventually { try browser.open("/").says(sentence) }
    }

    @Test("the search finds families, people, members and jobs")
    func search() throws {
        let job = try addDeadJob()
        let code: String = try site.scalar("SELECT family_code FROM app.family_units")
        let browser = try site.browser(of: "sue@example.com")
        let page = try browser.open("/")
        func find(_ text: String) throws -> ConsolePage {
            try browser.search(text, from: page)
        }
        for text in [code, code.lowercased(), "the ter", family] {
            #expect(try find(text).location == "/families/\(family)", "\(text)")
        }
        #expect(try find(memberID(ConsoleSite.bo)).location == "/families/\(family)")
        // Both the name and the address begin with "ann".
        for text in ["ann.fisher@example.com", "ann.fi", "Ann F", "ann", ConsoleSite.ann] {
            #expect(try find(text).location == "/people/\(ConsoleSite.ann)", "\(text)")
        }
        #expect(try find("nemo").location == "/people/\(childID())")
        #expect(try find("\(job)").location == "/jobs/\(job)")
        let nothing = try find("zebra")
        #expect(nothing.status == 200 && nothing.says("Nothing found."))
        try site.asOwner(
            """
            INSERT INTO jobs.history (id, attempt, queue, kind, outcome)
                VALUES (123456789, 1, 'mail', 'mail.invitation', 'done')
            """)
        #expect(try find("123456789").location == "/jobs/123456789")
        #expect(try find("123456788").says("Nothing found."))
        #expect(try find("<b>").says("&lt;b&gt;"))
    }

    @Test("a search for one character says that it finds no people, and none found what to check")
    func shortSearch() throws {
        let browser = try site.browser(of: "sue@example.com")
        let start = try browser.open("/")
        let words = "A single character finds no people: type at least two."
        let one = try browser.search("a", from: start)
        #expect(one.status == 200 && one.says("Nothing found.") && one.says(words), "\(one)")
        #expect(!one.targets.contains("/people/\(ConsoleSite.ann)"), "\(one)")
        #expect(try browser.search("an", from: start).location == "/people/\(ConsoleSite.ann)")
        let nothing = try browser.search("zebra", from: start)
        #expect(nothing.says("Perhaps it is mistyped") && !nothing.says(words), "\(nothing)")
        #expect(nothing.says("(at least two characters)"), "\(nothing)")
    }

    @Test("a person is found by a further address that signs in, until it is removed")
    func searchOfFurtherAddress() throws {
        try site.asOwner(
            """
            INSERT INTO app.email_sign_ins (user_id, email)
                VALUES ('\(ConsoleSite.ann)', 'ann.at.work@example.org')
            """)
        let browser = try site.browser(of: "vic@example.com")
        let page = try browser.open("/")
        func find(_ text: String) throws -> ConsolePage {
            try browser.search(text, from: page)
        }
        #expect(try find("Ann.at.Work@example.org").location == "/people/\(ConsoleSite.ann)")
        try site.asOwner(
            """
            UPDATE app.email_sign_ins SET removed_at = now()
                WHERE email = 'ann.at.work@example.org'
            """)
        #expect(try find("ann.at.work@example.org").says("Nothing found."))
    }

    @Test("a viewer finds a person by the full address, and no child by name")
    func searchOfViewer() throws {
        let browser = try site.browser(of: "vic@example.com")
        let page = try browser.open("/")
        func find(_ text: String) throws -> ConsolePage {
            try browser.search(text, from: page)
        }
        #expect(try find("ann.fisher@example.com").location == "/people/\(ConsoleSite.ann)")
        #expect(try find("ann.fi").says("Nothing found."))
        #expect(try find("Nemo").says("Nothing found."))
    }

    @Test("results have an address without the text, for an hour and the operator's session only")
    func searchResults() throws {
        let browser = try site.browser(of: "sue@example.com")
        let sent = try browser.send("/search", from: browser.open("/"), ["q": "Zebra <1>"])
        let address = try #require(sent.location)
        #expect(sent.status == 303 && address.hasPrefix("/search?sealed="), "\(sent)")
        #expect(!address.contains("ebra"))
        // A reload, or a return to the page.
        for _ in 0..<2 {
            let page = try browser.open(address)
            #expect(page.status == 200 && page.heading == "Search: Zebra &lt;1&gt;", "\(page)")
            #expect(try page.fields(of: "/search")["q"] == "Zebra <1>")
        }
        let altered = String(address.dropLast()) + (address.hasSuffix("A") ? "Q" : "A")
        let others = [
            (browser, altered), (browser, "/search?sealed=x"),
            (try site.browser(of: "sue@example.com"), address),
        ]
        for (other, path) in others {
            let page = try other.open(path)
            #expect(page.status == 410 && page.alert?.contains("has expired") == true, "\(page)")
            #expect(!page.says("Zebra"))
        }
        #expect(try ConsoleBrowser(site).open(address).location?.hasPrefix("/sign-in") == true)
    }

    @Test("a sealed search opens until its time is over, and by the token that sealed it only")
    func sealedSearch() throws {
        let token = try ConsoleToken.random()
        let sealed = try token.sealedSearch("Ann é", now: 1_000)
        let end = 1_000 + ConsoleToken.searchSeconds
        #expect(try token.search(sealed, now: end - 1) == "Ann é")
        #expect(try token.search(sealed, now: end) == nil)
        #expect(try ConsoleToken.random().search(sealed, now: 1_000) == nil)
        #expect(try token.sealedSearch("Ann é", now: 1_000) != sealed)
        #expect(try token.search("", now: 1_000) == nil)
    }

    @Test("an empty search leads to the page that says what is searched, a too long one gets 400")
    func searchScope() throws {
        for (name, scope) in [
            ("sue", "the beginning of a person&#39;s address"),
            ("vic", "a person&#39;s whole address"),
        ] {
            let browser = try site.browser(of: "\(name)@example.com")
            let start = try browser.open("/")
            let page = try browser.search("  ", from: start)
            #expect(page.status == 200 && page.says("Later words of a name are not searched"))
            #expect(page.says(scope), "\(page)")
            #expect(page.says("By name, children are not found") == (name == "vic"))
            let longest = String(repeating: "é", count: 200)
            #expect(try browser.search(longest, from: start).says("Nothing found."))
            let refused = try browser.send("/search", from: start, ["q": longest + "é"])
            #expect(refused.status == 400 && refused.alert?.contains("200 characters") == true)
        }
    }

    @Test("an open invitation is found by its whole address, which viewers see masked")
    func searchOfInvitations() throws {
        func invite(_ email: String) throws -> String {
            try site.scalar(
                """
                INSERT INTO app.family_invitations (family_unit_id, invited_by, invited_email,
                        role, household_role, delivery, sent_count, last_sent_at)
                    VALUES (\(family)::uuid, \(ConsoleSite.ann)::uuid, \(email), 'parent', 'adult',
                        'email', 1, now())
                    RETURNING id::text
                """)
        }
        let id = try invite("cy.gull@example.com")
        let row = "/families/\(family)#invitation-\(id)"
        for name in ["root", "sue", "vic"] {
            let browser = try site.browser(of: "\(name)@example.com")
            let start = try browser.open("/")
            for text in ["cy.gull@example.com", "Cy.Gull@Example.com", id] {
                #expect(try browser.search(text, from: start).location == row, "\(text) by \(name)")
            }
            #expect(try browser.search("cy.gull@", from: start).says("Nothing found."))
            let page = try browser.open("/families/\(family)")
            #expect(page.says("id=\"invitation-\(id)\""), "\(page)")
            #expect(page.says("cy.gull@example.com") == (name != "vic"))
        }
        // Bo has an account too, and both results are shown.
        let other = try invite("bo@example.com")
        for name in ["sue", "vic"] {
            let browser = try site.browser(of: "\(name)@example.com")
            let page = try browser.search("bo@example.com", from: browser.open("/"))
            let paths: Set = [
                "/people/\(ConsoleSite.bo)", "/families/\(family)#invitation-\(other)",
            ]
            #expect(page.status == 200 && page.targets.isSuperset(of: paths), "\(page)")
            #expect(page.says("b***@example.com") == (name == "vic"))
        }
        try site.asOwner(
            "UPDATE app.family_invitations SET status = 'revoked', closed_at = now()")
        let sue = try site.browser(of: "sue@example.com")
        let closed = try sue.search("cy.gull@example.com", from: sue.open("/"))
        #expect(closed.says("Nothing found."), "\(closed)")
    }

    /// Requests a code for an address, as the API does, and returns the number of the e-mail's job.
    private func requestCode(_ token: String, for address: String) throws -> Int64 {
        let _: Int = try site.scalar(
            """
            SELECT count(*) FROM app.create_email_token(\(token)::uuid, 'sign_in', \(address),
                sha256(\(token)::text::bytea), sha256(('l' || \(token)::text)::bytea), NULL, NULL,
                NULL, '192.0.2.0/24', jsonb_build_object('ticket', \(token)::text), 'en', NULL)
            """)
        return try site.scalar("SELECT max(id) FROM jobs.live WHERE kind = 'mail.ticket'")
    }

    /// Finishes a waiting job.
    private func finish(_ job: Int64) throws {
        try site.asOwner(
            """
            WITH done AS (DELETE FROM jobs.live AS j WHERE j.id = \(job) RETURNING j.*)
            INSERT INTO jobs.history (id, enqueued_at, attempt, queue, kind, outcome, recipient)
                SELECT d.id, d.enqueued_at, d.attempt, d.queue, d.kind, 'done',
                    jobs.recipient_of(d.queue, d.payload)
                FROM done AS d
            """)
    }

    private func row(of job: Int64, on page: ConsolePage) -> String {
        page.text.split(separator: "\n").first { $0.contains("href=\"/jobs/\(job)\"") }
            .map { String($0) } ?? ""
    }

    @Test("the search by an address without an account finds the codes that were mailed to it")
    func searchOfMailedAddress() throws {
        let (address, token) = ("grandma@example.com", "99999999-9999-4999-8999-999999999999")
        func search(_ text: String, _ name: String) throws -> ConsolePage {
            let browser = try site.browser(of: "\(name)@example.com")
            return try browser.search(text, from: browser.open("/"))
        }
        let before = try search(address, "sue")
        #expect(before.says("Nothing found.") && before.says("The address gets every e-mail."))
        #expect(before.says("No code or link was lately mailed to this address"), "\(before)")
        let job = try requestCode(token, for: address)
        let recipient: String = try site.scalar("SELECT payload ->> 'recipient' FROM jobs.live")
        #expect(recipient == token)
        #expect(try row(of: job, on: search("Grandma@Example.com", "sue")).contains("waits"))
        #expect(try search("grandma@example.co", "sue").says("Nothing found."))
        #expect(try search("grandma@", "sue").says("Nothing found."))
        try site.asOwner(
            """
            UPDATE jobs.live SET attempt = 2, last_error = '451 <grandma@example.com>: later';
            INSERT INTO app.suppressed_addresses (email, since, reason)
                VALUES ('grandma@example.com', now(), 'no such user')
            """)
        for name in ["root", "sue", "vic"] {
            let page = try search(address, name)
            let line = row(of: job, on: page)
            #expect(line.contains("code or link") && line.contains("is tried again"), "\(page)")
            #expect(line.contains("451") && line.contains(address) == (name != "vic"), "\(line)")
            #expect(page.says("gets no e-mail") && !page.says("Nothing found."))
            #expect(page.says("no such user") == (name != "vic"))
            #expect(page.says("g***@example.com") == (name == "vic"))
            #expect(page.targets.contains("/addresses/allow") == (name == "root"))
            #expect(page.targets.contains("/mail"))
        }
        try finish(job)
        let second = try requestCode("88888888-8888-4888-8888-888888888888", for: address)
        try site.asOwner("SELECT jobs.discard(\(second), '550 no')")
        let ended = try search(address, "vic")
        #expect(row(of: job, on: ended).contains("sent"), "\(ended)")
        #expect(row(of: second, on: ended).contains("discarded"), "\(ended)")
        // An open invitation to the address does not hide what is known about its e-mails.
        try site.asOwner(
            """
            INSERT INTO app.family_invitations (family_unit_id, invited_by, invited_email, role,
                    household_role, delivery, sent_count, last_sent_at)
                VALUES ('\(family)', '\(ConsoleSite.ann)', '\(address)', 'parent', 'adult',
                    'email', 1, now())
            """)
        let both = try search(address, "sue")
        #expect(both.says("Open invitations") && !row(of: job, on: both).isEmpty, "\(both)")
        // Nothing leads from the address to the job once the token is deleted.
        try site.asOwner("DELETE FROM app.email_tokens")
        #expect(try row(of: job, on: search(address, "sue")).isEmpty)
    }

    @Test("the search by the new address of an account finds the link that was mailed to it")
    func searchOfNewAddress() throws {
        let root = try site.provenBrowser(of: "root@example.com")
        let sent = try root.perform(
            "/people/\(ConsoleSite.ann)/set-address", ["email": "ann.gull@example.com"])
        #expect(sent.status == 303, "\(sent)")
        let (link, notice): (Int64, Int64) = (
            try site.scalar("SELECT id FROM jobs.live WHERE kind = 'mail.ticket'"),
            try site.scalar("SELECT id FROM jobs.live WHERE kind = 'mail.address_changing'")
        )
        func page() throws -> ConsolePage {
            try root.search("ann.gull@example.com", from: root.open("/"))
        }
        #expect(try row(of: link, on: page()).contains("waits"))
        #expect(try row(of: notice, on: page()).isEmpty)
        // A code that was mailed to the account's present address just afterwards.
        try site.asOwner(
            """
            INSERT INTO jobs.history (id, enqueued_at, attempt, queue, kind, outcome, recipient)
                SELECT 900001, t.opened_at + interval '5 seconds', 1, 'mail', 'mail.ticket', 'done',
                    t.user_id
                FROM app.email_tokens AS t
            """)
        #expect(try row(of: 900001, on: page()).isEmpty)
        #expect(try row(of: link, on: page()).contains("waits"))
        try finish(link)
        try finish(notice)
        #expect(try row(of: link, on: page()).contains("sent"))
        #expect(try row(of: notice, on: page()).isEmpty)
        #expect(try row(of: 900001, on: page()).isEmpty)
    }

    @Test("the search by a suppressed address says so, though another one begins with it")
    func searchOfSuppressedAddress() throws {
        try site.asOwner(
            """
            INSERT INTO app.suppressed_addresses (email, since, reason) VALUES
                ('ann.fisher@example.co', now(), 'no such user'),
                ('ann.fisher@example.com', now(), 'no such user')
            """)
        let browser = try site.browser(of: "sue@example.com")
        let page = try browser.search("ann.fisher@example.co", from: browser.open("/"))
        #expect(page.status == 200 && page.says("gets no e-mail"), "\(page)")
        #expect(page.targets.contains("/people/\(ConsoleSite.ann)"))
        // The page of the person says the same.
        let owner = try browser.search("ann.fisher@example.com", from: browser.open("/"))
        #expect(owner.location == "/people/\(ConsoleSite.ann)", "\(owner)")
    }

    @Test("support can block and unblock a person, and both audit entries name the operator")
    func block() throws {
        let browser = try site.browser(of: "sue@example.com")
        let path = "/people/\(ConsoleSite.ann)"
        let done = try browser.perform(path + "/block", ["reason": "spam"])
        #expect(done.status == 303 && done.location == path + "?done=block", "\(done)")
        let page = try browser.open(path + "?done=block")
        #expect(page.says("The account is blocked.") && page.says("spam") && page.says("unblock"))
        #expect(!page.targets.contains(path + "/block"))
        #expect(try browser.perform(path + "/block", ["reason": "again"]).status == 409)
        #expect(try browser.perform(path + "/unblock").status == 303)
        let entries = try site.audit().filter { $0.contains("block") }
        #expect(
            entries == [
                "user.block operator:sue@example.com", "user.unblock operator:sue@example.com",
            ])
    }

    @Test("a missing or wrong field gets 400 with its name, and the form keeps the typed values")
    func wrongField() throws {
        let browser = try site.browser(of: "root@example.com")
        let path = "/families/\(family)/invite"
        let page = try browser.perform(path, ["email": "no address", "role": "parent"])
        #expect(page.status == 400)
        #expect(page.alert?.contains("expected an e-mail address, found 'no address'") == true)
        #expect(page.says("value=\"no address\""))
        let empty = try browser.perform(path, ["email": "", "role": "parent"])
        #expect(empty.status == 400 && empty.alert == "Address is required.")
    }

    @Test("a refusal by the database is shown with its code")
    func refusal() throws {
        let browser = try site.browser(of: "root@example.com")
        let member = try memberID(ConsoleSite.ann)
        let page = try browser.perform("/members/\(member)/remove")
        #expect(page.status == 409, "\(page)")
        let codes = ["transfer_admin_first", "guardian_has_managed_members"]
        #expect(codes.contains { page.alert?.contains($0) == true }, "\(page.alert ?? "")")
    }

    @Test("a refusal because the family has a Parent Admin names the button that changes that")
    func parentAdmin() throws {
        let browser = try site.browser(of: "root@example.com")
        let (ann, bo) = (try memberID(ConsoleSite.ann), try memberID(ConsoleSite.bo))
        let given = try browser.perform(
            "/members/\(bo)/set-role", ["household": "parent_admin"])
        let removed = try browser.perform("/members/\(ann)/remove", ["successor": bo])
        for page in [given, removed] {
            #expect(
                page.status == 409 && page.alert?.contains("'Change the Parent Admin'") == true,
                "\(page)")
            #expect(!page.says("hearth-admin"))
        }
        #expect(try browser.open("/families/\(family)").says(">Change the Parent Admin</a>"))
    }

    @Test("an admin changes a family: name, code, members, seat, child and guardians")
    func familyOperations() throws {
        let browser = try site.browser(of: "root@example.com")
        let path = "/families/\(family)"
        let (ann, bo) = (try memberID(ConsoleSite.ann), try memberID(ConsoleSite.bo))
        let code: String = try site.scalar("SELECT family_code FROM app.family_units")
        func perform(_ path: String, _ values: [String: String] = [:]) throws {
            let page = try browser.perform(path, values)
            #expect(page.status == 303, "\(path): \(page)")
        }
        try perform(path + "/rename", ["name": "The Gulls"])
        try perform(path + "/new-code", ["days": "30"])
        try perform(path + "/transfer-admin", ["member": bo])
        try perform(path + "/add-child", ["name": "Kit", "guardian": bo])
        let kit: String = try site.scalar(
            """
            SELECT m.id::text FROM app.family_members AS m JOIN app.users AS u ON u.id = m.user_id
            WHERE u.full_name = 'Kit'
            """)
        try perform("/members/\(kit)/add-guardian", ["guardian": ann])
        try perform("/members/\(kit)/primary-guardian", ["guardian": ann])
        try perform("/members/\(kit)/remove-guardian", ["guardian": bo])
        try perform("/members/\(kit)/remove")
        try perform("/members/\(ann)/set-role", ["household": "visitor", "successor": bo])
        try perform(path + "/add-member", ["email": "sue@example.com"])
        let page = try browser.open(path)
        #expect(page.heading == "The Gulls" && !page.says(code))
        let labels = Set(try site.audit().map { String($0.split(separator: " ")[1]) })
        #expect(labels == ["operator:root@example.com"])
    }

    @Test("an admin creates a family for a person, and mails a link for another address")
    func personOperations() throws {
        let browser = try site.provenBrowser(of: "root@example.com")
        let path = "/people/\(ConsoleSite.bo)"
        #expect(try browser.perform(path + "/create-family", ["name": "Nest"]).status == 303)
        #expect(try browser.open(path).says("Nest"))
        let mailed = try browser.perform(path + "/set-address", ["email": "b2@example.com"])
        #expect(mailed.status == 303, "\(mailed)")
        let kinds: String = try site.scalar(
            "SELECT string_agg(DISTINCT kind, ' ' ORDER BY kind) FROM jobs.live")
        #expect(kinds.contains("mail.email_token") || kinds.contains("address"), "\(kinds)")
        #expect(try browser.perform(path + "/clear-limits").status == 303)
        for (count, sentence) in [(1, "1 limit cleared."), (2, "2 limits cleared.")] {
            let cleared = try browser.open("\(path)?done=clear-limits&n=\(count)")
            #expect(cleared.says(">\(sentence)</p>"), "\(cleared)")
        }
        #expect(try browser.perform(path + "/end-sessions").status == 303)
    }

    @Test("support sends an invitation again and revokes it, and an admin invites")
    func invitations() throws {
        let root = try site.browser(of: "root@example.com")
        let invited = try root.perform(
            "/families/\(family)/invite", ["email": "cy@example.com", "role": "player"])
        #expect(invited.status == 303, "\(invited)")
        let id: String = try site.scalar("SELECT id::text FROM app.family_invitations")
        let sue = try site.browser(of: "sue@example.com")
        let page = try sue.open("/families/\(family)")
        #expect(page.says("cy@example.com") && page.says("queued"))
        #expect(try sue.send("/invitations/\(id)/resend", from: page).status == 303)
        #expect(try sue.perform("/invitations/\(id)/revoke").status == 303)
        #expect(try sue.open("/families/\(family)").says("revoked"))
        #expect(try sue.send("/invitations/\(id)/resend", from: page).status == 409)
    }

    @Test("an invitation by link can be revoked, but not sent again, because nobody would get it")
    func invitationByLink() throws {
        let id: String = try site.scalar(
            """
            INSERT INTO app.family_invitations (family_unit_id, invited_by, role, household_role,
                    delivery, sent_count, last_sent_at)
                VALUES (\(family)::uuid, \(ConsoleSite.ann)::uuid, 'parent', 'adult', 'link', 1,
                    now())
                RETURNING id::text
            """)
        let sue = try site.browser(of: "sue@example.com")
        let page = try sue.open("/families/\(family)")
        #expect(page.says("anyone with the link"), "\(page)")
        #expect(page.targets.contains("/invitations/\(id)/revoke"))
        let path = "/invitations/\(id)/resend"
        #expect(!page.targets.contains(path))
        #expect(try sue.post(path, ["form_token": sue.formToken()]).status == 409)
    }

    @Test("support approves a waiting person; an operator's request gets 403, a repetition 409")
    func approve() throws {
        let dee = "44444444-4444-4444-8444-444444444444"
        try site.asOwner(
            """
            INSERT INTO app.users (id, email, email_verified, full_name, role)
                VALUES ('\(dee)', 'dee@example.com', true, 'Dee', 'parent')
            """)
        func wait(_ user: String) throws -> String {
            try site.scalar(
                """
                INSERT INTO app.family_members (family_unit_id, user_id, user_kind, role,
                        household_role, status, joined_via)
                    VALUES (\(family)::uuid, \(user)::uuid, 'account', 'parent', 'adult',
                        'invited', 'code')
                    RETURNING id::text
                """)
        }
        let (admin, member) = (try wait(ConsoleSite.root), try wait(dee))
        let sue = try site.browser(of: "sue@example.com")
        #expect(try sue.perform("/members/\(admin)/approve").status == 403)
        let root = try site.browser(of: "root@example.com")
        #expect(try root.perform("/members/\(admin)/approve").status == 403)
        #expect(try sue.open("/families/\(family)").says("waits for approval"))
        #expect(try sue.perform("/members/\(member)/approve").status == 303)
        #expect(try sue.perform("/members/\(member)/approve").status == 409)
        let status: String = try site.scalar(
            "SELECT status FROM app.family_members WHERE id = \(member)::uuid")
        #expect(status == "active")
        // The members of the family were added by the test.
        let record = try site.audit().filter {
            $0.hasPrefix("member.") && $0.hasSuffix(" operator:sue@example.com")
        }
        #expect(record == ["member.approve operator:sue@example.com"])
    }

    @Test("dead jobs are grouped by error, and retried together by an admin")
    func deadJobs() throws {
        for _ in 0..<3 { _ = try addDeadJob() }
        let other = try addDeadJob(error: "connection refused")
        // Each of these begins with another group's error, or contains it.
        _ = try addDeadJob(error: "the server said 550 no, later")
        _ = try addDeadJob(error: "again: the server said 550 no")
        let root = try site.browser(of: "root@example.com")
        let page = try root.open("/jobs")
        #expect(page.says("the server said 550 no") && page.says("connection refused"))
        let path = try #require(
            page.targets.first {
                $0.hasPrefix("/dead-jobs/retry-all")
                    && $0.hasSuffix("error=the%20server%20said%20550%20no")
            })
        let question = try root.open(path.replacing("&amp;", with: "&"))
        #expect(question.says("the server said 550 no"))
        let done = try root.send("/dead-jobs/retry-all", from: question)
        #expect(done.location == "/jobs?done=retry-all&n=3", "\(done)")
        #expect(try root.open("/jobs?done=retry-all&n=3").says("The jobs are due now. (3)"))
        let left: [Int64] = try Connection(site.test.settings())
            .query("SELECT id FROM jobs.dead WHERE last_error = 'connection refused'").decode(
                as: Scalar<Int64>.self
            ).map(\.value)
        #expect(left == [other])
        let count: Int64 = try site.scalar("SELECT count(*) FROM jobs.dead")
        #expect(count == 3)
        let sue = try site.browser(of: "sue@example.com")
        let job = try sue.open("/jobs/\(other)")
        #expect(!job.targets.contains("/jobs/\(other)/cancel"))
        #expect(try sue.send("/jobs/\(other)/retry", from: job).status == 303)
    }

    @Test("the page of all jobs shows each worker with the threads that it has reported")
    func workers() throws {
        try site.asOwner(
            "INSERT INTO jobs.workers (label, threads) VALUES ('one:1', 41), ('two:2', NULL)")
        let page = try site.browser(of: "vic@example.com").open("/jobs")
        func row(_ label: String) -> Substring? {
            page.text.split(separator: "\n").first { $0.contains("<td>\(label)</td>") }
        }
        #expect(row("one:1")?.contains("<td>41</td>") == true, "\(page)")
        #expect(row("two:2")?.contains("<td></td><td></td>") == true, "\(page)")
    }

    @Test("an admin can pause and resume a queue, and the overview shows the pause and its reason")
    func queues() throws {
        _ = try addDeadJob()
        let root = try site.browser(of: "root@example.com")
        #expect(try root.open("/queues/mail/pause").heading == "Pause the queue mail")
        let paused = try root.perform("/queues/mail/pause", ["reason": "the server is moved"])
        #expect(paused.status == 303, "\(paused)")
        let jobs = try root.open(try #require(paused.location))
        #expect(jobs.says("The queue mail is paused."), "\(jobs)")
        let overview = try root.open("/")
        #expect(overview.says("has been paused since") && overview.says("the server is moved"))
        #expect(overview.says("1 dead job<") && overview.says("with 1 job waiting"))
        let page = try root.open("/jobs")
        #expect(page.says("until an operator resumes it"), "\(page)")
        #expect(!page.targets.contains("/queues/mail/pause"))
        let resumed = try root.send("/queues/mail/resume", from: page)
        #expect(resumed.status == 303, "\(resumed)")
        let after = try root.open(try #require(resumed.location))
        #expect(after.says("The queue mail is resumed."), "\(after)")
        #expect(try !root.open("/").says("has been paused since"))
        let entries = try site.audit().filter { $0.hasPrefix("queue") }
        #expect(
            entries == [
                "queue.pause operator:root@example.com", "queue.resume operator:root@example.com",
            ])
    }

    @Test("a queue without jobs, registered by a worker, is listed and can be paused")
    func queueWithoutJobs() throws {
        try site.asOwner("INSERT INTO jobs.workers (label, queues) VALUES ('one:1', '{mail}')")
        let root = try site.browser(of: "root@example.com")
        #expect(try root.open("/jobs").targets.contains("/queues/mail/pause"))
        #expect(
            try root.perform("/queues/mail/pause", ["reason": "the server is moved"]).status == 303)
        #expect(try root.open("/audit?action=queue.pause").says("the server is moved"))
    }

    @Test("the audit log is filtered by parameters of the URL, as a page, as CSV and as JSON")
    func auditLog() throws {
        let root = try site.browser(of: "root@example.com")
        _ = try root.perform("/people/\(ConsoleSite.ann)/block", ["reason": "=1+1"])
        let page = try root.open("/audit?action=user.block&user=\(ConsoleSite.ann)")
        #expect(page.says("operator:root@example.com") && page.says("Ann Fisher"))
        #expect(try root.open("/audit?action=user.unblock").says("There is no such entry"))
        #expect(
            try root.open("/audit?label=root@example.com").says("<code>user.block</code>"))
        #expect(try root.open("/audit?until=2020-01-01").says("There is no such entry"))
        let csv = try root.open("/audit.csv?action=user.block")
        #expect(csv.header("Content-Disposition")?.contains("audit.csv") == true)
        #expect(csv.text.components(separatedBy: "\r\n").count == 3, "\(csv.text)")
        #expect(try root.open("/audit.json?action=user.block").says("\"action\":\"user.block\""))
        for wrong in ["user=x", "from=yesterday", "from=2026-02-30", "after=x"] {
            let refused = try root.open("/audit?\(wrong)")
            #expect([400, 409].contains(refused.status), "\(wrong): \(refused.status)")
        }
    }

    @Test("a filter that can't be read gets 400 with the reason, and the form keeps what was typed")
    func unreadableFilter() throws {
        let root = try site.browser(of: "root@example.com")
        let times = try root.open("/audit?from=yesterday&action=user.block")
        let reason = "expected a day or a time such as 2026-11-28 or 2026-11-28 12:00"
        #expect(times.status == 400 && times.alert?.contains(reason) == true, "\(times)")
        #expect(times.says("value=\"yesterday\"") && times.says("value=\"user.block\""))
        let person = try root.open("/audit?user=Ann")
        #expect(person.status == 400 && person.alert?.contains("found 'Ann'") == true)
        #expect(person.says("value=\"Ann\""))
        #expect(times.alert?.hasPrefix("From (UTC): ") == true, "\(times)")
        #expect(person.alert?.hasPrefix("Person (id): ") == true, "\(person)")
        let jobs = try root.open("/jobs/list?family=Terns&queue=mail")
        #expect(jobs.status == 400 && jobs.alert?.contains("found 'Terns'") == true, "\(jobs)")
        #expect(jobs.says("value=\"Terns\"") && jobs.says("value=\"mail\""))
        #expect(jobs.alert?.hasPrefix("Family (id): ") == true, "\(jobs)")
        #expect(try root.open("/audit.csv?from=yesterday").status == 400)
    }

    @Test("the list of jobs is filtered by the words for states that the page of jobs shows")
    func statesOfJobs() throws {
        try site.asOwner(
            "INSERT INTO jobs.live (queue, kind, payload) VALUES ('mail', 'test.wait', '{}')")
        let root = try site.browser(of: "root@example.com")
        let jobs = try root.open("/jobs")
        #expect(jobs.targets.contains("/jobs/list?state=waiting"), "\(jobs)")
        for word in ["waiting", "Waiting", "ready"] {
            let page = try root.open("/jobs/list?state=\(word)")
            #expect(page.says("test.wait") && page.says(">waiting</span>"), "\(word): \(page)")
        }
        #expect(try !root.open("/jobs/list?state=dead").says("test.wait"))
        let refused = try root.open("/jobs/list?state=foo")
        let reason = "State: expected waiting, running or dead, found 'foo'."
        #expect(refused.status == 400 && refused.alert == reason, "\(refused)")
        #expect(refused.says("value=\"foo\""))
    }

    @Test("the audit log takes a time as UTC without an offset or seconds")
    func timesOfFilter() throws {
        try site.asOwner(
            """
            INSERT INTO app.audit_log (action, at) VALUES
                ('test.before', '2026-03-01 01:59:59Z'), ('test.after', '2026-03-01 02:00:01Z')
            """)
        let root = try site.browser(of: "root@example.com")
        for time in [
            "2026-03-01%2002:00", "2026-03-01T02:00", "2026-03-01%2002:00:00",
            "2026-03-01%2002:00:00.5", "2026-03-01T02:00:00Z", "2026-03-01T03:00:00%2B01:00",
            "%202026-03-01%2002:00%20",
        ] {
            let page = try root.open("/audit?from=\(time)&until=2026-03-02")
            #expect(page.status == 200, "\(time)")
            #expect(page.says("test.after") && !page.says("test.before"), "\(time): \(page)")
        }
        for wrong in ["%20", "2026-03-01%2025:00", "2026-03-01%2002", "02:00"] {
            #expect(try root.open("/audit?from=\(wrong)").status == 400, "\(wrong)")
        }
    }

    @Test("a date in Until includes the whole day, and a time excludes itself")
    func endOfFilter() throws {
        try site.asOwner(
            """
            INSERT INTO app.audit_log (action, at) VALUES
                ('test.first', '2026-03-02 00:00:00Z'), ('test.last', '2026-03-02 23:59:59.9Z'),
                ('test.next', '2026-03-03 00:00:00Z')
            """)
        let root = try site.browser(of: "root@example.com")
        for path in ["/audit", "/audit.csv", "/audit.json"] {
            let day = try root.open("\(path)?from=2026-03-02&until=2026-03-02")
            #expect(day.says("test.first") && day.says("test.last"), "\(path): \(day)")
            #expect(!day.says("test.next"), "\(path): \(day)")
        }
        let time = try root.open("/audit?from=2026-03-02&until=2026-03-02%2023:59:59.9")
        #expect(time.says("test.first") && !time.says("test.last"), "\(time)")
        let start = try root.open("/audit?from=2026-03-01&until=2026-03-02%2000:00")
        #expect(!start.says("test.first"), "\(start)")
    }

    @Test(
        "a From that is not before Until gets 400 with the reason at the form",
        arguments: [
            ("2026-03-03", "2026-03-02"), ("2026-03-02T12:00", "2026-03-02T11:59"),
            ("2026-03-02T12:00", "2026-03-02T12:00"),
        ])
    func reversedFilter(from: String, until: String) throws {
        let root = try site.browser(of: "root@example.com")
        let page = try root.open("/audit?from=\(from)&until=\(until)")
        #expect(page.status == 400, "\(page)")
        #expect(page.alert == "From (UTC): expected a time before Until (UTC).", "\(page)")
        #expect(page.says("value=\"\(from)\"") && page.says("value=\"\(until)\""))
        #expect(try root.open("/audit.csv?from=\(from)&until=\(until)").status == 400)
    }

    @Test("the audit log suggests the actions that the database's functions record, and no others")
    func suggestedActions() throws {
        let page = try site.browser(of: "root@example.com").open("/audit")
        let suggested = page.text.matches(of: /<option value="([a-z_.]+)">/).map { String($0.1) }
        let folder = SourceTree.root.appendingPathComponent("sql/functions")
        let source = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .filter { $0.hasSuffix(".sql") }
            .map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
            .joined(separator: "\n")
        let call = /(?:record_audit|audit_statement_of_client)\(\s*'([a-z_]+\.[a-z_]+)'/
        let recorded = Set(source.matches(of: call).map { String($0.1) })
        #expect(recorded.count > 50, "\(recorded)")
        #expect(recorded.subtracting(suggested) == [])
        #expect(suggested.filter { !source.contains("'\($0)'") } == [])
        #expect(page.says("list=\"l-action\"") && page.says("<datalist id=\"l-action\">"))
        // The filter and the column have the same name.
        #expect(page.says(">Done by</label>") && page.says("<th scope=\"col\">Done by</th>"))
    }

    @Test("the changes of a request are found by its id, however old, and never in place of a name")
    func changesOfRequest() throws {
        try site.asOwner(
            """
            INSERT INTO app.audit_log (action, at, actor_user_id, family_unit_id, request_id) VALUES
                ('test.first', now() - interval '2 years', '\(ConsoleSite.ann)', '\(family)',
                    '4f1e8c0a2b6d9357'),
                ('test.second', now() - interval '2 years', '\(ConsoleSite.bo)', NULL,
                    '4f1e8c0a2b6d9357'),
                ('test.other', now(), '\(ConsoleSite.ann)', '\(family)', 'Bo')
            """)
        let address = "/audit?request=4f1e8c0a2b6d9357"
        let browser = try site.browser(of: "vic@example.com")
        let start = try browser.open("/")
        func find(_ text: String) throws -> ConsolePage {
            try browser.search(text, from: start)
        }
        #expect(try find("4f1e8c0a2b6d9357").location == address)
        let nothing = try find("4f1e8c0a2b6d9358")
        let unlisted = "Only requests to the API that changed something are in the audit log"
        #expect(nothing.says("Nothing found.") && nothing.says(unlisted), "\(nothing)")
        #expect(try browser.open("/audit?request=4f1e8c0a2b6d9358").says(unlisted))
        #expect(try !browser.open("/audit?action=test.none").says(unlisted))
        #expect(try find("Bo").location == "/people/\(ConsoleSite.bo)")
        let page = try browser.open(address)
        #expect(page.says("test.first") && page.says("test.second") && !page.says("test.other"))
        #expect(page.targets.contains(address) && !page.says("31 days are searched"))
        let family = try browser.open("\(address)&family=\(family)")
        #expect(family.says("test.first") && !family.says("test.second"))
        let person = try browser.open("\(address)&user=\(ConsoleSite.bo)")
        #expect(!person.says("test.first") && person.says("test.second"))
        let csv = try browser.open("/audit.csv?request=Bo")
        #expect(csv.says(",\"Bo\"") && csv.says("\"request_id\""), "\(csv)")
        #expect(try browser.open("/audit.json?request=Bo").says("\"requestId\":\"Bo\""))
    }

    @Test("lists are paged by key, without gaps or repetitions")
    func pages() throws {
        try site.asOwner(
            """
            INSERT INTO app.users (email, email_verified, full_name)
                SELECT 'p' || n || '@example.com', true, 'Person ' || n
                FROM generate_series(1, 120) AS n
            """)
        let browser = try site.browser(of: "root@example.com")
        var path: String? = "/people"
        var seen: [String] = []
        while let next = path {
            let page = try browser.open(next)
            seen += page.text.matches(of: /href="\/people\/([0-9a-f-]{36})"/).map { String($0.1) }
            path = page.targets.first { $0.hasPrefix("/people?after=") }
            try #require(seen.count < 1_000)
        }
        let count: Int = try site.scalar("SELECT count(*) FROM app.users")
        #expect(seen.count == count && Set(seen).count == count)
    }

    @Test("an unknown page, id or action gets a 404 page with an explanation")
    func absent() throws {
        let browser = try site.browser(of: "root@example.com")
        for path in [
            "/nowhere", "/people/x", "/people/\(ConsoleSite.ann.dropLast())0",
            "/families/\(ConsoleSite.ann)",
            "/jobs/99999999", "/people/\(ConsoleSite.ann)/explode", "/queues/none/pause",
        ] {
            let page = try browser.open(path)
            #expect(page.status == 404 && page.heading == "Not found", "\(path): \(page.status)")
        }
    }
}
