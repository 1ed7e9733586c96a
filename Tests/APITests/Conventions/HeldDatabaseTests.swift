import Postgres
import TestSupport
import Testing

@testable import API

@Suite("Requests that wait for the database")
struct HeldDatabaseTests {
    @Test("more requests than processors wait for the database, and few threads stay busy")
    func held() throws {
        let site = try Site(processors: 1)
        let home = try site.home("Gulls")
        let target = "/api/family/members?familyId=\(home.id)"
        let (keeper, looker) = (
            try Connection(site.test.settings()), try Connection(site.test.settings())
        )
        try keeper.execute(script: "BEGIN; LOCK TABLE app.family_members")
        // One request for each connection of the pool, each sent once the previous one waits.
        var waiting: [BackgroundWork<Int>] = []
        for count in 1...4 {
            waiting.append(
                inBackground {
                    try site.exchange("GET", target, token: home.admin.token).status
                })
            try eventually {
                try looker.query(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock'
                    """
                ).scalar(Int.self) == count
            }
        }
        #expect(try site.exchange("GET", "/openapi.json").status == 200)
        try keeper.execute(script: "ROLLBACK")
        for work in waiting { #expect(try work.wait() == 200) }
        try eventually { site.server.strength.resting == 6 }
    }
}
