import Domain
import JSON
import Testing

@Suite("Routes of managed members")
struct ManagedRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test("an adult can add a child over either route in either spelling, and becomes its guardian")
    func add() throws {
        let home = try site.home()
        let added = try home.adult.post(
            "/api/family/managed", #"{"displayName": "Robin", "avatarKey": "owl"}"#)
        #expect(added.status == 201 && added.text("id")?.hasPrefix("managed_") == true)
        #expect(added.text("id") == added.text("user_id"))
        #expect(added.text("parent_user_id") == "\(home.adult.id)")
        #expect(added.text("member_type") == "managed" && added.text("avatar_key") == "owl")
        let grouped = try home.admin.post(
            "/groups/\(home.id)/members/managed",
            #"{"display_name": "Wren", "avatar_key": "wren"}"#)
        #expect(grouped.status == 201 && grouped.text("display_name") == "Wren")
        let group = try home.player.get("/groups/\(home.id)")
        #expect(group.text("group_id") == home.id && group.text("name") == "Gulls")
        let kinds = try group.json["members"].elements().map { try $0["member_type"].string() }
        #expect(kinds == ["independent", "independent", "independent", "managed", "managed"])
    }

    @Test("a child's name has 1 to 30 characters; neither a player nor a full family adds a child")
    func refusals() throws {
        let home = try site.home()
        let path = "/groups/\(home.id)/members/managed"
        for name in ["", "  ", String(repeating: "x", count: 31)] {
            #expect(
                try home.admin.post(path, #"{"displayName": "\#(name)"}"#).says(
                    400, "invalid_field"))
        }
        #expect(try home.admin.post(path).says(400, "missing_field"))
        #expect(
            try home.player.post(path, #"{"displayName": "A"}"#).says(403, "standing_too_low"))
        for number in 1...5 { _ = try home.child(of: home.admin, name: "No \(number)") }
        #expect(
            try home.admin.post(path, #"{"displayName": "No 6"}"#).says(
                409, "family_full", "This family is full (maximum 8 members)."))
        #expect(
            try home.admin.post("/api/family/managed", #"{"displayName": "No 6"}"#).says(
                409, "family_full"))
    }

    @Test("a child can be changed only by a guardian, whatever the spelling of the child's id")
    func update() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let bare = String(child.dropFirst(8))
        for id in [child, bare, bare.uppercased(), "MANAGED_\(bare)"] {
            let changed = try home.adult.patch(
                "/api/family/managed/\(id)", #"{"displayName": "Robbie", "avatarKey": null}"#)
            #expect(changed.status == 200 && changed.text("display_name") == "Robbie")
        }
        #expect(
            try home.admin.patch("/api/family/managed/\(child)", #"{"displayName": "X"}"#)
                .says(403, "standing_too_low"))
        let adult = try home.member(home.adult)
        #expect(
            try home.adult.patch("/api/family/managed/\(adult)", #"{"displayName": "X"}"#)
                .says(404, "member_not_found"))
    }

    @Test("the guardian hands a child over, and the admin can't take it")
    func reassign() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let path = "/api/family/managed/\(child)/guardian"
        let admin = #"{"memberId": "\#(try home.member(home.admin))"}"#
        #expect(try home.admin.post(path, admin).status == 403)
        let player = #"{"memberId": "\#(try home.member(home.player))"}"#
        #expect(try home.adult.post(path, player).says(409, "guardian_not_adult"))
        let own = #"{"memberId": "\#(try home.member(home.adult))"}"#
        #expect(try home.adult.post(path, own).says(400, "oneself"))
        let nobody = #"{"memberId": "\#(MemberID.random())"}"#
        #expect(try home.adult.post(path, nobody).says(404, "member_not_found"))
        let done = try home.adult.post(path, admin)
        #expect(done.status == 200 && done.text("parent_user_id") == "\(home.admin.id)")
        let acting = home.adult.acting(for: child)
        #expect(try acting.get("/api/me").says(403, "acting_refused"))
    }

    @Test("the admin may remove a child, a player may not; its guardian can't act for it any more")
    func remove() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let path = "/api/family/managed/\(child)"
        #expect(try home.player.delete(path).says(403, "standing_too_low"))
        #expect(try home.admin.delete(path).status == 200)
        #expect(try home.adult.delete(path).says(404, "member_not_found"))
        #expect(try home.adult.acting(for: child).get("/api/me").says(403, "acting_refused"))
    }

    @Test("a guardian acting for a child can read only the family and the child's own data")
    func acting() throws {
        let home = try site.home()
        let child = try home.child(of: home.admin)
        let acting = home.admin.acting(for: child)
        let family = try acting.get("/api/family/\(home.id)")
        #expect(family.status == 200 && family.text("familyCode") == "")
        #expect(try acting.get("/api/family/members").status == 200)
        let member = try home.member(home.adult)
        for answer in [
            try acting.get("/api/family/\(home.id)/qr.svg"),
            try acting.post("/api/family/create"),
            try acting.patch("/api/family/\(home.id)", #"{"familyName": "X"}"#),
            try acting.delete("/api/family/members/\(member)"),
            try acting.patch("/api/family/members/\(member)", #"{"householdRole": "kid"}"#),
            try acting.delete("/api/family/members/me?familyId=\(home.id)"),
            try acting.post("/api/family/invite", #"{"email": "a@example.com", "role": "parent"}"#),
            try acting.get("/api/family/invitations?familyId=\(home.id)"),
            try acting.post("/api/family/managed", #"{"displayName": "X"}"#),
            try acting.get("/api/family/audit?familyId=\(home.id)"),
            try acting.get("/api/family/player-details?familyId=\(home.id)"),
            try acting.post("/api/family/code/regenerate", #"{"familyId": "\#(home.id)"}"#),
            try acting.get("/api/family/code/\(home.code)"),
            try acting.get("/api/me/invitations"),
        ] {
            #expect(answer.says(403, "not_while_acting"))
        }
    }

    @Test("a guardian acting for a child gets the id of the child's membership marked")
    func marked() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let acting = home.adult.acting(for: child)
        let paths = ["/api/me", "/api/family"]
        for path in paths {
            let families = try acting.get(path).json["families"].elements()
            #expect(try families.map { try $0["memberId"].string() } == [child])
        }
        #expect(try acting.get("/api/family/\(home.id)").text("memberId") == child)
        let own = try home.adult.get("/api/family/\(home.id)").text("memberId")
        #expect(own == (try home.member(home.adult)))
    }

    @Test("a caller without an account can't act for a child")
    func anonymous() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let nobody = try site.nobody().acting(for: child)
        for path in ["/api/me", "/api/family"] {
            #expect(try nobody.get(path).says(403, "acting_refused"))
        }
    }
}
