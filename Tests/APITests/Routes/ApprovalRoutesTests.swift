import JSON
import TestSupport
import Testing

@Suite("Requests to join")
struct ApprovalRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test("joining a family with approval gets 202 and gives neither side access to the other")
    func approval() throws {
        let home = try site.home()
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        let waiting = try site.person(.parent)
        let invited = try site.person(.parent)
        _ = try home.invite(invited.email)
        for person in [waiting, invited] {
            let preview = try person.get("/api/family/code/\(home.code)").json
            #expect(try preview["approvalRequired"].bool())
        }
        let joined = try waiting.post(
            "/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#)
        #expect(joined.status == 202 && joined.text("status") == "invited")
        #expect(
            try waiting.get("/api/family/members?familyId=\(home.id)")
                .says(404, "family_not_found"))
        let member = try home.member(waiting)
        let seen = try home.adult.get("/api/family/members").json["count"].integer()
        #expect(seen == 3)
        #expect(
            try home.admin.patch("/api/family/members/\(member)", #"{"householdRole": "kid"}"#)
                .says(409, "member_is_waiting"))
        // Members who can't see the request can't approve it either.
        #expect(
            try home.adult.post("/api/family/members/\(member)/approve")
                .says(404, "member_not_found"))
        let approved = try home.admin.post("/api/family/members/\(member)/approve")
        #expect(approved.status == 200 && approved.text("status") == "active")
        #expect(
            try home.admin.post("/api/family/members/\(member)/approve")
                .says(409, "member_is_not_waiting"))
        #expect(try waiting.get("/api/family/members").status == 200)
    }

    @Test("a waiting person keeps the account's role, can withdraw, and may ask again")
    func withdraw() throws {
        let home = try site.home()
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        let waiting = try site.person(.parent)
        let join = #"{"familyCode": "\#(home.code)"}"#
        #expect(try waiting.post("/api/family/code/join", join).status == 202)
        let member = try home.member(waiting)
        let me = "/api/family/members/me"
        #expect(try waiting.delete(me).says(400, "family_required"))
        // The role is fixed while the request is pending.
        #expect(
            try waiting.patch("/api/me", #"{"role": "player"}"#).says(409, "role_fixed_in_family"))
        #expect(
            try waiting.post("/api/family/create", #"{"role": "player"}"#)
                .says(409, "role_mismatch"))
        #expect(try waiting.delete(me + "?familyId=\(home.id)").status == 200)
        #expect(try waiting.patch("/api/me", #"{"role": "player"}"#).status == 200)
        #expect(try waiting.patch("/api/me", #"{"role": "parent"}"#).status == 200)
        #expect(
            try waiting.delete(me + "?familyId=\(home.id)").says(404, "family_not_found"))
        #expect(
            try home.admin.post("/api/family/members/\(member)/approve")
                .says(404, "member_not_found"))
        // The person withdrew, and may ask again.
        let request = "/api/me/requests/\(home.id)"
        #expect(try waiting.post("/api/family/code/join", join).status == 202)
        #expect(try waiting.delete(request).status == 200)
        #expect(try waiting.delete(request).says(404, "family_not_found"))
        #expect(try waiting.post("/api/family/code/join", join).status == 202)
        #expect(try home.admin.post("/api/family/members/\(member)/approve").status == 200)
        // Neither withdrawing nor rejecting ends a membership.
        #expect(try waiting.delete(request).says(409, "member_is_not_waiting"))
        let reject = "/api/family/members/\(member)/reject"
        #expect(try home.admin.post(reject).says(409, "member_is_not_waiting"))
        #expect(try waiting.get("/api/family/members").status == 200)
        for id in [try site.home().id, "x"] {
            #expect(
                try waiting.delete("/api/me/requests/\(id)").says(404, "family_not_found"))
        }
        let child = try home.child(of: home.adult)
        let acting = home.adult.acting(for: child)
        #expect(try acting.delete(request).says(403, "not_while_acting"))
    }

    @Test("a request can be rejected by members who may approve it, and by nobody else")
    func rejected() throws {
        let home = try site.home()
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        let waiting = try site.person(.parent)
        let join = #"{"familyCode": "\#(home.code)"}"#
        #expect(try waiting.post("/api/family/code/join", join).status == 202)
        let reject = "/api/family/members/\(try home.member(waiting))/reject"
        // Members who can't see the request can't reject it either.
        for person in [home.adult, home.player, waiting] {
            #expect(try person.post(reject).says(404, "member_not_found"))
        }
        #expect(try home.admin.post(reject).status == 200)
        #expect(try home.admin.post(reject).says(404, "member_not_found"))
        #expect(try waiting.get("/api/me").json["joinRequests"].elements().isEmpty)
        // The person may ask once more.
        #expect(try waiting.post("/api/family/code/join", join).status == 202)
        #expect(try home.admin.post(reject).status == 200)
        #expect(
            try waiting.post("/api/family/code/join", join).says(403, "removed_from_family"))
        let oneself = "/api/family/members/\(try home.member(home.admin))/reject"
        #expect(try home.admin.post(oneself).says(400, "oneself"))
    }

    @Test(
        "the last member's leaving ends requests, and the code too if the family requires approval",
        arguments: [true, false])
    func emptied(_ isApproved: Bool) throws {
        let (creator, waiting) = (try site.person(.parent), try site.person(.parent))
        let made = try creator.post("/api/family/create")
        let (id, code) = (try #require(made.text("familyId")), made.text("familyCode") ?? "")
        let join = #"{"familyCode": "\#(code)"}"#
        _ = try creator.patch("/api/family/\(id)", #"{"approvalRequired": true}"#)
        #expect(try waiting.post("/api/family/code/join", join).status == 202)
        _ = try creator.patch("/api/family/\(id)", #"{"approvalRequired": \#(isApproved)}"#)
        #expect(try waiting.get("/api/me").json["joinRequests"].elements().count == 1)
        #expect(try creator.delete("/api/family/members/me").status == 200)
        #expect(try waiting.get("/api/me").json["joinRequests"].elements().isEmpty)
        let late = try site.person(.parent).post("/api/family/code/join", join)
        #expect(isApproved ? late.says(404, "code_unknown") : late.status == 200, "\(late)")
        // The request has not been rejected.
        let again = try waiting.post("/api/family/code/join", join)
        #expect(isApproved ? again.says(404, "code_unknown") : again.status == 200, "\(again)")
    }

    @Test("a profile lists the person's requests to join until they are decided or withdrawn")
    func requests() throws {
        let homes = try (0..<3).map { _ in try site.home() }
        let waiting = try site.person(.player)
        func shown() throws -> [String] {
            try waiting.get("/api/me").json["joinRequests"].elements()
                .map { try $0["familyId"].string() }
        }
        func ask(_ home: FamilyFixture<Site>) throws {
            let body = #"{"familyCode": "\#(home.code)"}"#
            #expect(try waiting.post("/api/family/code/join", body).status == 202)
        }
        for home in homes {
            _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
            try ask(home)
        }
        #expect(try shown() == homes.map(\.id))
        let first = try waiting.get("/api/me")
        let request = try #require(try first.json["joinRequests"].elements().first)
        #expect(try request["role"].string() == "player")
        #expect(try request["requestedAt"].string().hasSuffix("Z"))
        // The family's current name is shown, and the tag has changed with it.
        _ = try homes[0].admin.patch("/api/family/\(homes[0].id)", #"{"familyName": "New"}"#)
        let tag = try #require(first.headers["etag"])
        let renamed = try waiting.send("GET", "/api/me", headers: ["If-None-Match": tag])
        #expect(renamed.status == 200)
        #expect(
            try renamed.json["joinRequests"].elements().first?["familyName"].string() == "New")
        // Asking again changes nothing.
        let tagNow = try #require(renamed.headers["etag"])
        try ask(homes[0])
        let same = try waiting.send("GET", "/api/me", headers: ["If-None-Match": tagNow])
        #expect(same.status == 304)
        // One family rejects the request, a second is withdrawn, and the third is approved.
        let rejected = try homes[1].member(waiting)
        #expect(try homes[1].admin.delete("/api/family/members/\(rejected)").status == 200)
        #expect(try shown() == [homes[0].id, homes[2].id])
        let withdrawn = try waiting.delete("/api/me/requests/\(homes[2].id)")
        #expect(withdrawn.status == 200)
        #expect(try shown() == [homes[0].id])
        let member = try homes[0].member(waiting)
        #expect(try homes[0].admin.post("/api/family/members/\(member)/approve").status == 200)
        #expect(try shown().isEmpty)
        // Other people's profiles do not list them.
        let another = try site.person(.parent)
        let join = #"{"familyCode": "\#(homes[2].code)"}"#
        #expect(try another.post("/api/family/code/join", join).status == 202)
        for other in [waiting, try site.nobody(), homes[2].admin] {
            #expect(try other.get("/api/me").json["joinRequests"].elements().isEmpty)
        }
    }

    @Test("a guardian's requests to join are in the guardian's own profile, not in the child's")
    func requestsWhileActing() throws {
        let (home, other) = (try site.home(), try site.home())
        let child = try home.child(of: home.adult)
        _ = try other.admin.patch("/api/family/\(other.id)", #"{"approvalRequired": true}"#)
        let join = #"{"familyCode": "\#(other.code)"}"#
        #expect(try home.adult.post("/api/family/code/join", join).status == 202)
        #expect(try home.adult.get("/api/me").json["joinRequests"].elements().count == 1)
        let acting = try home.adult.acting(for: child).get("/api/me")
        #expect(try acting.json["joinRequests"].elements().isEmpty)
        let changes = try home.adult.get("/api/sync").json["changes"].elements()
        let profiles = try changes.filter { try $0["kind"].string() == "profile" }
        #expect(profiles.count == 2)
        for profile in profiles {
            let count = try profile["value"]["joinRequests"].elements().count
            #expect(try count == (profile["value"]["isManaged"].bool() ? 0 : 1))
        }
    }

    @Test("a family has at most thirty pending requests, and the list of members shows them all")
    func waitingLimit() throws {
        let site = try Site()
        let home = try site.home()
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        let join = #"{"familyCode": "\#(home.code)"}"#
        let waiting = try (0..<30).map { _ in try site.person(.parent) }
        for person in waiting {
            #expect(try person.post("/api/family/code/join", join).status == 202)
        }
        let late = try site.person(.parent)
        #expect(try late.post("/api/family/code/join", join).says(409, "family_full"))
        #expect(try waiting[0].post("/api/family/code/join", join).status == 202)
        let listed = try home.admin.get("/api/family/members").json["members"].elements()
        #expect(listed.count == 33)
        let refused = "/api/family/members/\(try home.member(waiting[0]))"
        #expect(try home.admin.delete(refused).status == 200)
        #expect(try late.post("/api/family/code/join", join).status == 202)
    }
}
