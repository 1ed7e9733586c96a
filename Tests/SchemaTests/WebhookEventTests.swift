import Domain
import Postgres
import TestSupport
import Testing

@Suite("Events for webhooks")
struct WebhookEventTests {
    private let house: House
    init() throws { house = try House() }

    /// Adds an endpoint for all event types, or for some.
    private func addEndpoint(_ types: String = "{}") throws {
        try house.superuser().query(
            """
            INSERT INTO app.webhook_endpoints (id, url, secret_hash, event_types)
            VALUES (gen_random_uuid(), 'https://example.org', sha256(''), \(types)::text[])
            """)
    }

    private func types() throws -> [String] {
        try house.superuser().query("SELECT event_type FROM app.webhook_events ORDER BY number")
            .map { (row) throws(PostgresError) in try row.read() }
    }

    @Test("events are recorded only while an endpoint wants them")
    func wanted() throws {
        let person = try house.person()
        _ = try house.family(of: person)
        #expect(try types() == [])
        try addEndpoint("{member.joined}")
        _ = try house.family(of: try house.person())
        #expect(try types() == ["member.joined"])
    }

    @Test("events are recorded for every writer, if the change commits")
    func whoeverWrites() throws {
        try addEndpoint()
        let person = try house.person()
        try house.asDirect(person) { transaction in
            try transaction.query(
                "INSERT INTO api.family_units (created_by_user_id) VALUES (\(person.id))")
        }
        #expect(try types() == ["family.created"])
        let other = try house.person()
        struct Undone: Error {}
        #expect(throws: Undone.self) {
            try house.asAPI(other) { transaction in
                try transaction.query("SELECT app.create_family(NULL, NULL, false)")
                throw Undone()
            }
        }
        #expect(try types() == ["family.created"])
        let jobs = try house.count(
            "SELECT count(*) FROM jobs.live WHERE kind = 'webhook.deliver'")
        #expect(jobs == 1)
    }

    /// Seconds between each pending event and its job's due time.
    private func delays() throws -> [Double] {
        try house.superuser().query(
            """
            SELECT extract(epoch FROM j.run_at - n.occurred_at)::float8
            FROM jobs.live AS j
            JOIN app.webhook_events AS n ON n.number = (j.payload ->> 'event')::bigint
            WHERE j.kind = 'webhook.deliver' ORDER BY n.number
            """
        ).map { (row) throws(PostgresError) in try row.read() }
    }

    @Test("if a process reads from standbys, events are due once the standbys show the change")
    func awaited() throws {
        try addEndpoint("{family.created,family.updated}")
        let person = try house.person()
        let family = try house.family(of: person)
        #expect(try delays().allSatisfy { $0 < 4 })
        try house.superuser().query("DELETE FROM jobs.live")
        try house.superuser().query("DELETE FROM app.webhook_deliveries")
        try house.superuser().query(
            """
            INSERT INTO app.standby_readers (id, number, standbys, renewed_at)
            VALUES (gen_random_uuid(), 1, '{}', now() + interval '55 seconds')
            """)
        for name in ["A", "B"] {
            try house.owner().query(
                "UPDATE app.family_units SET family_name = \(name) WHERE id = \(family.id)")
        }
        #expect(try delays() == [4])
        // The family's next event is not due earlier, and one that is old enough is due at once.
        func settleFirst() throws {
            try house.owner().query(
                """
                SELECT app.finish_webhook_delivery(d.endpoint_id, d.event_number, 'delivered',
                    200::smallint, NULL)
                FROM app.webhook_deliveries AS d
                WHERE d.state = 'pending' ORDER BY d.event_number LIMIT 1
                """)
            try house.superuser().query(
                """
                DELETE FROM jobs.live AS j USING app.webhook_deliveries AS d
                WHERE d.state <> 'pending' AND j.unique_key = d.endpoint_id || ':' || d.event_number
                """)
        }
        try settleFirst()
        #expect(try delays() == [4])
        try house.owner().query(
            "UPDATE app.family_units SET family_name = 'C' WHERE id = \(family.id)")
        try house.superuser().query(
            "UPDATE app.webhook_events SET occurred_at = occurred_at - interval '1 hour'")
        try settleFirst()
        #expect(try delays().allSatisfy { $0 > 3_590 })
        #expect(
            try house.count("SELECT count(*) FROM jobs.live WHERE run_at <= clock_timestamp()")
                == 1)
    }

    /// Records a family's second event while the delivery of the first is being finished.
    private func race(settlesFirst: Bool) throws {
        try addEndpoint()
        let person = try house.person()
        let family = try house.family(of: person)
        let (house, id) = (house, family.id)
        let settle: @Sendable (Connection) throws -> Void = { connection in
            for type in ["family.created", "member.joined"] {
                try connection.query(
                    """
                    SELECT app.finish_webhook_delivery(d.endpoint_id, d.event_number, 'delivered',
                        200::smallint, NULL)
                    FROM app.webhook_deliveries AS d
                    JOIN app.webhook_events AS n ON n.number = d.event_number
                    WHERE n.event_type = \(type)
                    """)
            }
        }
        let rename: @Sendable (Connection) throws -> Void = { connection in
            try connection.query(
                "UPDATE app.family_units SET family_name = 'Other' WHERE id = \(id)")
        }
        let early = try house.owner()
        try early.execute(script: "BEGIN")
        try (settlesFirst ? settle : rename)(early)
        let late = inBackground { try (settlesFirst ? rename : settle)(try house.owner()) }
        try eventually {
            try house.count(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0
                """) == 1
        }
        try early.execute(script: "COMMIT")
        try late.wait()
        let waiting = try house.count(
            """
            SELECT count(*) FROM app.webhook_deliveries AS d
            JOIN jobs.live AS j ON j.kind = 'webhook.deliver'
                AND j.unique_key = d.endpoint_id || ':' || d.event_number
            WHERE d.state = 'pending'
            """)
        let pending = try house.count(
            "SELECT count(*) FROM app.webhook_deliveries WHERE state = 'pending'")
        #expect(waiting == 1 && pending == 1)
    }

    @Test(
        "an event recorded while the previous delivery finishes gets a job",
        arguments: [true, false])
    func races(settlesFirst: Bool) throws { try race(settlesFirst: settlesFirst) }

    @Test("a family's pending events share one job, which moves from one event to the next")
    func chain() throws {
        try addEndpoint()
        let person = try house.person()
        let family = try house.family(of: person)
        for name in ["A", "B", "C"] {
            try house.owner().query(
                "UPDATE app.family_units SET family_name = \(name) WHERE id = \(family.id)")
        }
        for left in (1...5).reversed() {
            let due = try house.superuser().query(
                """
                SELECT (j.payload ->> 'event')::bigint = (
                    SELECT min(d.event_number) FROM app.webhook_deliveries AS d
                    WHERE d.state = 'pending')
                FROM jobs.live AS j WHERE j.kind = 'webhook.deliver'
                """
            ).map { (row) throws(PostgresError) in try row.read(Bool.self) }
            #expect(due == [true])
            try house.owner().query(
                """
                WITH gone AS (
                    DELETE FROM jobs.live AS j WHERE j.kind = 'webhook.deliver' RETURNING j.payload)
                SELECT app.finish_webhook_delivery((g.payload ->> 'endpoint')::uuid,
                    (g.payload ->> 'event')::bigint, 'delivered', 200::smallint, NULL)
                FROM gone AS g
                """)
            let pending = try house.count(
                "SELECT count(*) FROM app.webhook_deliveries WHERE state = 'pending'")
            #expect(pending == left - 1)
        }
    }

    @Test("database and Swift have the same event types")
    func words() throws {
        for type in WebhookEventType.allCases { try addEndpoint("{\(type.rawValue)}") }
        #expect(
            try refusal { try addEndpoint("{webhook.test}") }
                == "23514 webhook_endpoints_event_types_known")
        let written: String = try house.superuser().query(
            """
            SELECT string_agg(m[1], ' ') FROM pg_constraint AS c,
                regexp_matches(pg_get_constraintdef(c.oid), '[a-z]+[.][a-z_]+', 'g') AS m
            WHERE c.conname = 'webhook_events_type_known'
            """
        ).scalar()
        #expect(
            Set(written.split(separator: " ").map(String.init))
                == Set(WebhookEventType.allCases.map(\.rawValue) + ["webhook.test"]))
    }
}
