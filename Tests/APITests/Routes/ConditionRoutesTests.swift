import Domain
import HTTPServer
import JSON
import Postgres
import TestSupport
import Testing
import Basics

@testable import API

@Suite("Conditional requests")
struct ConditionRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test("a repeated profile change returns the current profile with its current tag")
    func replayed() throws {
        let home = try site.home()
        func rename(_ name: String, _ headers: [String: String] = [:]) throws -> Answer {
            try home.adult.send("PATCH", "/api/me", #"{"fullName": "\#(name)"}"#, headers: headers)
        }
        let key = ["Idempotency-Key": "renamed"]
        let first = try #require(try rename("One", key).headers["etag"])
        #expect(try rename("Two").status == 200)
        let again = try rename("One", key)
        #expect(again.text("fullName") == "Two" && again.headers["etag"] != first)
        #expect(try home.adult.get("/api/me").headers["etag"] == again.headers["etag"])
    }

    @Test("a 412 with the current value counts as one request, and is logged as one")
    func counted() throws {
        let site = try Site()
        let home = try site.home()
        let path = "/api/family/\(home.id)"
        func requests() -> Int {
            site.lines.text.split(separator: "\n").count {
                $0.contains(#""route":"/api/family/:id""#)
            }
        }
        let reads = #"{method="GET",route="/api/family/:id",status="200"}"#
        let before = requests()
        let answer = try home.admin.send(
            "PATCH", path, #"{"familyName": "Terns"}"#, headers: ["If-Match": #""other""#])
        #expect(answer.says(412, "precondition_failed"))
        #expect(try answer.json["current"]["familyName"].string() == "Gulls")
        try eventually { requests() > before }
        // The next request's line is written after all lines of this one.
        _ = try home.admin.get("/api/me")
        try eventually { site.lines.text.contains(#""route":"/api/me""#) }
        #expect(requests() == before + 1)
        #expect(!site.services.metrics.text().contains(reads))
    }

    @Test("a change with If-Match has no effect unless the tag is current")
    func versions() throws {
        let home = try site.home()
        let path = "/groups/\(home.id)/preferences"
        #expect(try home.admin.put(path, #"{"a": 1}"#).status == 200)
        for condition in [#""x""#, #"W/"x""#, #""a", "b""#, "", "x", #""x", *"#] {
            let answer = try home.admin.send(
                "PUT", path, #"{"a": 2}"#, headers: ["If-Match": condition])
            #expect(answer.says(412, "precondition_failed"), "\(condition)")
        }
        #expect(try home.admin.get(path).json["a"].integer() == 1)
        let any = try home.admin.send("PUT", path, #"{"a": 3}"#, headers: ["If-Match": "*"])
        #expect(any.status == 200)
    }

    @Test("If-Match accepts the tag that was read, and the response has the next one")
    func tags() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let member = try home.member(home.player)
        let changes: [(String, String, String, String, APIClient)] = [
            ("PATCH", "/api/me", #"{"fullName": "A"}"#, #"{"fullName": "B"}"#, home.adult),
            (
                "PATCH", "/api/family/\(home.id)", #"{"familyName": "A"}"#,
                #"{"familyName": "B"}"#, home.admin
            ),
            (
                "PATCH", "/api/family/managed/\(child)", #"{"displayName": "A"}"#,
                #"{"displayName": "B"}"#, home.adult
            ),
            (
                "PUT", "/groups/\(home.id)/preferences?member_id=\(child)", #"{"a": 1}"#,
                #"{"a": 2}"#, home.adult
            ),
            (
                "PATCH", "/api/family/members/\(member)", #"{"householdRole": "kid"}"#,
                #"{"householdRole": "visitor"}"#, home.admin
            ),
            (
                "PATCH", "/api/family/\(home.id)/attributes", #"{"a": 1}"#, #"{"a": 2}"#,
                home.adult
            ),
        ]
        for (method, path, first, second, person) in changes {
            let read = try #require(try person.get(path).headers["etag"], "\(path)")
            let key = ["Idempotency-Key": "k \(path)", "If-Match": read]
            let done = try person.send(method, path, first, headers: key)
            #expect(done.status == 200, "\(path): \(done)")
            let tag = try #require(done.headers["etag"], "\(path)")
            let replayed = try person.send(method, path, first, headers: key)
            #expect(replayed.status == 200 && replayed.headers["etag"] == tag, "\(path)")
            let fresh = try person.get(path)
            #expect(fresh.headers["etag"] == tag, "\(path)")
            let known = try person.send("GET", path, headers: ["If-None-Match": tag])
            #expect(known.status == 304, "\(path)")
            let next = try person.send(method, path, second, headers: ["If-Match": tag])
            #expect(next.status == 200 && next.headers["etag"] != tag, "\(path)")
            let late = try person.send(method, path, first, headers: ["If-Match": tag])
            #expect(late.says(412, "precondition_failed"), "\(path)")
            #expect(try late.json["current"].value == person.get(path).json.value, "\(path)")
        }
    }

    @Test("changes of other resources, earlier or concurrent, don't affect a tag")
    func others() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let member = try home.member(home.player)
        let path = "/api/family/\(home.id)"
        let changes: [(String, String, String, APIClient)] = [
            ("PATCH", path, #"{"familyName": "Terns"}"#, home.admin),
            ("PATCH", "/api/family/managed/\(child)", #"{"displayName": "Rob"}"#, home.adult),
            ("PUT", "/groups/\(home.id)/preferences?member_id=\(child)", "{}", home.adult),
            (
                "PATCH", "/api/family/members/\(member)", #"{"householdRole": "visitor"}"#,
                home.admin
            ),
            ("PATCH", "/api/me", #"{"fullName": "Patty"}"#, home.adult),
        ]
        let tags = try changes.map { try #require(try $0.3.get($0.1).headers["etag"]) }
        _ = try home.admin.patch("\(path)/attributes", #"{"pets": 2}"#)
        _ = try home.admin.patch("/api/me", #"{"fullName": "Adah"}"#)
        _ = try home.invite("new@example.com")
        _ = try home.child(of: home.admin, name: "Wren")
        // Another child is one more member, whom family and profile show.
        for ((method, path, body, person), tag) in zip(changes.dropFirst().prefix(3), tags[1...]) {
            let changed = try person.send(method, path, body, headers: ["If-Match": tag])
            #expect(changed.status == 200, "\(path): \(changed)")
        }
        let admin = home.admin
        let others = inBackground {
            for number in 0..<120 {
                _ = try admin.patch("\(path)/attributes", #"{"pets": \#(number)}"#)
            }
        }
        var tag = try #require(try home.admin.get(path).headers["etag"])
        for number in 0..<60 {
            // With a key, reading and changing are one transaction.
            let key = number % 2 == 0 ? [:] : ["Idempotency-Key": "N\(number)"]
            let changed = try home.admin.send(
                "PATCH", path, #"{"familyName": "N\#(number)"}"#,
                headers: key.merging(["If-Match": tag]) { $1 })
            #expect(changed.status == 200, "\(changed)")
            tag = try #require(changed.headers["etag"])
        }
        try others.wait()
    }

    @Test(
        "a change that conflicts with others for two seconds gets 503 and has no effect",
        arguments: [
            "TRIGGER overtake BEFORE UPDATE ON app.family_units",
            "CONSTRAINT TRIGGER overtake AFTER UPDATE ON app.family_units INITIALLY DEFERRED",
        ], [[:], ["Idempotency-Key": "overtaken"]])
    func overtaken(_ trigger: String, _ key: [String: String]) throws {
        let home = try site.home()
        let path = "/api/family/\(home.id)"
        let read = try home.admin.get(path)
        let name = "overtake_\(home.id)".replacing("-", with: "_")
        // Each attempt fails as if another change of the family had come first.
        try Postgres.Connection(site.test.settings()).execute(
            script: """
                CREATE FUNCTION public.\(name)() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    RAISE EXCEPTION 'overtaken' USING ERRCODE = 'serialization_failure';
                END $$;
                CREATE \(trigger.replacing("overtake", with: name)) FOR EACH ROW
                    WHEN (NEW.id = '\(home.id)') EXECUTE FUNCTION public.\(name)();
                """)
        let began = MonotonicClock.nanoseconds()
        let change = try home.admin.send(
            "PATCH", path, #"{"familyName": "Terns"}"#,
            headers: key.merging(["If-Match": try #require(read.headers["etag"])]) { $1 })
        #expect(change.says(503, "unavailable"))
        #expect(
            change.text("detail") == "Other data of the family keeps changing. Please try again.")
        #expect(MonotonicClock.nanoseconds() - began >= 2_000_000_000)
        #expect(change.headers["retry-after"] == "1")
        #expect(try home.admin.get(path).headers["etag"] == read.headers["etag"])
    }

    @Test("an outage ends the retries of a change that others have overtaken")
    func outageAfterOvertaking() throws {
        let services = try site.services
        let retry = ConditionalChangeRetry(services: services, routes: RouteFinder(Routes.table))
        let request = try #require(Request(.patch, "/api/me"))
        var attempts = 0
        let problem = #expect(throws: Problem.self) {
            _ = try retry.run(Exchange(request, services.site)) { _ in
                attempts += 1
                if attempts < 3 { throw ConditionalChange.Overtaken() }
                throw Problem.unavailable
            }
        }
        #expect(attempts == 3)
        #expect(problem?.message == Problem.unavailable.message)
    }

    @Test("concurrent changes to one tag make exactly one change")
    func atOnce() throws {
        let home = try site.home()
        for round in 0..<10 {
            let family = "/api/family/\(home.id)"
            let path = round % 2 == 0 ? family : family + "/attributes"
            let tag = try #require(try home.admin.get(path).headers["etag"])
            let outcomes = onThreads(4) { thread in
                try home.admin.send(
                    "PATCH", path, #"{"familyName": "N\#(thread) \#(tag.filter(\.isLetter))"}"#,
                    headers: ["If-Match": tag]
                ).status
            }
            let statuses = try outcomes.map { try $0.get() }.sorted()
            #expect(statuses == [200, 412, 412, 412])
        }
    }

    @Test("a conditional change with a key needs one connection, even if there are few")
    func keyedAtOnce() throws {
        let home = try site.home()
        // More requests than the site has connections.
        let outcomes = onThreads(8) { thread in
            try home.admin.send(
                "PATCH", "/api/me", #"{"fullName": "Ada"}"#,
                headers: ["If-Match": #""x""#, "Idempotency-Key": "at once \(thread)"])
        }
        for outcome in outcomes { #expect(try outcome.get().says(412, "precondition_failed")) }
    }

    @Test("a request whose condition fails has no effect on any route and does not use up its key")
    func everywhere() throws {
        let home = try site.home()
        let child = try home.child(of: home.admin)
        let member = try home.member(home.adult)
        let requests: [(String, String, String?)] = [
            ("PATCH", "/api/me", #"{"fullName": "Changed"}"#),
            ("PATCH", "/api/family/\(home.id)", #"{"familyName": "Changed"}"#),
            ("PATCH", "/api/family/members/\(member)", #"{"householdRole": "kid"}"#),
            ("PATCH", "/api/family/managed/\(child)", #"{"displayName": "Changed"}"#),
            ("DELETE", "/api/family/managed/\(child)", nil),
            ("DELETE", "/api/family/members/\(member)", nil),
            ("POST", "/api/family/player-details", #"{"sport": "Chess"}"#),
            ("GET", "/api/me", nil),
        ]
        for (method, path, body) in requests {
            let key = ["Idempotency-Key": "\(method) \(path)"]
            let refused = try home.admin.send(
                method, path, body, headers: key.merging(["If-Match": #""1""#]) { $1 })
            #expect(refused.says(412, "precondition_failed"), "\(method) \(path)")
            if ["PATCH", "DELETE"].contains(method) {
                let creating = try home.admin.send(
                    method, path, body, headers: key.merging(["If-None-Match": "*"]) { $1 })
                #expect(creating.says(412, "precondition_failed"), "\(method) \(path)")
            }
        }
        let family = try home.admin.get("/api/family/\(home.id)")
        #expect(family.text("familyName") == "Gulls")
        let members = try home.admin.get("/api/family/members?familyId=\(home.id)")
        #expect(try members.json["count"].integer() == 4)
        let fulfilled = try home.admin.send(
            "PATCH", "/api/me", #"{"fullName": "Changed"}"#,
            headers: ["Idempotency-Key": "PATCH /api/me", "If-Match": "*"])
        #expect(fulfilled.text("fullName") == "Changed")
    }

    @Test(
        "a stranger or a member without rights gets the same refusal with and without a condition",
        arguments: [["If-Match": #""1""#], ["If-None-Match": "*"], ["If-Match": "*"]])
    func policyFirst(_ condition: [String: String]) throws {
        let home = try site.home()
        let stranger = try site.home().admin
        let child = try home.child(of: home.admin)
        let member = try home.member(home.adult)
        let changes: [(String, String, String)] = [
            ("PATCH", "/api/family/\(home.id)", #"{"familyName": "Changed"}"#),
            ("PATCH", "/api/family/members/\(member)", #"{"householdRole": "kid"}"#),
            ("PATCH", "/api/family/managed/\(child)", #"{"displayName": "Changed"}"#),
            ("PUT", "/groups/\(home.id)/preferences?member_id=\(child)", #"{"a": 1}"#),
            ("PATCH", "/api/family/\(home.id)/attributes", #"{"a": 1}"#),
        ]
        for (method, path, body) in changes {
            for key in [[:], ["Idempotency-Key": "first \(condition)"]] {
                for person in [stranger, home.player] {
                    let plain = try person.send(method, path, body)
                    if plain.status == 200 { continue }
                    #expect([403, 404].contains(plain.status), "\(path)")
                    let refused = try person.send(
                        method, path, body, headers: key.merging(condition) { $1 })
                    #expect(refused.status == plain.status, "\(path)")
                    #expect(refused.text("code") == plain.text("code"), "\(path)")
                }
            }
        }
        for path in ["/api/family/\(home.id)", "/api/family/members?familyId=\(home.id)"] {
            let read = try stranger.send("GET", path, headers: condition)
            #expect(read.says(404, "family_not_found"), "\(path)")
        }
    }

    @Test("a change whose condition fails leaves no trace")
    func noTrace() throws {
        let home = try site.home()
        let member = try home.member(home.player)
        let path = "/api/family/members/\(member)"
        func state() throws -> String {
            try Postgres.Connection(site.test.settings()).query(
                """
                SELECT concat_ws(' ', (SELECT version FROM app.family_versions
                        WHERE family_unit_id = \(home.id)::uuid),
                    (SELECT count(*) FROM app.audit_log WHERE family_unit_id = \(home.id)::uuid),
                    (SELECT count(*) FROM app.role_conflicts WHERE member_id = \(member)::uuid))
                """
            ).scalar()
        }
        _ = try home.admin.patch(path, #"{"householdRole": "visitor"}"#)
        let before = try state()
        // The second change is older than the current one, and the third changes nothing.
        let bodies = [
            (#"{"householdRole": "kid"}"#, [:]),
            (#"{"householdRole": "kid"}"#, ["X-Changed-At": "2020-01-01T00:00:00Z"]),
            (#"{"householdRole": "visitor"}"#, [:]),
        ]
        for (body, stamp) in bodies {
            for key in [[:], ["Idempotency-Key": "trace \(body) \(stamp)"]] {
                let headers = stamp.merging(key) { $1 }.merging(["If-Match": #""1""#]) { $1 }
                let refused = try home.admin.send("PATCH", path, body, headers: headers)
                #expect(refused.says(412, "precondition_failed"))
                #expect(refused.text("current") == nil)
                #expect(try state() == before)
            }
        }
    }

    @Test("a read with If-Match succeeds if one of the tags is current")
    func matchingRead() throws {
        let home = try site.home()
        for path in [
            "/api/me", "/api/family/\(home.id)", "/api/family", "/groups/\(home.id)/preferences",
        ] {
            let tag = try #require(try home.admin.get(path).headers["etag"])
            for (condition, status) in [(tag, 200), ("*", 200), (#""1""#, 412), ("", 412)] {
                let answer = try home.admin.send("GET", path, headers: ["If-Match": condition])
                #expect(answer.status == status, "\(path) \(condition)")
            }
            let both = try home.admin.send(
                "GET", path, headers: ["If-Match": #""1""#, "If-None-Match": tag])
            #expect(both.status == 412)
        }
    }

    @Test("a request without sign-in gets 401 before its condition is checked")
    func order() throws {
        let answer = try site.send("PATCH", "/api/me", body: "{}", headers: ["If-Match": #""1""#])
        #expect(answer.says(401, "not_signed_in"))
    }

    @Test("conditions on dates and ranges are ignored where they don't apply (RFC 9110)")
    func passedOver() throws {
        let person = try site.person(.parent)
        for (name, value) in [
            ("If-Unmodified-Since", "Sat, 01 Jan 2000 00:00:00 GMT"),
            ("If-Modified-Since", "Sat, 01 Jan 2028 00:00:00 GMT"),
            ("If-None-Match", #""x""#), ("Range", "bytes=0-1"), ("If-Range", #""x""#),
        ] {
            #expect(try person.send("GET", "/api/me", headers: [name: value]).status == 200)
            let changed = try person.send(
                "PATCH", "/api/me", #"{"fullName": "X"}"#, headers: [name: value])
            #expect(changed.status == 200, "\(name)")
        }
    }
}
