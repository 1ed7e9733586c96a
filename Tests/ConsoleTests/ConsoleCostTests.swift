import Domain
import Foundation
import Postgres
import Repositories
import TestSupport
import Testing
import UseCases

@Suite("Rows that the console reads")
struct ConsoleCostTests {
    /// Counts the rows of a table that a connection reads during `body`.
    private func rows(
        of table: String, on connection: Connection, _ body: () throws -> Void
    ) throws -> Int64 {
        func reads() throws -> Int64 {
            try connection.execute(script: "SELECT pg_stat_force_next_flush()")
            return try connection.query(
                """
                SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables
                WHERE schemaname || '.' || relname = \(table)
                """
            ).scalar(Int64.self)
        }
        let before = try reads()
        try body()
        return try reads() - before
    }

    @Test("a page of a list is read from an index, wherever it begins")
    func lists() throws {
        let site = try ConsoleSite()
        try Connection(site.test.settings()).execute(
            script: ManyFamilies.script(2000) + "ANALYZE;")
        var settings = site.test.settings(as: "hearth_viewer")
        settings.plans = .custom
        let connection = try Connection(settings)
        for list: ConsoleReader.FamilyList in [.newest, .oldest, .name] {
            func page(_ cursor: String?) throws -> String? {
                let page = try ConsoleReader(on: connection).families(
                    list, after: cursor, limit: 50)
                #expect(page.items.count == 50)
                return page.nextCursor
            }
            var cursor: String?
            for _ in 0..<20 { cursor = try page(cursor) }
            let count = try rows(of: "app.family_units", on: connection) { _ = try page(cursor) }
            #expect((1..<500).contains(count), "\(list): \(count) rows were read")
        }
        func people(_ cursor: String?) throws -> String? {
            let page = try ConsoleReader(on: connection).people(
                OperatorPageRequest(cursor: cursor, limit: 50))
            return page.nextCursor
        }
        var cursor: String?
        for _ in 0..<20 { cursor = try people(cursor) }
        let count = try rows(of: "app.users", on: connection) { _ = try people(cursor) }
        #expect((1..<500).contains(count), "\(count) people were read")
    }

    @Test("a person is found by each address through indexes")
    func people() throws {
        let site = try ConsoleSite()
        try Connection(site.test.settings()).execute(
            script: ManyFamilies.script(2000) + """
                INSERT INTO app.email_sign_ins (user_id, email)
                    SELECT id, 'work-' || id || '@example.org' FROM app.users
                    WHERE kind = 'account';
                INSERT INTO app.email_sign_ins (user_id, email)
                    VALUES ('\(ConsoleSite.ann)', 'ann.at.work@example.org');
                ANALYZE;
                """)
        for role in ["hearth_admin", "hearth_viewer"] {
            var settings = site.test.settings(as: role)
            settings.plans = .custom
            let connection = try Connection(settings)
            for address in ["ann.fisher@example.com", "ann.at.work@example.org"] {
                let before = try site.rowsRead(on: connection, "^app.(users|email_sign_ins)$")
                if role == "hearth_admin" {
                    let session = OperatorSession(on: connection, as: .named("jo"))
                    let found = try session.user(address)
                    #expect("\(found.id)" == ConsoleSite.ann, "\(address)")
                } else {
                    let found = try ConsoleReader(on: connection).people(called: address)
                    #expect(found.map { "\($0.user.id)" } == [ConsoleSite.ann], "\(address)")
                }
                let after = try site.rowsRead(on: connection, "^app.(users|email_sign_ins)$")
                #expect((1..<100).contains(after - before), "\(address): \(after - before) rows")
            }
        }
    }

