import Domain
import JSON
import TestSupport
import Testing

@Suite("Routes of the caller's profile")
struct ProfileRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test("the first request creates the user with the token's name and role")
    func firstSight() throws {
        let person = try site.person(.player, name: "Kim Example")
        let me = try person.get("/api/me")
        #expect(me.status == 200 && me.text("id") == "\(person.id)")
        #expect(me.text("email") == person.email && me.text("fullName") == "Kim Example")
        #expect(me.text("role") == "player" && me.text("avatarKey") == "")
        #expect(try me.json["families"].elements().isEmpty && me.json["actor"].value == nil)
    }

    @Test("a name in a later token is stored only if the account has none")
    func laterName() throws {
        let id = Person().id
        let name = { (brought: String?) in
            let token = try site.token(of: Person(id: id, name: brought))
            return try site.send("GET", "/api/me", token: token).text("fullName")
        }
        // The first token has no name, and the second one has no visible character.
        #expect(try name(nil) == nil)
        #expect(try name(" \u{200B}\n") == nil)
        #expect(try name("Later\u{7}Ada") == "Later Ada")
        #expect(try name("Last") == "Later Ada")
        #expect(try name(nil) == "Later Ada")
    }

    @Test("an anonymous caller has an empty profile and can't change anything")
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

    @Test("name and avatar can be changed; null or an empty string removes the avatar")
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
        "an invalid field of a profile is refused, and the refusal names it",
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

    @Test("an account's role can't be changed while it is in a family with others")
    func role() throws {
        let person = try site.person(.parent)
        #expect(try person.patch("/api/me", #"{"role": "player"}"#).text("role") == "player")
        #expect(
            try site.home().adult.patch("/api/me", #"{"role": "player"}"#)
                .says(409, "role_fixed_in_family"))
    }

    @Test("a default role is marked, and can be replaced once by a chosen one, even in a family")
    func defaultRole() throws {
        let home = try site.home()
        let child = try site.actor(Person(role: "", name: "Sam"))
        #expect(try child.get("/api/me").json["roleIsDefault"].bool())
        #expect(try child.get("/api/me").text("role") == "parent")
        #expect(
            try child.post("/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#).status
                == 200)
        #expect(try child.get("/api/me").json["roleIsDefault"].bool(), "joining says no role")
        let said = try child.patch("/api/me", #"{"role": "player"}"#)
        #expect(try said.status == 200 && !said.json["roleIsDefault"].bool())
        let family = try said.json["families"].elements()[0]
        #expect(try family["role"].string() == "player")
        #expect(try family["householdRole"].string() == "kid")
        #expect(
            try family["selectableRoles"].elements().map { try $0.string() } == ["kid", "visitor"])
        #expect(
            try child.patch("/api/me", #"{"role": "parent"}"#).says(409, "role_fixed_in_family"))
    }

    @Test("a chosen role is not marked as default", arguments: ["player", "parent"])
    func saidRole(role: String) throws {
        let said = try site.actor(Person(role: role))
        #expect(try !said.get("/api/me").json["roleIsDefault"].bool())
        let created = try site.actor(Person(role: ""))
        _ = try created.post("/api/family/create", #"{"role": "\#(role)"}"#)
        #expect(try !created.get("/api/me").json["roleIsDefault"].bool())
        let unsaid = try site.actor(Person(role: ""))
        _ = try unsaid.post("/api/family/create", "{}")
        #expect(try unsaid.get("/api/me").json["roleIsDefault"].bool())
    }

    @Test(
        "the list of profiles has the caller, then the caller's children in order, with marked ids")
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

    @Test("profiles of another family are not found; a caller with several families must name one")
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

    @Test("the profile while acting is the child's, with the guardian as the actor")
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

    @Test("profiles name the guardians of each child, the primary one first")
    func guardians() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let member = try home.member(home.admin)
        let added = try home.adult.post(
            "/api/family/managed/\(child)/guardians", #"{"memberId": "\#(member)"}"#)
        #expect(added.status == 200)
        let listed = try home.admin.get("/api/family/members").json["members"].elements()
        let row = try listed.first { try $0["id"].string() == child }
        for person in [home.adult, home.admin] {
            let profiles = try person.get("/api/me/profiles").json["profiles"].elements()
            #expect(try profiles[0]["guardians"].elements().isEmpty)
            let guardians = try profiles[1]["guardians"].elements()
            #expect(
                try guardians.map { try $0["userId"].string() }
                    == ["\(home.adult.id)", "\(home.admin.id)"])
            #expect(try guardians.map { try $0["isPrimary"].bool() } == [true, false])
            #expect(try guardians.map(\.value) == row?["guardians"].elements().map(\.value))
        }
    }

    @Test(
        "a member that the caller may not act for is ignored in profile lists, refused elsewhere",
        arguments: [false, true])
    func switching(_ knowsTag: Bool) throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        for path in ["/groups/me", "/api/me/profiles"] {
            let own = try home.admin.get(path)
            let tag = knowsTag ? own.headers["etag"] : nil
            // Another guardian's child, a member with an account, and an unknown id.
            for id in [child, "\(home.adult.id)", "managed_\(Person().id.uuid)"] {
                var headers = ["X-Acting-As-Member": id]
                if let tag { headers["If-None-Match"] = tag }
                let answer = try home.admin.send("GET", path, headers: headers)
                #expect(answer.status == (knowsTag ? 304 : 200))
                if !knowsTag { #expect(answer.body == own.body) }
                #expect(
                    try home.admin.send("GET", "/api/me", headers: headers)
                        .says(403, "acting_refused"))
                #expect(
                    try home.admin.send("GET", "/groups/\(home.id)", headers: headers)
                        .says(403, "acting_refused"))
            }
            let malformed = try home.admin.send(
                "GET", path, headers: ["X-Acting-As-Member": "child"])
            #expect(malformed.status == 400)
        }
        // The guardian acts for the child.
        let group = try home.adult.acting(for: child).get("/groups/me")
        #expect(try group.status == 200 && group.json["members"].elements().count > 1)
    }

}
