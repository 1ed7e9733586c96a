import Domain
import JSON
import Testing

@Suite("Routes of groups, preferences, player details and the audit log")
struct GroupRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test("a child's preferences are hidden from other members, and a guardian's from the child")
    func preferences() throws {
        let home = try site.home()
        let path = "/groups/\(home.id)/preferences"
        let child = try home.child(of: home.adult)
        let none = try home.adult.get(path).json
        #expect(try none["preferences"].value == [:] && none["updated_at"].value == .null)
        let stored = try home.adult.put(path, #"{"genres": ["space"], "status": 1, "slot": null}"#)
        #expect(stored.status == 200)
        #expect(try stored.json["genres"].elements().first?.string() == "space")
        #expect(try stored.json["preferences"]["genres"].value == ["space"])
        #expect(stored.text("user_id") == "\(home.adult.id)" && stored.text("group_id") == home.id)
        #expect(stored.text("updated_at")?.hasSuffix("Z") == true)
        #expect(try home.adult.get(path).json.object() == stored.json.object())
        let ofChild = path + "?member_id=\(child)"
        #expect(try home.adult.put(ofChild, #"{"a": 1}"#).status == 200)
        let acting = home.adult.acting(for: child)
        #expect(try acting.get(path).json["a"].integer() == 1)
        #expect(try acting.get(path).text("user_id") == child)
        #expect(try acting.get(ofChild).json["a"].integer() == 1)
        for person in [home.admin, home.player] {
            for answer in [try person.get(ofChild), try person.put(ofChild, "{}")] {
                #expect(
                    answer.says(
                        403, "preferences_of_another",
                        "Cannot access another member's preferences"))
            }
        }
        #expect(
            try acting.get(path + "?member_id=\(home.adult.id)").says(
                403, "preferences_of_another"))
        #expect(
            try home.adult.get(path + "?member_id=\(UserID.random())").says(
                404, "member_not_found"))
        #expect(try home.adult.get(path + "?member_id=me").says(400, "invalid_field"))
        #expect(
            try home.adult.get(path + "?member_id=\(child)&member_id=\(child)").says(
                400, "invalid_field"))
    }

    @Test("preferences are also returned at the top level, unless a field there has the same name")
    func namesInTheWay() throws {
        let home = try site.home()
        let path = "/groups/\(home.id)/preferences"
        let body =
            #"{"user_id": "x", "groupId": 1, "preferences": {"a": 1}, "updatedAt": 2, "b": "c"}"#
        for answer in [try home.player.put(path, body), try home.player.get(path)] {
            let names = try answer.json.object().members.map(\.name)
            #expect(Set(names) == ["user_id", "group_id", "preferences", "updated_at", "b"])
            #expect(names.count == 5 && answer.text("user_id") == "\(home.player.id)")
            let kept = try answer.json["preferences"]
            #expect(try kept["user_id"].string() == "x" && kept["preferences"].value == ["a": 1])
        }
    }

    @Test("a group has the fields that apps show, with services from the family's attributes")
    func group() throws {
        let home = try site.home("Plovers")
        let child = try home.child(of: home.adult)
        let visitor = try home.joiner().actor
        try home.set(visitor, to: .visitor)
        let services = #"{"streaming_services": ["netflix", 7, "hulu"]}"#
        #expect(try home.admin.patch("/api/family/\(home.id)/attributes", services).status == 200)
        let group = try home.adult.get("/groups/\(home.id)")
        #expect(group.text("name") == "Plovers" && group.text("created_by") == "\(home.admin.id)")
        #expect(try group.json["member_count"].integer() == 5)
        #expect(group.text("created_at")?.hasSuffix("Z") == true)
        #expect(try group.json["streaming_services"].value == ["netflix", "hulu"])
        let members = try group.json["members"].elements()
        #expect(
            try members.map { try $0["role"].string() }
                == ["creator", "member", "member", "member", "member"])
        let robin = try #require(try members.first { try $0["user_id"].string() == child })
        #expect(try robin["is_managed"].bool() && robin["email"].string() == "")
        #expect(try robin["parent_user_id"].string() == "\(home.adult.id)")
        #expect(try members[0]["email"].string() == home.admin.email)
        let seen = try visitor.get("/groups/\(home.id)").json
        #expect(try seen["streaming_services"].value == [])
        #expect(try seen["members"].elements().first?["email"].string() == "")
        let ofChild = try home.adult.acting(for: child).get("/groups/\(home.id)").json
        #expect(try ofChild["streaming_services"].value == ["netflix", "hulu"])
        _ = try home.admin.patch(
            "/api/family/\(home.id)/attributes", #"{"streaming_services": "netflix"}"#)
        #expect(
            try home.admin.get("/groups/\(home.id)").json["streaming_services"].value == [])
    }

    @Test("the caller's group is the oldest joined one, else the caller's own, else null")
    func mine() throws {
        let person = try site.person(.parent)
        let none = try person.get("/groups/me")
        #expect(none.status == 200 && none.body == Array(#"{"group":null}"#.utf8))
        #expect(try site.nobody().get("/groups/me").body == none.body)
        let made = try #require(try person.post("/api/family/create").text("familyId"))
        _ = try person.post("/api/families", #"{"familyName": "Second"}"#)
        #expect(try person.get("/groups/me").text("group_id") == made)
        let home = try site.home()
        try site.join(person, code: home.code)
        try site.join(person, code: try site.home().code)
        let group = try person.get("/groups/me")
        #expect(group.text("group_id") == home.id)
        #expect(group.body == (try person.get("/groups/\(home.id)").body))
        let child = home.adult.acting(for: try home.child(of: home.adult))
        #expect(try child.get("/groups/me").text("group_id") == home.id)
    }

    @Test("preferences are a JSON object of at most 16 KiB, nested at most 32 deep")
    func bounds() throws {
        let home = try site.home()
        let path = "/groups/\(home.id)/preferences"
        let large = #"{"a": "\#(String(repeating: "x", count: 16_384))"}"#
        #expect(try home.admin.put(path, large).says(413, "preferences_too_large"))
        for body in ["[]", "1", "null", "", "{", #"{"a": 1e999}"#, #"{"a": 1, "a": 2}"#] {
            #expect(try home.admin.put(path, body).says(400, "invalid_body"))
        }
        let deep = String(repeating: #"{"a":"#, count: 32) + "1" + String(repeating: "}", count: 32)
        #expect(try home.admin.put(path, deep).status == 200)
        #expect(try home.admin.put(path, #"{"a":\#(deep)}"#).says(400, "invalid_body"))
        #expect(try home.admin.put(path, #"{"a": "\u0000"}"#).says(400, "invalid_field"))
    }

    @Test("adults may write player details, and players and adults may read them")
    func playerDetails() throws {
        let home = try site.home()
        let path = "/api/family/player-details"
        let noted = try home.adult.post(
            path,
            #"{"playerName": "Kim", "playerDob": "2009-05-31", "graduationYear": 2027, "sport": "Soccer", "familyId": "\#(home.id)"}"#
        )
        #expect(noted.status == 200)
        let read = try home.player.get(path + "?familyId=\(home.id)").json["playerDetails"]
        #expect(try read["playerName"].string() == "Kim" && read["sport"].string() == "Soccer")
        #expect(try read["playerDob"].string() == "2009-05-31")
        #expect(try read["graduationYear"].integer() == 2027 && read["position"].value == .null)
        #expect(try home.player.post(path, #"{"sport": "Chess"}"#).says(403, "standing_too_low"))
        for body in [
            #"{"playerDob": "31.5.2009"}"#, #"{"playerDob": "2009-02-30"}"#,
            #"{"graduationYear": "27"}"#, #"{"graduationYear": 1}"#, #"{"sport": 7}"#,
            #"{"playerName": "a\nb"}"#,
        ] {
            #expect(try home.adult.post(path, body).says(400, "invalid_field"))
        }
        let changed = try home.adult.post(
            path, #"{"sport": "Chess", "position": "Left", "playerName": null, "playerDob": ""}"#)
        for details in [changed, try home.adult.get(path)] {
            let read = try details.json["playerDetails"]
            #expect(try read["sport"].string() == "Chess" && read["position"].string() == "Left")
            #expect(try read["graduationYear"].integer() == 2027, "what is left out stays")
            #expect(try read["playerName"].value == .null && read["playerDob"].value == .null)
        }
        let same = try home.adult.post(path, #"{"position": ""}"#).json["playerDetails"]
        #expect(try same["sport"].string() == "Chess" && same["position"].value == .null)
        try home.set(home.adult, to: .visitor)
        #expect(try home.adult.get(path).says(403, "visitors_only_read"))
    }

    @Test("creator and admin read the audit log in pages, with children's ids marked")
    func audit() throws {
        let home = try site.home()
        let child = try home.child(of: home.admin)
        _ = try home.admin.patch("/api/family/managed/\(child)", #"{"displayName": "Robbie"}"#)
        _ = try home.admin.delete("/api/family/managed/\(child)")
        var actions: [String] = []
        var targets: [String?] = []
        var path = "/api/family/audit?limit=2"
        while true {
            let page = try home.admin.get(path).json
            for entry in try page["entries"].elements() {
                actions.append(try entry["action"].string())
                targets.append(try entry["targetId"].ifPresent?.string())
            }
            guard let next = try page["nextCursor"].ifPresent?.string() else { break }
            path = "/api/family/audit?limit=2&cursor=\(next)"
        }
        #expect(actions.prefix(3) == ["managed.remove", "managed.update", "managed.create"])
        #expect(actions.last == "family.create")
        #expect(targets.prefix(3).allSatisfy { $0 == child })
        #expect(try home.adult.get("/api/family/audit").says(403, "standing_too_low"))
        for query in ["cursor=x", "limit=0", "limit=101", "limit=many"] {
            #expect(try home.admin.get("/api/family/audit?\(query)").says(400, "invalid_field"))
        }
    }
}
