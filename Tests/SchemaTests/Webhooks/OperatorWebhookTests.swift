import Postgres
import TestSupport
import Testing

@Suite("Operators' changes of webhooks")
struct OperatorWebhookTests {
    private let scene: TwoEndpoints
    private var hook: UInt128 { scene.hook }
    init() throws { scene = try TwoEndpoints() }

    @discardableResult
    private func asOperator(_ statement: SQL) throws -> Rows {
        try scene.house.asOperator { try $0.query(statement) }
    }

    private func does(
        _ statement: SQL, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try scene.effects().expect(text, sourceLocation: sourceLocation) {
            try asOperator(statement)
        }
    }

    @Test("an endpoint is added, rotates its secret, is paused, resumes and is removed")
    func life() throws {
        let new = UInt128.random(in: 0 ... .max)
        try does(
            """
            SELECT app.operator_add_webhook(
                \(new), 'https://y.test', 'New', '{member.joined}', sha256('n'))
            """,
            """
            + audit_log: action=webhook.add, actor_label=operator:jo, details={eventTypes:
                [member.joined]}, target_id=new
            + webhook_endpoints: description=New, event_types=[member.joined], failures=0,
                secret_generation=1, secret_hash=random, url=https://y.test
            """)
        try does(
            "SELECT app.operator_rotate_webhook(\(hook), 2, sha256('2'), '1 hour')",
            """
            + audit_log: action=webhook.rotate, actor_label=operator:jo, details={},
                target_id=hook
            ~ webhook_endpoints hook: previous_secret_hash=random, previous_until=now,
                secret_generation=2, secret_hash=random
            """)
        try does(
            "SELECT app.operator_rotate_webhook(\(hook), 3, sha256('3'), '0')",
            """
            + audit_log: action=webhook.rotate, actor_label=operator:jo, details={},
                target_id=hook
            ~ webhook_endpoints hook: previous_secret_hash=null, previous_until=null,
                secret_generation=3, secret_hash=random
            """)
        for generation: Int32 in [3, 5] {
            let refused = try refusal {
                try asOperator(
                    """
                    SELECT app.operator_rotate_webhook(\(hook), \(generation), sha256('x'), '0')
                    """)
            }
            #expect(refused == "HF409 webhook_changed")
        }
        try does(
            "SELECT app.operator_pause_webhook(\(hook))",
            """
            + audit_log: action=webhook.pause, actor_label=operator:jo, details={}, target_id=hook
            ~ webhook_endpoints hook: pause_reason=An operator paused it., paused_at=now
            """)
        #expect(
            try !asOperator("SELECT app.operator_pause_webhook(\(hook))").scalar(Bool.self))
        try scene.change(
            """
            UPDATE app.webhook_endpoints SET failures = 2, failing_since = now(), retry_at = now()
            WHERE id IN (\(hook), \(scene.other))
            """)
        try scene.change(
            """
            UPDATE app.webhook_deliveries SET first_failed_at = now() - interval '2 days'
            WHERE event_number IN (1, 2)
            """)
        try scene.change(
            """
            UPDATE app.webhook_deliveries SET state = 'delivered', settled_at = now()
            WHERE event_number = 2
            """)
        try does(
            "SELECT app.operator_resume_webhook(\(hook))",
            """
            + audit_log: action=webhook.resume, actor_label=operator:jo, details={},
                target_id=hook
            + live: family_unit_id=away, kind=webhook.deliver, payload={event: 3, endpoint: hook},
                unique_key=hook:3
            + live: family_unit_id=home, kind=webhook.deliver, payload={event: 1, endpoint: hook},
                unique_key=hook:1
            + live: kind=webhook.deliver, payload={event: 4, endpoint: hook}, unique_key=hook:4
            + live: kind=webhook.deliver, payload={event: 5, endpoint: hook}, unique_key=hook:5
            ~ webhook_deliveries hook 1: first_failed_at=null
            ~ webhook_endpoints hook: failing_since=null, failures=0, pause_reason=null,
                paused_at=null, retry_at=null
            """)
        try does(
            "SELECT app.operator_remove_webhook(\(hook))",
            """
            + audit_log: action=webhook.remove, actor_label=operator:jo, details={},
                target_id=hook
            - webhook_deliveries: attempts=0, endpoint_id=hook, event_number=1,
                family_unit_id=home
            - webhook_deliveries: attempts=0, endpoint_id=hook, event_number=2,
                family_unit_id=home, first_failed_at=in -2 days, settled_at=now
            - webhook_deliveries: attempts=0, endpoint_id=hook, event_number=3,
                family_unit_id=away
            - webhook_deliveries: attempts=0, endpoint_id=hook, event_number=4
            - webhook_deliveries: attempts=0, endpoint_id=hook, event_number=5
            - webhook_endpoints: description=, event_types=[], failures=0, secret_generation=3,
                secret_hash=random, url=https://x.test
            """)
    }

    @Test("an operator can replay one event, events since a time, or discarded events")
    func replay() throws {
        try scene.change(
            """
            UPDATE app.webhook_deliveries SET state = 'delivered', settled_at = now(),
                first_failed_at = now()
            """)
        try scene.change(
            """
            UPDATE app.webhook_deliveries SET state = 'failed'
            WHERE event_number = 1 OR (event_number = 2 AND endpoint_id = \(scene.other))
            """)
        try scene.change(
            """
            UPDATE app.webhook_events SET occurred_at = now() - interval '1 hour' * (10 - number)
            """)
        let third = try scene.house.superuser().query(
            "SELECT id FROM app.webhook_events WHERE number = 3"
        ).scalar(UInt128.self)
        func replay(failed: Bool, event: UInt128?, sinceHours: Int32?) -> SQL {
            """
            SELECT app.operator_replay_webhook(\(hook), \(failed), \(event as UInt128?),
                now() - make_interval(hours => \(sinceHours as Int32?)))
            """
        }
        try does(
            replay(failed: true, event: nil, sinceHours: nil),
            """
            + audit_log: action=webhook.replay, actor_label=operator:jo, details={events: 1},
                target_id=hook
            + live: family_unit_id=home, kind=webhook.deliver, payload={event: 1, endpoint: hook},
                unique_key=hook:1
            ~ webhook_deliveries hook 1: first_failed_at=null, settled_at=null
            """)
        try does(
            replay(failed: false, event: third, sinceHours: nil),
            """
            + audit_log: action=webhook.replay, actor_label=operator:jo, details={events: 1},
                target_id=hook
            + live: family_unit_id=away, kind=webhook.deliver, payload={event: 3, endpoint: hook},
                unique_key=hook:3
            ~ webhook_deliveries hook 3: first_failed_at=null, settled_at=null
            """)
        // The test event, the fifth, is not replayed.
        try does(
            replay(failed: false, event: nil, sinceHours: 7),
            """
            + audit_log: action=webhook.replay, actor_label=operator:jo, details={events: 1},
                target_id=hook
            + live: kind=webhook.deliver, payload={event: 4, endpoint: hook}, unique_key=hook:4
            ~ webhook_deliveries hook 4: first_failed_at=null, settled_at=null
            """)
        // A waiting delivery is not requested again; a paused endpoint gets no job.
        try scene.change("DELETE FROM jobs.live")
        try scene.change(
            """
            UPDATE app.webhook_endpoints SET paused_at = now(), pause_reason = 'x',
                event_types = '{member.left}'
            """)
        try scene.change(
            "UPDATE app.webhook_deliveries SET state = 'delivered', settled_at = now()")
        try does(
            replay(failed: false, event: nil, sinceHours: 24),
            """
            + audit_log: action=webhook.replay, actor_label=operator:jo, details={events: 1},
                target_id=hook
            ~ webhook_deliveries hook 2: first_failed_at=null, settled_at=null
            """)
    }

    @Test("a waiting delivery is neither replayed nor counted, unless its job is dead")
    func waiting() throws {
        let replay: SQL = """
            SELECT app.operator_replay_webhook(\(hook), false, NULL, now() - interval '1 day')
            """
        try asOperator("SELECT app.operator_resume_webhook(\(hook))")
        #expect(try asOperator(replay).scalar(Int32.self) == 0)
        try scene.change(
            """
            DELETE FROM jobs.live
            WHERE payload ->> 'event' = '4' AND payload ->> 'endpoint' = \(hook)::uuid::text
            """)
        try does(
            replay,
            """
            + audit_log: action=webhook.replay, actor_label=operator:jo, details={events: 1},
                target_id=hook
            + live: kind=webhook.deliver, payload={event: 4, endpoint: hook}, unique_key=hook:4
            """)
    }

    @Test("a test event belongs only to its endpoint")
    func test() throws {
        try does(
            "SELECT app.operator_test_webhook(\(hook))",
            """
            + audit_log: action=webhook.test, actor_label=operator:jo, details={}, target_id=hook
            + live: kind=webhook.deliver, payload={event: 6, endpoint: hook}, unique_key=hook:6
            + webhook_deliveries: attempts=0, endpoint_id=hook, event_number=6
            + webhook_events: data={webhookId: hook}, event_type=webhook.test, number=6,
                occurred_at=now
            """)
    }

    @Test("an unknown endpoint is not found")
    func none() throws {
        let none = UInt128.random(in: 0 ... .max)
        let calls: [SQL] = [
            "SELECT app.operator_rotate_webhook(\(none), 2, sha256('2'), '1 hour')",
            "SELECT app.operator_pause_webhook(\(none))",
            "SELECT app.operator_resume_webhook(\(none))",
            "SELECT app.operator_replay_webhook(\(none), true, NULL, NULL)",
            "SELECT app.operator_test_webhook(\(none))",
            "SELECT app.operator_remove_webhook(\(none))",
        ]
        try scene.effects().expect {
            for call in calls {
                let refused = try refusal { try asOperator(call) }
                #expect(refused == "HF404 webhook_not_found")
            }
        }
    }

    @Test("an endpoint can be changed only by an operator")
    func noOperator() throws {
        let calls: [SQL] = [
            """
            SELECT app.operator_add_webhook(gen_random_uuid(), 'https://y.test', '', '{}',
                sha256('n'))
            """,
            "SELECT app.operator_rotate_webhook(\(hook), 2, sha256('2'), '1 hour')",
            "SELECT app.operator_pause_webhook(\(hook))",
            "SELECT app.operator_resume_webhook(\(hook))",
            "SELECT app.operator_replay_webhook(\(hook), true, NULL, NULL)",
            "SELECT app.operator_test_webhook(\(hook))",
            "SELECT app.operator_remove_webhook(\(hook))",
        ]
        let unnamed = try Connection(scene.house.test.settings(as: "hearth_admin"))
        for call in calls {
            #expect(try refusal { try unnamed.query(call) } == "HF403 not_an_operator")
        }
    }
}