    @Test("the state of the jobs counts each job once, and looks for those of workers once")
    func jobs() throws {
        let site = try ConsoleSite()
        try site.asOwner(
            """
            INSERT INTO jobs.live (queue, kind, run_at)
                SELECT 'mail', 'mail.account_blocked', now() + interval '1 day'
                FROM generate_series(1, 2000)
            """)
        let connection = try Connection(site.test.settings(as: "hearth_viewer"))
        var waiting = 0
        let count = try rows(of: "jobs.live", on: connection) {
            let overview = try ConsoleReader(on: connection).jobOverview(groups: 10)
            waiting = overview.states.first { $0.state == "ready" }?.count ?? 0
        }
        #expect(waiting == 2000)
        #expect((2000...4000).contains(count), "\(count) rows were read")
    }

    @Test("the changes of a request are read from an index, even if many requests have the same id")
    func changesOfRequest() throws {
        let site = try ConsoleSite()
        try site.asOwner(
            """
            INSERT INTO app.audit_log (action, request_id)
                SELECT 'test.entry',
                    CASE WHEN n % 4 = 0 THEN 'same' WHEN n % 4 < 3 THEN 'r' || n END
                FROM generate_series(1, 20000) AS n
            """)
        try Connection(site.test.settings()).execute(script: "ANALYZE app.audit_log")
        var settings = site.test.settings(as: "hearth_viewer")
        settings.plans = .custom
        let connection = try Connection(settings)
        func reads() throws -> Int64 {
            try site.rowsRead(on: connection, "^app.audit_log")
        }
        for (id, expected) in [("r7", 0), ("r9", 1), ("same", 50), ("none", 0)] {
            let before = try reads()
            var filter = ConsoleReader.AuditFilter()
            filter.request = id
            let page = try ConsoleReader(on: connection).audit(
                filter, OperatorPageRequest(cursor: nil, limit: 50))
            #expect(page.items.count == expected, "\(id)")
            let isRequest = try ConsoleReader(on: connection).isRequest(id)
            #expect(isRequest == (expected > 0), "\(id)")
            let count = try reads() - before
            #expect(count < 200, "\(id): \(count) entries were read")
        }
    }

