import Domain
import JSON
import Postgres
import TestSupport
import Testing

@Suite("Routes for servers")
struct ServerRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test("a key reads families, members and people, whatever family they are in")
    func reads() throws {
        let home = try site.home("Gannets")
        let server = try site.server()
        let family = try server.get("/families/\(home.id)")
        #expect(family.status == 200 && family.text("familyName") == "Gannets")
        let members = try server.get("/families/\(home.id)/members").json["members"].elements()
        let named = try members.map { try $0["userId"].string() }
        #expect(named.contains(home.admin.person.subject))
        let person = try server.get("/people/\(home.admin.person.subject)")
        #expect(person.status == 200 && person.text("email") == home.admin.email)
        let memberships = try person.json["memberships"].elements()
        #expect(try memberships.map { try $0["familyId"].string() } == [home.id])
        let absent = try server.get("/families/\(FamilyID.random())")
        #expect(absent.says(404, "family_not_found"))
        #expect(
            try server.get("/families/\(FamilyID.random())/members")
                .says(404, "family_not_found"))
        #expect(try server.get("/people/\(UserID.random())").says(404, "person_not_found"))
    }

    @Test("the list of families has each family once, across pages")
    func pages() throws {
        let site = try Site()
        let server = try site.server()
        let owner = try site.person(.parent)
        _ = try site.createFamily(by: owner, named: "First")
        try Connection(site.test.settings()).execute(
            script: """
                SET ROLE hearth_owner;
                INSERT INTO app.family_units (created_by_user_id, family_name)
                SELECT '\(owner.id)', 'Family ' || n FROM generate_series(1, 4) AS n;
                """)
        var (seen, cursor, pages): ([String], String?, Int) = ([], nil, 0)
        repeat {
            let answer = try server.get("/families" + (cursor.map { "?cursor=\($0)" } ?? ""))
            seen += try answer.json["families"].elements().map { try $0["id"].string() }
            cursor = answer.text("nextCursor")
            pages += 1
        } while cursor != nil && pages < 10
        #expect(seen.count == 5 && Set(seen).count == 5)
        #expect(try server.get("/families?cursor=x").says(400, "invalid_field"))
    }

    @Test("a child is shown with id, name and guardians, but without preferences or avatar")
    func children() throws {
        let home = try site.home()
        let child = try site.addManagedMember(named: "Wren", of: home.admin, to: home.id)
        let written = try home.admin.put(
            "/groups/\(home.id)/preferences?userId=\(child)", #"{"color": "secret-blue"}"#)
        try #require(written.status < 500)
        let server = try site.server()
        for answer in [
            try server.get("/families/\(home.id)/members"), try server.get("/people/\(child)"),
        ] {
            #expect(answer.status == 200)
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(text.contains("Wren") && !text.contains("secret-blue"))
            #expect(!text.contains("preferences") && !text.contains("avatar"))
        }
        let person = try server.get("/people/\(child)").json
        #expect(try person["isManaged"].bool() && person["email"].string().isEmpty)
        let guardians = try person["guardians"].elements()
        #expect(
            try guardians.map { try $0["userId"].string() } == [home.admin.person.subject])
    }

    @Test("a person is found by the whole subject of a provider's sign-in, not by a part")
    func subjects() throws {
        let person = try site.person(.parent)
        try #require(try person.get("/api/me").status == 200)
        let server = try site.server()
        func found(_ issuer: String, _ subject: String) throws -> [String] {
            try server.get("/people?issuer=\(issuer)&subject=\(subject)").json["people"]
                .elements().map { try $0["id"].string() }
        }
        #expect(try found(Person.issuer, person.person.subject) == [person.person.subject])
        #expect(try found(Person.issuer, "other") == [])
        #expect(try found("https://other.test", person.person.subject) == [])
        #expect(try server.get("/people").says(400, "missing_field"))
    }

    @Test("a key does only what its scopes allow", arguments: KeyScope.allCases)
    func scopes(scope: KeyScope) throws {
        let home = try site.home()
        let server = try site.server(
            "Only \(scope.rawValue) \(UInt64.random(in: 0 ... .max))", [scope])
        let needs: [(KeyScope, Answer)] = [
            (.familiesRead, try server.get("/families")),
            (.familiesRead, try server.get("/families/\(home.id)")),
            (.membersRead, try server.get("/families/\(home.id)/members")),
            (.peopleRead, try server.get("/people/\(home.admin.person.subject)")),
            (.peopleRead, try server.get("/people?issuer=a&subject=b")),
            (.eventsRead, try server.get("/events")),
            (
                .invitationsWrite,
                try server.post(
                    "/families/\(home.id)/invitations", #"{"role": "parent", "delivery": "link"}"#)
            ),
        ]
        for (needed, answer) in needs {
            if needed == scope {
                #expect(answer.status == 200, "\(answer)")
            } else {
                #expect(answer.says(403, "insufficient_scope"), "\(needed)")
            }
        }
    }

    @Test("e-mail addresses, and names made from addresses, need a separate scope")
    func addresses() throws {
        let creator = try site.person(.parent, name: nil, email: "hidden.part@example.com")
        let family = try site.createFamily(by: creator, named: "Knots")
        let server = try site.server("Without addresses", [.membersRead, .peopleRead])
        for path in ["/families/\(family.id)/members", "/people/\(creator.person.subject)"] {
            let text = String(decoding: try server.get(path).body, as: UTF8.self)
            #expect(!text.contains("hidden.part") && text.contains("Member"))
        }
    }

    @Test("each request without a valid key gets the same response")
    func invalid() throws {
        let server = try site.server()
        let (rotated, revoked, expired) = (
            try site.server(), try site.server(), try site.server()
        )
        try site.asOperator {
            _ = try $0.rotateAPIKey(rotated.id, overlapHours: 0)
            try $0.revokeAPIKey(revoked.id)
        }
        try Connection(site.test.settings()).execute(
            script: """
                SET ROLE hearth_owner;
                UPDATE app.api_keys SET expires_at = now() WHERE id = '\(expired.id)';
                """)
        let unknown = ServerClient(
            site: try site, id: server.id, key: "hk_" + String(repeating: "A", count: 43))
        var bodies: Set<String> = []
        for client in [rotated, revoked, expired, unknown] {
            let answer = try client.get("/families")
            #expect(answer.says(401, "invalid_api_key"))
            bodies.insert(try body(answer))
        }
        let person = try site.person(.parent)
        for header in [
            "Bearer hk_short", "Basic \(server.key)", "Bearer \(person.token)", server.key,
        ] {
            let answer = try site.send(
                "GET", "/api/server/families", headers: ["Authorization": header])
            bodies.insert(try body(answer))
        }
        bodies.insert(try body(try site.send("GET", "/api/server/families")))
        #expect(bodies.count == 1)
        #expect(try server.get("/families").status == 200)
    }

    private func body(_ answer: Answer) throws -> String {
        try answer.json.object().members.filter { $0.name != "requestId" && $0.name != "instance" }
            .map { "\($0.name): \($0.value.text())" }.joined(separator: ", ") + " \(answer.status)"
    }

    @Test("after a rotation both keys are accepted until the overlap ends")
    func rotation() throws {
        let server = try site.server()
        let next = try site.asOperator { try $0.rotateAPIKey(server.id, overlapHours: 1).text }
        #expect(try server.get("/families").status == 200)
        #expect(
            try ServerClient(site: site, id: server.id, key: next).get("/families").status == 200)
        try Connection(site.test.settings()).execute(
            script: """
                SET ROLE hearth_owner;
                UPDATE app.api_keys SET previous_until = now() WHERE id = '\(server.id)';
                """)
        #expect(try server.get("/families").says(401, "invalid_api_key"))
    }

    @Test("a key is refused from browsers, and anywhere except in the Authorization header")
    func browsers() throws {
        let site = try Site(
            public: .init(baseURL: Site.publicURL, corsOrigins: ["https://app.test"]))
        let server = try site.server()
        for origin in ["https://app.test", "https://evil.test", "null"] {
            let answer = try server.get("/families", headers: ["Origin": origin])
            #expect(answer.says(403, "browser_refused"))
            #expect(answer.headers["access-control-allow-origin"] == nil)
        }
        let preflight = try site.exchange(
            "OPTIONS", "/api/server/families",
            headers: [
                "Origin": "https://app.test", "Access-Control-Request-Method": "GET",
            ])
        #expect(preflight.status == 405)
        #expect(preflight.headers["access-control-allow-origin"] == nil)
        for name in ["key", "token", "access_token", "apikey"] {
            #expect(
                try site.send("GET", "/api/server/families?\(name)=\(server.key)")
                    .says(401, "invalid_api_key"))
        }
        // A key is no token of a person.
        #expect(try site.send("GET", "/api/me", token: server.key).says(401, "invalid_token"))
        #expect(!site.lines.text.contains(server.key))
        #expect(site.lines.text.contains("\"apiKeyId\"") == false)
        #expect(try server.get("/families").status == 200)
        #expect(site.lines.text.contains(server.id.description))
        #expect(!site.lines.text.contains("hk_"))
    }

    @Test("a request over a key's limit gets 429, and the requests within it are counted")
    func limit() throws {
        let server = try site.server(requestsPerMinute: 5)
        for _ in 1...5 { #expect(try server.get("/families").status == 200) }
        let refused = try server.get("/families")
        #expect(refused.says(429, "key_limit_reached"))
        let seconds = try #require(refused.headers["retry-after"].flatMap { Int($0) })
        #expect((1...60).contains(seconds))
        try site.services.serverAccess?.record()
        let listed = try site.asOperator { try $0.apiKeys(includesEnded: false) }
            .first { $0.id == server.id }
        #expect(listed?.usesToday == 5 && listed?.lastUsedAt != nil)
        // Other keys are not affected.
        #expect(try site.server().get("/families").status == 200)
        #expect(refused.headers["ratelimit-policy"]?.contains("q=5") == true)
        #expect(
            try server.get("/families").headers["ratelimit-policy"]?.contains("q=5") == true)
    }

    @Test("without connections for API keys, routes for servers answer 404, with or without a key")
    func absent() throws {
        let site = try Site(servesKeys: false)
        let key = try site.server().key
        for path in ["/api/server/families", "/api/%73erver/families", "/api/server/none"] {
            for method in ["GET", "POST", "OPTIONS"] {
                for token in [key, nil] {
                    #expect(try site.exchange(method, path, token: token).says(404, "not_found"))
                }
            }
        }
        #expect(try site.exchange("GET", "/api/serverless").says(404, "not_found"))
    }

    @Test("a route for servers with escapes in its path is also closed to every browser origin")
    func escapedPath() throws {
        let site = try Site(
            public: .init(baseURL: Site.publicURL, corsOrigins: ["https://app.test"]))
        let server = try site.server()
        let answer = try site.exchange(
            "GET", "/api/%73erver/families",
            headers: ["Authorization": "Bearer \(server.key)", "Origin": "https://app.test"])
        #expect(answer.says(403, "browser_refused"))
        #expect(answer.headers["access-control-allow-origin"] == nil)
        let preflight = try site.exchange(
            "OPTIONS", "/api/%73erver/families",
            headers: [
                "Origin": "https://app.test", "Access-Control-Request-Method": "GET",
            ])
        #expect(preflight.status == 405)
        #expect(
            try site.exchange(
                "GET", "/api/%73erver/families", headers: ["Authorization": "Bearer \(server.key)"]
            ).status == 200)
    }

    @Test("a key's overlap whose end is too far in the future, from a wrong clock, counts as over")
    func overlapAhead() throws {
        let server = try site.server()
        let next = try site.asOperator { try $0.rotateAPIKey(server.id, overlapHours: 168).text }
        #expect(try server.get("/families").status == 200)
        try Connection(site.test.settings()).execute(
            script: """
                SET ROLE hearth_owner;
                UPDATE app.api_keys SET previous_until = previous_until + interval '2 minutes'
                WHERE id = '\(server.id)';
                """)
        #expect(try server.get("/families").says(401, "invalid_api_key"))
        #expect(
            try ServerClient(site: site, id: server.id, key: next).get("/families").status == 200)
    }
}
