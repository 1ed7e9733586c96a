import Domain
import JSON
import Postgres
import TestSupport
import Testing

@Suite("Events for servers")
struct ServerEventsTests {
    private struct Page {
        let types: [String]
        let families: [String]
        let cursor: String?
    }

    private func page(_ server: ServerClient, after cursor: String? = nil) throws -> Page {
        let answer = try server.get("/events" + (cursor.map { "?cursor=\($0)" } ?? ""))
        try #require(answer.status == 200, "\(answer)")
        let events = try answer.json["events"].elements()
        return Page(
            types: try events.map { try $0["type"].string() },
            families: try events.map { try $0["data"]["familyId"].ifPresent?.string() ?? "" },
            cursor: answer.text("nextCursor"))
    }

    @Test("paging with a cursor returns each event once and in order, and stays at the end")
    func order() throws {
        let site = try Site()
        let before = try site.person(.parent)
        _ = try site.createFamily(by: before, named: "Before there was a key")
        let server = try site.server()
        #expect(try page(server).types == [])
        let family = try site.createFamily(by: site.person(.parent), named: "Terns")
        let first = try page(server)
        #expect(first.types == ["family.created", "member.joined"])
        #expect(Set(first.families) == [family.id])
        let none = try page(server, after: first.cursor)
        #expect(none.types == [] && none.cursor == first.cursor)
        try site.join(try site.person(.parent), code: family.code)
        #expect(try page(server, after: first.cursor).types == ["member.joined"])
        #expect(try page(server).types.count == 3)
    }

    @Test("an event that commits after events with later times is read after those events")
    func lateCommit() throws {
        let site = try Site()
        let server = try site.server()
        let (slow, quick) = (
            try site.createFamily(by: site.person(.parent), named: "Slow"),
            try site.createFamily(by: site.person(.parent), named: "Quick")
        )
        let start = try page(server).cursor
        let connection = try Connection(site.test.settings())
        try connection.execute(
            script: """
                BEGIN;
                SET LOCAL ROLE hearth_owner;
                UPDATE app.family_units SET family_name = 'Slower' WHERE id = '\(slow.id)';
                """)
        try Connection(site.test.settings()).execute(
            script: """
                SET ROLE hearth_owner;
                UPDATE app.family_units SET family_name = 'Quicker' WHERE id = '\(quick.id)';
                """)
        let seen = try page(server, after: start)
        #expect(seen.families == [quick.id])
        try connection.execute(script: "COMMIT")
        #expect(try page(server, after: seen.cursor).families == [slow.id])
    }

    @Test("a key that replaces a revoked key misses no event recorded between the two")
    func replacedKey() throws {
        let site = try Site()
        let first = try site.server()
        let family = try site.createFamily(by: site.person(.parent), named: "Terns")
        let cursor = try page(first).cursor
        try site.asOperator { try $0.revokeAPIKey(first.id) }
        try site.join(try site.person(.parent), code: family.code)
        let second = try site.server()
        #expect(try page(second, after: cursor).types == ["member.joined"])
        // After seven days without a key nothing is recorded.
        try site.asOperator { try $0.revokeAPIKey(second.id) }
        try Connection(site.test.settings()).execute(
            script: """
                SET ROLE hearth_owner;
                UPDATE app.api_keys SET revoked_at = now() - interval '8 days';
                """)
        try site.join(try site.person(.parent), code: family.code)
        let third = try site.server()
        #expect(try page(third, after: cursor).types == ["member.joined"])
    }

    @Test("events get their positions in the order of the changes, even after rows have moved")
    func positions() throws {
        let site = try Site()
        let server = try site.server()
        let family = try site.createFamily(by: site.person(.parent), named: "Terns")
        let connection = try Connection(site.test.settings())
        // The rows are moved, so that a scan of the table meets the newest first.
        try connection.execute(
            script: """
                SET ROLE hearth_owner;
                INSERT INTO app.webhook_events (event_type, family_unit_id, data)
                SELECT 'family.updated', '\(family.id)', '{}' FROM generate_series(1, 300);
                UPDATE app.webhook_events SET occurred_at = occurred_at WHERE number % 2 = 0;
                UPDATE app.webhook_events SET occurred_at = occurred_at WHERE number % 3 = 0;
                ANALYZE app.webhook_events;
                """)
        _ = try page(server)
        let wrong = try connection.query(
            """
            SELECT count(*) FROM (
                SELECT stream_number - lag(stream_number) OVER (ORDER BY number) AS step
                FROM app.webhook_events) AS s
            WHERE s.step <> 1
            """
        ).scalar(Int.self)
        #expect(wrong == 0)
    }

    @Test("a cursor older than seven days gets 410, and events of that age are not returned")
    func expiry() throws {
        let site = try Site()
        let server = try site.server()
        _ = try site.createFamily(by: site.person(.parent), named: "Terns")
        let cursor = try #require(try page(server).cursor)
        try Connection(site.test.settings()).execute(
            script: """
                SET ROLE hearth_owner;
                UPDATE app.webhook_events SET occurred_at = now() - interval '8 days';
                """)
        #expect(try server.get("/events?cursor=\(cursor)").says(410, "cursor_expired"))
        #expect(try page(server).types == [])
    }
}
