import Domain
import JSON
import Postgres
import TestSupport
import Testing

@Suite("A first family over the API")
struct FirstFamilyTests {
    static let site = Result { try Site() }
    private var site: Site { get throws { try Self.site.get() } }

    @Test("a player creates a family, a parent joins it with the code, and each sees both members")
    func firstFamily() throws {
        let site = try site
        let player = try site.token(.player)
        let parent = try site.token(.parent)
        let created = try site.send(
            "POST", "/api/family/create", token: player, body: #"{"familyName": "Gulls"}"#)
        #expect(created.status == 200 && created.text("familyName") == "Gulls")
        let code = try #require(created.text("familyCode"))
        #expect(FamilyCode(code)?.text == code)
        let again = try site.send("POST", "/api/family/create", token: player)
        #expect(again.status == 200 && again.text("message") == "Family already exists")
        #expect(again.text("familyId") == created.text("familyId"))

        let joined = try site.send(
            "POST", "/api/family/code/join", token: parent, body: #"{"familyCode": "\#(code)"}"#)
        #expect(joined.status == 200 && joined.text("message") == "Successfully joined family")
        let twice = try site.send(
            "POST", "/api/family/code/join", token: parent, body: #"{"familyCode": "\#(code)"}"#)
        #expect(
            twice.status == 400
                && twice.text("message") == "You are already a member of this family.")

        for token in [player, parent] {
            let listed = try site.send("GET", "/api/family/members", token: token)
            #expect(listed.status == 200 && listed.text("familyId") == created.text("familyId"))
            let members = try JSONField(JSONValue(parsing: listed.body))["members"].elements()
            let roles = try members.map { try $0["household_role"].string() }
            #expect(roles == ["kid", "adult"])
            let shown = try members.map { try $0["users"]["email"].string() }
            #expect(shown.allSatisfy { $0.hasSuffix("@example.com") })
        }
    }

    @Test("a request for another tenant's family gets 404, like one for an unknown family")
    func otherTenant() throws {
        let site = try site
        let created = try site.send(
            "POST", "/api/family/create", token: try site.token(.player))
        let family = try #require(created.text("familyId"))
        let stranger = try site.token(.parent)
        let real = try site.send("GET", "/api/family/members?familyId=\(family)", token: stranger)
        let none = try site.send(
            "GET", "/api/family/members?familyId=\(FamilyID.random())", token: stranger)
        #expect(real.status == 404 && none.status == 404)
        #expect(
            real.text("message") == none.text("message") && real.text("code") == none.text("code"))
    }

    @Test(
        "each wrong request is answered with the expected status and code",
        arguments: [
            (#"{"familyCode": "gibberish"}"#, 400, "code_malformed"),
            (#"{"familyCode": "FAM-ZZZZZ2"}"#, 404, "code_unknown"),
            (#"{"familyCode": 7}"#, 400, "invalid_field"),
            (#"{}"#, 400, "missing_field"),
            (#"{"familyCode": "#, 400, "invalid_body"),
            (#"[]"#, 400, "invalid_body"),
            (#"{"familyCode": "FAM-ZZZZZ2", "status": "active"}"#, 400, "privileged_field"),
            (#"{"familyCode": "a", "familyCode": "b"}"#, 400, "invalid_body"),
        ])
    func badJoin(body: String, status: Int, code: String) throws {
        let site = try site
        let answer = try site.send(
            "POST", "/api/family/code/join", token: try site.token(.parent), body: body)
        #expect(answer.status == status && answer.text("code") == code, "\(body)")
        #expect(answer.headers["content-type"] == "application/problem+json")
        #expect(answer.text("detail") == answer.text("message"))
        #expect(answer.text("requestId") == answer.headers["x-request-id"])
    }

    @Test("an invalid name or role is refused with invalid_field")
    func badCreate() throws {
        let site = try site
        let token = try site.token(.parent)
        for body in [
            #"{"familyName": "\t\u0007"}"#,
            #"{"familyName": "\#(String(repeating: "x", count: 81))"}"#,
            #"{"role": "admin"}"#,
        ] {
            let answer = try site.send("POST", "/api/family/create", token: token, body: body)
            #expect(answer.status == 400 && answer.text("code") == "invalid_field", "\(body)")
        }
    }

    @Test("a request without a valid token gets 401")
    func tokens() throws {
        let site = try site
        let good = try site.token(.parent)
        let forged = String(good.dropLast(2)) + (good.hasSuffix("AA") ? "BA" : "AA")
        let expired = try site.token(of: Person(), lifetimeSeconds: -10)
        for (token, code) in [
            (nil, "not_signed_in"), ("", "invalid_token"), ("a.b.c", "invalid_token"),
            (expired, "invalid_token"), (forged, "invalid_token"),
        ] {
            let answer = try site.send("GET", "/api/family/members", token: token)
            #expect(answer.status == 401 && answer.text("code") == code)
            #expect(answer.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
        }
        #expect(try site.send("GET", "/healthz", token: "a.b.c").status == 401)
    }

    @Test("a request with a malformed delegation gets 400, one with an invalid delegation 403")
    func acting() throws {
        let site = try site
        let token = try site.token(.parent)
        for (value, status) in [
            ("nonsense", 400), ("managed_1,managed_2", 400), ("managed_\(UserID.random())", 403),
            ("\(UserID.random())", 403),
        ] {
            let answer = try site.send(
                "GET", "/api/family/members?familyId=\(FamilyID.random())", token: token,
                headers: ["X-Acting-As-Member": value])
            #expect(answer.status == status, "\(value)")
        }
    }

    @Test("an unknown path answers 404, a wrong method 405 with the allowed methods")
    func routing() throws {
        let site = try site
        #expect(try site.send("GET", "/api/nothing").status == 404)
        let wrong = try site.send("DELETE", "/api/family/create")
        #expect(wrong.status == 405 && wrong.headers["allow"] == "POST")
    }

    @Test("a client's well-formed request id is kept, and responses are not cached")
    func headers() throws {
        let site = try site
        let named = try site.send("GET", "/healthz", headers: ["X-Request-Id": "abc-123"])
        #expect(named.headers["x-request-id"] == "abc-123")
        #expect(named.headers["cache-control"] == "no-store")
        let odd = try site.send("GET", "/healthz", headers: ["X-Request-Id": "FAM-ABCDEF"])
        #expect(odd.headers["x-request-id"] != "FAM-ABCDEF")
    }

    @Test("the audit log has each change's request id, whether the client or the server chose it")
    func changesOfRequests() throws {
        let site = try site
        let token = try site.token(.player)
        let made = try site.send(
            "POST", "/api/family/create", token: token, body: #"{"familyName": "Skuas"}"#,
            headers: ["X-Request-Id": "my-request.1"])
        let family = try #require(made.text("familyId"))
        let renamed = try site.send(
            "PATCH", "/api/family/\(family)", token: token, body: #"{"familyName": "Terns"}"#)
        let id = try #require(renamed.headers["x-request-id"])
        let recorded = try Connection(site.test.settings()).query(
            """
            SELECT string_agg(concat_ws(' ', a.action, a.request_id), ', ' ORDER BY a.at, a.id)
            FROM app.audit_log AS a WHERE a.family_unit_id = \(family)::uuid
            """
        ).scalar(String.self)
        #expect(recorded == "family.create my-request.1, family.update \(id)")
    }

    @Test("the log contains routes and statuses, but no tokens, codes or addresses")
    func log() throws {
        let site = try site
        let token = try site.token(
            of: Person(role: "player", email: "someone.special@example.com"))
        let created = try site.send("POST", "/api/family/create", token: token)
        let code = try #require(created.text("familyCode"))
        _ = try site.send(
            "POST", "/api/family/code/join", token: token, body: #"{"familyCode": "\#(code)"}"#)
        // Another thread may still be writing the line.
        try eventually {
            site.lines.text.contains(#""route":"/api/family/code/join","status":400"#)
        }
        let log = site.lines.text
        for secret in [token, code, "someone.special", "@example.com"] {
            #expect(!log.contains(secret))
        }
    }

    @Test("health and readiness answer 200, and readiness answers 503 during shutdown")
    func health() throws {
        let site = try Site()
        #expect(try site.send("GET", "/healthz").status == 200)
        try eventually { try site.send("GET", "/readyz").status == 200 }
        site.services.beginDraining()
        #expect(try site.send("GET", "/readyz").says(503, "draining"))
        #expect(try site.send("GET", "/healthz").status == 200)
    }

    @Test("if the database is unreachable, requests get 503 with Retry-After and without details")
    func databaseAway() throws {
        let site = try Site(databaseURL: "host=127.0.0.1 port=1 user=nobody")
        #expect(try site.send("GET", "/readyz").text("code") == "database_away")
        let answer = try site.send("GET", "/api/family/members", token: try site.token(.parent))
        #expect(answer.says(503, "unavailable") && answer.headers["retry-after"] != nil)
        #expect(!String(decoding: answer.body, as: UTF8.self).contains("nobody"))
    }

    @Test("a server whose schema lacks a required object is not ready")
    func schemaBehind() throws {
        let site = try Site()
        try Postgres.Connection(site.test.settings()).execute(
            script: "DROP VIEW app.member_list CASCADE")
        try eventually { try site.send("GET", "/readyz").text("code") == "schema_behind" }
    }

    @Test("a server whose database is not in UTF8 is not ready, and the response says so")
    func encoding() throws {
        let database = try TestDatabase(.migrated)
        try Postgres.Connection(database.settings()).execute(
            script: "UPDATE pg_database SET encoding = pg_char_to_encoding('SQL_ASCII') "
                + "WHERE datname = current_database()")
        let answer = try Site(on: database).send("GET", "/readyz")
        #expect(answer.status == 503 && answer.text("detail")?.contains("not UTF8") == true)
    }

    @Test("a server is not ready if functions of its release were never applied")
    func functionsBehind() throws {
        let site = try Site()
        try Postgres.Connection(site.test.settings()).execute(
            script: "UPDATE migrations.repeatable SET checksum = repeat('0', 64) "
                + "WHERE name = 'joining.sql'")
        try eventually { try site.send("GET", "/readyz").text("code") == "schema_behind" }
    }

    @Test("a server is ready if newer functions have replaced its own")
    func functionsReplaced() throws {
        let site = try Site()
        try Postgres.Connection(site.test.settings()).execute(
            script: "INSERT INTO migrations.repeatable (name, checksum, source, duration_ms) "
                + "VALUES ('joining.sql', repeat('0', 64), '', 0)")
        try eventually { try site.send("GET", "/readyz").status == 200 }
    }
}
