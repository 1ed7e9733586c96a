import Glibc
import JSON
import Postgres
import TestSupport
import Testing
import Basics

@Suite("hearth-admin: jobs, mail and purging")
struct JobTests {
    let office: Office

    init() throws { office = try Office() }

    private func enqueue(_ kind: String, in seconds: Int = 0) throws -> Int64 {
        try office.scalar(
            """
            SELECT jobs.enqueue('mail', \(kind), NULL, '{}', 1::smallint,
                clock_timestamp() + make_interval(secs => \(Double(seconds))))
            """)
    }

    private func bury(_ id: Int64, _ error: String = "refused") throws {
        try office.asOwner(
            """
            WITH gone AS (DELETE FROM jobs.live WHERE id = \(id) RETURNING *)
            INSERT INTO jobs.dead (id, queue, kind, priority, attempt, max_attempts, crashes, run_at,
                    payload, last_error)
                SELECT id, queue, kind, priority, attempt, max_attempts, crashes, run_at, payload,
                    '\(error)' FROM gone
            """)
    }

    @Test("jobs are listed page by page, filtered, shown and counted")
    func look() throws {
        let ids = try (0..<3).map { _ in try enqueue("test.one") }
        let other = try enqueue("test.two", in: 3600)
        try bury(ids[0])
        let first = try office.json("job list --limit 3")
        #expect(
            try first["jobs"].elements().map { try $0["id"].integer() }
                == [other, ids[2], ids[1]])
        let cursor = try first["nextCursor"].string()
        let rest = try office.json("job list --limit 3 --cursor \(cursor)")
        #expect(try rest["jobs"].texts("state") == ["dead"])
        #expect(try rest["nextCursor"].ifPresent == nil)
        #expect(try office.json("job list --kind test.two")["jobs"].elements().count == 1)
        #expect(try office.json("job list --state dead --queue mail")["jobs"].elements().count == 1)
        #expect(try office.json("job show \(ids[0])")["job"]["lastError"].string() == "refused")
        let queue = try office.json("job stats")["queues"].elements()[0]
        #expect(try queue["queue"].string() == "mail")
        #expect(try queue["ready"].integer() == 3 && queue["dead"].integer() == 1)
        #expect(try queue["oldestReadySeconds"].number() >= 0)
        let text = try office.admin("job list")
        #expect(text.code == 0 && text.output.contains("test.two"))
        #expect(try office.admin("job show 999999").code == 1)
        #expect(try office.admin("job show x").code == 64)
    }

    @Test("retrying a dead or waiting job makes it due now and adds an audit entry")
    func retry() throws {
        let dead = try enqueue("test.one")
        try bury(dead)
        let waiting = try enqueue("test.one", in: 3600)
        for id in [dead, waiting] { #expect(try office.admin("job retry \(id)").code == 0) }
        let due: Int = try office.scalar(
            "SELECT count(*) FROM jobs.live WHERE state = 'ready' AND run_at <= clock_timestamp()")
        #expect(due == 2)
        let trail = try office.json("audit --action job.retry")
        #expect(try trail["entries"].texts("actorLabel") == ["operator:jo", "operator:jo"])
        #expect(try office.admin("job retry 999999").code == 1)
    }

    @Test("all dead jobs with an error are retried, except those that have a live successor")
    func retryAll() throws {
        let ids = try (0..<3).map { _ in try enqueue("test.one") }
        for id in ids { try bury(id, "connection refused") }
        let other = try enqueue("test.two")
        try bury(other, "no such box")
        try office.asOwner(
            """
            UPDATE jobs.dead SET unique_key = 'k' WHERE id = \(ids[2]);
            INSERT INTO jobs.live (queue, kind, unique_key) VALUES ('mail', 'test.one', 'k')
            """)
        let groups = try office.json("job errors")["errors"].elements()
        #expect(try groups.map { try $0["count"].integer() } == [3, 1])
        #expect(try groups[0]["error"].string() == "connection refused")
        let command = "job retry-all --error 'connection ref'"
        #expect(try office.admin(command).code == 64)
        let none = try office.json(command + " --kind test.two --yes")
        #expect(try none["retried"].integer() == 0)
        let done = try office.json(command + " --yes")
        #expect(try done["retried"].integer() == 2 && done["skipped"].integer() == 1)
        let rest = try office.json("job list --state dead")["jobs"].elements()
        #expect(try rest.map { try $0["id"].integer() } == [other, ids[2]])
        let entries = try office.json("audit --action job.retry")["entries"].elements()
        #expect(try entries.map { try $0["details"]["jobs"].integer() } == [2])
    }

    @Test("attempts, queues, schedules, workers and finished jobs are shown")
    func life() throws {
        let id = try enqueue("test.one")
        try office.asOwner(
            """
            INSERT INTO jobs.attempts (job, attempt, queue, kind, error, duration_ms, worker)
                VALUES (\(id), 1, 'mail', 'test.one', 'refused', 12, 3);
            INSERT INTO jobs.history (id, queue, kind, outcome, attempt, enqueued_at, duration_ms,
                    worker, finished_at)
                VALUES (900, 'mail', 'test.two', 'done', 1, '2026-11-01 10:00:00Z', 2000, 3,
                    '2026-11-01 10:00:05Z');
            INSERT INTO jobs.schedules (name, queue, kind, every, next_at)
                VALUES ('tidy', 'upkeep', 'upkeep.purge', '1 hour', '2026-11-01 11:00:00Z');
            INSERT INTO jobs.workers (label, threads, queues)
                VALUES ('host/1', 7, '{mail,webhooks}'), ('host/2', NULL, '{}');
            INSERT INTO jobs.paused_queues (queue, reason) VALUES ('idle', 'x');
            """)
        let attempts = try office.json("job attempts \(id)")["attempts"].elements()
        #expect(attempts.count == 1)
        #expect(try attempts[0]["error"].string() == "refused")
        #expect(try attempts[0]["milliseconds"].integer() == 12)
        let finished = try office.json("job show 900")["job"]
        #expect(try finished["begunAt"].string() == "2026-11-01T10:00:03Z")
        #expect(try finished["state"].string() == "done")
        #expect(try office.admin("job show 901").code == 1)
        let queues = try office.json("job queues")["queues"].elements()
        #expect(
            try queues.map { try $0["queue"].string() } == ["idle", "mail", "upkeep", "webhooks"])
        #expect(try queues[0]["probeAt"].ifPresent != nil)
        let schedules = try office.json("job schedules")["schedules"].elements()
        #expect(try schedules.map { try $0["rule"].string() } == ["every 01:00:00"])
        let workers = try office.json("job workers")["workers"].elements()
        #expect(try workers[0]["label"].string() == "host/1")
        #expect(try workers[0]["isAlive"].bool())
        #expect(try workers[0]["threads"].integer() == 7)
        #expect(try workers[1]["threads"].ifPresent == nil)
        for command in ["attempts \(id)", "errors", "queues", "schedules", "workers"] {
            #expect(try office.admin("job \(command)").code == 0, "\(command)")
        }
    }

    @Test("retrying a job of a paused queue reports the pause")
    func retryInPausedQueue() throws {
        let id = try enqueue("test.one")
        let working = try office.json("job retry \(id)")
        #expect(try working["pausedSince"].ifPresent == nil)
        try office.asOwner(
            """
            INSERT INTO jobs.paused_queues (queue, reason, since)
                VALUES ('mail', 'at RCPT: 530 5.7.0', '2026-11-01 10:00:00Z'), ('idle', 'x', now())
            """)
        let paused = try office.json("job retry \(id)")
        #expect(try paused["id"].integer() == id)
        #expect(try paused["pausedSince"].string() == "2026-11-01T10:00:00Z")
        #expect(try paused["pauseReason"].string() == "at RCPT: 530 5.7.0")
        let text = try office.admin("job retry \(id)").output
        #expect(
            text.contains("its queue has been paused since 2026-11-01T10:00:00Z: at RCPT: 530"))
        let queues = try office.json("job stats")["queues"].elements()
        #expect(try queues.map { try $0["queue"].string() } == ["idle", "mail"])
        #expect(try queues[1]["pausedSince"].string() == "2026-11-01T10:00:00Z")
        #expect(try queues[1]["pauseReason"].string() == "at RCPT: 530 5.7.0")
        let told = try office.admin("doctor --rights /nonexistent").output
        #expect(
            told.contains("'mail' has been paused since 2026-11-01T10:00:00Z")
                && told.contains("at RCPT: 530 5.7.0"), "\(told)")
    }

    @Test("a job, dead or live, is cancelled only with --yes")
    func cancel() throws {
        let dead = try enqueue("test.one")
        try bury(dead)
        let live = try enqueue("test.one")
        for id in [dead, live] {
            #expect(try office.admin("job cancel \(id)").code == 64)
            #expect(try office.admin("job cancel \(id) --yes").code == 0)
            let shown = try office.admin("job show \(id)")
            #expect(shown.code == 0 && shown.output.contains("cancelled"), "\(shown.output)")
        }
        let cancelled: Int = try office.scalar(
            "SELECT count(*) FROM jobs.history WHERE outcome = 'cancelled'")
        #expect(cancelled == 2)
    }

    @Test("an operator pauses a queue, resumes it, and makes a schedule due")
    func queues() throws {
        try office.asOwner(
            """
            INSERT INTO jobs.schedules (name, queue, kind, every, next_at)
                VALUES ('clean', 'upkeep', 'test.clean', interval '1 hour',
                    now() + interval '1 hour')
            """)
        #expect(try office.admin("job pause upkeep --yes").code == 64)
        let paused = try office.json("job pause upkeep --reason 'disk is full' --yes")
        #expect(try paused["paused"].bool() && paused["queue"].string() == "upkeep")
        let queues = try office.json("job queues")["queues"].elements()
        let queue = try #require(try queues.first { try $0["queue"].string() == "upkeep" })
        #expect(try queue["reason"].string() == "disk is full")
        #expect(try office.admin("job pause upkeep --reason x --yes").output == "already paused\n")
        #expect(try office.admin("job resume upkeep").output == "resumed\n")
        #expect(try office.admin("job resume upkeep").output == "not paused\n")
        let unknown = try office.admin("job pause nothing --reason x --yes")
        #expect(
            unknown.code == 1
                && unknown.errors.contains("There is no such queue. The queues are: upkeep."))
        #expect(try office.admin("job run clean").output == "due now\n")
        let isDue: Bool = try office.scalar(
            "SELECT next_at <= clock_timestamp() FROM jobs.schedules")
        #expect(isDue)
        #expect(try office.admin("job run nothing").code == 1)
        let actions = try office.json("audit")["entries"].texts("action")
        #expect(actions == ["schedule.run", "queue.resume", "queue.pause"])
        let entry = try office.json("audit --action queue.pause")["entries"].elements()[0]
        #expect(try entry["details"]["reason"].string() == "disk is full")
    }

    @Test("a queue that only a worker has registered can be paused before its first job")
    func queueWithoutJobs() throws {
        let refused = try office.admin("job pause mail --reason x --yes")
        #expect(refused.code == 1 && refused.errors.contains("There is no such queue. ["))
        try office.asOwner(
            "INSERT INTO jobs.workers (label, queues) VALUES ('host/1', '{mail,webhooks}')")
        let names = try office.json("job queues")["queues"].texts("queue")
        #expect(names == ["mail", "webhooks"])
        #expect(try office.json("job pause mail --reason 'server moves' --yes")["paused"].bool())
        let mail = try office.json("job queues")["queues"].elements()[0]
        #expect(try mail["reason"].string() == "server moves")
        #expect(try mail["pausedSince"].ifPresent != nil && mail["probeAt"].ifPresent == nil)
    }

    @Test("an operator's pause replaces one after a failure, and lasts until the queue is resumed")
    func lastingPause() throws {
        let id = try enqueue("test.one")
        try office.asOwner("INSERT INTO jobs.paused_queues (queue, reason) VALUES ('mail', '530')")
        let retried = try office.admin("job retry \(id)").output
        #expect(retried.contains("every 30 seconds one job is tried"))
        #expect(try office.admin("job pause mail --reason moving --yes").output == "paused\n")
        #expect(try office.admin("job retry \(id)").output.contains("'hearth-admin job resume'"))
        let found = try office.admin("doctor --rights /nonexistent").output
        #expect(
            found.contains("by an operator: moving") && found.contains("job resume mail"),
            "\(found)")
        let left: Int = try office.scalar(
            "SELECT count(*) FROM jobs.paused_queues WHERE probe_at IS NULL AND reason = 'moving'")
        #expect(left == 1)
        let row = try office.admin("job queues").output.split(separator: "\n").first {
            $0.hasPrefix("mail ")
        }
        #expect(row?.contains(" none ") == true, "\(row ?? "")")
    }

    @Test("unsuppressing an address allows e-mail to it again")
    func unsuppress() throws {
        try office.asOwner(
            "INSERT INTO app.suppressed_addresses (email, reason) VALUES ('bo@example.com', 'x')")
        #expect(try office.admin("mail unsuppress BO@example.com").code == 0)
        let left: Int = try office.scalar("SELECT count(*) FROM app.suppressed_addresses")
        #expect(left == 0)
        let again = try office.admin("mail unsuppress bo@example.com")
        #expect(again.code == 1 && again.errors.contains("This address is not suppressed"))
        let entry = try office.json("audit --action mail.unsuppress")["entries"].elements()[0]
        #expect(try entry["subjectUserId"].string() == Office.bo)
    }

    @Test("suppressed and held-off addresses are listed with their state, and unsuppressed")
    func heldOff() throws {
        try office.asOwner(
            """
            INSERT INTO app.suppressed_addresses (email, reason, since)
                VALUES ('dead@example.com', 'at RCPT: 550 5.1.1', '2026-11-01 10:00:00Z');
            SELECT app.record_mail_rejection('bo@example.com', 'at DATA: 554 5.7.1')
                FROM generate_series(1, 3);
            SELECT app.record_mail_rejection('once@example.com', 'at DATA: 554 5.7.1');
            INSERT INTO app.refused_invitations (email, since)
                VALUES ('bo@example.com', '2026-11-02 10:00:00Z');
            """)
        let list = try office.json("mail list")["addresses"].elements()
        #expect(
            try list.map { try $0["email"].string() + " " + $0["state"].string() } == [
                "bo@example.com held_off", "bo@example.com no_invitations",
                "dead@example.com suppressed",
            ])
        #expect(try list[0]["reason"].string() == "at DATA: 554 5.7.1")
        #expect(try list[0]["until"].ifPresent != nil && list[2]["until"].ifPresent == nil)
        let text = try office.admin("mail list").output
        #expect(text.contains("held_off") && text.contains("suppressed"))
        for address in ["bo", "dead"] {
            #expect(try office.admin("mail unsuppress \(address)@example.com").code == 0)
        }
        #expect(try office.json("mail list")["addresses"].elements().isEmpty)
    }

    @Test("operators' new and retried jobs notify the workers at once")
    func wakes() throws {
        let id = try office.makeFamily()
        let dead = try enqueue("test.one")
        try bury(dead)
        for line in [
            "invite send \(id) --email new@example.com", "family transfer-admin \(id) Bo --yes",
            "member remove \(id) Cy --yes", "job retry \(dead)",
        ] {
            let listener = Listener(office.database.settings(), channels: ["hearth_jobs"])
            #expect(listener.next(deadline: .after(seconds: 20)) == .connected)
            #expect(try office.admin(line).code == 0, "\(line)")
            #expect(try told(listener) == "mail", "\(line)")
        }
    }

    /// The payload of the next notification.
    private func told(_ listener: Listener) throws -> String? {
        let deadline = Deadline.after(seconds: 20)
        while let event = listener.next(deadline: deadline) {
            if case .notification(let told) = event { return told.payload }
        }
        return nil
    }

    @Test("changes by operators enqueue the same e-mails as changes by members")
    func mails() throws {
        let id = try office.makeFamily()
        _ = try office.json("managed add \(id) Bo Kid")
        _ = try office.json("invite send \(id) --email new@example.com")
        _ = try office.json("family transfer-admin \(id) Bo --yes")
        _ = try office.json("managed reassign \(id) Kid Ann --yes")
        _ = try office.json("member remove \(id) Cy --yes")
        let kinds = try office.json("job list")["jobs"].texts("kind").sorted()
        #expect(
            kinds == [
                "mail.admin_changed", "mail.admin_changed", "mail.guardian_replaced",
                "mail.invitation", "mail.member_removed",
            ])
        let invitation = try office.json("invite list \(id)")["invitations"].elements()[0]
        #expect(try invitation["deliveryStatus"].string() == "queued")
        let refused = try office.admin("member remove \(id) Nobody --yes")
        #expect(refused.code == 1)
        #expect(try office.json("job list")["jobs"].elements().count == 5)
    }

    @Test("an invitation whose e-mail was discarded shows as failed until it is sent again")
    func givenUp() throws {
        let id = try office.makeFamily()
        let sent = try office.json("invite send \(id) --email new@example.com")["id"].string()
        let job = try office.json("job list --kind mail.invitation")["jobs"].elements()[0]
        try bury(try job["id"].integer())
        let list = "invite list \(id)"
        #expect(try office.json(list)["invitations"].texts("deliveryStatus") == ["failed"])
        let told = try office.admin("doctor --rights /nonexistent").output
        #expect(told.contains("1 job of 'mail' was discarded"))
        #expect(told.contains("invite resend"))
        _ = try office.json("invite resend \(sent)")
        #expect(try office.json(list)["invitations"].texts("deliveryStatus") == ["queued"])
        #expect(try office.json("job list")["jobs"].texts("state") == ["ready"])
        let trail = try office.json("audit --action job.cancel")["entries"].elements()
        #expect(trail.count == 1)
    }

    @Test("a purge announces its counts, deletes that many rows and adds an audit entry")
    func purge() throws {
        let id = try office.makeFamily()
        _ = try office.json("invite send \(id) --link")
        _ = try office.json("managed add \(id) Bo Kid")
        _ = try office.json("member remove \(id) Kid --yes")
        try office.asOwner(
            """
            UPDATE app.family_invitations SET expires_at = now() - interval '1 minute';
            UPDATE app.family_members SET removed_at = now() - interval '31 days'
                WHERE status = 'removed';
            INSERT INTO app.family_code_usage_log (action, at)
                SELECT 'rejected', now() - interval '91 days' FROM generate_series(1, 1500);
            """)
        let expected: [(String, Int64)] = [
            ("expired_invitations", 1), ("removed_members", 1), ("code_usage_log", 1500),
            ("empty_families", 0),
        ]
        let unasked = try office.admin("purge")
        #expect(unasked.code == 64)
        #expect(unasked.errors.contains("--yes"))
        for line in ["purge --dry-run", "purge --dry-run", "purge --yes"] {
            let counts = try office.json(line)
            for (object, count) in expected { #expect(try counts[object].integer() == count) }
        }
        let after = try office.json("purge --dry-run")
        for (object, _) in expected { #expect(try after[object].integer() == 0) }
        let trail = try office.json("audit --action purge.run")["entries"].elements()
        #expect(try trail[0]["details"]["code_usage_log"].integer() == 1500)
        #expect(try office.admin("purge --yes").output.contains("code_usage_log"))
    }

    @Test("a purge stopped by a signal records what it deleted and says that it was stopped")
    func interrupted() throws {
        try office.asOwner(
            """
            INSERT INTO app.family_code_usage_log (action, at)
                SELECT 'rejected', now() - interval '91 days' FROM generate_series(1, 1000)
            """)
        let gate = try DeletionGate(office.database, table: "app.family_code_usage_log")
        let ending = try run(
            "hearth-admin", ["purge", "--yes", "--json"], environment: office.environment
        ) { id in
            try gate.awaitArrival()
            kill(id, SIGTERM)
            try gate.open()
        }
        #expect(ending.code == 1 && ending.errors.contains("stopped by a signal"))
        let left: Int64 = try office.scalar("SELECT count(*) FROM app.family_code_usage_log")
        let gone = 1000 - left
        // Only the batch in progress was deleted; the first batch has one row.
        #expect(gone == 1)
        #expect(try ending.json()["code_usage_log"].integer() == gone)
        let trail = try office.json("audit --action purge.run")["entries"].elements()
        #expect(try trail[0]["details"]["code_usage_log"].integer() == gone)
    }

    @Test("a purge that fails at one object reports it and does the rest")
    func failingPurge() throws {
        try office.asOwner(
            """
            INSERT INTO app.family_code_usage_log (action, at)
                VALUES ('rejected', now() - interval '91 days');
            INSERT INTO app.rate_limits (bucket, window_start, hits)
                VALUES ('x', now() - interval '91 days', 1);
            CREATE FUNCTION app.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE 'not today'; END $$;
            CREATE TRIGGER refusal BEFORE DELETE ON app.family_code_usage_log
                FOR EACH STATEMENT EXECUTE FUNCTION app.refuse()
            """)
        let ending = try office.admin("purge --yes --json")
        #expect(ending.code == 1)
        #expect(ending.errors.contains("code_usage_log: the database refuses: not today"))
        #expect(try ending.json()["rate_limits"].integer() == 1)
    }

    @Test("the purge command applies the retention settings")
    func retention() throws {
        try office.asOwner(
            """
            INSERT INTO app.family_code_usage_log (action, at)
                VALUES ('rejected', now() - interval '10 days')
            """)
        var environment = office.environment
        environment["HEARTH_KEEP_CODE_LOG_DAYS"] = "5"
        let counts = try run(
            "hearth-admin", ["purge", "--yes", "--json"], environment: environment
        ).json()
        #expect(try counts["code_usage_log"].integer() == 1)
    }

    @Test("the doctor reports repeatedly failing jobs by kind, with their most frequent error")
    func failing() throws {
        for (kind, attempt, error) in [
            ("mail.invitation", 8, "550 no"), ("mail.invitation", 12, "connection refused"),
            ("mail.invitation", 19, "connection refused"), ("mail.admin_changed", 9, "450 later"),
            ("mail.admin_changed", 7, "not yet a matter of concern"),
        ] {
            let id = try enqueue(kind, in: 3600)
            try office.asOwner(
                """
                UPDATE jobs.live SET attempt = \(attempt), last_error = '\(error)' WHERE id = \(id)
                """)
        }
        let ending = try office.admin("doctor --json --rights /nonexistent")
        #expect(ending.code == 1)
        let found = try ending.json()["findings"].elements().filter {
            try $0["kind"].string() == "jobs_failing"
        }
        #expect(
            try found.map { try $0["message"].string() } == [
                "1 job of kind 'mail.admin_changed' has failed 8 times or more, most with: "
                    + "450 later",
                "3 jobs of kind 'mail.invitation' have failed 8 times or more, most with: "
                    + "connection refused",
            ])
    }

    @Test("an invitation that expired before its e-mail was sent shows as failed")
    func expired() throws {
        let id = try office.makeFamily()
        _ = try office.json("invite send \(id) --email new@example.com")
        try office.asOwner(
            "UPDATE app.family_invitations SET expires_at = now() - interval '1 minute'")
        let list = try office.json("invite list \(id) --all")["invitations"]
        #expect(try list.texts("status") == ["expired"])
        #expect(try list.texts("deliveryStatus") == ["failed"])
    }

    @Test("the doctor reports dead and overdue jobs, paused queues and absent workers")
    func doctor() throws {
        try bury(try enqueue("test.one"))
        _ = try enqueue("test.one", in: -3600)
        try office.asOwner("INSERT INTO jobs.paused_queues (queue, reason) VALUES ('mail', 'x')")
        let ending = try office.admin("doctor --json --rights /nonexistent")
        let kinds = try ending.json()["findings"].texts("kind")
        #expect(
            Set(kinds).isSuperset(of: ["jobs_dead", "jobs_overdue", "queue_paused", "worker_away"]))
        #expect(ending.code == 1)
    }
}
