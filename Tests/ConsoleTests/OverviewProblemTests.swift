import Postgres
import Repositories
import TestSupport
import Testing

@Suite("Problems on the console's overview")
struct OverviewProblemTests {
    private static let nothing = "No problems found."

    /// Returns a console that reads the database for every page, and the browser of a viewer.
    ///
    /// - Parameter mayLog: Whether lines in the log are expected.
    private func start(mayLog: Bool = false) throws -> (ConsoleSite, ConsoleBrowser) {
        let site = try ConsoleSite(snapshotSeconds: 0, mayLog: mayLog)
        return (site, try site.browser(of: "vic@example.com"))
    }

    @Test("a due job that has waited for over 15 minutes is a problem, unless its queue is paused")
    func oldestJob() throws {
        let (site, browser) = try start()
        func wait(minutes: Int) throws {
            try site.asOwner(
                """
                UPDATE jobs.live SET enqueued_at = now() - interval '\(minutes) minutes',
                    run_at = now() - interval '\(minutes) minutes'
                """)
        }
        try site.asOwner("INSERT INTO jobs.live (queue, kind) VALUES ('mail', 'mail.reset')")
        try wait(minutes: 14)
        #expect(try browser.open("/").says(Self.nothing))
        try wait(minutes: 16)
        let link = "<a href=\"/jobs/list?queue=mail\">mail</a>"
        let page = try browser.open("/")
        #expect(page.says("queue \(link) has waited for 16 minutes."), "\(page)")
        #expect(!page.says(Self.nothing))
        try site.asOwner("UPDATE jobs.live SET run_at = now() + interval '1 hour'")
        #expect(try browser.open("/").says(Self.nothing), "it is not due")
        try wait(minutes: 16)
        try site.asOwner(
            "INSERT INTO jobs.paused_queues (queue, reason) VALUES ('mail', 'no login')")
        let paused = try browser.open("/")
        #expect(!paused.says("has waited for"), "\(paused)")
        #expect(paused.says("has been paused since") && paused.says("1 job waiting: no login"))
    }

