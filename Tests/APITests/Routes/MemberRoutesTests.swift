import Domain
import JSON
import Postgres
import TestSupport
import Testing

@Suite("Routes of members")
struct MemberRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    private func path(_ home: FamilyFixture<Site>, _ person: APIClient) throws -> String {
        "/api/family/members/\(try home.member(person))"
    }

    @Test("the admin changes household roles, and the response is the member")
    func setRole() throws {
        let home = try site.home()
        let path = try path(home, home.adult)
        let changed = try home.admin.patch(path, #"{"householdRole": "kid"}"#)
        #expect(changed.status == 200 && changed.text("household_role") == "kid")
        #expect(changed.text("user_id") == "\(home.adult.id)")
        #expect(
            try home.adult.patch(path, #"{"householdRole": "adult"}"#).says(
                403, "standing_too_low"))
        #expect(
            try home.admin.patch(path, #"{"householdRole": "king"}"#).says(400, "invalid_field"))
        #expect(try home.admin.patch(path, "{}").says(400, "missing_field"))
        #expect(
            try home.admin.patch(path, #"{"householdRole": "adult", "status": "active"}"#)
                .says(400, "privileged_field"))
    }

    @Test("the roles that the caller may choose are in the member list and in each family")
    func choices() throws {
        let home = try site.home()
        let path = try path(home, home.adult)
        func chosen(_ person: APIClient) throws -> [String] {
            let members = try person.get("/api/family/members").json
            let family = try person.get("/api/family").json["families"].elements()[0]
            let told = try [members, family].map { holder in
                try holder["selectableRoles"].elements().map { try $0.string() }
                    + [holder["parentAdmin"].string()]
            }
            #expect(told[0] == told[1])
            return told[0]
        }
        #expect(try chosen(home.admin) == ["adult", "kid", "visitor", "taken"])
        #expect(try chosen(home.player) == ["kid", "visitor", "taken"])
        // An adult who became a visitor by mistake can change back.
        for role in ["visitor", "adult"] {
            let answer = try home.adult.patch(path, #"{"householdRole": "\#(role)"}"#)
            #expect(answer.status == 200 && answer.text("household_role") == role)
            #expect(try chosen(home.adult) == ["adult", "kid", "visitor", "taken"])
        }
    }

    /// All fields of each guardian.
    private func guards(_ member: JSONField) throws -> [String] {
        try member["guardians"].elements().map { guardian in
            try ["userId", "memberId", "displayName", "since"]
                .map { try guardian[$0].string() }.joined(separator: " ")
                + (try guardian["isPrimary"].bool() ? " primary" : "")
        }
    }

    @Test("members are listed by arrival, waiting people last, and equal the single reads")
    func order() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let guardians = "/api/family/managed/\(child)/guardians"
        let (admin, adult) = (try home.member(home.admin), try home.member(home.adult))
        _ = try home.adult.post(guardians, #"{"memberId": "\#(admin)"}"#)
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        let waiting = try site.person(.parent)
        _ = try waiting.post("/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#)
        // The waiting person arrived before this child, who is a member at once.
        _ = try home.child(of: home.adult)

        func listed() throws -> [JSONField] {
            try home.admin.get("/api/family/members?familyId=\(home.id)").json["members"]
                .elements()
        }
        let members = try listed()
        #expect(members.count == 6)
        let statuses = try members.map { try $0["status"].string() }
        #expect(statuses == Array(repeating: "active", count: 5) + ["invited"])
        let added = try members.dropLast().map { try $0["added_at"].string() }
        #expect(added == added.sorted())
        for member in members {
            let id = try member["id"].string()
            let alone = try home.admin.get("/api/family/members/\(id)").json
            #expect(try guards(alone) == guards(member), "\(id)")
        }
        // The primary guardian is listed first, even if added later.
        for first in [adult, admin] {
            if first == admin {
                _ = try home.adult.patch("\(guardians)/\(admin)", #"{"isPrimary": true}"#)
            }
            let row = try #require(try listed().first { try $0["guardians"].elements().count == 2 })
            let shown = try row["guardians"].elements()
            #expect(try shown[0]["memberId"].string() == first)
            #expect(try shown.map { try $0["isPrimary"].bool() } == [true, false])
        }
    }

    @Test("members can be listed by status; only the creator and the admin see removed ones")
    func byStatus() throws {
        let home = try site.home()
        let gone = try home.formerMember()
        let path = "/api/family/members?familyId=\(home.id)"
        func users(_ person: APIClient, _ status: String) throws -> [String] {
            let answer = try person.get(path + "&status=\(status)")
            return try answer.json["members"].elements().map { try $0["user_id"].string() }
        }
        #expect(try users(home.admin, "removed") == ["\(gone.id)"])
        #expect(try users(home.player, "active").count == 3)
        #expect(try users(home.admin, "invited") == [])
        for person in [home.adult, home.player] {
            #expect(
                try person.get(path + "&status=removed").says(403, "standing_too_low"))
        }
        let child = home.adult.acting(for: try home.child(of: home.adult))
        #expect(try child.get(path + "&status=removed").says(403, "not_while_acting"))
        #expect(try home.admin.get(path + "&status=gone").says(400, "invalid_field"))
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        let waiting = try site.person(.parent)
        _ = try waiting.post("/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#)
        #expect(try users(home.admin, "invited") == ["\(waiting.id)"])
        #expect(try users(home.adult, "invited") == [])
        #expect(try users(home.admin, "active").count == 4)
    }

    @Test("a member has its picture and times, and keeps its first arrival after coming back")
    func times() throws {
        let home = try site.home()
        let url = "https://img.example.com/pat.png"
        _ = try home.adult.patch("/api/me", #"{"avatarUrl": "\#(url)"}"#)
        func pat() throws -> JSONField {
            let listed = try home.admin.get("/api/family/members?familyId=\(home.id)")
            let members = try listed.json["members"].elements()
            return try #require(
                try members.first { try $0["user_id"].string() == "\(home.adult.id)" })
        }
        let before = try pat()
        #expect(try before["avatar_url"].string() == url)
        #expect(try before["updated_at"].string() >= before["created_at"].string())
        #expect(try home.adult.delete("/api/family/members/me").status == 200)
        try Connection(site.test.settings()).query(
            """
            UPDATE app.family_members SET created_at = created_at - interval '1 day',
                added_at = added_at - interval '1 day' WHERE user_id = \(home.adult.id.rawValue)
            """)
        try site.join(home.adult, code: home.code)
        let after = try pat()
        #expect(try after["created_at"].string() < before["created_at"].string())
        #expect(try after["added_at"].string() >= before["added_at"].string())
        let family = try home.admin.get("/api/family/\(home.id)")
        #expect(family.text("createdAt")?.hasSuffix("Z") == true)
        let (made, changed) = (family.text("createdAt") ?? "-", family.text("updatedAt") ?? "")
        #expect(changed >= made)
    }

    @Test("every member has a display name, which does not reveal an address")
    func namesToShow() throws {
        let home = try site.home()
        let nameless = try site.person(.parent, name: nil, email: "hidden.name@example.com")
        try site.join(nameless, code: home.code)
        let visitor = try home.joiner().actor
        try home.set(visitor, to: .visitor)
        for (path, list) in [
            ("/api/family/members?familyId=\(home.id)", "members"), ("/groups/me", "members"),
        ] {
            let answer = try visitor.get(path)
            let shown = try answer.json[list].elements().map { try $0["display_name"].string() }
            #expect(shown.contains("hidden.name") && !shown.contains(""))
            #expect(!answer.description.contains("hidden.name@"))
        }
        let own = try nameless.get("/api/me/profiles").json["profiles"].elements()
        #expect(try own.first?["displayName"].string() == "hidden.name")
        try Connection(site.test.settings()).query(
            "UPDATE app.users SET email_verified = false WHERE id = \(nameless.id.rawValue)")
        let members = try home.admin.get("/api/family/members").json["members"].elements()
        let unproven = try members.first { try $0["user_id"].string() == "\(nameless.id)" }
        #expect(try unproven?["display_name"].string() == "Member")
        #expect(try unproven?["users"]["full_name"].value == .null)
    }

    @Test("claiming the seat while it is taken gets 409")
    func seat() throws {
        let home = try site.home()
        let path = try path(home, home.adult)
        let taken = try home.adult.patch(path, #"{"householdRole": "parent_admin"}"#)
        #expect(
            taken.says(
                409, "parent_admin_exists", "A Parent Admin already exists for this family."))
    }

    @Test("a member who joined with a code can't claim a vacant seat while the creator is a member")
    func reserved() throws {
        let home = try site.home()
        let own = try path(home, home.admin)
        #expect(try home.admin.patch(own, #"{"householdRole": "adult"}"#).status == 200)
        let path = try path(home, home.adult)
        #expect(
            try home.adult.patch(path, #"{"householdRole": "parent_admin"}"#).says(
                403, "seat_reserved"))
        #expect(
            try home.admin.patch(path, #"{"householdRole": "parent_admin"}"#)
                .text("household_role") == "parent_admin")
    }

    @Test("the admin transfers the seat in one step, but only to an adult")
    func transfer() throws {
        let home = try site.home()
        let transfer = "/api/family/admin/transfer"
        func body(_ person: APIClient) throws -> String {
            #"{"familyId": "\#(home.id)", "memberId": "\#(try home.member(person))"}"#
        }
        #expect(try home.admin.post(transfer, body(home.player)).says(409, "admin_not_adult"))
        #expect(try home.admin.post(transfer, body(home.admin)).says(400, "oneself"))
        #expect(try home.adult.post(transfer, body(home.adult)).status == 403)
        let done = try home.admin.post(transfer, body(home.adult))
        let roles = try done.json["members"].elements().map { try $0["household_role"].string() }
        #expect(done.status == 200 && roles == ["parent_admin", "adult"])
        #expect(
            try site.person(.parent).post(transfer, body(home.admin)).says(404, "family_not_found"))
    }

    @Test("removing oneself gets 400, the admin 403, a member of another family 404")
    func remove() throws {
        let home = try site.home()
        let admin = try path(home, home.admin)
        #expect(
            try home.admin.delete(admin).says(
                400, "oneself", "You cannot remove yourself from the family"))
        #expect(try home.adult.delete(admin).says(403, "standing_too_low"))
        let parent = try path(home, home.adult)
        #expect(
            try site.person(.parent).delete(parent).says(
                404, "member_not_found", "Member not found."))
        #expect(
            try home.admin.delete("/api/family/members/\(MemberID.random())").says(
                404, "member_not_found", "Member not found."))
        #expect(try home.admin.delete("/api/family/members/17").says(404, "member_not_found"))
        let removed = try home.admin.delete(parent + "?rotateCode=true")
        #expect(
            removed.status == 200
                && String(decoding: removed.body, as: UTF8.self) == #"{"success":true}"#)
        #expect(try home.admin.get("/api/family/\(home.id)").text("familyCode") != home.code)
        #expect(try home.adult.get("/api/family/members").says(400, "family_required"))
        #expect(try home.admin.delete(parent).says(404, "member_not_found"))
    }

    @Test("a creator without the seat may remove members, but not the admin or another's child")
    func creator() throws {
        let home = try site.home()
        _ = try home.admin.post(
            "/api/family/admin/transfer", #"{"memberId": "\#(home.member(home.adult))"}"#)
        #expect(
            try home.admin.delete(path(home, home.adult)).says(403, "target_is_parent_admin"))
        let child = try home.child(of: home.adult)
        #expect(
            try home.admin.delete("/api/family/members/\(child)").says(403, "target_is_managed"))
        #expect(try home.admin.delete(path(home, home.player)).status == 200)
    }

    @Test("removing a guardian requires another guardian for the children")
    func guardian() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let parent = try path(home, home.adult)
        #expect(try home.admin.delete(parent).says(409, "guardian_has_managed_members"))
        #expect(
            try home.admin.patch(parent, #"{"householdRole": "kid"}"#).says(
                409, "guardian_has_managed_members"))
        let player = try home.member(home.player)
        #expect(
            try home.admin.delete("\(parent)?reassignManagedTo=\(player)").says(
                409, "guardian_not_adult"))
        #expect(
            try home.adult.delete("/api/family/members/me").says(
                409, "guardian_has_managed_members"))
        let admin = try home.member(home.admin)
        #expect(try home.admin.delete("\(parent)?reassignManagedTo=\(admin)").status == 200)
        let members = try home.admin.get("/api/family/members").json["members"].elements()
        let kept = try members.first { try $0["id"].string() == child }
        #expect(try kept?["parent_user_id"].string() == "\(home.admin.id)")
    }

    @Test("a managed member's household role can't be changed")
    func managed() throws {
        let home = try site.home()
        let child = try home.child(of: home.admin)
        #expect(
            try home.admin.patch("/api/family/members/\(child)", #"{"householdRole": "adult"}"#)
                .says(403, "target_is_managed"))
    }

    @Test("the admin must transfer the seat before leaving while another adult is a member")
    func leave() throws {
        let home = try site.home()
        let me = "/api/family/members/me?familyId=\(home.id)"
        #expect(try home.admin.delete(me).says(409, "transfer_admin_first"))
        #expect(try home.adult.delete(me).status == 200)
        #expect(try home.adult.delete(me).says(404, "family_not_found"))
        #expect(try home.admin.delete(me).status == 200)
        #expect(try home.player.delete("/api/family/members/me").status == 200)
        #expect(try home.player.delete("/api/family/members/me").says(400, "family_required"))
    }
}
