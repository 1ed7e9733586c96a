import Domain
import JSON
import Postgres
import TestSupport
import Testing

@Suite("Idempotency keys")
struct IdempotencyRoutesTests {
    @Test("a replayed response is marked, and keeps its Location and its errors")
    func saysSo() throws {
        let site = try Site()
        let person = try site.person(.parent)
        func twice(_ path: String, _ body: String, _ key: String) throws -> [Answer] {
            try (0..<2).map { _ in
                try person.send("POST", path, body, headers: ["Idempotency-Key": key])
            }
        }
        for (path, body, status) in [
            ("/api/families", #"{"familyName": "Terns"}"#, 201),
            ("/api/family/managed", #"{"displayName": "Robin"}"#, 201),
            ("/api/families", #"{"familyName": 7}"#, 400),
        ] {
            let answers = try twice(path, body, "\(path) \(body)".filter { $0 != " " })
            #expect(answers.map(\.status) == [status, status])
            #expect(answers.map { $0.headers["idempotency-replayed"] } == [nil, "true"])
            #expect(answers[0].headers["location"] == answers[1].headers["location"])
            #expect((answers[0].headers["location"] != nil) == (status == 201))
            #expect(try answers[0].json["errors"].value == answers[1].json["errors"].value)
            #expect((try answers[0].json["errors"].value != nil) == (status == 400))
        }
        let made = try twice("/api/families", #"{"familyName": "Gulls"}"#, "made")
        let location = try #require(made[1].headers["location"])
        #expect(location.hasPrefix(Site.publicURL + "/api/family/"))
        let path = String(location.dropFirst(Site.publicURL.count))
        #expect(try person.get(path).text("familyName") == "Gulls")
    }

    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    private func key(_ key: String = "\(UserID.random())") -> [String: String] {
        ["Idempotency-Key": key]
    }

    @Test("a repeated request with its key has one effect and the same response")
    func replay() throws {
        let person = try site.person(.parent)
        let key = key()
        let body = #"{"familyName": "Once"}"#
        let first = try person.send("POST", "/api/families", body, headers: key)
        let second = try person.send("POST", "/api/families", body, headers: key)
        #expect(first.status == 201 && second.status == 201 && first.body == second.body)
        #expect(first.headers["x-request-id"] != second.headers["x-request-id"])
        #expect(try person.get("/api/family").json["families"].elements().count == 1)
    }

    @Test(
        "a key reused with another body or path gets 422; each route and caller has its own keys"
    )
    func otherRequest() throws {
        let home = try site.home()
        let key = key()
        let path = "/api/families"
        _ = try home.admin.send("POST", path, #"{"familyName": "A"}"#, headers: key)
        let other = try home.admin.send("POST", path, #"{"familyName": "B"}"#, headers: key)
        #expect(other.says(422, "idempotency_key_reused"))
        let first = "/api/family/\(home.id)"
        _ = try home.admin.send("PATCH", first, "{}", headers: key)
        let second = "/api/family/\(FamilyID.random())"
        #expect(
            try home.admin.send("PATCH", second, "{}", headers: key).says(
                422, "idempotency_key_reused"))
        #expect(
            try home.adult.send("POST", path, #"{"familyName": "A"}"#, headers: key).status == 201)
    }

    @Test(
        "the replay of a change that cost the caller rights shows only what the caller may see now",
        arguments: ["kid", "visitor"])
    func givenUp(_ role: String) throws {
        let home = try site.home()
        let member = try home.member(home.adult)
        let path = "/api/family/members/\(member)"
        let key = ["Idempotency-Key": "given up", "X-Base-Version": "0"]
        let body = #"{"householdRole": "\#(role)"}"#
        #expect(try home.admin.patch(path, #"{"householdRole": "adult"}"#).status == 200)
        let done = try home.adult.send("PATCH", path, body, headers: key)
        #expect(done.text("household_role") == role)
        let again = try home.adult.send("PATCH", path, body, headers: key)
        #expect(again.status == 200 && again.headers["idempotency-replayed"] == "true")
        #expect(again.text("household_role") == role)
        let conflict = try done.json["conflict"].value
        #expect(try again.json["conflict"].value == conflict)
        // A former member gets no replay.
        #expect(try home.admin.delete(path).status == 200)
        let gone = try home.adult.send("PATCH", path, body, headers: key)
        #expect(gone.says(404, "member_not_found"))
    }

    @Test("a refusal is replayed even if its reason no longer applies")
    func refusal() throws {
        let home = try site.home()
        let key = key()
        let path = "/api/family/members/\(try home.member(home.adult))"
        let body = #"{"householdRole": "parent_admin"}"#
        let refused = try home.adult.send("PATCH", path, body, headers: key)
        #expect(refused.says(409, "parent_admin_exists"))
        _ = try home.admin.post(
            "/api/family/admin/transfer", #"{"memberId": "\#(home.member(home.adult))"}"#)
        let again = try home.adult.send("PATCH", path, body, headers: key)
        #expect(again.says(409, "parent_admin_exists"))
        #expect(again.text("requestId") == again.headers["x-request-id"])
        let malformed = try home.adult.send("PATCH", path, "{", headers: self.key())
        #expect(malformed.says(400, "invalid_body"))
    }

    @Test("a former member gets no replay")
    func authorised() throws {
        let home = try site.home()
        let key = key()
        let body = #"{"displayName": "Robin"}"#
        let path = "/groups/\(home.id)/members/managed"
        let added = try home.adult.send("POST", path, body, headers: key)
        #expect(added.status == 201)
        let heir = try home.member(home.admin)
        _ = try home.adult.delete(
            "/api/family/members/me?familyId=\(home.id)&reassignManagedTo=\(heir)")
        #expect(
            try home.adult.send("POST", path, body, headers: key).says(404, "family_not_found"))
    }

    @Test("a caller who lost the required role gets no replay")
    func standing() throws {
        let home = try site.home()
        try home.set(home.player, to: .kid)
        let key = key()
        let path = "/api/family/code/regenerate"
        let body = #"{"familyId": "\#(home.id)"}"#
        #expect(try home.player.send("POST", path, body, headers: key).status == 200)
        try home.set(home.player, to: .visitor)
        #expect(
            try home.player.send("POST", path, body, headers: key).says(403, "visitors_only_read"))
    }

    @Test("a changed family is replayed only to a caller who may see both its code and its home")
    func codeAndHome() throws {
        let creator = try site.person(.player)
        let family = try site.createFamily(by: creator, named: "Terns")
        let adult = try site.person(.parent)
        try site.join(adult, code: family.code)
        let members = try site.memberIDs(of: family.id, seenBy: creator)
        func set(_ person: APIClient, to role: String, by other: APIClient) throws {
            let member = try #require(members[person.id.rawValue])
            let answer = try other.patch(
                "/api/family/members/\(member)", #"{"householdRole": "\#(role)"}"#)
            try #require(answer.status == 200, "\(answer)")
        }
        let key = key()
        let path = "/api/family/\(family.id)"
        func rename() throws -> Answer {
            try creator.send("PATCH", path, #"{"familyName": "Gulls"}"#, headers: key)
        }
        #expect(try rename().text("familyCode") == family.code)
        #expect(try rename().text("familyCode") == family.code)
        try set(adult, to: "parent_admin", by: creator)
        try set(creator, to: "visitor", by: adult)
        #expect(try rename().says(403, "visitors_only_read"))
    }

    @Test("a stored response without a family is not replayed on a route that needs a family")
    func withoutFamily() throws {
        let person = try site.person(.parent)
        let key = key()
        let body = #"{"familyName": "Nameless"}"#
        #expect(try person.send("POST", "/api/families", body, headers: key).status == 201)
        try site.execute(
            """
            UPDATE app.idempotency_keys SET answer = (answer::jsonb - 'family')::text
            WHERE key = '\(key.values.first ?? "")'
            """)
        let again = try person.send("POST", "/api/families", body, headers: key)
        #expect(again.says(500, "internal"))
        #expect(try site.lines.text.contains("does not name its family"))
    }

    @Test("the response to leaving a family is replayed to the former member")
    func leaving() throws {
        let home = try site.home()
        let key = key()
        let path = "/api/family/members/me?familyId=\(home.id)"
        for _ in 0..<2 {
            #expect(try home.adult.send("DELETE", path, headers: key).status == 200)
        }
    }

    @Test("an invitation link is not stored; a replay computes it again until the link is used")
    func link() throws {
        let home = try site.home()
        let key = key()
        let body = #"{"role": "parent", "delivery": "link"}"#
        let sent = try home.admin.send("POST", "/api/family/invite", body, headers: key)
        let url = try #require(sent.text("inviteUrl"))
        let token = try #require(url.split(separator: "=").last)
        let dump = try site.query("SELECT string_agg(answer, ' ') FROM app.idempotency_keys")
        let id = try #require(sent.text("invitationId"))
        #expect(!dump.contains(token) && dump.contains(id))
        let again = try home.admin.send("POST", "/api/family/invite", body, headers: key)
        #expect(again.text("inviteUrl") == url && again.body == sent.body)
        _ = try site.person(.parent).post("/api/family/invite/\(token)/accept")
        let used = try home.admin.send("POST", "/api/family/invite", body, headers: key)
        #expect(used.status == 200 && used.text("inviteUrl") == nil)
        #expect(used.text("invitationId") == sent.text("invitationId"))
    }

    @Test("replays of profile and preferences check the caller's current rights")
    func own() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let path = "/groups/\(home.id)/preferences?member_id=\(child)"
        let key = key()
        #expect(try home.adult.send("PUT", path, #"{"a": 1}"#, headers: key).status == 200)
        #expect(try home.adult.send("PUT", path, #"{"a": 1}"#, headers: key).status == 200)
        _ = try home.adult.post(
            "/api/family/managed/\(child)/guardian",
            #"{"memberId": "\#(try home.member(home.admin))"}"#)
        #expect(
            try home.adult.send("PUT", path, #"{"a": 1}"#, headers: key).says(
                403, "preferences_of_another"))
        let name = #"{"fullName": "Pat"}"#
        #expect(try home.adult.send("PATCH", "/api/me", name, headers: key).status == 200)
        _ = try home.admin.delete("/api/family/members/\(home.member(home.adult))")
        let told = try home.adult.send("PATCH", "/api/me", name, headers: key)
        #expect(try told.status == 200 && told.json["families"].elements().isEmpty)
    }

    @Test("fifty concurrent requests with one key have one effect; others replay it or get 409")
    func parallel() throws {
        let home = try site.home()
        let newcomer = try site.person(.parent)
        let places: [(APIClient, path: String, body: String, count: String)] = [
            (
                home.admin, "/api/families", #"{"familyName": "P"}"#,
                "SELECT count(*)::text FROM app.family_units WHERE family_name = 'P'"
            ),
            (
                home.admin, "/api/family/invite",
                #"{"role": "parent", "delivery": "link", "familyUnitId": "\#(home.id)"}"#,
                """
                SELECT count(*)::text FROM app.family_invitations
                WHERE family_unit_id = '\(home.id)'
                """
            ),
            (
                newcomer, "/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#,
                """
                SELECT count(*)::text FROM app.audit_log WHERE action = 'code.join'
                    AND actor_user_id = '\(newcomer.id)'
                """
            ),
        ]
        for (person, path, body, count) in places {
            let key = key()
            let answers = try onThreads(50) { _ in
                try person.send("POST", path, body, headers: key)
            }.map { try $0.get() }
            let done = answers.filter { (200...299).contains($0.status) }
            #expect(
                answers.allSatisfy {
                    (200...299).contains($0.status) || $0.says(409, "idempotency_key_in_use")
                        // The attempts are counted before the key is claimed, and an account has
                        // five at a time.
                        || (path.hasSuffix("join") && $0.says(429, "too_many_attempts"))
                }, "\(path)")
            let first = try #require(done.first)
            #expect(done.allSatisfy { $0.body == first.body }, "\(path)")
            #expect(try site.query(count) == "1", "\(path)")
            #expect(try person.send("POST", path, body, headers: key).body == first.body)
        }
    }

    @Test("a response is replayed even beyond the limit on attempts")
    func beyondAttempts() throws {
        let home = try site.home()
        let newcomer = try site.person(.parent)
        let key = key()
        let path = "/api/family/code/join"
        let body = #"{"familyCode": "\#(home.code)"}"#
        let joined = try newcomer.send("POST", path, body, headers: key)
        #expect(joined.status == 200)
        let wrong = self.key()
        for _ in 0..<8 {
            let told = try newcomer.send(
                "POST", path, #"{"familyCode": "FAM-ZZZZZ2"}"#, headers: wrong)
            // Repeating a wrong code under one key is one attempt.
            #expect(told.says(404, "code_unknown"))
        }
        for digit in 3..<8 {
            _ = try newcomer.post(path, #"{"familyCode": "FAM-ZZZZZ\#(digit)"}"#)
        }
        #expect(try newcomer.post(path, body).says(429, "too_many_attempts"))
        #expect(try newcomer.send("POST", path, body, headers: key).body == joined.body)
    }

    @Test("a refusal that does not count as an attempt is not counted under a key either")
    func takenBack() throws {
        let home = try site.home()
        let path = "/api/family/code/join"
        let body = #"{"familyCode": "\#(home.code)"}"#
        for _ in 0..<8 {
            let told = try home.adult.send("POST", path, body, headers: key())
            #expect(told.says(400, "already_member"))
        }
    }

    @Test("a request whose response was stored by a newer release gets 409 retry_later")
    func newerProgram() throws {
        let person = try site.person(.parent)
        let kept = [
            "format = 9", #"answer = '{"problem": "of_tomorrow", "message": "?"}'"#,
            "answer = '[]'", "answer = '{'",
        ]
        for change in kept {
            let key = key()
            let body = #"{"fullName": "Pat"}"#
            #expect(try person.send("PATCH", "/api/me", body, headers: key).status == 200)
            try site.execute(
                "UPDATE app.idempotency_keys SET \(change) WHERE key = '\(key.values.first ?? "")'")
            let told = try person.send("PATCH", "/api/me", body, headers: key)
            #expect(told.says(409, "retry_later"), "\(change)")
            #expect(told.headers["retry-after"] == "10")
        }
    }

    @Test("a refusal because of a rate limit is not stored, so the request can succeed later")
    func limits() throws {
        let home = try site.home()
        let (id, _) = try home.link()
        let key = key()
        let path = "/api/family/invitations/\(id)/resend"
        #expect(
            try home.admin.send("POST", path, "{}", headers: key).says(429, "invitation_just_sent"))
        try site.execute(
            """
            UPDATE app.family_invitations SET last_sent_at = now() - interval '2 minutes'
            WHERE id = '\(id)'
            """)
        #expect(try home.admin.send("POST", path, "{}", headers: key).status == 200)
    }

    @Test("a key has 1 to 255 characters")
    func keys() throws {
        let person = try site.person(.parent)
        let long = key(String(repeating: "k", count: 256))
        #expect(
            try person.send("PATCH", "/api/me", "{}", headers: long).says(400, "invalid_field"))
        let longest = key(String(repeating: "k", count: 255))
        #expect(try person.send("PATCH", "/api/me", "{}", headers: longest).status == 200)
    }

    @Test("a response is replayed byte for byte, even with numbers too large for any machine type")
    func byteForByte() throws {
        let home = try site.home()
        let path = "/groups/\(home.id)/preferences"
        let body = #"{"a": 12345678901234567890123, "b": 1.10, "c": 1e30, "d": -0.0, "e": 1E-7}"#
        let key = key()
        let first = try home.adult.send("PUT", path, body, headers: key)
        #expect(first.status == 200)
        #expect(try home.adult.send("PUT", path, body, headers: key).body == first.body)
    }

    @Test("an account may use a thousand new keys a day; replays succeed beyond that limit")
    func tooManyKeys() throws {
        let home = try site.home()
        let key = key()
        let send = { (key: [String: String]) in
            try home.adult.send("PATCH", "/api/me", #"{"fullName": "Pat"}"#, headers: key)
        }
        #expect(try send(key).status == 200)
        _ = try site.query(
            """
            WITH made AS (
                INSERT INTO app.idempotency_keys
                        (actor_id, subject_id, route, key, request_digest, status, answer,
                         created_at)
                    SELECT '\(home.adult.id)', '\(home.adult.id)', 'PUT /x', n::text,
                        sha256(''), 200, '{}', now() - interval '1 hour'
                    FROM generate_series(1, 999) AS n
                    RETURNING 1)
            SELECT count(*)::text FROM made
            """)
        let refused = try send(self.key())
        #expect(refused.says(429, "too_many_keys"))
        #expect(refused.headers["ratelimit-policy"] == #""idempotency-keys";q=1000;w=86400"#)
        let seconds = try #require(refused.headers["retry-after"].flatMap { Int($0) })
        #expect((22 * 3_600...23 * 3_600).contains(seconds))
        #expect(try send(key).status == 200)
        #expect(try home.admin.send("PATCH", "/api/me", "{}", headers: self.key()).status == 200)
    }
}

extension Site {
    /// The single text value of a query's result.
    func query(_ sql: String) throws -> String {
        try Postgres.Connection(test.settings()).query(SQL(unsafe: sql)).scalar(String.self)
    }
}
