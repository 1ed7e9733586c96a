import Postgres
import TestSupport
import Testing

/// Two endpoints with the same deliveries: events of two families and an account, and a test event
/// each. A change of one endpoint or family must not affect the others.
struct TwoEndpoints {
    let house: House
    let hook = UInt128.random(in: 0 ... .max), other = UInt128.random(in: 0 ... .max)
    let home = UInt128.random(in: 0 ... .max), away = UInt128.random(in: 0 ... .max)

    /// Adds the events 1 and 2 of the family `home`, 3 of `away`, 4 of an account, and the test
    /// event 5.
    init() throws {
        house = try House()
        let connection = try house.superuser()
        func change(_ statement: SQL) throws { try connection.query(statement) }
        for endpoint in [hook, other] {
            try change(
                """
                INSERT INTO app.webhook_endpoints (id, url, description, event_types, secret_hash)
                VALUES (\(endpoint), 'https://x.test', '', '{}', sha256('1'))
                """)
        }
        for (type, family) in [
            ("member.joined", home), ("member.left", home), ("member.joined", away),
            ("account.erased", nil), ("webhook.test", nil),
        ] {
            try change(
                """
                INSERT INTO app.webhook_events (event_type, family_unit_id, data)
                VALUES (\(type), \(family as UInt128?), '{}')
                """)
        }
        for endpoint in [hook, other] {
            try change(
                """
                INSERT INTO app.webhook_deliveries (endpoint_id, event_number, family_unit_id)
                SELECT \(endpoint), number, family_unit_id FROM app.webhook_events
                """)
        }
    }

    func change(_ statement: SQL) throws { try house.superuser().query(statement) }

    func effects() throws -> Effects {
        try Effects(house, naming: ["hook": hook, "other": other, "home": home, "away": away])
    }

    func worker(_ statement: SQL) throws -> Rows {
        try Connection(house.test.settings(as: "hearth_worker")).query(statement)
    }

    /// Sets an endpoint's state: two failures, the first of them the given minutes ago, and the
    /// next attempt in the given seconds.
    func hasFailed(_ endpoint: UInt128, forMinutes minutes: Int, retryIn seconds: Int) throws {
        try change(
            """
            UPDATE app.webhook_endpoints SET failures = 2,
                failing_since = now() - \(minutes)::integer * interval '1 minute',
                retry_at = now() + \(seconds)::integer * interval '1 s'
            WHERE id = \(endpoint)
            """)
    }
}

@Suite("Rows written by webhook deliveries")
struct WebhookEffectsTests {
    private let scene: TwoEndpoints
    private var hook: UInt128 { scene.hook }
    init() throws { scene = try TwoEndpoints() }

    private func begin(_ endpoint: UInt128, _ event: Int) throws -> String {
        try scene.worker(
            "SELECT state FROM app.begin_webhook_delivery(\(endpoint), \(event))"
        ).scalar()
    }