    @Test("the entries of an action or of an operator are read from indexes, by every role")
    func auditOfActor() throws {
        let site = try ConsoleSite()
        try site.asOwner(
            """
            INSERT INTO app.audit_log (at, action, actor_label)
                SELECT '2026-11-01Z'::timestamptz + n * interval '1 second',
                    CASE WHEN n % 10000 < 2 THEN 'test.rare' ELSE 'test.entry' END,
                    CASE WHEN n % 5000 = 0 THEN 'operator:root@example.com'
                         WHEN n % 5000 = 1 THEN 'operator:rita@example.com'
                         WHEN n % 2 = 0 THEN 'job:hearth-worker' END
                FROM generate_series(1, 20000) AS n
            """)
        try Connection(site.test.settings()).execute(script: "ANALYZE app.audit_log")
        for (role, label, all, rare) in [
            ("hearth_admin", "operator:root@example.com", 4, 2),
            ("hearth_admin", "operator:r***@example.com", 0, 0),
            ("hearth_viewer", "operator:r***@example.com", 8, 4),
            ("hearth_viewer", "operator:root@example.com", 0, 0),
            ("hearth_viewer", "job:hearth-worker", 50, 0),
        ] {
            var settings = site.test.settings(as: role)
            settings.plans = .custom
            let connection = try Connection(settings)
            func entries(
                _ label: String?, _ action: String?, after cursor: String? = nil,
                from: String? = nil, until: String? = nil
            ) throws -> OperatorPage<NamedAuditEntry> {
                var filter = ConsoleReader.AuditFilter()
                (filter.label, filter.action) = (label, action)
                filter.from = try from.map { try #require(Timestamp(iso8601: $0)) }
                filter.until = try until.map { try #require(Timestamp(iso8601: $0)) }
                let before = try site.rowsRead(on: connection, "^app.audit_log")
                let page = try ConsoleReader(on: connection).audit(
                    filter, OperatorPageRequest(cursor: cursor, limit: 50))
                let count = try site.rowsRead(on: connection, "^app.audit_log") - before
                #expect(count < 500, "\(role), \(label ?? ""), \(action ?? ""): \(count) were read")
                let times = page.items.map(\.entry.entry.at)
                #expect(times == times.sorted { $0 > $1 })
                return page
            }
            let page = try entries(label, nil)
            #expect(page.items.count == all, "\(role), \(label)")
            if let next = page.nextCursor {
                let more = try entries(label, nil, after: next)
                #expect(more.items.count == 50)
                let last = try #require(page.items.last?.entry.entry.at)
                #expect(more.items.allSatisfy { $0.entry.entry.at < last })
            }
            #expect(try entries(label, "test.rare").items.count == rare, "\(role), \(label)")
            // Second 10,000 is 02:46:40, and belongs to root; the next one to rita.
            let hour = try entries(
                label, "test.rare", from: "2026-11-01T02:46:40Z", until: "2026-11-01T02:46:42Z")
            #expect(hour.items.count == rare / 2, "\(role), \(label)")
            let before = try entries(label, "test.rare", until: "2026-11-01T02:46:40Z")
            #expect(before.items.count == (rare == 4 ? 1 : 0), "\(role), \(label)")
            #expect(try entries(nil, "test.rare").items.count == 4)
        }
    }

    @Test("a page of the audit log reads no more people than it shows, and no more entries")
    func auditOfAll() throws {
        let site = try ConsoleSite()
        try Connection(site.test.settings()).execute(
            script: ManyFamilies.script(2000) + """
                INSERT INTO app.audit_log (action, subject_user_id, target_id)
                    SELECT 'test.entry', u.id, u.id FROM app.users AS u;
                ANALYZE;
                """)
        for role in ["hearth_admin", "hearth_viewer"] {
            var settings = site.test.settings(as: role)
            settings.plans = .custom
            let connection = try Connection(settings)
            let reader = ConsoleReader(on: connection)
            var filter = ConsoleReader.AuditFilter()
            filter.from = Timestamp(microseconds: 0)
            var cursor: String?
            for _ in 1...3 {
                let before = try site.rowsRead(on: connection, "^app.(audit_log|users)")
                let request = try OperatorPageRequest(cursor: cursor, limit: 50)
                let page = try reader.audit(filter, request)
                #expect(page.items.count == 50)
                let count = try site.rowsRead(on: connection, "^app.(audit_log|users)") - before
                #expect(count < 1000, "\(role): \(count) rows were read")
                cursor = page.nextCursor
            }
        }
    }

    @Test("the e-mails to an account are read from indexes, even if very many wait or are finished")
    func mails() throws {
        let site = try ConsoleSite()
        try site.asOwner(
            """
            INSERT INTO jobs.live (queue, kind, payload)
                SELECT 'mail', 'mail.reset', jsonb_build_object('recipient', gen_random_uuid())
                FROM generate_series(1, 5000);
            INSERT INTO jobs.dead (id, queue, kind, payload, max_attempts, attempt, crashes,
                    priority, run_at, last_error)
                SELECT 100000 + n, 'mail', 'mail.reset',
                    jsonb_build_object('recipient', gen_random_uuid()), 20, 20, 0, 0, now(), 'no'
                FROM generate_series(1, 5000) AS n;
            INSERT INTO jobs.history (id, attempt, queue, kind, outcome, recipient)
                SELECT 200000 + n, 1, 'mail', 'mail.reset', 'done', gen_random_uuid()
                FROM generate_series(1, 5000) AS n;
            INSERT INTO jobs.history (id, attempt, queue, kind, outcome, recipient)
                VALUES (300000, 1, 'mail', 'mail.reset', 'done', '\(ConsoleSite.ann)')
            """)
        try Connection(site.test.settings()).execute(
            script: "ANALYZE jobs.live; ANALYZE jobs.dead; ANALYZE jobs.history")
        var settings = site.test.settings(as: "hearth_viewer")
        settings.plans = .custom
        let connection = try Connection(settings)
        func reads() throws -> Int64 {
            try site.rowsRead(on: connection, "^jobs[.]")
        }
        let before = try reads()
        let ann = try #require(UserID(ConsoleSite.ann))
        let details = try ConsoleReader(on: connection).details(
            of: ann, signIns: 1, mails: 20, consents: 1, invitations: 1)
        #expect(details.mails.map(\.id) == [300000])
        let count = try reads() - before
        #expect(count < 100, "\(count) rows were read")
    }

    @Test("the e-mails to an address without an account are read from indexes, among 100,000 jobs")
    func mailsToAddress() throws {
        let site = try ConsoleSite()
        let numbers = "generate_series(1, 100000) AS n"
        try site.asOwner(
            """
            INSERT INTO app.email_tokens (id, purpose, email, ticket_hash, link_hash, expires_at)
                SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'sign_in',
                    'n' || n || '@example.com', sha256(n::text::bytea), sha256(n::text::bytea),
                    now() + interval '10 minutes'
                FROM \(numbers);
            INSERT INTO jobs.live (queue, kind, payload)
                SELECT 'mail', 'mail.ticket', jsonb_build_object('ticket', t.id, 'recipient', t.id)
                FROM app.email_tokens AS t;
            INSERT INTO jobs.dead (id, queue, kind, payload, max_attempts, attempt, crashes,
                    priority, run_at, last_error)
                SELECT 1000000 + r.n, 'mail', 'mail.ticket',
                    jsonb_build_object('ticket', r.id, 'recipient', r.id), 20, 20, 0, 0, now(), 'no'
                FROM (SELECT n, gen_random_uuid() AS id FROM \(numbers)) AS r;
            INSERT INTO jobs.history (id, attempt, queue, kind, outcome, recipient)
                SELECT 2000000 + n, 1, 'mail', 'mail.ticket', 'done', gen_random_uuid()
                FROM \(numbers)
            """)
        try Connection(site.test.settings()).execute(
            script: "ANALYZE app.email_tokens, jobs.live, jobs.dead, jobs.history")
        var settings = site.test.settings(as: "hearth_viewer")
        settings.plans = .custom
        let connection = try Connection(settings)
        func reads() throws -> Int64 {
            try site.rowsRead(on: connection, "^(jobs[.]|app.email_tokens$)")
        }
        let before = try reads()
        let address = try #require(EmailAddress("n777@example.com"))
        let mail = try ConsoleReader(on: connection).mail(to: address, limit: 20)
        #expect(mail.mails.map(\.state) == [.ready] && mail.state.isEmpty)
        let count = try reads() - before
        #expect((2..<100).contains(count), "\(count) rows were read")
    }

    @Test("a finished job is found by the history's index, even if it has waited for a long time")
    func finished() throws {
        let site = try ConsoleSite()
        let superuser = try Connection(site.test.settings())
        try site.asOwner(
            """
            INSERT INTO jobs.history (id, attempt, queue, kind, outcome)
                SELECT CASE WHEN n % 1000 = 0 THEN n / 1000 ELSE 1000000 + n END, 1, 'mail',
                    'mail.invitation', 'done'
                FROM generate_series(1, 60000) AS n
            """)
        // Summarises the pages for the index, as autovacuum does.
        try superuser.execute(script: "VACUUM (ANALYZE) jobs.history")
        var settings = site.test.settings(as: "hearth_viewer")
        settings.plans = .custom
        let connection = try Connection(settings)
        func reads() throws -> Int64 {
            try site.rowsRead(on: connection, "^jobs.history")
        }
        for (id, isThere) in [(Int64(1_030_001), true), (30, true), (1_030_000, false)] {
            let before = try reads()
            let job = try ConsoleReader(on: connection).job(id, attempts: 1)
            #expect((job != nil) == isThere, "\(id)")
            let count = try reads() - before
            #expect(count < 10_000, "\(id): \(count) rows were read")
        }
        let plan = try connection.query(
            "EXPLAIN SELECT h.id FROM jobs.history AS h WHERE h.id = 1030001"
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        #expect(plan.contains { $0.contains("Bitmap Index Scan") }, "\(plan)")
    }
}
