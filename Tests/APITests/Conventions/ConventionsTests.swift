import API
import Domain
import JSON
import TestSupport
import Testing

@Suite("Conventions of all routes")
struct ConventionsTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test(
        "a request with a wrong method gets 405 with the allowed methods",
        arguments: [
            ("GET", "/api/family/create", "POST"), ("DELETE", "/api/family/create", "POST"),
            ("PATCH", "/api/family/members/me", "DELETE"),
            ("PUT", "/api/me", "DELETE, GET, HEAD, PATCH"),
            ("GET", "/api/family/code/join", "POST"), ("GET", "/api/family/invite", "POST"),
            ("POST", "/groups/1", "GET, HEAD"), ("OPTIONS", "/api/me", "DELETE, GET, HEAD, PATCH"),
            ("DELETE", "/join", "GET, HEAD, POST"), ("TRACE", "/healthz", "GET, HEAD"),
        ])
    func methods(method: String, path: String, allow: String) throws {
        let answer = try site.send(method, path, token: try site.token(.parent))
        #expect(answer.says(405, "method_not_allowed"))
        #expect(answer.headers["allow"] == allow)
    }

    @Test(
        "a request for an unknown path gets 404",
        arguments: ["/", "/api", "/api/family/", "/API/me", "/groups", "/api/me/", "/join/"])
    func unknown(path: String) throws {
        let answer = try site.send("GET", path, token: try site.token(.parent))
        #expect(answer.status == 404)
        #expect(answer.headers["content-type"] == "application/problem+json")
    }

    @Test(
        "a JSON body is accepted even under URLSession's default media type",
        arguments: [
            ("application/json", 200), ("application/json; charset=utf-8", 200),
            ("application/x-www-form-urlencoded", 200), ("application/merge-patch+json", 200),
            ("text/plain", 415), ("multipart/form-data", 415), ("application/xml", 415),
        ])
    func mediaTypes(type: String, status: Int) throws {
        let person = try site.person(.parent)
        let answer = try person.send("PATCH", "/api/me", "{}", headers: ["Content-Type": type])
        #expect(answer.status == status)
        if status == 415 { #expect(answer.text("code") == "unsupported_media_type") }
    }

    @Test(
        "a client that does not accept JSON gets 406",
        arguments: [
            ("application/json", 200), ("*/*", 200), ("text/html, application/*;q=0.1", 200),
            ("text/html", 406), ("application/json;q=0", 406), ("*/*;q=0", 406),
        ])
    func accept(accept: String, status: Int) throws {
        let answer = try site.person(.parent).send("GET", "/api/me", headers: ["Accept": accept])
        #expect(answer.status == status)
        if status == 406 { #expect(answer.text("code") == "not_acceptable") }
    }

    @Test("a request with a body over 64 KiB gets 413, one with headers over 32 KiB gets 431")
    func sizes() throws {
        let person = try site.person(.parent)
        let large = #"{"fullName": "\#(String(repeating: "x", count: 65_536))"}"#
        #expect(try person.patch("/api/me", large).says(413, "body_too_large"))
        let header = ["X-Filler": String(repeating: "x", count: 32_768)]
        #expect(try person.send("GET", "/api/me", headers: header).says(431, "headers_too_large"))
    }

    @Test("privileged fields are refused on routes that don't change them")
    func privileged() throws {
        let person = try site.person(.parent)
        let names = [
            "user_id", "userId", "family_unit_id", "familyUnitId", "status", "created_by_user_id",
            "slot", "parent_user_id", "household_role", "householdRole", "joined_via", "token",
        ]
        let routes = [
            ("PATCH", "/api/me"), ("POST", "/api/family/create"), ("POST", "/api/families"),
            ("POST", "/api/family/code/join"), ("POST", "/api/family/managed"),
            ("POST", "/api/family/player-details"), ("POST", "/api/family/admin/transfer"),
        ]
        for (method, path) in routes {
            for name in names {
                let answer = try person.send(method, path, #"{"\#(name)": null}"#)
                #expect(answer.says(400, "privileged_field"), "\(path) \(name)")
                #expect(answer.text("message") == "`\(name)` can't be set; leave it out.")
            }
        }
        #expect(try person.patch("/api/me", #"{"whatever": 1}"#).status == 200)
    }

    @Test("a request with a body that is not JSON, or nested deeper than 32, gets 400")
    func depth() throws {
        let person = try site.person(.parent)
        for body in [
            String(repeating: "[", count: 40_000), #"{"a":"# + String(repeating: "[", count: 33),
            "{\"a\": \"\u{1}\"}", #"{"a": "\ud800"}"#, "\u{FEFF}{}", "{} {}", "nul",
        ] {
            #expect(try person.patch("/api/me", body).says(400, "invalid_body"))
        }
    }

    @Test("a request with a list or a malformed id in X-Acting-As-Member gets 400")
    func acting() throws {
        let home = try site.home()
        let child = try home.child(of: home.admin)
        for value in ["\(child), \(child)", "managed_managed_\(UserID.random())", "managed_", "me"]
        {
            let answer = try home.admin.send(
                "GET", "/api/me", headers: ["X-Acting-As-Member": value])
            #expect(answer.says(400, "malformed_acting_as"), "\(value)")
        }
    }

    @Test("a request that repeats a single-value header gets 400")
    func repeated() throws {
        let site = try site
        let token = try site.token(.parent)
        for (name, value) in [
            ("Authorization", "Bearer \(token)"), ("Idempotency-Key", "k"),
            ("X-Acting-As-Member", "managed_\(UserID.random())"),
        ] {
            var head = "PATCH /api/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            if name != "Authorization" { head += "Authorization: Bearer \(token)\r\n" }
            head += "\(name): \(value)\r\n\(name): \(value)\r\nContent-Length: 0\r\n\r\n"
            let answer = try site.raw(head)
            #expect(answer.hasPrefix("HTTP/1.1 400"))
            let code = name == "X-Acting-As-Member" ? "malformed_acting_as" : "malformed_request"
            #expect(answer.contains(code), "\(name)")
        }
    }

    @Test("a HEAD request gets the response of GET, without the body")
    func head() throws {
        let answer = try site.person(.parent).send("HEAD", "/api/me")
        #expect(answer.status == 200 && answer.body.isEmpty)
    }

    @Test("CORS allows only the configured origins")
    func cors() throws {
        let site = try Site(
            public: PublicSite(
                baseURL: Site.publicURL, corsOrigins: ["https://app.test"]))
        let ask = [
            "Origin": "https://app.test", "Access-Control-Request-Method": "PATCH",
            "Access-Control-Request-Headers": "authorization",
        ]
        let preflight = try site.send("OPTIONS", "/api/me", headers: ask)
        #expect(preflight.status == 204)
        #expect(preflight.headers["access-control-allow-origin"] == "https://app.test")
        #expect(preflight.headers["access-control-allow-methods"]?.contains("PATCH") == true)
        #expect(
            preflight.headers["access-control-allow-headers"]?.contains("Authorization") == true)
        let answer = try site.send("GET", "/api/me", headers: ["Origin": "https://app.test"])
        #expect(answer.status == 401)
        #expect(answer.headers["access-control-allow-origin"] == "https://app.test")
        #expect(answer.headers["vary"] == "Origin")
        #expect(answer.headers["access-control-allow-credentials"] == nil)
        for origin in [
            "https://evil.test", "https://app.test.evil.test", "null", "https://APP.test",
        ] {
            var other = ask
            other["Origin"] = origin
            let refused = try site.send("OPTIONS", "/api/me", headers: other)
            #expect(refused.status == 405)
            #expect(refused.headers["access-control-allow-origin"] == nil)
        }
        let plain = try self.site.send("GET", "/healthz", headers: ["Origin": "https://app.test"])
        #expect(plain.headers["access-control-allow-origin"] == nil)
    }

    @Test("the log line of a request has the caller and the family")
    func log() throws {
        let site = try Site()
        let home = try site.home()
        _ = try home.adult.get("/api/family/members")
        let line = #""method":"GET","route":"/api/family/members","status":200"#
        let found = site.lines.text.split(separator: "\n").last { $0.contains(line) }
        #expect(found?.contains(#""userId":"\#(home.adult.id)""#) == true)
        #expect(found?.contains(#""familyId":"\#(home.id)""#) == true)
        _ = try home.admin.patch("/api/family/members/\(home.member(home.adult))", "{}")
        let (_, token) = try home.link()
        _ = try site.exchange("GET", "/join?token=\(token)")
        for secret in [token, home.code, home.admin.token, home.admin.email] {
            #expect(!site.lines.text.contains(secret))
        }
    }

    @Test("a refused request's log line has the refusal's code, and its method if known")
    func codeInLog() throws {
        let site = try Site()
        let home = try site.home()
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": "x"}"#)
        _ = try site.exchange("GET", "/join?token=" + String(repeating: "x", count: 43))
        _ = try site.send("GET", "/api/me")
        _ = try site.send("BREW", "/api/me")
        for fields in [
            #""method":"PATCH","route":"/api/family/:id","status":400,"code":"invalid_field""#,
            #""method":"GET","route":"/join","status":404,"code":"invitation_not_found""#,
            #""method":"GET","route":"/api/me","status":401,"code":"not_signed_in""#,
            #""method":"other","route":"unknown","status":405,"code":"method_not_allowed""#,
        ] {
            // Another thread may still be writing the line.
            try? eventually(within: 10) { site.lines.text.contains(fields) }
            #expect(site.lines.text.contains(fields))
        }
    }

    @Test("metrics count responses by class, and each route's 500s, starting from 0")
    func counted() throws {
        let site = try Site()
        func metrics() throws -> String {
            String(decoding: try site.send("GET", "/metrics").body, as: UTF8.self)
        }
        let before = try metrics()
        for line in [
            #"hearth_http_responses_total{class="2xx"} 0"#,
            #"hearth_http_responses_total{class="5xx"} 0"#,
            #"hearth_http_requests_total{method="PATCH",route="/api/me",status="500"} 0"#,
        ] {
            #expect(before.contains("\n\(line)\n"), "\(line)")
        }
        _ = try site.send("GET", "/api/me")
        _ = try site.exchange("GET", "/pages.css")
        // The server refuses this one before it is routed, so its duration is not known.
        #expect(try site.raw("GET /api/me HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 400"))
        try eventually { try metrics().contains(#"route="unknown",status="400"} 1"#) }
        let after = try metrics()
        let page = #"hearth_http_requests_total{method="GET",route="/pages.css",status="200"} 1"#
        #expect(after.contains("\n\(page)\n"))
        #expect(!after.contains(#"route="other""#))
        #expect(!after.contains(#"hearth_http_request_duration_seconds_count{route="unknown"} 1"#))
        #expect(after.contains("\n" + #"hearth_http_responses_total{class="4xx"} 2"# + "\n"))
        #expect(!after.contains(#"hearth_http_responses_total{class="2xx"} 0"#))
    }
}
