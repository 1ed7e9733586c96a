import Domain
import JSON
import Testing

@Suite("Routes of families")
struct FamilyRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test("POST /api/families makes a new family each time and answers 201, up to five families")
    func another() throws {
        let person = try site.person(.parent)
        for number in 1...5 {
            let made = try person.post("/api/families", #"{"familyName": "No \#(number)"}"#)
            #expect(made.status == 201 && made.text("familyName") == "No \(number)")
        }
        #expect(
            try person.post("/api/families", #"{"familyName": "No 6"}"#)
                .says(409, "too_many_families"))
        #expect(try person.post("/api/families").says(400, "missing_field"))
        let listed = try person.get("/api/family").json["families"].elements()
        #expect(listed.count == 5)
        #expect(try person.get("/api/family/members").says(400, "family_required"))
    }

    @Test("a player who has a family can't create a second")
    func player() throws {
        let player = try site.person(.player)
        _ = try player.post("/api/family/create")
        #expect(
            try player.post("/api/families", #"{"familyName": "B"}"#).says(409, "player_has_family")
        )
    }

    @Test("the list of families has the fields that apps read")
    func list() throws {
        let home = try site.home("Terns")
        let family = try #require(
            try home.adult.get("/api/family").json["families"].elements().first)
        #expect(try family["familyId"].string() == home.id)
        #expect(try family["familyCode"].string() == home.code)
        #expect(try family["familyName"].string() == "Terns")
        #expect(try family["role"].string() == "parent")
        #expect(try family["householdRole"].string() == "adult")
        #expect(try family["memberCount"].integer() == 3)
        #expect(try family["createdByUserId"].string() == "\(home.admin.id)")
        let one = try home.adult.get("/api/family/\(home.id.uppercased())")
        #expect(try one.json.object() == family.object())
    }

    @Test("creator and admin may change name, home location and approval; others may not")
    func update() throws {
        let home = try site.home()
        let path = "/api/family/\(home.id)"
        let changed = try home.admin.patch(
            path,
            #"{"familyName": "Kites", "homeLatitude": 59.5, "homeLongitude": -3, "approvalRequired": true}"#
        )
        #expect(changed.status == 200 && changed.text("familyName") == "Kites")
        #expect(try changed.json["homeLatitude"].number() == 59.5)
        #expect(try changed.json["homeLongitude"].number() == -3)
        #expect(try changed.json["approvalRequired"].bool())
        let forgotten = try home.admin.patch(
            path, #"{"homeLatitude": null, "homeLongitude": null}"#)
        #expect(try forgotten.json["homeLatitude"].value == .null)
        #expect(forgotten.text("familyName") == "Kites")
        for person in [home.adult, home.player] {
            #expect(
                try person.patch(path, #"{"familyName": "Mine"}"#).says(
                    403, "standing_too_low", "You are not allowed to do this in this family."))
        }
        try home.set(home.adult, to: .visitor)
        #expect(
            try home.adult.patch(path, #"{"familyName": "Mine"}"#).says(403, "visitors_only_read"))
    }

    @Test(
        "an invalid field of a family is refused with invalid_field",
        arguments: [
            #"{"familyName": "a\nb"}"#, #"{"familyName": ["a"]}"#,
            #"{"homeLatitude": 91, "homeLongitude": 0}"#,
            #"{"homeLatitude": 1}"#, #"{"homeLatitude": null, "homeLongitude": 1}"#,
            #"{"homeLatitude": "north", "homeLongitude": 1}"#, #"{"approvalRequired": "yes"}"#,
        ])
    func badUpdate(body: String) throws {
        let home = try Self.home.get()
        #expect(
            try home.admin.patch("/api/family/\(home.id)", body).says(400, "invalid_field"))
    }
    static let home = Result { try shared.get().home() }

    @Test("a visitor sees no code, no e-mail addresses and no home location")
    func masking() throws {
        let home = try site.home()
        _ = try home.admin.patch(
            "/api/family/\(home.id)", #"{"homeLatitude": 1, "homeLongitude": 2}"#)
        try home.set(home.adult, to: .visitor)
        let family = try home.adult.get("/api/family/\(home.id)")
        #expect(family.status == 200 && family.text("familyCode") == "")
        #expect(try family.json["homeLatitude"].value == .null)
        let members = try home.adult.get("/api/family/members").json["members"].elements()
        for member in members where try member["user_id"].string() != "\(home.adult.id)" {
            #expect(try member["users"]["email"].string() == "")
        }
        for path in ["qr.svg", "qr.png"] {
            #expect(
                try home.adult.get("/api/family/\(home.id)/\(path)").says(
                    403, "visitors_only_read"))
        }
    }
}
