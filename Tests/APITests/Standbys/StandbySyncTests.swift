import Postgres
import TestSupport
import Testing
import UseCases

/// Serialized, because each test starts two servers.
@Suite("Changes read from standbys", .serialized)
struct StandbySyncTests {
    @Test("a sync through any process returns all changes, deletions included")
    func followed() throws {
        let stage = try StandbyStage()
        let home = try stage.sites[0].home()
        let guest = try stage.sites[0].person(.parent)
        try stage.sites[0].join(guest, code: home.code)
        try stage.awaitServing()
        let before = stage.sites.map { $0.reads.counts.byStandby }
        let members = stage.sites.map { SyncFollower($0.same(home.admin)) }
        let guests = stage.sites.map { SyncFollower($0.same(guest)) }
        for follower in members + guests { try follower.catchUp() }
        for number in 1...10 {
            let renamed = try home.admin.patch(
                "/api/family/\(home.id)", #"{"familyName": "Home \#(number)"}"#)
            try #require(renamed.status == 200)
            for follower in members + guests { try follower.requireAgreement("\(number)") }
        }
        let ids = try stage.sites[0].memberIDs(of: home.id, seenBy: home.admin)
        let id = try #require(ids[guest.person.id])
        #expect(try home.admin.delete("/api/family/members/\(id)").status == 200)
        for follower in members + guests {
            try follower.requireAgreement("after the removal")
            #expect(follower.resets == 1)
        }
        for (site, before) in zip(stage.sites, before) {
            // Some reads go to the primary if the machine stalls.
            #expect(site.reads.counts.byStandby > before)
        }
    }

    @Test("a change wakes waiting requests, which then return it")
    func waiting() throws {
        let stage = try StandbyStage()
        let home = try stage.sites[0].home()
        try stage.awaitServing()
        let follower = SyncFollower(stage.sites[1].same(home.admin))
        try follower.catchUp()
        for number in 1...5 {
            let results = onThreads(2) { lane in
                if lane == 0 {
                    try follower.step(waitSeconds: 25)
                } else {
                    try home.admin.patch("/api/me", #"{"fullName": "Name \#(number)"}"#).status
                        == 200
                }
            }
            // One page contains the change, and no other follows.
            #expect(try results[0].get() == false)
            #expect(try results[1].get())
            #expect(follower.held == (try follower.client.freshView()))
        }
    }

    @Test("the primary continues a cursor that is ahead of the standby")
    func ahead() throws {
        let stage = try StandbyStage()
        let home = try stage.sites[0].home()
        let behind = stage.sites[0]
        var wasTried = false
        for number in 1...20 where !wasTried {
            try stage.replay(true)
            try stage.awaitServing()
            let known = try page(stage.other, home.admin, "")
            try stage.replay(false)
            // Directly, because the API would answer only once no process reads from the standby
            // any more.
            try Connection(stage.test.settings()).query(
                """
                UPDATE app.family_units SET family_name = \("Home \(number)")
                WHERE id = \(home.id)::uuid
                """)
            let ahead = try page(stage.other, home.admin, known)
            let before = behind.reads.counts.byStandby
            let answer = try behind.same(home.admin).get("/api/sync?cursor=\(ahead)")
            #expect(try answer.json["reset"].bool() == false)
            #expect(try answer.json["changes"].elements().isEmpty)
            // The standby was asked first, unless the machine stalled for longer than a lease.
            wasTried = behind.reads.counts.byStandby > before
        }
        #expect(wasTried)
        try stage.replay(true)
    }

    /// The cursor of a page, which must be the last one.
    private func page(_ site: Site, _ client: APIClient, _ cursor: String) throws -> String {
        let query = cursor.isEmpty ? "" : "?cursor=\(cursor)"
        let answer = try site.same(client).get("/api/sync" + query)
        #expect(try answer.json["hasMore"].bool() == false)
        return try answer.json["cursor"].string()
    }
}
