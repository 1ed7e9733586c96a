import Domain
import JSON
import Testing

@Suite("Fields of request bodies")
struct FieldTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test("a field is accepted in the spelling of responses")
    func spellings() throws {
        let home = try site.home()
        let path = "/api/family/members/\(try home.member(home.adult))"
        for (body, role) in [
            (#"{"household_role": "kid"}"#, "kid"), (#"{"householdRole": "adult"}"#, "adult"),
            (#"{"household_role": "kid", "householdRole": "kid"}"#, "kid"),
        ] {
            #expect(try home.admin.patch(path, body).text("household_role") == role)
        }
        let invited = try home.admin.post(
            "/api/family/invite",
            #"{"role": "parent", "delivery": "link", "household_role": "visitor"}"#)
        #expect(invited.status == 200)
        let child = try home.admin.post(
            "/api/family/managed", #"{"display_name": "Robin", "avatar_key": "fox"}"#)
        #expect(child.status == 201 && child.text("avatar_key") == "fox")
        let details = try home.admin.post(
            "/api/family/player-details",
            #"{"player_name": "Kim", "player_dob": "2009-05-31", "graduation_year": 2027}"#)
        #expect(try details.json["playerDetails"]["graduationYear"].integer() == 2027)
        #expect(try details.json["playerDetails"]["playerName"].string() == "Kim")
        let family = try home.admin.patch(
            "/api/family/\(home.id)", #"{"family_name": "Terns", "approval_required": true}"#)
        #expect(family.text("familyName") == "Terns")
        #expect(try home.admin.patch("/api/me", #"{"full_name": "Eve"}"#).text("fullName") == "Eve")
    }

    @Test(
        "two spellings of a field with different values are refused",
        arguments: [#""adult""#, "null", "7"])
    func differing(other: String) throws {
        let home = try site.home()
        let path = "/api/family/members/\(try home.member(home.adult))"
        let answer = try home.admin.patch(
            path, #"{"household_role": \#(other), "householdRole": "kid"}"#)
        #expect(
            answer.says(
                400, "invalid_field",
                "`householdRole` and `household_role` are the same field and differ: "
                    + "send one of them."))
    }

    @Test("a privileged field, in either spelling, is refused on routes that don't change it")
    func privileged() throws {
        let person = try site.person(.parent)
        for name in ["household_role", "householdRole", "member_limit", "memberLimit"] {
            let answer = try person.patch("/api/me", #"{"\#(name)": "adult"}"#)
            #expect(
                answer.says(400, "privileged_field", "`\(name)` can't be set; leave it out."))
        }
    }

    @Test("the description publishes one spelling and marks the others as deprecated")
    func published() throws {
        let document = try site.send("GET", "/openapi.json").json
        let operation = try document["paths"]["/api/family/members/{memberId}"]["patch"]
        let schema = try operation["requestBody"]["content"]["application/json"]["schema"]
        #expect(try schema["required"].elements().map { try $0.string() } == ["householdRole"])
        let properties = try schema["properties"]
        #expect(try properties["householdRole"]["deprecated"].value == nil)
        #expect(try properties["household_role"]["deprecated"].bool())
        let both = try document["paths"].object().members.flatMap { path in
            try document["paths"][path.name].object().members.compactMap { method in
                try document["paths"][path.name][method.name]["requestBody"].ifPresent
            }
        }
        for body in both {
            let schema = try body["content"]["application/json"]["schema"]
            for property in try schema["properties"].ifPresent?.object().members ?? []
            // The name that OAuth prescribes (RFC 6749).
            where property.name.contains("_") && property.name != "refresh_token" {
                #expect(try schema["properties"][property.name]["deprecated"].bool())
            }
        }
    }

    @Test("the message about a wrong field names the mistake in its value")
    func messages() throws {
        let home = try site.home()
        let long = String(repeating: "x", count: 93)
        let cases: [(Answer, String)] = [
            (
                try home.admin.post("/api/families", #"{"familyName": "a\nb"}"#),
                "`familyName` must not contain a line break."
            ),
            (
                try home.admin.post("/api/families", #"{"familyName": "a\u2028b"}"#),
                "`familyName` must not contain a line break."
            ),
            (
                try home.admin.post("/api/families", #"{"familyName": "a\u0007b"}"#),
                "`familyName` must not contain control characters, found U+0007."
            ),
            (
                try home.admin.post("/api/families", #"{"familyName": "\#(long)"}"#),
                "`familyName` must be 1 to 80 characters long, found 93."
            ),
            (
                try home.admin.post("/api/families", #"{"familyName": "  "}"#),
                "`familyName` must be 1 to 80 characters long, found none."
            ),
            (
                try home.admin.post("/api/families", #"{"familyName": 7}"#),
                "`familyName` must be a string, found a number."
            ),
            (
                try home.admin.post("/api/family/managed", #"{"display_name": "a\rb"}"#),
                "`display_name` must not contain a line break."
            ),
            (
                try home.admin.post("/api/family/player-details", #"{"graduationYear": 2.5}"#),
                "`graduationYear` must be a whole number from 1900 to 2199, found 2.5."
            ),
            (
                try home.admin.post("/api/family/player-details", #"{"graduationYear": 5000}"#),
                "`graduationYear` must be a whole number from 1900 to 2199, found 5000."
            ),
            (
                try home.admin.patch(
                    "/api/family/\(home.id)", #"{"homeLatitude": 91, "homeLongitude": 0}"#),
                "`homeLatitude` must be a number from -90 to 90, found 91."
            ),
            (
                try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": 1}"#),
                "`approvalRequired` must be true or false, found 1."
            ),
            (
                try home.admin.get("/api/family/audit?limit=2&limit=3"),
                "`limit` is given more than once."
            ),
            (
                try home.admin.patch(
                    "/api/me",
                    #"{"avatarUrl": "https://x.test/\#(String(repeating: "x", count: 2100))"}"#),
                "`avatarUrl` must be an https URL of at most 2048 bytes, or empty."
            ),
        ]
        for (answer, message) in cases {
            #expect(answer.says(400, "invalid_field", message), "\(answer)")
        }
        let child = try home.child(of: home.admin)
        #expect(
            try home.admin.acting(for: child).patch(
                "/api/me", #"{"fullName": "\#(long.prefix(31))"}"#
            )
            .says(
                400, "invalid_field",
                "`fullName` of a managed member must be 1 to 30 characters long, found 31."))
    }

    @Test("all wrong fields are reported at once, each with its JSON pointer")
    func allAtOnce() throws {
        let home = try site.home()
        func errors(_ answer: Answer) throws -> [[String]] {
            try answer.json["errors"].elements().map { error in
                try ["pointer", "code", "detail"].map { try error[$0].string() }
            }
        }
        let details = try home.admin.post(
            "/api/family/player-details",
            #"{"player_name": "a\nb", "playerDob": "soon", "graduationYear": 3.5, "a/b~ü": 7}"#)
        #expect(
            details.says(400, "invalid_field", "`player_name` must not contain a line break."))
        #expect(
            try errors(details) == [
                [
                    "#/player_name", "invalid_field",
                    "`player_name` must not contain a line break.",
                ],
                ["#/playerDob", "invalid_field", "`playerDob` must be a date such as 2009-05-31."],
                [
                    "#/graduationYear", "invalid_field",
                    "`graduationYear` must be a whole number from 1900 to 2199, found 3.5.",
                ],
                ["#/a~1b~0%C3%BC", "invalid_field", "`a/b~ü` must be a string, found a number."],
            ])
        let invited = try home.admin.post("/api/family/invite", #"{"delivery": "pigeon"}"#)
        #expect(
            try errors(invited).map { $0[0] + " " + $0[1] } == [
                "#/delivery invalid_field", "#/role missing_field",
            ])
        let unaddressed = try home.admin.post("/api/family/invite", #"{"role": "king"}"#)
        #expect(
            try errors(unaddressed).map { $0[0] + " " + $0[1] } == [
                "#/email missing_field", "#/role invalid_field",
            ])
        let privileged = try home.admin.post(
            "/api/family/invite", #"{"status": 1, "user_id": 2, "role": 3}"#)
        #expect(privileged.says(400, "privileged_field"))
        #expect(
            Set(try errors(privileged).map { $0[0] }) == ["#/status", "#/user_id", "#/role"])
        #expect(
            try errors(home.admin.put("/groups/\(home.id)/preferences", #"{"a": "\u0000"}"#))
                .map { $0[0] } == ["#"])
        let open = try site.send("POST", "/api/auth/sign-up", body: #"{"fullName": 1, "role": 2}"#)
        #expect(
            try errors(open).map { $0[0] + " " + $0[1] } == [
                "#/email missing_field", "#/password missing_field", "#/fullName invalid_field",
                "#/role invalid_field",
            ])
        let long = String(repeating: "x", count: 201)
        let named = try home.admin.post("/api/family/player-details", #"{"\#(long)": "x"}"#)
        #expect(try errors(named).map { $0[0] } == ["#/" + long])
        #expect(
            try errors(named)[0][2].hasPrefix("The name `\(long)` must be 1 to "), "\(named)")
        #expect(try errors(named)[0][2].hasSuffix(" characters long."))
    }

    @Test("a wrong header or query parameter is named, but is not reported as a field of the body")
    func outsideBody() throws {
        let home = try site.home()
        let many = (0...100).map { _ in "transferAdminTo=\(UserID.random())" }
        let path = "/api/family/\(home.id)"
        let answers: [(Answer, String?)] = [
            (try home.admin.get("/api/family/audit?limit=x"), nil),
            (try home.admin.get("/api/family/nothing"), nil),
            (try home.admin.get("/api/family/members?status=x"), "status"),
            (try home.admin.get("/api/family/members?status=active&status=active"), "status"),
            (try home.admin.delete("/api/me?transferAdminTo=x"), "transferAdminTo"),
            (
                try home.admin.delete("/api/me?" + many.joined(separator: "&")),
                "transferAdminTo"
            ),
            (
                try home.admin.send("PATCH", path, "{}", headers: ["X-Changed-At": "soon"]),
                "X-Changed-At"
            ),
            (
                try home.admin.send("PATCH", path, "{}", headers: ["X-Base-Version": "-1"]),
                "X-Base-Version"
            ),
        ]
        for (answer, name) in answers {
            #expect(try answer.json["errors"].value == nil, "\(answer)")
            guard let name else { continue }
            #expect(answer.says(400, "invalid_field"), "\(answer)")
            #expect(answer.text("detail")?.hasPrefix("`\(name)` ") == true, "\(answer)")
        }
    }

    @Test("a whole number may be written with an empty fraction, as in JSON Schema")
    func wholeNumbers() throws {
        let home = try site.home()
        let noted = try home.admin.post(
            "/api/family/player-details", #"{"graduationYear": 2027.0}"#)
        #expect(try noted.json["playerDetails"]["graduationYear"].integer() == 2027)
    }

    @Test("a graduation year may be a string of digits, as forms send it")
    func digits() throws {
        let home = try site.home()
        let path = "/api/family/player-details"
        func year(_ given: String) throws -> JSONValue? {
            let answer = try home.admin.post(path, #"{"graduationYear": \#(given)}"#)
            return answer.status == 200
                ? try answer.json["playerDetails"]["graduationYear"].value : nil
        }
        #expect(try year(#""2027""#) == 2027)
        #expect(try year(#"" 2028 ""#) == 2028)
        #expect(try year(#""""#) == .null)
        for wrong in [#""2027.0""#, #""+2027""#, #""99""#, #""soon""#, "[2027]"] {
            #expect(try year(wrong) == nil, "\(wrong)")
        }
    }

    @Test("an app's own player details are stored and returned")
    func furtherDetails() throws {
        let home = try site.home()
        let path = "/api/family/player-details"
        let noted = try home.admin.post(
            path,
            #"{"family_id": "\#(home.id)", "gender": "x", "sport": "Judo", "club": "TSV", "#
                + #""höhe": "1,80 m", "empty": "", "nothing": null}"#)
        let expected: [(String, JSONValue)] = [
            ("gender", "x"), ("sport", "Judo"), ("club", "TSV"), ("höhe", "1,80 m"),
        ]
        for answer in [noted, try home.player.get(path)] {
            let details = try answer.json["playerDetails"]
            for (name, value) in expected { #expect(try details[name].value == value) }
            #expect(try details.object().members.count == 8)
        }
        let cleared = try home.admin.post(path, #"{"club": null, "höhe": "", "gender": null}"#)
        let left = try cleared.json["playerDetails"].object()
        #expect(left["club"] == nil && left["höhe"] == nil && left["gender"] == .null)
        let long = String(repeating: "x", count: 201)
        for (wrong, code) in [
            (#"{"club": 7}"#, "invalid_field"), (#"{"club": {"a": "b"}}"#, "invalid_field"),
            (#"{"club": "\#(long)"}"#, "invalid_field"),
            (#"{"gender": "\#(long)"}"#, "invalid_field"),
            (#"{"\#(long)": "x"}"#, "invalid_field"), (#"{"": "x"}"#, "invalid_field"),
            (#"{"status": "x"}"#, "privileged_field"), (#"{"user_id": "x"}"#, "privileged_field"),
        ] {
            #expect(try home.admin.post(path, wrong).says(400, code), "\(wrong)")
        }
        let many = (1...21).map { #""detail\#($0)": "x""# }.joined(separator: ",")
        #expect(
            try home.admin.post(path, "{\(many)}").says(
                400, "invalid_field",
                "`playerDetails` must be the named details and at most 20 others."))
    }

    @Test("an optional text may be empty")
    func emptyTexts() throws {
        let home = try site.home()
        #expect(
            try home.admin.patch("/api/family/\(home.id)", #"{"familyName": ""}"#)
                .text("familyName") == "Gulls")
        #expect(try home.admin.patch("/api/me", #"{"fullName": " "}"#).text("fullName") == "Ada")
        let child = try home.child(of: home.admin)
        #expect(
            try home.admin.patch("/api/family/managed/\(child)", #"{"displayName": ""}"#)
                .text("display_name") == "Robin")
        let link = try home.admin.post(
            "/api/family/invite", #"{"role": "parent", "delivery": "link", "email": ""}"#)
        #expect(link.status == 200 && link.text("inviteUrl") != nil)
        let created = try site.person(.parent).post("/api/family/create", #"{"familyName": ""}"#)
        #expect(created.text("familyName") == "My Family")
    }
}
