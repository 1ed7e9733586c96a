import Domain
import JSON
import Postgres
import TestSupport
import Testing

@Suite("Routes of attributes")
struct AttributeRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    private func path(_ home: FamilyFixture<Site>) -> String { "/api/family/\(home.id)/attributes" }

    private func value(_ answer: Answer) throws -> JSONValue? {
        answer.status == 200 ? try JSONValue(parsing: answer.body) : nil
    }

    @Test("a patch sets its fields, removes those that are null, and keeps the rest")
    func patch() throws {
        let home = try site.home()
        let path = path(home)
        let empty = try home.adult.get(path)
        #expect(try value(empty) == [:] && empty.headers["content-type"] == "application/json")
        let first = try home.adult.patch(
            path, #"{"theme": {"dark": true, "accent": "red"}, "tags": ["a", 1]}"#)
        #expect(
            try value(first) == ["tags": ["a", 1], "theme": ["dark": true, "accent": "red"]])
        let second = try home.admin.send(
            "PATCH", path, #"{"theme": {"accent": null, "size": 2}, "tags": "b", "gone": null}"#,
            headers: ["Content-Type": "application/merge-patch+json"])
        #expect(try value(second) == ["tags": "b", "theme": ["dark": true, "size": 2]])
        #expect(try value(home.player.get(path)) == value(second))
        for body in ["[]", "1", "null", "", "{"] {
            #expect(try home.admin.patch(path, body).says(400, "invalid_body"))
        }
        #expect(try home.admin.patch(path, #"{"a": "\u0000"}"#).says(400, "invalid_field"))
        #expect(
            try home.admin.send(
                "PATCH", path, "{}", headers: ["Content-Type": "application/xml"]
            ).says(415, "unsupported_media_type"))
    }

    @Test("attributes have at most 16 KiB, even after several patches")
    func bounds() throws {
        let home = try site.home()
        let path = path(home)
        let half = String(repeating: "x", count: 9_000)
        #expect(try home.admin.patch(path, #"{"a": "\#(half)"}"#).status == 200)
        #expect(
            try home.admin.patch(path, #"{"b": "\#(half)"}"#).says(
                413, "attributes_too_large", "Attributes are limited to 16 KiB."))
        #expect(try home.admin.patch(path, #"{"a": null, "b": "\#(half)"}"#).status == 200)
        let large = String(repeating: "x", count: 65_536)
        #expect(
            try home.admin.patch(path, #"{"c": "\#(large)"}"#).says(413, "body_too_large"))
    }

    @Test(
        "adults may write attributes; players, kids and guardians acting for children may read them"
    )
    func rights() throws {
        let home = try site.home()
        let path = path(home)
        let visitor = try home.joiner().actor
        try home.set(visitor, to: .visitor)
        let kid = try home.joiner().actor
        try home.set(kid, to: .kid)
        let child = home.adult.acting(for: try home.child(of: home.adult))
        for person in [home.admin, home.adult] {
            #expect(try person.patch(path, #"{"a": 1}"#).status == 200)
        }
        for person in [home.player, kid] {
            #expect(try value(person.get(path)) == ["a": 1])
            #expect(try person.patch(path, #"{"a": 2}"#).says(403, "standing_too_low"))
        }
        #expect(try value(child.get(path)) == ["a": 1])
        #expect(try child.patch(path, #"{"a": 2}"#).says(403, "not_while_acting"))
        #expect(try visitor.get(path).says(403, "visitors_only_read"))
        #expect(try visitor.patch(path, "{}").says(403, "visitors_only_read"))
        let stranger = try site.person(.parent)
        #expect(try stranger.get(path).says(404, "family_not_found"))
        #expect(try stranger.patch(path, "{}").says(404, "family_not_found"))
        #expect(try site.send("GET", path).says(401, "not_signed_in"))
        let maker = try site.person(.player)
        let made = try #require(try maker.post("/api/family/create").text("familyId"))
        #expect(try maker.patch("/api/family/\(made)/attributes", #"{"a": 1}"#).status == 200)
    }

    @Test("the tag changes only with the attributes, and If-Match requires the current one")
    func tags() throws {
        let home = try site.home()
        let path = path(home)
        func tag(_ answer: Answer) throws -> String { try #require(answer.headers["etag"]) }
        let none = try tag(try home.adult.get(path))
        #expect(try tag(home.adult.patch(path, "{}")) == none)
        let first = try tag(try home.adult.patch(path, #"{"a": 1}"#))
        #expect(first != none)
        #expect(try tag(home.adult.patch(path, #"{"a": 1}"#)) == first)
        func patch(_ body: String, ifMatch: String) throws -> Answer {
            try home.adult.send("PATCH", path, body, headers: ["If-Match": ifMatch])
        }
        for stale in [none, "W/" + first, "1", #""x""#, #""""#, "", ","] {
            let refused = try patch(#"{"a": 2}"#, ifMatch: stale)
            #expect(refused.says(412, "precondition_failed"), "\(stale)")
            #expect(try refused.json["current"]["a"].integer() == 1)
        }
        let second = try tag(try patch(#"{"a": 2}"#, ifMatch: #""7", "# + first))
        let third = try tag(try patch(#"{"a": 3}"#, ifMatch: "*"))
        #expect(Set([none, first, second, third]).count == 4)
        func get(_ ifNoneMatch: String) throws -> Answer {
            try home.adult.send("GET", path, headers: ["If-None-Match": ifNoneMatch])
        }
        for known in [third, "W/" + third, first + ", " + third, "*"] {
            let answer = try get(known)
            #expect(try answer.status == 304 && answer.body.isEmpty && tag(answer) == third)
        }
        #expect(try get(second).status == 200)
    }

    @Test("the tag of a version that a restore has lost does not match a new version")
    func restored() throws {
        let home = try site.home()
        let path = path(home)
        _ = try home.adult.patch(path, #"{"a": 1}"#)
        let lost = try #require(try home.adult.patch(path, #"{"a": 2}"#).headers["etag"])
        try Connection(site.test.settings()).execute(
            script: """
                UPDATE app.family_attributes SET version = 1, attributes = '{"a": 1}'
                WHERE family_unit_id = '\(home.id)'
                """)
        #expect(try home.adult.patch(path, #"{"a": 3}"#).status == 200)
        let known = try home.adult.send("GET", path, headers: ["If-None-Match": lost])
        #expect(known.status == 200)
        let change = try home.adult.send(
            "PATCH", path, #"{"a": 4}"#, headers: ["If-Match": lost])
        #expect(change.says(412, "precondition_failed"))
    }

    @Test("a patch with a key has one effect and one response, tag included")
    func repeated() throws {
        let home = try site.home()
        let path = path(home)
        func patch() throws -> Answer {
            try home.adult.send("PATCH", path, #"{"n": 1}"#, headers: ["Idempotency-Key": "once"])
        }
        let first = try patch()
        _ = try home.adult.patch(path, #"{"n": 2}"#)
        let again = try patch()
        #expect(again.body == first.body && again.headers["etag"] == first.headers["etag"])
        try home.set(home.adult, to: .visitor)
        #expect(try patch().says(403, "visitors_only_read"))
    }
}
