import HTTPServer
import Postgres
import TestSupport
import Testing

@testable import API

@Suite("Requests that wait for the database")
struct HeldDatabaseTests {
    @Test("preparing a read never waits for the database, even for a delegation token")
    func prepared() throws {
        let site = try Site()
        let home = try site.home("Gulls")
        let child = try home.child(of: home.adult)
        let delegation = try site.session(of: home.adult).send(
            "POST", "/api/delegations", #"{"memberId": "\#(child)", "audience": "hearth"}"#)
        let token = try #require(delegation.text("access_token"))
        #expect(try site.exchange("GET", "/api/me", token: token).text("id") == child)
        let request = try #require(
            Request(
                .get, "/api/me",
                headers: Headers([.init(name: "Authorization", value: "Bearer \(token)")])))
        let holder = try Connection(site.test.settings())
        try holder.execute(
            script: "BEGIN; LOCK TABLE app.users, app.family_members, app.sessions")
        let prepared = inBackground { site.handler.prepare(request) }
        // A preparation that waits for the lock returns a response instead of work, once its
        // statement is cancelled.
        guard case .work(let work) = try prepared.wait() else {
            Issue.record("a delegation's read was not left to a thread that may wait")
            return
        }
        try holder.execute(script: "ROLLBACK")
        #expect(work().status == 200)
    }

    @Test("more requests than processors can wait for the database without keeping threads busy")
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
