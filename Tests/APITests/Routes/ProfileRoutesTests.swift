import Domain
import JSON
import TestSupport
import Testing

@Suite("Routes of one's own profile")
struct ProfileRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test("the first request makes the user, with the token's name and side")
    func firstSight() throws {
        let person = try site.person(.player, name: "Kim Example")
        let me = try person.get("/api/me")
        #expect(me.status == 200 && me.text("id") == "\(person.id)")
        #expect(me.text("email") == person.email && me.text("fullName") == "Kim Example")
        #expect(me.text("role") == "player" && me.text("avatarKey") == "")
        #expect(try me.json["families"].elements().isEmpty && me.json["actor"].value == nil)
    }

    @Test("a name that comes with a later token fills an empty one, and no other")
    func laterName() throws {
        let id = Person().id
        let name = { (brought: String?) in
            let token = try site.token(of: Person(id: id, name: brought))
            return try site.send("GET", "/api/me", token: token).text("fullName")
        }
        // The first is without a name, the second's is nothing that could be seen.
        #expect(try name(nil) == nil)
        #expect(try name(" \u{200B}\n") == nil)
        #expect(try name("Later\u{7}Ada") == "Later Ada")
        #expect(try name("Last") == "Later Ada")
        #expect(try name(nil) == "Later Ada")
    }

    @Test("an anonymous caller sees its own empty state and can change nothing")
    func anonymous() throws {
        let nobody = try site.nobody()
        let me = try nobody.get("/api/me")
        #expect(me.status == 200 && me.text("id") == "" && me.text("email") == "")
        #expect(try nobody.get("/api/family").json["families"].elements().isEmpty)
        #expect(try nobody.get("/api/me/profiles").json["profiles"].elements().isEmpty)
        for answer in [
            try nobody.patch("/api/me", #"{"fullName": "X"}"#),
            try nobody.get("/api/me/invitations"),
            try nobody.post("/api/family/create"),
            try nobody.post("/api/family/code/join", #"{"familyCode": "FAM-ABCDEF"}"#),
            try nobody.get("/api/family/code/FAM-ABCDEF"),
            try nobody.send(
                "POST", "/api/family/create", "{}", headers: ["Idempotency-Key": "k"]),
        ] {
            #expect(answer.says(403, "account_required"))
        }
        #expect(try nobody.get("/api/family/members").says(400, "family_required"))
    }

    @Test("name and avatar change; null and the empty text take the avatar away")
    func update() throws {
        let person = try site.person(.parent)
        let changed = try person.patch(
            "/api/me",
            #"{"fullName": " Ada ", "avatarKey": "fox", "avatarUrl": "https://x.test/a.png"}"#)
        #expect(changed.status == 200 && changed.text("fullName") == "Ada")
        #expect(changed.text("avatarKey") == "fox")
        #expect(changed.text("avatarUrl") == "https://x.test/a.png")
        let kept = try person.patch("/api/me", "{}")
        #expect(kept.text("avatarKey") == "fox")
        let cleared = try person.patch("/api/me", #"{"avatarKey": null, "avatarUrl": ""}"#)
        #expect(cleared.text("avatarKey") == "" && cleared.text("avatarUrl") == nil)
    }

    @Test(
        "what a profile can't be is refused, naming the field",
        arguments: [
            (#"{"fullName": "a\nb"}"#, "invalid_field"), (#"{"fullName": 7}"#, "invalid_field"),
            (#"{"role": "coach"}"#, "invalid_field"),
            (#"{"avatarUrl": "http://x.test/a"}"#, "invalid_field"),
            (#"{"avatarUrl": "javascript:alert(1)"}"#, "invalid_field"),
            (#"{"avatarKey": "\#(String(repeating: "x", count: 65))"}"#, "invalid_field"),
            (#"{"email": "other@example.com"}"#, "privileged_field"),
            (#"{"email_verified": true}"#, "privileged_field"),
        ])
    func badUpdate(body: String, code: String) throws {
        let answer = try site.person(.parent).patch("/api/me", body)
        #expect(answer.says(400, code))
        let field = try #require(body.split(separator: "\"").dropFirst().first)
        #expect(answer.text("message")?.contains("`\(field)`") == true)
    }

    @Test("the side of an account is settled while it is in a family")
    func role() throws {
        let person = try site.person(.parent)
        #expect(try person.patch("/api/me", #"{"role": "player"}"#).text("role") == "player")
        _ = try person.post("/api/family/create")
        #expect(
            try person.patch("/api/me", #"{"role": "parent"}"#).says(409, "role_fixed_in_family"))
    }

    @Test("profiles are oneself, then one's children in order, their ids marked")
    func profiles() throws {
        let home = try site.home()
        let first = try home.child(of: home.adult, name: "Robin")
        let second = try home.child(of: home.adult, name: "Wren")
        _ = try home.child(of: home.admin, name: "Finch")
        let profiles = try home.adult.get("/api/me/profiles").json["profiles"].elements()
        let ids = try profiles.map { try $0["memberId"].string() }
        #expect(ids == ["\(home.adult.id)", first, second])
        #expect(first.hasPrefix("managed_"))
        let names = try profiles.map { try $0["displayName"].string() }
        #expect(names == ["Pat", "Robin", "Wren"])
        let guardians = try profiles.map { try $0["parentUserId"].ifPresent?.string() }
        #expect(guardians == [nil, "\(home.adult.id)", "\(home.adult.id)"])
        #expect(try profiles[1]["familyId"].string() == home.id)
    }

    @Test("profiles of another's family are absent, and of several one has to be named")
    func profilesOfFamilies() throws {
        let home = try site.home()
        let stranger = try site.person(.parent)
        #expect(
            try stranger.get("/api/me/profiles?familyId=\(home.id)")
                .says(404, "family_not_found", "Family not found."))
        _ = try home.admin.post("/api/families", #"{"familyName": "Second"}"#)
        #expect(try home.admin.get("/api/me/profiles").says(400, "family_required"))
        #expect(try home.admin.get("/api/me/profiles?familyId=\(home.id)").status == 200)
    }

    @Test("while acting the profile is the child's, and names the guardian as the actor")
    func acting() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let acting = home.adult.acting(for: child)
        let me = try acting.get("/api/me")
        #expect(me.text("id") == child && me.text("fullName") == "Robin")
        #expect(try me.json["actor"]["id"].string() == "\(home.adult.id)")
        #expect(try me.json["families"].elements().count == 1)
        let bare = home.adult.acting(for: String(child.dropFirst(8)).uppercased())
        #expect(try bare.get("/api/me").text("id") == child)
        let profiles = try acting.get("/api/me/profiles").json["profiles"].elements()
        #expect(try profiles.first?["memberId"].string() == "\(home.adult.id)")
        #expect(
            try acting.patch("/api/me", #"{"fullName": "Robbie"}"#).text("fullName") == "Robbie")
        #expect(
            try acting.patch("/api/me", #"{"role": "parent"}"#).says(403, "not_while_acting"))
    }
}