    /// Finishes a delivery; returns the job's outcome and the delivery's state.
    private func settle(
        _ event: Int, _ outcome: String = "delivered", status: Int16 = 200,
        error: String? = nil
    ) throws -> String {
        let told: String = try scene.worker(
            """
            SELECT app.finish_webhook_delivery(
                \(hook), \(event), \(outcome), \(status), \(error as String?))
            """
        ).scalar()
        let states = try scene.house.superuser().query(
            """
            SELECT state FROM app.webhook_deliveries
            WHERE endpoint_id = \(hook) AND event_number = \(event)
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        return ([told] + states).joined(separator: " ")
    }

    @Test("the first pending event of each family is sent, and every event without a family")
    func order() throws {
        #expect(
            try (1...6).map { try begin(hook, $0) }
                == ["send", "wait", "send", "send", "send", "gone"])
        #expect(try begin(scene.home, 1) == "gone")
        try scene.change(
            """
            UPDATE app.webhook_deliveries SET state = 'delivered', settled_at = now()
            WHERE endpoint_id = \(hook) AND event_number = 1
            """)
        #expect(try (1...3).map { try begin(hook, $0) } == ["gone", "send", "send"])
        #expect(try (1...3).map { try begin(scene.other, $0) } == ["send", "wait", "send"])
        try scene.change("DELETE FROM app.webhook_events WHERE number = 2")
        #expect(try begin(hook, 2) == "gone")
    }

    @Test("each attempt is recorded, and the oldest ones beyond the limit are deleted")
    func attempts() throws {
        func finish(_ event: Int, _ outcome: String, _ type: String) throws {
            _ = try scene.worker(
                """
                SELECT app.finish_webhook_delivery(\(hook), \(event), \(outcome), 500::int2,
                    'answered 500', 12, \(type))
                """)
        }
        func rows() throws -> [String] {
            try scene.house.superuser().query(
                """
                SELECT concat_ws(' ', event_number, outcome, status, duration_ms, content_type)
                FROM app.webhook_attempts ORDER BY id
                """
            ).map { (row) throws(PostgresError) in try row.read(String.self) }
        }
        try finish(1, "failed", "text/html\u{1}\u{e9}")
        try finish(1, "delivered", "")
        // The delivery is over, so this one is no attempt.
        try finish(1, "failed", "text/html")
        try finish(3, "failed", "text/html")
        #expect(
            try rows() == [
                "1 failed 500 12 text/html??", "1 delivered 500 12", "3 failed 500 12 text/html",
            ])
        try scene.change(
            """
            CREATE OR REPLACE FUNCTION app.max_webhook_attempts_kept() RETURNS integer
            LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 1
            """)
        _ = try scene.worker("SELECT app.maintain_webhooks('30 days', 100)")
        #expect(try rows() == ["3 failed 500 12 text/html"])
    }

    @Test("a paused endpoint receives only test events")
    func paused() throws {
        try scene.change(
            """
            UPDATE app.webhook_endpoints SET paused_at = now(), pause_reason = 'x'
            WHERE id = \(hook)
            """)
        #expect(
            try (1...5).map { try begin(hook, $0) }
                == ["paused", "paused", "paused", "paused", "send"])
        #expect(try begin(scene.other, 1) == "send")
    }

    @Test("a failing endpoint gets one attempt at a time")
    func failing() throws {
        try scene.hasFailed(hook, forMinutes: 5, retryIn: 60)
        try scene.hasFailed(scene.other, forMinutes: 5, retryIn: -60)
        try scene.effects().expect("") { () throws in
            #expect(
                try (1...5).map { try begin(hook, $0) }
                    == ["wait", "wait", "wait", "wait", "send"])
        }
        try scene.hasFailed(hook, forMinutes: 5, retryIn: -60)
        try scene.effects().expect("~ webhook_endpoints hook: retry_at=now") { () throws in
            #expect(try [1, 3].map { try begin(hook, $0) } == ["send", "wait"])
        }
        #expect(
            try scene.house.count(
                """
                SELECT count(*) FROM app.webhook_endpoints WHERE id = \(hook)
                    AND retry_at BETWEEN now() + interval '1 s' AND now() + interval '31 s'
                """) == 1)
    }

    @Test(
        "a delivery returns its event and the secret, and the previous secret while that is valid")
    func told() throws {
        func told(_ event: Int) throws -> String {
            try scene.worker(
                """
                SELECT concat_ws(' ', url, event_type, data, secret_generation,
                    secret_hash = sha256('1'), previous_secret_hash = sha256('0'),
                    length(previous_secret_hash))
                FROM app.begin_webhook_delivery(\(hook), \(event))
                """
            ).scalar()
        }
        #expect(try told(1) == "https://x.test member.joined {} 1 t f 0")
        #expect(try told(9) == "https://x.test  {} 1 t f 0")
        for (seconds, end) in [(60, "t 32"), (-1, "f 0")] {
            try scene.change(
                """
                UPDATE app.webhook_endpoints SET previous_secret_hash = sha256('0'),
                    previous_until = now() + \(seconds)::integer * interval '1 s'
                """)
            #expect(try told(1) == "https://x.test member.joined {} 1 t " + end)
        }
    }

    /// The row of a delivery's job.
    private func job(_ event: Int, _ family: String) -> String {
        let family = family.isEmpty ? "" : "family_unit_id=\(family), "
        return """
            + live: \(family)kind=webhook.deliver, payload={event: \(event), endpoint: hook},
                unique_key=hook:\(event)
            """
    }

    @Test("a successful delivery is finished once, and the family's next event gets its job")
    func delivers() throws {
        let settled = "attempts=1, last_status=200, settled_at=now"
        try scene.effects().expect(
            "~ webhook_deliveries hook 1: \(settled)\n" + job(2, "home")
        ) { () throws in #expect(try settle(1) == "next delivered") }
        try scene.effects().expect("") { () throws in
            #expect(try settle(1) == "done delivered")
            #expect(try settle(9) == "done")
        }
        try scene.effects().expect("~ webhook_deliveries hook 3: \(settled)") { () throws in
            #expect(try settle(3) == "done delivered")
        }
        try scene.effects().expect("~ webhook_deliveries hook 5: \(settled)") { () throws in
            #expect(try settle(5) == "done delivered")
        }
    }

    private func addJobs() throws {
        for (queue, kind, payload, seconds) in [
            ("webhooks", "webhook.deliver", hook, 90_000),
            ("webhooks", "webhook.deliver", hook, -90_000),
            ("webhooks", "webhook.deliver", scene.other, 90_000),
            ("mail", "webhook.deliver", hook, 90_000),
            ("webhooks", "other", hook, 90_000),
        ] {
            try scene.change(
                """
                INSERT INTO jobs.live (queue, kind, payload, run_at)
                VALUES (\(queue), \(kind), jsonb_build_object('endpoint', \(payload)::uuid),
                    now() + \(seconds)::integer * interval '1 s')
                """)
        }
        try scene.change(
            """
            INSERT INTO jobs.live (queue, kind, payload, run_at, state, worker, token)
            VALUES ('webhooks', 'webhook.deliver', jsonb_build_object('endpoint', \(hook)::uuid),
                now() + interval '2 days', 'running', 1, 1)
            """)
    }

    @Test(
        "a recovered endpoint gets its waiting events now, however long it had failed",
        arguments: [0, 2])
    func works(minutes: Int) throws {
        try addJobs()
        try scene.hasFailed(scene.other, forMinutes: 9, retryIn: 60)
        try scene.hasFailed(hook, forMinutes: minutes, retryIn: 60)
        let lines = try scene.effects().lines { () throws in
            #expect(try settle(3) == "next delivered")
        }
        #expect(
            Array(lines.dropFirst()) == [
                "~ webhook_deliveries hook 3: attempts=1, last_status=200, settled_at=now",
                "~ webhook_endpoints hook: failing_since=null, failures=0, retry_at=null",
            ])
        #expect(lines.first?.hasPrefix("~ live ") == true)
        #expect(
            try scene.house.count(
                """
                SELECT count(*) FROM jobs.live WHERE run_at <= now() AND state = 'ready'
                    AND queue = 'webhooks' AND kind = 'webhook.deliver'
                    AND payload ->> 'endpoint' = \(hook)::text
                """) == 2)
    }

    @Test("a failed delivery is retried, and counts as a failure of its endpoint")
    func fails() throws {
        try scene.effects().expect(
            """
            ~ webhook_deliveries hook 1: attempts=1, first_failed_at=now, last_error=no,
                last_status=500
            ~ webhook_endpoints hook: failing_since=now, failures=1, retry_at=now
            """
        ) { () throws in
            #expect(try settle(1, "failed", status: 500, error: "no") == "failed pending")
        }
        let again = try scene.effects().lines { () throws in
            #expect(try settle(1, "failed", status: 500, error: "no") == "retry pending")
        }
        #expect(
            again == [
                "~ webhook_deliveries hook 1: attempts=2",
                "~ webhook_endpoints hook: failures=2, retry_at=now",
            ])
    }

    @Test("the pause after an endpoint's failure doubles up to five minutes")
    func pause() throws {
        for (failures, seconds) in [(0, 5), (1, 10), (5, 160), (6, 300), (100, 300)] {
            if failures > 0 {
                try scene.change(
                    """
                    UPDATE app.webhook_endpoints SET failures = \(failures)::integer
                    WHERE id = \(hook)
                    """)
            }
            let before: String = try scene.house.superuser().query(
                "SELECT clock_timestamp()::text"
            ).scalar()
            _ = try settle(1, "failed", status: 500)
            // The pause is random: between a half and the whole of its limit.
            #expect(
                try scene.house.count(
                    """
                    SELECT count(*) FROM app.webhook_endpoints WHERE id = \(hook)
                        AND retry_at >= \(before)::text::timestamptz
                            + \(seconds)::integer * interval '0.5 s'
                        AND retry_at <= clock_timestamp() + \(seconds)::integer * interval '1 s'
                    """) == 1, "\(failures)")
        }
    }

    @Test("a failure leaves deliveries due when their own jobs are, after the endpoint's pause")
    func ownDelays() throws {
        for event in [1, 3] {
            try scene.change("SELECT app.enqueue_webhook(\(hook), \(event), NULL)")
        }
        try scene.change("UPDATE jobs.live SET run_at = now() + interval '1 hour'")
        #expect(try settle(1, "failed", status: 500) == "failed pending")
        #expect(
            try scene.house.count(
                """
                SELECT count(*) FROM jobs.live
                WHERE run_at > clock_timestamp() + interval '50 minutes'
                """) == 2)
    }

    @Test("a failed test event is discarded, and does not count against the endpoint")
    func failingTest() throws {
        try scene.effects().expect(
            """
            ~ webhook_deliveries hook 5: attempts=1, first_failed_at=now, last_status=500,
                settled_at=now
            """
        ) { () throws in #expect(try settle(5, "failed", status: 500) == "test_failed failed") }
    }

    @Test("an endpoint that rejects further events is paused")
    func gone() throws {
        try scene.effects().expect(
            """
            ~ webhook_deliveries hook 1: attempts=1, first_failed_at=now, last_status=410
            ~ webhook_endpoints hook: failing_since=now, failures=1, pause_reason=It answered 410.,
                paused_at=now, retry_at=now
            """
        ) { () throws in #expect(try settle(1, "gone", status: 410) == "paused pending") }
    }

    @Test(
        "a delivery is discarded after three days, or its endpoint is paused if no delivery succeeds"
    )
    func patience() throws {
        func firstFailed(_ event: Int, daysAgo days: Int) throws {
            try scene.change(
                """
                UPDATE app.webhook_deliveries
                SET first_failed_at = now() - \(days)::integer * interval '1 day'
                WHERE event_number = \(event)
                """)
        }
        try firstFailed(1, daysAgo: 2)
        #expect(try settle(1, "failed", status: 500) == "failed pending")
        try firstFailed(1, daysAgo: 4)
        try scene.hasFailed(hook, forMinutes: 60 * 24 * 2, retryIn: 1)
        try scene.effects().expect(
            """
            \(job(2, "home"))
            ~ webhook_deliveries hook 1: attempts=2, settled_at=now
            ~ webhook_endpoints hook: failures=3, retry_at=now
            """
        ) { () throws in #expect(try settle(1, "failed", status: 500) == "given_up failed") }
        try firstFailed(3, daysAgo: 4)
        try scene.hasFailed(hook, forMinutes: 60 * 24 * 4, retryIn: 1)
        try scene.effects().expect(
            """
            ~ webhook_deliveries hook 3: attempts=1, last_status=500
            ~ webhook_endpoints hook: failures=3, pause_reason=It has failed for three days.,
                paused_at=now, retry_at=now
            """
        ) { () throws in #expect(try settle(3, "failed", status: 500) == "paused pending") }
    }

    private func keep(_ age: String = "30 days") throws -> String {
        try scene.worker(
            """
            SELECT concat_ws(' ', enqueued, purged)
            FROM app.maintain_webhooks(\(age)::text::interval, 2)
            """
        ).scalar()
    }

    @Test("upkeep adds missing jobs to deliveries, and purges old deliveries")
    func keeps() throws {
        try scene.change(
            """
            UPDATE app.webhook_endpoints SET paused_at = now(), pause_reason = 'x'
            WHERE id = \(scene.other)
            """)
        // Two events are delivered, and two were only for the other endpoint.
        try scene.change(
            """
            UPDATE app.webhook_deliveries SET state = 'delivered', settled_at = now()
            WHERE endpoint_id = \(hook) AND event_number IN (3, 5)
            """)
        for family in [scene.away, nil] {
            try scene.change(
                """
                WITH event AS (
                    INSERT INTO app.webhook_events (event_type, family_unit_id, data)
                    VALUES ('family.updated', \(family as UInt128?), '{}')
                    RETURNING number, family_unit_id)
                INSERT INTO app.webhook_deliveries (endpoint_id, event_number, family_unit_id)
                SELECT \(scene.other), number, family_unit_id FROM event
                """)
        }
        try scene.effects().expect([job(1, "home"), job(4, "")].joined(separator: "\n")) {
            () throws in #expect(try keep() == "2 0")
        }
        try scene.effects().expect("") { () throws in #expect(try keep() == "0 0") }
        // A job that the queue discarded starts again; one of another kind is left alone.
        for (kind, key) in [("webhook.deliver", "1"), ("other", "1"), ("webhook.deliver", "9")] {
            try scene.change(
                """
                INSERT INTO jobs.dead (id, queue, kind, unique_key, priority, attempt,
                    max_attempts, crashes, run_at, payload, last_error)
                VALUES (nextval(pg_get_serial_sequence('jobs.live', 'id')), 'webhooks', \(kind),
                    \(hook) || ':' || \(key), 0, 1, 1, 0, now(), '{}', 'x')
                """)
        }
        try scene.change("UPDATE jobs.live SET kind = 'other' WHERE unique_key LIKE '%:1'")
        let lines = try scene.effects().lines { () throws in #expect(try keep() == "1 0") }
        #expect(lines.count == 2)
        #expect(lines[0] == job(1, "home").replacing(/\n +/, with: " "))
        #expect(lines[1].hasPrefix("- dead: ") && lines[1].contains("unique_key=hook:1"))
        #expect(lines[1].contains("kind=webhook.deliver"))
    }

    @Test("previous secrets are deleted in time, and the oldest events in batches")
    func forgets() throws {
        for (endpoint, seconds) in [(hook, -1), (scene.other, 60)] {
            try scene.change(
                """
                UPDATE app.webhook_endpoints SET previous_secret_hash = sha256('0'),
                    previous_until = now() + \(seconds)::integer * interval '1 s',
                    paused_at = now(), pause_reason = 'x' WHERE id = \(endpoint)
                """)
        }
        try scene.effects().expect(
            "~ webhook_endpoints hook: previous_secret_hash=null, previous_until=null"
        ) { () throws in #expect(try keep() == "0 0") }
        try scene.change(
            """
            UPDATE app.webhook_events SET occurred_at = now() - interval '31 days'
            WHERE number <= 3
            """)
        #expect(try keep() == "0 2")
        #expect(try keep() == "0 1")
        #expect(try keep() == "0 0")
        #expect(try scene.house.count("SELECT count(*) FROM app.webhook_events") == 2)
    }
}
