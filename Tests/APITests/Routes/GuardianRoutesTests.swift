import JSON
import Testing

@Suite("Routes of guardians")
struct GuardianRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    private func body(_ member: String) -> String { #"{"memberId": "\#(member)"}"# }

    @Test("a second guardian acts for the child; lists show both guardians, the primary one first")
    func add() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let path = "/api/family/managed/\(child)/guardians"
        let admin = try home.member(home.admin)
        #expect(try home.admin.post(path, body(admin)).says(403, "standing_too_low"))
        let player = body(try home.member(home.player))
        #expect(try home.adult.post(path, player).says(409, "guardian_not_adult"))
        #expect(try home.adult.post(path).says(400, "missing_field"))
        let added = try home.adult.post(path, body(admin))
        #expect(added.status == 200 && added.text("parent_user_id") == "\(home.adult.id)")
        let guardians = try added.json["guardians"].elements()
        #expect(
            try guardians.map { try $0["userId"].string() }
                == ["\(home.adult.id)", "\(home.admin.id)"])
        #expect(try guardians.map { try $0["isPrimary"].bool() } == [true, false])
        #expect(try guardians[1]["memberId"].string() == admin)
        let acting = home.admin.acting(for: child)
        #expect(try acting.get("/api/me").text("id") == child)
        let profiles = try home.admin.get("/api/me/profiles").json["profiles"].elements()
        #expect(profiles.count == 2)
        let group = try home.player.get("/groups/\(home.id)").json["members"].elements()
        #expect(try group.last?["guardians"].elements().count == 2)
        #expect(try group.first?["guardians"].elements().isEmpty == true)
    }

    @Test("every guardian of a child, and nobody else, has access to its preferences")
    func preferences() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let path = "/groups/\(home.id)/preferences"
        let acting = home.admin.acting(for: child)
        #expect(try acting.get(path).says(403, "acting_refused"))
        let admin = body(try home.member(home.admin))
        _ = try home.adult.post("/api/family/managed/\(child)/guardians", admin)
        #expect(try acting.put(path, #"{"genres": ["animation"]}"#).status == 200)
        #expect(try home.adult.acting(for: child).get(path).status == 200)
        #expect(
            try home.admin.patch("/api/family/managed/\(child)/guardians/me", "{}")
                .says(405, "method_not_allowed"))
        #expect(
            try home.admin.delete("/api/family/managed/\(child)/guardians/me").status == 200)
        #expect(try acting.get(path).says(403, "acting_refused"))
    }

    @Test("no guardian but the primary one can name the next primary guardian and remove others")
    func promote() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let path = "/api/family/managed/\(child)/guardians"
        let (admin, adult) = (try home.member(home.admin), try home.member(home.adult))
        #expect(
            try home.adult.delete("\(path)/me").says(409, "guardian_has_managed_members"))
        _ = try home.adult.post(path, body(admin))
        let primary = #"{"isPrimary": true}"#
        #expect(try home.admin.patch("\(path)/\(admin)", primary).says(403, "standing_too_low"))
        #expect(
            try home.adult.patch("\(path)/\(admin)", #"{"isPrimary": false}"#)
                .says(400, "invalid_field", "`isPrimary` must be true."))
        #expect(try home.admin.delete("\(path)/\(adult)").says(403, "standing_too_low"))
        let promoted = try home.adult.patch("\(path)/\(admin)", primary)
        #expect(promoted.text("parent_user_id") == "\(home.admin.id)")
        #expect(try home.admin.delete("\(path)/\(adult)").status == 200)
        #expect(try home.admin.delete("\(path)/\(adult)").says(404, "member_not_found"))
        #expect(try home.adult.acting(for: child).get("/api/me").says(403, "acting_refused"))
    }

    @Test("an app that knows only parent_user_id works for the current primary guardian")
    func earlierApps() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let path = "/api/family/managed/\(child)"
        let (admin, adult) = (try home.member(home.admin), try home.member(home.adult))
        _ = try home.adult.post("\(path)/guardians", body(admin))
        /// The children for whom an app that reads only `parent_user_id` offers to act.
        func offered(to phone: APIClient) throws -> [String] {
            try phone.get("/groups/\(home.id)").json["members"].elements().filter {
                try $0["parent_user_id"].ifPresent?.string() == "\(phone.id)"
            }.map { try $0["user_id"].string() }
        }
        func works(_ phone: APIClient, _ name: String) throws {
            let acting = phone.acting(for: child)
            let preferences = "/groups/\(home.id)/preferences"
            #expect(try acting.put(preferences, #"{"by": "\#(name)"}"#).status == 200)
            #expect(
                try phone.get("\(preferences)?member_id=\(child)").json["by"].string() == name)
            #expect(try phone.patch(path, #"{"displayName": "\#(name)"}"#).status == 200)
            #expect(try acting.get("/api/me").text("fullName") == name)
        }
        #expect(try offered(to: home.adult) == [child] && offered(to: home.admin).isEmpty)
        try works(home.adult, "Max")
        // The adult hands the child over, and the admin is its only guardian at once.
        #expect(try home.adult.post("\(path)/guardian", body(admin)).status == 200)
        #expect(try offered(to: home.admin) == [child] && offered(to: home.adult).isEmpty)
        try works(home.admin, "Mia")
        #expect(try home.admin.post("\(path)/guardian", body(adult)).status == 200)
        // The adult leaves without naming a guardian: the other one becomes the primary guardian.
        _ = try home.adult.post("\(path)/guardians", body(admin))
        let left = try home.adult.delete("/api/family/members/me?familyId=\(home.id)")
        #expect(left.status == 200)
        #expect(try offered(to: home.admin) == [child])
        try works(home.admin, "Moe")
        #expect(try home.admin.delete(path).status == 200)
        #expect(try offered(to: home.admin).isEmpty)
    }

    @Test("a child has at most four guardians")
    func four() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let path = "/api/family/managed/\(child)/guardians"
        for _ in 0..<3 {
            let joiner = try site.person(.parent)
            #expect(
                try joiner.post("/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#).status
                    == 200)
            #expect(try home.adult.post(path, body(try home.member(joiner))).status == 200)
        }
        #expect(
            try home.adult.post(path, body(try home.member(home.admin)))
                .says(409, "too_many_guardians"))
    }
}