    @Test("a webhook that fails or is paused is a problem until it works, and has a single line")
    func webhook() throws {
        let (site, browser) = try start()
        try site.asOwner(
            """
            INSERT INTO app.webhook_endpoints (id, url, secret_hash)
                VALUES (gen_random_uuid(), 'https://hooks.example/secret-path', sha256('x'))
            """)
        #expect(try browser.open("/").says(Self.nothing))
        try site.asOwner(
            """
            UPDATE app.webhook_endpoints SET failures = 3, failing_since = '2026-11-28 12:00Z',
                retry_at = now();
            INSERT INTO jobs.live (queue, kind, run_at, attempt, last_error) VALUES
                ('webhooks', 'webhook.deliver', now() + interval '1 hour', 3, 'status 500');
            INSERT INTO jobs.attempts (job, attempt, queue, kind, error)
                SELECT id, n, queue, kind, last_error FROM jobs.live, generate_series(1, 3) AS n
            """)
        let failing = try browser.open("/")
        let time = "<time datetime=\"2026-11-28T12:00:00Z\">2026-11-28 12:00:00</time>"
        #expect(
            failing.says("The webhook at hooks.example has been failing since \(time)."),
            "\(failing)")
        #expect(!failing.says("secret-path") && !failing.says(Self.nothing))
        #expect(!failing.says("No job of the queue"), "the webhook has a line already")
        #expect(try browser.open("/jobs").says(">fails</span>: status 500"))
        try site.asOwner(
            "UPDATE app.webhook_endpoints SET paused_at = now(), pause_reason = 'gone'")
        let paused = try browser.open("/")
        #expect(paused.says("The webhook at hooks.example has been paused since"), "\(paused)")
        #expect(!paused.says("has been failing"))
        try site.asOwner(
            """
            UPDATE app.webhook_endpoints SET failures = 0, failing_since = NULL, retry_at = NULL,
                paused_at = NULL, pause_reason = NULL
            """)
        #expect(try browser.open("/").says(Self.nothing))
    }

    @Test("a process that can't reach a standby of another process is a problem until it can")
    func apart() throws {
        let (site, browser) = try start()
        /// Makes one process read from a standby, and another one from these.
        func read(_ standbys: String) throws {
            try site.asOwner(
                """
                DELETE FROM app.standby_readers;
                INSERT INTO app.standby_readers (id, number, standbys, renewed_at) VALUES
                    (gen_random_uuid(), 1, '{7}', clock_timestamp()),
                    (gen_random_uuid(), 1, '{\(standbys)}', clock_timestamp())
                """)
        }
        try read("7")
        #expect(try browser.open("/").says(Self.nothing))
        try read("")
        let page = try browser.open("/")
        let words = "Processes that can't reach every standby: 1. See <a href=\"/system\">"
        #expect(page.says(words), "\(page)")
        #expect(!page.says("No standby serves reads") && !page.says(Self.nothing))
        try read("7")
        #expect(try browser.open("/").says(Self.nothing))
    }

    @Test("findings of doctor are a problem in each area that has some, until none are left")
    func findings() throws {
        let (site, browser) = try start()
        try site.asOwner(
            """
            INSERT INTO app.doctor_results (area, findings)
                VALUES ('data', 2), ('rights', 1), ('issuers', 0)
                ON CONFLICT (area) DO UPDATE SET findings = excluded.findings
            """)
        let page = try browser.open("/")
        let end = ": see <a href=\"/doctor\">Doctor</a>."
        #expect(page.says("Doctor found 2 faults in the area <code>data</code>\(end)"), "\(page)")
        #expect(page.says("Doctor found 1 fault in the area <code>rights</code>\(end)"))
        #expect(!page.says("<code>issuers</code>") && !page.says(Self.nothing))
        try site.asOwner("UPDATE app.doctor_results SET findings = 0")
        #expect(try browser.open("/").says(Self.nothing))
    }

    /// Adds a process that last reported some seconds ago.
    private func add(
        _ program: String, version: String = "1.0.0", silentSeconds: Int = 0, to site: ConsoleSite
    ) throws {
        try site.asOwner(
            """
            INSERT INTO app.processes (id, program, version, revision, host, seen_at)
                VALUES (gen_random_uuid(), '\(program)', '\(version)', 'abc', 'host:1',
                    clock_timestamp() - interval '\(silentSeconds) seconds')
            """)
    }

    @Test("the silence of all workers for five minutes is a problem, that of one of two is not")
    func noWorker() throws {
        let (site, browser) = try start()
        try add("hearth-api", silentSeconds: 360, to: site)
        #expect(try browser.open("/").says(Self.nothing), "no worker has ever reported")
        try add("hearth-worker", silentSeconds: 360, to: site)
        let page = try browser.open("/")
        #expect(
            page.says("No worker has reported for five minutes, so no job is run."), "\(page)")
        #expect(!page.says(Self.nothing))
        // Still told if another program has been restarted very often since.
        try site.asOwner(
            """
            INSERT INTO app.processes (id, program, version, revision, host)
                SELECT gen_random_uuid(), 'hearth-api', '1.0.0', 'abc', 'host:' || n
                FROM generate_series(1, \(Processes.listed)) AS n
            """)
        let busy = try browser.open("/")
        #expect(busy.says("No worker has reported for five minutes"), "\(busy)")
        #expect(busy.says("\(Processes.listed) processes or more have reported"))
        try site.asOwner("DELETE FROM app.processes WHERE program = 'hearth-api'")
        try add("hearth-worker", silentSeconds: 240, to: site)
        #expect(try browser.open("/").says(Self.nothing))
    }

    @Test("different versions of programs are told while they run, not once one of them is silent")
    func versions() throws {
        let (site, browser) = try start()
        let words = "<p class=\"alert\">Programs of several versions are running.</p>"
        try add("hearth-api", to: site)
        try add("hearth-worker", to: site)
        #expect(try !browser.open("/").says(words))
        try add("hearth-console", version: "1.1.0", to: site)
        let page = try browser.open("/")
        #expect(page.says(words), "\(page)")
        try site.asOwner(
            """
            UPDATE app.processes SET seen_at = clock_timestamp() - interval '6 minutes'
                WHERE version = '1.1.0'
            """)
        #expect(try !browser.open("/").says(words))
    }

    @Test("a pause after a failure shows when the next job is tried, and an operator's does not")
    func nextProbe() throws {
        let (site, browser) = try start()
        let end = "until an operator resumes it"
        try site.asOwner(
            """
            INSERT INTO jobs.paused_queues (queue, reason, probe_at)
                VALUES ('mail', '530 log in first', '2026-11-28 12:00Z')
            """)
        let time = "<time datetime=\"2026-11-28T12:00:00Z\">2026-11-28 12:00:00</time>"
        let probed = try browser.open("/jobs")
        #expect(
            probed.says("until a job succeeds (the next one is tried at \(time)): 530 log in"),
            "\(probed)")
        #expect(!probed.says(end))
        try site.asOwner("UPDATE jobs.paused_queues SET probe_at = NULL")
        let paused = try browser.open("/jobs")
        #expect(paused.says(end) && !paused.says("is tried at"), "\(paused)")
    }

    @Test("pages and streams get 503 while the database is away, and pages open once it is back")
    func databaseAway() throws {
        let (site, browser) = try start(mayLog: true)
        #expect(try browser.open("/").status == 200)
        let superuser = try Connection(site.test.settings())
        func limitConnections(to count: Int) throws {
            try superuser.execute(
                script: "ALTER DATABASE \"\(site.test.name)\" CONNECTION LIMIT \(count)")
        }
        // The superuser's connections are not limited.
        try limitConnections(to: 0)
        try superuser.execute(
            script: """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE usename IN ('hearth_admin', 'hearth_viewer')
                    AND datname = current_database()
                """)
        try eventually { try browser.open("/").status == 503 }
        for path in ["/", "/jobs", "/people"] {
            let page = try browser.open(path)
            #expect(page.status == 503, "\(path): \(page)")
            #expect(page.says("The database does not answer. Try again in a moment."), "\(page)")
        }
        let stream = try browser.open("/live?part=overview")
        #expect(stream.status == 503 && stream.says("The database does not answer."), "\(stream)")
        #expect(site.logged.all.contains { $0.contains("could not serve a page") })
        try limitConnections(to: -1)
        #expect(try browser.open("/").status == 200)
    }
}
