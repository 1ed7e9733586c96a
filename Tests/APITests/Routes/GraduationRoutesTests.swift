import Domain
import JSON
import Testing

@Suite("Routes of graduation")
struct GraduationRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    private func token(_ started: Answer) throws -> String {
        let url = try #require(started.text("inviteUrl"))
        return String(try #require(url.split(separator: "=").last))
    }

    @Test("accepting a link gives the child an account, and its old id still finds the member")
    func link() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let path = "/api/family/managed/\(child)/graduation"
        let body = #"{"delivery": "link", "role": "player", "householdRole": "kid"}"#
        #expect(try home.admin.post(path, body).says(403, "standing_too_low"))
        #expect(try home.adult.post(path).says(400, "missing_field"))
        #expect(
            try home.adult.post(
                path, #"{"delivery": "link", "role": "player", "householdRole": "adult"}"#
            )
            .says(400, "invalid_field"))
        #expect(try home.adult.post(path, body).status == 200)
        let started = try home.adult.post(path, body)
        let listed = try home.player.get("/api/family/invitations").json["invitations"].elements()
        #expect(listed.count == 1)
        #expect(try listed[0]["kind"].string() == "graduation")
        #expect(try listed[0]["member_id"].string() == child)
        let link = "/api/family/invite/\(try token(started))"
        let robin = try site.person(.player, name: nil)
        #expect(try robin.get(link).text("kind") == "graduation")
        #expect(try home.player.post("\(link)/accept").says(409, "not_the_graduate"))
        #expect(try robin.post("\(link)/accept").status == 200)
        #expect(try robin.post("\(link)/accept").status == 200)
        #expect(try home.adult.post(path, body).says(404, "member_not_found"))

        let bare = String(child.dropFirst("managed_".count))
        let members = try robin.get("/api/family/members").json["members"].elements()
        let me = try #require(try members.first { try $0["id"].string() == bare })
        #expect(try me["user_id"].string() == "\(robin.id)" && !me["is_managed"].bool())
        #expect(try me["guardians"].elements().isEmpty)
        // Old clients use the child's earlier id.
        let preferences = "/groups/\(home.id)/preferences?member_id=\(child)"
        #expect(try robin.get(preferences).text("user_id") == "\(robin.id)")
        #expect(try home.adult.get(preferences).says(403, "preferences_of_another"))
        #expect(try home.adult.acting(for: child).get("/api/me").says(403, "acting_refused"))
        let trail = try home.admin.get("/api/family/audit").json["entries"].elements()
        let added = try #require(try trail.first { try $0["action"].string() == "managed.create" })
        #expect(try added["subjectUserId"].string() == "\(robin.id)")
        #expect(try added["targetId"].string() == bare)
    }

    @Test(
        "a graduation invitation sent by e-mail is visible only to its addressee, who may decline it"
    )
    func email() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let robin = try site.person(.parent)
        let path = "/api/family/managed/\(child)/graduation"
        let body = #"{"email": "\#(robin.email)", "householdRole": "adult"}"#
        let sent = try home.adult.post(path, body)
        #expect(sent.status == 200 && sent.text("inviteUrl") == nil)
        let mine = try robin.get("/api/me/invitations").json["invitations"].elements()
        #expect(mine.count == 1)
        #expect(try mine[0]["kind"].string() == "graduation")
        let invitation = try mine[0]["id"].string()
        let other = try site.person(.parent)
        #expect(
            try other.post("/api/me/invitations/\(invitation)/accept")
                .says(404, "invitation_not_found"))
        #expect(try robin.post("/api/me/invitations/\(invitation)/decline").status == 200)
        #expect(try home.adult.post(path, body).status == 200)
        let again = try robin.get("/api/me/invitations").json["invitations"].elements()
        let second = try again[0]["id"].string()
        #expect(second != invitation)
        #expect(
            try home.admin.post("/api/family/invitations/\(second)/resend")
                .says(403, "standing_too_low"))
        #expect(try home.admin.delete("/api/family/invitations/\(second)").status == 200)
        #expect(
            try robin.post("/api/me/invitations/\(second)/accept")
                .says(404, "invitation_not_found"))
        let stranger = try site.home("Others")
        #expect(try stranger.admin.post(path, body).says(404, "member_not_found"))
    }
}
