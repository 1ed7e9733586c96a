import Domain
import Foundation
import JSON
import TestSupport
import Testing

@Suite("Conflicting changes of household roles")
struct RoleConflictTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    /// A time in the header's format.
    private func moment(secondsAgo: Double) -> String {
        ISO8601DateFormatter().string(from: Date().addingTimeInterval(-secondsAgo))
    }

    private func set(
        _ role: String, of member: String, by person: APIClient, secondsAgo: Double? = nil,
        seen: Int? = nil, key: String? = nil
    ) throws -> Answer {
        var headers: [String: String] = [:]
        if let secondsAgo { headers["X-Changed-At"] = moment(secondsAgo: secondsAgo) }
        if let seen { headers["X-Base-Version"] = "\(seen)" }
        if let key { headers["Idempotency-Key"] = key }
        return try person.send(
            "PATCH", "/api/family/members/\(member)", #"{"householdRole": "\#(role)"}"#,
            headers: headers)
    }

    private func role(_ answer: Answer) throws -> String {
        try answer.json["household_role"].string()
    }

    /// The family's version in a person's sync.
    private func version(_ home: FamilyFixture<Site>, _ person: APIClient) throws -> Int {
        let changes = try person.get("/api/sync").json["changes"].elements()
        let family = try #require(changes.first { try $0["kind"].string() == "family" })
        return Int(try family["version"].integer())
    }

    @Test("the later change wins in either order of arrival, and the earlier author is informed")
    func laterWins() throws {
        let home = try site.home()
        let member = try home.member(home.adult)
        #expect(try set("kid", of: member, by: home.admin, secondsAgo: 10).status == 200)
        for key in [nil, "late"] {
            let late = try set("visitor", of: member, by: home.adult, secondsAgo: 60, key: key)
            #expect(try late.status == 200 && role(late) == "kid", "\(late)")
            #expect(try late.json["conflict"]["kept"].string() == "theirs")
            #expect(try late.json["conflict"]["by"].string() == home.member(home.admin))
            #expect(try late.json["conflict"]["at"].ifPresent != nil)
        }
        let same = try set("kid", of: member, by: home.adult, secondsAgo: 60)
        #expect(try same.status == 200 && same.json["conflict"].ifPresent == nil)
        let later = try set("visitor", of: member, by: home.adult, secondsAgo: 5)
        #expect(try role(later) == "visitor" && later.json["conflict"].ifPresent == nil)
        let future = try set("kid", of: member, by: home.admin, secondsAgo: -3_600)
        #expect(try role(future) == "kid")
        #expect(try role(try set("visitor", of: member, by: home.adult)) == "visitor")
    }

    @Test("overwriting an unseen change is reported at once, and to its author at the next sync")
    func overwriting() throws {
        let home = try site.home()
        let member = try home.member(home.adult)
        let seen = try version(home, home.adult)
        let cursor = try home.admin.get("/api/sync").json["cursor"].string()
        #expect(try set("kid", of: member, by: home.admin, seen: seen).status == 200)
        let told = try set("visitor", of: member, by: home.adult, seen: seen)
        #expect(try role(told) == "visitor")
        let conflict = try told.json["conflict"]
        #expect(try conflict["kept"].string() == "yours")
        #expect(try conflict["overwrote"]["household_role"].string() == "kid")
        #expect(try conflict["overwrote"]["by"].string() == home.member(home.admin))
        for _ in 0..<2 {
            let page = try home.admin.get("/api/sync?cursor=\(cursor)")
            let changed = try #require(
                try page.json["changes"].elements().first { try $0["id"].string() == member })
            let conflict = try changed["value"]["conflict"]
            #expect(try conflict["by"].string() == member)
            #expect(try conflict["at"].ifPresent != nil && conflict["kept"].ifPresent == nil)
        }
        let others = try home.player.get("/api/sync").json["changes"].elements()
        for change in others where try change["kind"].string() == "member" {
            #expect(try change["value"]["conflict"].ifPresent == nil)
        }
        // Overwriting a seen change is no conflict, and neither is overwriting one's own.
        let now = try version(home, home.adult)
        let again = try set("kid", of: member, by: home.admin, seen: now)
        #expect(try role(again) == "kid" && again.json["conflict"].ifPresent == nil)
        let own = try set("adult", of: member, by: home.admin, seen: seen)
        #expect(try role(own) == "adult" && own.json["conflict"].ifPresent == nil)
    }

    /// The conflict that a person's sync reports for the member; nil if there is none.
    private func told(
        _ person: APIClient, of member: String, after cursor: String? = nil
    ) throws -> JSONField? {
        var cursor = cursor
        var conflict: JSONField?
        var hasMore = true
        while hasMore {
            let page = try person.get("/api/sync" + (cursor.map { "?cursor=\($0)" } ?? "")).json
            for change in try page["changes"].elements()
            where try change["id"].string() == member {
                conflict = try change["value"]["conflict"].ifPresent
            }
            cursor = try page["cursor"].string()
            hasMore = try page["hasMore"].bool()
        }
        return conflict
    }

    /// The admin makes the adult a kid, and the adult, without having seen that, becomes a visitor.
    private func overwrite(_ home: FamilyFixture<Site>, _ member: String) throws {
        #expect(try set("kid", of: member, by: home.admin, seen: 0).status == 200)
        let told = try set("visitor", of: member, by: home.adult, seen: 0)
        #expect(try told.json["conflict"]["kept"].string() == "yours")
    }

    @Test("setting the current role again renews the change's time and keeps its first author")
    func confirming() throws {
        let home = try site.home()
        let member = try home.member(home.adult)
        let seen = try version(home, home.adult)
        let cursor = try home.admin.get("/api/sync").json["cursor"].string()
        let given = try set("kid", of: member, by: home.admin, secondsAgo: 60, seen: seen)
        #expect(given.status == 200)
        let same = try set("kid", of: member, by: home.adult, secondsAgo: 30, seen: seen)
        #expect(try role(same) == "kid" && same.json["conflict"].ifPresent == nil)
        // The change gets a new time, so a change from between the two times comes too late.
        let late = try set("visitor", of: member, by: home.adult, secondsAgo: 45, seen: seen)
        #expect(try role(late) == "kid" && late.json["conflict"].ifPresent == nil)
        // Conflicts name the last author of the role to others, the first author included.
        let authors = try set("visitor", of: member, by: home.admin, secondsAgo: 45, seen: seen)
        #expect(try role(authors) == "kid")
        #expect(try authors.json["conflict"]["kept"].string() == "theirs")
        #expect(try authors.json["conflict"]["by"].string() == member)
        let over = try set("visitor", of: member, by: home.adult, seen: seen)
        #expect(try role(over) == "visitor")
        #expect(try over.json["conflict"]["kept"].string() == "yours")
        #expect(
            try over.json["conflict"]["overwrote"]["by"].string() == home.member(home.admin))
        let conflict = try #require(try told(home.admin, of: member, after: cursor))
        #expect(try conflict["by"].string() == member)
    }

    @Test("setting the role that a member had at entry is not reported as overwriting a change")
    func confirmingEntry() throws {
        let home = try site.home()
        let member = try home.member(home.adult)
        let seen = try version(home, home.adult)
        let same = try set("adult", of: member, by: home.admin, seen: seen)
        #expect(same.status == 200)
        let next = try set("kid", of: member, by: home.adult, seen: 0)
        #expect(try role(next) == "kid" && next.json["conflict"].ifPresent == nil)
        #expect(try told(home.admin, of: member) == nil)
    }

    @Test("a base version that the family has not had counts as unseen", arguments: [1, Int.max])
    func unknownVersion(beyond: Int) throws {
        let home = try site.home()
        let member = try home.member(home.adult)
        #expect(try set("kid", of: member, by: home.admin).status == 200)
        let present = try version(home, home.adult)
        let seen = beyond == Int.max ? beyond : present + beyond
        let over = try set("visitor", of: member, by: home.adult, seen: seen)
        #expect(try role(over) == "visitor")
        #expect(try over.json["conflict"]["kept"].string() == "yours")
        #expect(try told(home.admin, of: member) != nil)
        // The current version was seen.
        let now = try version(home, home.admin)
        let next = try set("kid", of: member, by: home.admin, seen: now)
        #expect(try role(next) == "kid" && next.json["conflict"].ifPresent == nil)
    }

    @Test("the author's own later change ends a conflict, even if it changes nothing")
    func undoing() throws {
        for last in ["kid", "visitor"] {
            let home = try site.home()
            let member = try home.member(home.adult)
            let cursor = try home.admin.get("/api/sync").json["cursor"].string()
            try overwrite(home, member)
            #expect(try told(home.admin, of: member, after: cursor) != nil)
            let now = try version(home, home.admin)
            let back = try set(last, of: member, by: home.admin, seen: now)
            #expect(try role(back) == last && back.json["conflict"].ifPresent == nil)
            #expect(try told(home.admin, of: member, after: cursor) == nil)
            #expect(try told(home.admin, of: member) == nil)
        }
    }

    @Test("a replayed change has the tag of the role it shows")
    func replayedTag() throws {
        let home = try site.home()
        let member = try home.member(home.adult)
        let address = "/api/family/members/\(member)"
        func change(_ role: String) throws -> Answer {
            try set(role, of: member, by: home.adult, key: "lowered-by-itself")
        }
        let first = try #require(try change("visitor").headers["etag"])
        #expect(try set("kid", of: member, by: home.admin).status == 200)
        let again = try change("visitor")
        #expect(try again.status == 200 && role(again) == "kid")
        let tag = try #require(again.headers["etag"])
        #expect(try tag != first && home.adult.get(address).headers["etag"] == tag)
    }

    @Test("another person's later change does not end a conflict")
    func othersChange() throws {
        let home = try site.home()
        let member = try home.member(home.adult)
        let cursor = try home.admin.get("/api/sync").json["cursor"].string()
        try overwrite(home, member)
        #expect(try set("kid", of: member, by: home.adult).status == 200)
        #expect(try told(home.admin, of: member, after: cursor) != nil)
    }

    @Test("a client that starts over is sent the conflict once")
    func beginningAnew() throws {
        let home = try site.home()
        let member = try home.member(home.adult)
        let cursor = try home.admin.get("/api/sync").json["cursor"].string()
        try overwrite(home, member)
        for start in [nil, "x", String(cursor.dropLast(2)) + "AA"] {
            #expect(try told(home.admin, of: member, after: start) != nil)
            #expect(try told(home.adult, of: member, after: start) == nil)
        }
        // A client that goes on is not sent it again.
        let after = try home.admin.get("/api/sync").json["cursor"].string()
        #expect(
            try home.admin.patch("/api/family/\(home.id)", #"{"familyName": "X"}"#).status == 200)
        #expect(try told(home.admin, of: member, after: after) == nil)
    }

    @Test("a client that starts over is sent the conflict once even if the data take many pages")
    func pages() throws {
        let site = try Site(changesPerPage: 1)
        let home = try site.home()
        let member = try home.member(home.adult)
        try overwrite(home, member)
        #expect(try told(home.admin, of: member) != nil)
        #expect(try told(home.adult, of: member) == nil)
    }

    @Test(
        "a client that starts over is sent the conflict even if its own role changes meanwhile"
    )
    func interrupted() throws {
        let site = try Site(changesPerPage: 1)
        let home = try site.home()
        let member = try home.member(home.adult)
        try overwrite(home, member)
        var (address, isTold, isBegun) = ("/api/sync", false, false)
        for _ in 1...100 {
            let page = try home.admin.get(address).json
            for change in try page["changes"].elements() where try change["id"].string() == member {
                let told = try change["value"]["conflict"].ifPresent
                isTold = isTold || told != nil
            }
            let isOfFamily = try page["changes"].elements().contains {
                try $0["kind"].string() == "family"
            }
            if isOfFamily, !isBegun {
                isBegun = true
                #expect(!isTold)
                let own = try set("adult", of: home.member(home.admin), by: home.admin)
                #expect(own.status == 200)
            }
            address = try "/api/sync?cursor=" + page["cursor"].string()
            guard try page["hasMore"].bool() else { break }
        }
        #expect(isBegun && isTold)
    }

    @Test(
        "a role change without rights is refused at any time, and joining is not a role change")
    func refused() throws {
        let home = try site.home()
        let member = try home.member(home.adult)
        let entered = try set("kid", of: member, by: home.admin, secondsAgo: 3_600)
        #expect(try role(entered) == "kid")
        let player = try home.member(home.player)
        #expect(try set("kid", of: player, by: home.adult, secondsAgo: 7_200).status == 403)
        #expect(try set("adult", of: member, by: home.adult).status == 403)
        // Changes of a role are forgotten when the membership ends.
        #expect(try home.admin.delete("/api/family/members/\(member)").status == 200)
        let invitation = try site.invite(home.adult.email, to: home.id, by: home.admin)
        #expect(try home.adult.post("/api/me/invitations/\(invitation)/accept").status == 200)
        let back = try set("visitor", of: member, by: home.adult, secondsAgo: 7_200)
        #expect(try role(back) == "visitor" && back.json["conflict"].ifPresent == nil)
    }

    @Test("malformed X-Changed-At and X-Base-Version headers are refused")
    func malformed() throws {
        let home = try site.home()
        let path = "/api/family/members/\(try home.member(home.adult))"
        let wrong = [
            ("X-Changed-At", "yesterday"), ("X-Changed-At", "2026-02-30T12:00:00Z"),
            ("X-Changed-At", "2026-02-08T12:00:00"), ("X-Changed-At", "2026-02-08T24:00:00Z"),
            ("X-Base-Version", "-1"), ("X-Base-Version", "x"),
        ]
        for (name, value) in wrong {
            let answer = try home.admin.send(
                "PATCH", path, #"{"householdRole": "kid"}"#, headers: [name: value])
            #expect(answer.says(400, "invalid_field"), "\(name): \(value) \(answer)")
        }
        // The headers are checked even where they have no effect.
        for (method, path, body) in [
            ("PATCH", "/api/me", #"{"fullName": "X"}"#), ("POST", "/api/batch", "{}"),
            ("DELETE", "/api/family/members/me", nil),
            ("PUT", "/groups/\(home.id)/preferences", "{}"),
        ] {
            for (name, value) in wrong {
                let answer = try home.admin.send(method, path, body, headers: [name: value])
                #expect(
                    answer.says(400, "invalid_field")
                        && answer.text("detail")?.contains(name) == true,
                    "\(method) \(path), \(name): \(value) \(answer)")
            }
            let raw = try home.admin.send(method, path, body, headers: ["X-Acting-As-Member": "x"])
            #expect(raw.says(400, "malformed_acting_as"))
        }
        let read = try home.admin.send("GET", "/api/me", headers: ["X-Changed-At": "yesterday"])
        #expect(read.status == 200)
        for moment in ["2026-02-08T13:00:00.125+01:00", "2026-02-08T13:00:00.123456789Z"] {
            let good = try home.admin.send(
                "PATCH", path, #"{"householdRole": "kid"}"#,
                headers: ["X-Changed-At": moment, "X-Base-Version": "0"])
            #expect(good.status == 200)
        }
    }

    @Test("the latest of many concurrent changes wins, in any order of arrival")
    func concurrent() throws {
        let home = try site.home()
        let member = try home.member(home.adult)
        let roles = ["kid", "visitor", "adult"]
        // Each change is a second later than the one before; the last is the latest.
        let moments = (1...24).map { moment(secondsAgo: Double(100 - $0)) }
        let path = "/api/family/members/\(member)"
        for outcome in onThreads(
            8,
            { thread in
                for index in (thread * 3..<thread * 3 + 3).reversed() {
                    let body = #"{"householdRole": "\#(roles[index % 3])"}"#
                    let answer = try home.admin.send(
                        "PATCH", path, body, headers: ["X-Changed-At": moments[index]])
                    try #require(answer.status == 200, "\(answer)")
                }
            })
        { try outcome.get() }
        #expect(try role(try home.admin.get(path)) == roles[23 % 3])
    }
}
