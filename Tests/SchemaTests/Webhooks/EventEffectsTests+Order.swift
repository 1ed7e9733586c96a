import Postgres
import TestSupport
import Testing

extension EventEffectsTests {
    @Test("enqueuing a delivery makes its existing job due now, but no other job")
    func dueNow() throws {
        try owner.query(
            """
            UPDATE app.family_units SET family_name = 'One'
            WHERE id IN (\(scene.home.id), \(scene.away.id))
            """)
        let connection = try house.superuser()
        try connection.query(
            """
            INSERT INTO jobs.live (queue, kind, payload, unique_key)
            SELECT queue, 'webhook.other', payload, unique_key FROM jobs.live
            WHERE unique_key IS NOT NULL
            """)
        try connection.query("UPDATE jobs.live SET run_at = now() + interval '1 day'")
        let event = try connection.query(
            """
            SELECT event_number FROM app.webhook_deliveries
            WHERE endpoint_id = \(all) AND family_unit_id = \(scene.home.id)
            """
        ).scalar(Int.self)
        try owner.query(
            "SELECT app.enqueue_webhook(\(all), \(event), \(scene.home.id))")
        let due = try connection.query(
            """
            SELECT kind || ' ' || (unique_key = \(all)::text || ':' || \(event))
            FROM jobs.live WHERE run_at <= clock_timestamp()
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        #expect(due == ["webhook.deliver true"])
    }

    @Test("a job that is due already keeps its time")
    func dueAlready() throws {
        try owner.query(
            "UPDATE app.family_units SET family_name = 'One' WHERE id = \(scene.home.id)")
        let connection = try house.superuser()
        try connection.query("UPDATE jobs.live SET run_at = now() - interval '1 hour'")
        try owner.query(
            """
            SELECT app.enqueue_webhook(d.endpoint_id, d.event_number, d.family_unit_id)
            FROM app.webhook_deliveries AS d
            """)
        #expect(
            try house.count(
                "SELECT count(*) FROM jobs.live WHERE run_at < now() - interval '59 minutes'")
                == 2)
    }

    @Test("families' events don't wait for each other, and each locks its own family's row")
    func apart() throws {
        for family in [scene.home, scene.away] {
            try owner.query(
                "UPDATE app.family_units SET family_name = 'One' WHERE id = \(family.id)")
        }
        #expect(
            try house.count("SELECT count(*) FROM jobs.live WHERE kind = 'webhook.deliver'") == 4)
        func isFree(_ family: Family) throws -> Bool {
            try house.isFree("app.family_units", family.id)
        }
        let free = try owner.transaction { transaction in
            try transaction.query(
                "SELECT app.record_event('family.updated', \(scene.home.id), '{}')")
            return [try isFree(scene.home), try isFree(scene.away)]
        }
        #expect(free == [false, true])
    }
}
