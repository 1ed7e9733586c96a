import Postgres
import TestSupport
import Testing

@Suite("Locks of settling a webhook delivery")
struct WebhookRaceTests {
    private let scene: TwoEndpoints
    init() throws { scene = try TwoEndpoints() }

    @Test("deliveries to a working endpoint don't wait for each other")
    func works() throws {
        try scene.house.superuser().transaction { holder in
            try holder.query(
                "SELECT FROM app.webhook_endpoints WHERE id = \(scene.hook) FOR NO KEY UPDATE")
            let connection = try Connection(
                scene.house.test.settings(as: "hearth_worker"))
            try connection.execute(script: "SET lock_timeout = '3s'")
            let settled: String = try connection.query(
                """
                SELECT app.finish_webhook_delivery(\(scene.hook), 1, 'delivered', 200::int2, NULL)
                """
            ).scalar()
            // This makes the family's next event due.
            #expect(settled == "next")
        }
    }

    @Test("recording a failed delivery takes concurrent changes of its endpoint into account")
    func fails() throws {
        let scene = scene
        let hook = scene.hook
        try scene.change(
            "UPDATE app.webhook_deliveries SET first_failed_at = now() - interval '4 days'")
        let connection = try scene.house.superuser()
        let refused = try scene.house.race(
            { body in try connection.transaction { try body($0) } },
            early: {
                try $0.query(
                    """
                    UPDATE app.webhook_endpoints SET failures = 9, retry_at = now(),
                        failing_since = now() - interval '4 days'
                    WHERE id = \(hook)
                    """)
            },
            late: {
                let settled: String = try scene.worker(
                    """
                    SELECT app.finish_webhook_delivery(\(hook), 1, 'failed', 500::int2, 'no')
                    """
                ).scalar()
                #expect(settled == "paused")
            })
        #expect(refused == nil)
    }

    /// Gives a delivery a running job.
    private func runJob(of event: Int) throws {
        try scene.change("SELECT app.enqueue_webhook(\(scene.hook), \(event), NULL)")
        try scene.change(
            """
            UPDATE jobs.live SET state = 'running', worker = 1, token = 1, attempt = 10
            WHERE unique_key = concat(\(scene.hook), ':', \(event)::integer)
            """)
    }

    /// Whether a delivery's job is ready and due.
    private func isDue(_ event: Int) throws -> Bool {
        try scene.house.count(
            """
            SELECT count(*) FROM jobs.live
            WHERE unique_key = concat(\(scene.hook), ':', \(event)::integer)
                AND state = 'ready' AND run_at <= clock_timestamp()
            """) == 1
    }

    @Test(
        "a delivery that begins to wait while the previous one ends is due at once",
        arguments: ["of its family", "to a failing endpoint"])
    func waits(before: String) throws {
        let scene = scene
        // Event 2 is of the same family as event 1, event 3 of another.
        let waiting = before == "of its family" ? 2 : 3
        if waiting == 3 { try scene.hasFailed(scene.hook, forMinutes: 5, retryIn: 200) }
        try runJob(of: waiting)
        let connection = try Connection(scene.house.test.settings(as: "hearth_worker"))
        let refused = try scene.house.race(
            { body in try connection.transaction { try body($0) } },
            early: {
                let state: String = try $0.query(
                    "SELECT state FROM app.begin_webhook_delivery(\(scene.hook), \(waiting))"
                ).scalar()
                #expect(state == "wait")
            },
            late: {
                let settled: String = try scene.worker(
                    """
                    SELECT app.finish_webhook_delivery(
                        \(scene.hook), 1, 'delivered', 200::int2, NULL)
                    """
                ).scalar()
                #expect(settled == "next")
            })
        #expect(refused == nil)
        #expect(try isDue(waiting))
    }
}
