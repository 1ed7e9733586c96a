import Domain
import JSON
import TestSupport
import Testing

@Suite("Entity tags")
struct TagRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test("a read with a matching tag gets 304, with any other the current representation")
    func notModified() throws {
        let home = try site.home()
        let child = try home.child(of: home.admin)
        let member = try home.member(home.player)
        let paths = [
            "/api/me", "/api/family", "/api/family/\(home.id)",
            "/api/family/members?familyId=\(home.id)", "/api/family/members/\(member)",
            "/api/family/managed/\(child)", "/groups/\(home.id)", "/groups/me",
            "/groups/\(home.id)/preferences", "/api/family/player-details",
            "/api/me/profiles",
        ]
        var tags: [String: String] = [:]
        for path in paths {
            let whole = try home.adult.get(path)
            #expect(whole.headers["cache-control"] == "private, no-cache")
            let tag = try #require(whole.headers["etag"], "\(path)")
            tags[path] = tag
            for condition in [tag, "W/\(tag)", "\"x\", \(tag)"] {
                let same = try home.adult.send("GET", path, headers: ["If-None-Match": condition])
                #expect(same.status == 304 && same.body.isEmpty, "\(path): \(same)")
                #expect(same.headers["etag"] == tag)
            }
            let other = try home.player.send("GET", path, headers: ["If-None-Match": tag])
            #expect(other.status == 200, "\(path)")
        }
        #expect(Set(tags.values).count == paths.count)
        #expect(try home.player.patch("/api/me", #"{"fullName": "Changed"}"#).status == 200)
        // These responses contain the name, or are lists that change with every version.
        let changed: Set = [
            "/api/family", "/api/family/members?familyId=\(home.id)",
            "/api/family/members/\(member)", "/groups/\(home.id)", "/groups/me",
            "/api/me/profiles",
        ]
        for path in paths {
            let tag = try #require(tags[path])
            let anew = try home.adult.send("GET", path, headers: ["If-None-Match": tag])
            #expect(anew.status == (changed.contains(path) ? 200 : 304), "\(path)")
            #expect((anew.headers["etag"] != tag) == changed.contains(path), "\(path)")
        }
    }

    @Test("changes of one family don't affect the tags of another family's lists")
    func otherFamily() throws {
        let home = try site.home()
        let other = try site.home("Terns")
        try site.join(home.adult, code: other.code)
        for path in ["/api/family/members?familyId=\(home.id)", "/groups/\(home.id)"] {
            let tag = try #require(try home.adult.get(path).headers["etag"])
            _ = try other.admin.patch("/api/family/\(other.id)", #"{"familyName": "Waders"}"#)
            _ = try home.adult.put("/groups/\(other.id)/preferences", #"{"a": 1}"#)
            let same = try home.adult.send("GET", path, headers: ["If-None-Match": tag])
            #expect(same.status == 304, "\(path)")
            _ = try home.player.patch("/api/me", #"{"fullName": "Kimmy"}"#)
            let anew = try home.adult.send("GET", path, headers: ["If-None-Match": tag])
            #expect(anew.status == 200, "\(path)")
            _ = try home.player.patch("/api/me", #"{"fullName": "Kim"}"#)
        }
    }

    @Test("a former member gets no 304, and errors have no tag")
    func left() throws {
        let home = try site.home()
        let path = "/api/family/\(home.id)"
        let tag = try #require(try home.adult.get(path).headers["etag"])
        #expect(try home.adult.delete("/api/family/members/me?familyId=\(home.id)").status == 200)
        let answer = try home.adult.send("GET", path, headers: ["If-None-Match": tag])
        #expect(answer.says(404, "family_not_found") && answer.headers["etag"] == nil)
    }

    @Test("a caller who may see a member or a child can read it by id")
    func singly() throws {
        let home = try site.home()
        let child = try home.child(of: home.admin)
        let member = try home.member(home.adult)
        #expect(try home.player.get("/api/family/members/\(member)").text("id") == member)
        #expect(try home.player.get("/api/family/managed/\(child)").text("id") == child)
        #expect(
            try home.player.get("/api/family/managed/\(member)").says(404, "member_not_found"))
        let stranger = try site.person(.parent)
        #expect(try stranger.get("/api/family/members/\(member)").says(404, "member_not_found"))
    }
}
