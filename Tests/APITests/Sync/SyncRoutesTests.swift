import Domain
import JSON
import TestSupport
import Testing
import Basics

@Suite("Following changes")
struct SyncRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test("following begins with a reset of everything and continues with the changes")
    func follows() throws {
        let home = try site.home()
        let follower = SyncFollower(home.adult)
        try follower.requireAgreement("at first")
        #expect(follower.held.keys.contains { $0.hasPrefix("member ") })
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"familyName": "New"}"#)
        _ = try home.player.patch("/api/me", #"{"fullName": "Kimmy"}"#)
        _ = try home.admin.post(
            "/api/family/player-details", #"{"familyId": "\#(home.id)", "sport": "chess"}"#)
        _ = try site.invite("new@example.com", to: home.id, by: home.admin)
        _ = try home.admin.patch("/api/family/\(home.id)/attributes", #"{"pets": 2}"#)
        let child = try site.addManagedMember(named: "Bo", of: home.adult, to: home.id)
        _ = try home.adult.put("/groups/\(home.id)/preferences?member_id=\(child)", #"{"a": 1}"#)
        try follower.requireAgreement("after changes")
        let second = try home.adult.get("/api/sync?cursor=none")
        #expect(try second.json["reset"].bool())
        let own = SyncFollower(home.adult.acting(for: child))
        try own.requireAgreement("while acting")
    }

    @Test("a removal deletes the family from the copy, and a return restores it")
    func removal() throws {
        let home = try site.home()
        let follower = SyncFollower(home.adult)
        try follower.catchUp()
        let member = try home.member(home.adult)
        #expect(try home.admin.delete("/api/family/members/\(member)").status == 200)
        try follower.requireAgreement("removed")
        #expect(!follower.held.keys.contains { $0.hasSuffix(" \(home.id)") })
        _ = try site.invite(home.adult.email, to: home.id, by: home.admin)
        try follower.requireAgreement("invited")
        let id = try #require(
            try home.adult.get("/api/me/invitations").json["invitations"].elements().first)["id"]
            .string()
        #expect(try home.adult.post("/api/me/invitations/\(id)/accept").status == 200)
        try follower.requireAgreement("back")
    }

    @Test("a member who leaves while fetching a family page by page keeps none of its data")
    func leavesBetweenPages() throws {
        let home = try site.home()
        let follower = SyncFollower(home.adult)
        try follower.catchUp()
        let member = try home.member(home.adult)
        try site.setHouseholdRole("visitor", of: member, by: home.admin)
        #expect(try follower.step())
        #expect(try home.admin.delete("/api/family/members/\(member)").status == 200)
        try follower.requireAgreement("removed between two pages")
    }

    @Test("a lower household role removes data from the copy, and a higher one adds it")
    func standing() throws {
        let home = try site.home()
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        let waiting = try site.person(.parent)
        #expect(
            try waiting.post("/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#).status
                == 202)
        _ = try site.invite("else@example.com", to: home.id, by: home.admin)
        _ = try home.admin.patch("/api/family/\(home.id)/attributes", #"{"pets": 2}"#)
        let followers = [home.admin, home.adult, home.player].map { SyncFollower($0) }
        for follower in followers { try follower.requireAgreement("at first") }
        for role in ["visitor", "adult", "kid", "parent_admin", "adult"] {
            let heir = try home.member(home.adult)
            let answer =
                role == "parent_admin"
                ? try home.admin.post(
                    "/api/family/admin/transfer",
                    #"{"familyId": "\#(home.id)", "memberId": "\#(heir)"}"#)
                : try home.admin.patch(
                    "/api/family/members/\(heir)", #"{"householdRole": "\#(role)"}"#)
            if role == "kid" {
                _ = try home.admin.patch(
                    "/api/family/members/\(heir)", #"{"householdRole": "adult"}"#)
            }
            #expect(answer.status == 200 || role == "adult", "\(role): \(answer)")
            for follower in followers { try follower.requireAgreement("\(role)") }
        }
    }

    @Test("data that ended while visible is removed even after the reader's role was lowered")
    func endedUnseen() throws {
        let home = try site.home()
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        func give(_ from: APIClient, to heir: APIClient) throws {
            let body = #"{"familyId": "\#(home.id)", "memberId": "\#(try home.member(heir))"}"#
            #expect(try from.post("/api/family/admin/transfer", body).status == 200)
        }
        try give(home.admin, to: home.adult)
        let waiting = try site.person(.parent)
        _ = try waiting.post("/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#)
        let invitation = try site.invite("gone@example.com", to: home.id, by: home.admin)
        let follower = SyncFollower(home.adult)
        try follower.requireAgreement("while Parent Admin")
        let withdrawn = try waiting.delete("/api/family/members/me?familyId=\(home.id)")
        #expect(withdrawn.status == 200)
        #expect(try home.admin.delete("/api/family/invitations/\(invitation)").status == 200)
        try give(home.adult, to: home.admin)
        _ = try home.admin.patch(
            "/api/family/members/\(try home.member(home.adult))", #"{"householdRole": "visitor"}"#)
        try follower.requireAgreement("as a visitor")
    }

    @Test("a waiting person receives the request, the family's new name and the decision")
    func waits() throws {
        let home = try site.home()
        let family = "/api/family/\(home.id)"
        _ = try home.admin.patch(family, #"{"approvalRequired": true}"#)
        let waiting = try site.person(.parent)
        let follower = SyncFollower(waiting)
        try follower.requireAgreement("at first")
        func requests() throws -> Int {
            try follower.requireAgreement("then")
            let profile = try #require(follower.held["profile \(waiting.id) -"])
            return try JSONField(JSONValue(parsing: Array(profile.utf8)))["joinRequests"]
                .elements().count
        }
        func ask() throws {
            let body = #"{"familyCode": "\#(home.code)"}"#
            #expect(try waiting.post("/api/family/code/join", body).status == 202)
            #expect(try requests() == 1)
        }
        func reject() throws {
            let member = try home.member(waiting)
            #expect(try home.admin.delete("/api/family/members/\(member)").status == 200)
        }
        try ask()
        _ = try home.admin.patch(family, #"{"familyName": "New"}"#)
        #expect(try requests() == 1)
        try ask()
        #expect(try waiting.delete("/api/family/members/me?familyId=\(home.id)").status == 200)
        #expect(try requests() == 0)
        try ask()
        let member = try home.member(waiting)
        #expect(try home.admin.post("/api/family/members/\(member)/approve").status == 200)
        #expect(try requests() == 0 && follower.held["family \(home.id) \(home.id)"] != nil)
        #expect(try waiting.delete("/api/family/members/me?familyId=\(home.id)").status == 200)
        try ask()
        try reject()
        #expect(try requests() == 0)
    }

    @Test("an altered or foreign cursor leads to a reset, not an error")
    func foreignCursors() throws {
        let home = try site.home()
        let cursor = try home.admin.get("/api/sync").json["cursor"].string()
        #expect(try home.admin.get("/api/sync?cursor=\(cursor)").json["reset"].bool() == false)
        #expect(try home.adult.get("/api/sync?cursor=\(cursor)").json["reset"].bool())
        for index in [0, cursor.count / 2, cursor.count - 2] {
            var altered = Array(cursor)
            altered[index] = altered[index] == "A" ? "B" : "A"
            let answer = try home.admin.get("/api/sync?cursor=\(String(altered))")
            #expect(try answer.json["reset"].bool(), "\(index)")
        }
        #expect(try site.nobody().get("/api/sync").status == 200)
    }

    @Test("a long poll holds no thread and is answered by the next change")
    func waiting() throws {
        let home = try site.home()
        let cursor = try home.adult.get("/api/sync").json["cursor"].string()
        // More requests than the server has threads.
        let (site, token) = (try site, home.adult.token)
        let work = (0..<20).map { _ in
            inBackground {
                try site.raw(
                    "GET /api/sync?cursor=\(cursor)&wait=30 HTTP/1.1\r\nHost: x\r\n"
                        + "Authorization: Bearer \(token)\r\nConnection: close\r\n\r\n")
            }
        }
        try eventually { site.services.changes.count == work.count }
        #expect(
            try home.admin.patch("/api/family/\(home.id)", #"{"familyName": "X"}"#).status == 200)
        for work in work {
            let answer = try work.wait()
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains(#""familyName":"X""#))
        }
    }

    @Test("a long poll ends when its token expires")
    func tokenEnd() throws {
        let home = try site.home()
        let cursor = try home.admin.get("/api/sync").json["cursor"].string()
        let token = try site.token(of: home.admin.person, lifetimeSeconds: 2)
        let began = MonotonicClock.nanoseconds()
        let answer = try site.send(
            "GET", "/api/sync?cursor=\(cursor)&wait=30", token: token)
        #expect(try answer.status == 200 && answer.json["changes"].elements().isEmpty)
        #expect(MonotonicClock.nanoseconds() - began < 25_000_000_000)
        #expect(try site.send("GET", "/api/sync", token: token).says(401, "invalid_token"))
    }

    @Test("a long poll ends at its time limit; a negative limit is refused")
    func waitEnds() throws {
        let home = try site.home()
        let cursor = try home.admin.get("/api/sync").json["cursor"].string()
        let answer = try home.admin.get("/api/sync?cursor=\(cursor)&wait=1")
        #expect(try answer.json["changes"].elements().isEmpty)
        #expect(try home.admin.get("/api/sync?wait=-1").says(400, "invalid_field"))
        #expect(try home.admin.get("/api/sync?wait=1000000").status == 200)
    }
}
