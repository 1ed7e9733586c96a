import Crypto
import Domain
import JSON
import Postgres
import TestSupport
import Testing
import UseCases

/// A change reports success only once a synchronous standby has it; otherwise the response is 503
/// `outcome_unknown`.
@Suite("Successes while the synchronous standby is unreachable")
struct DurableSuccessTests {
    /// A repeated request for a change that has already been made.
    private struct Repetition {
        let name: String
        let send: () throws -> Answer
        init(_ name: String, _ send: @escaping () throws -> Answer) {
            self.name = name
            self.send = send
        }
    }

    private let server: PrivateServer
    private let standby: AwayStandby
    private let site: Site

    init() throws {
        server = try PrivateServer()
        standby = AwayStandby(of: try server.settings)
        site = try Site(on: TestDatabase(.migrated, on: server.settings))
    }

    @Test("a repetition of a change succeeds only after a standby has confirmed the change")
    func repetitions() throws {
        let repetitions = try requests()
        for repetition in repetitions {
            for _ in 0..<2 {
                let answer = try repetition.send()
                try #require(answer.status < 300, "\(repetition.name): \(answer)")
            }
        }
        try standby.set(away: true)
        for repetition in repetitions {
            let answer = try repetition.send()
            #expect(answer.says(503, "outcome_unknown"), "\(repetition.name): \(answer)")
            #expect(answer.headers["retry-after"] != nil, "\(repetition.name)")
        }
        try standby.set(away: false)
        for repetition in repetitions {
            #expect(try repetition.send().status < 300, "\(repetition.name)")
        }
    }

    @Test("a batched change succeeds only after a standby has confirmed it")
    func batch() throws {
        let home = try site.home()
        let body = """
            {"operations": [{"method": "PATCH", "path": "/api/family/\(home.id)",
            "headers": {"Idempotency-Key": "batched"}, "body": {"familyName": "Terns"}}]}
            """
        func statuses() throws -> [Int] {
            let results = try home.admin.post("/api/batch", body).json["results"].elements()
            return try results.map { Int(try $0["status"].integer()) }
        }
        #expect(try statuses() == [200])
        try standby.set(away: true)
        #expect(try statuses() == [503])
        try standby.set(away: false)
        #expect(try statuses() == [200])
    }

    @Test("a refresh with unknown outcome can be repeated after minutes, and the session continues")
    func refreshes() throws {
        let session = try site.session(of: site.person(.parent))
        try standby.set(away: true)
        #expect(try site.refresh(session.refresh).says(503, "outcome_unknown"))
        try standby.set(away: false)
        try Connection(site.test.settings()).query(
            "UPDATE app.refresh_tokens SET issued_at = issued_at - interval '5 minutes'")
        try standby.set(away: true)
        #expect(try site.refresh(session.refresh).says(503, "outcome_unknown"))
        try standby.set(away: false)
        let next = try SessionClient(site, site.refresh(session.refresh))
        #expect(try SessionClient(site, site.refresh(next.refresh)).get("/api/me").status == 200)
    }

    @Test("a read does not wait for a standby")
    func reads() throws {
        let home = try site.home()
        try standby.set(away: true)
        for path in ["/api/me", "/api/family", "/api/family/members", "/api/family/\(home.id)"] {
            #expect(try home.admin.get(path).status == 200, "\(path)")
        }
    }

    @Test("a direct client's write that changes nothing waits for the standby, a read does not")
    func direct() throws {
        try Connection(site.test.settings()).query(
            """
            INSERT INTO app.trusted_issuers (issuer, kind, audiences)
            VALUES (\(Site.publicURL), 'hearth', '{hearth}')
            """)
        let session = try site.session(of: site.person(.parent))
        let payload = try #require(session.access.split(separator: ".").dropFirst().first)
        let claims = String(
            decoding: try #require(Base64URL.decode(String(payload))), as: UTF8.self)
        let connection = try Connection(site.test.settings(as: "authenticator"))
        func request(isRead: Bool) throws {
            try connection.transaction(TransactionOptions(isReadOnly: isRead)) { transaction in
                try transaction.query(
                    """
                    SELECT set_config('role', 'authenticated', true),
                        set_config('request.jwt.claims', \(claims), true),
                        set_config('request.headers', '{}', true)
                    """)
                try transaction.query("SELECT gateway.begin_request()")
            }
        }
        try request(isRead: false)
        try standby.set(away: true)
        try request(isRead: true)
        let error = #expect(throws: PostgresError.self) { try request(isRead: false) }
        #expect(error?.code == .commitUnknown)
        try standby.set(away: false)
        try request(isRead: false)
    }

    private func requests() throws -> [Repetition] {
        let home = try site.home()
        let (admin, id) = (home.admin, home.id)
        let guest = try site.person(.parent, email: "guest@example.com")
        let invitation = try home.invite(guest.email)
        let (_, link) = try home.link()
        let linked = try site.person(.parent)
        let decliner = try site.person(.parent, email: "decliner@example.com")
        let declined = try home.invite(decliner.email)
        let session = try site.session(of: admin)
        let ended = try site.session(of: admin)
        let erased = try site.person(.parent)
        _ = try erased.get("/api/me")
        let gone = try site.session(of: erased)
        let creator = try site.person(.parent)
        func keyed(
            _ who: APIClient, _ method: String, _ path: String, _ body: String,
            _ headers: [String: String] = [:]
        ) throws -> Answer {
            try who.send(
                method, path, body,
                headers: headers.merging(["Idempotency-Key": "\(path)"]) { $1 })
        }
        let tag = try #require(admin.get("/api/family/\(id)").headers["etag"])
        return [
            Repetition("create with a key") {
                try keyed(creator, "POST", "/api/families", #"{"familyName": "Once"}"#)
            },
            Repetition("conditional change with a key") {
                try keyed(
                    admin, "PATCH", "/api/family/\(id)", #"{"familyName": "Conditional"}"#,
                    ["If-Match": tag])
            },
            Repetition("accept with a key") {
                try keyed(guest, "POST", "/api/me/invitations/\(invitation)/accept", "{}")
            },
            Repetition("accept again") { try linked.post("/api/family/invite/\(link)/accept") },
            Repetition("decline with a key") {
                try keyed(decliner, "POST", "/api/me/invitations/\(declined)/decline", "{}")
            },
            Repetition("a name that the family has") {
                try admin.patch("/api/family/\(id)", #"{"approvalRequired": false}"#)
            },
            Repetition("a profile without a change") { try admin.patch("/api/me", "{}") },
            Repetition("the same preferences") {
                try admin.put("/groups/\(id)/preferences", #"{"preferences": {"a": 1}}"#)
            },
            Repetition("the same attributes") {
                try admin.patch("/api/family/\(id)/attributes", #"{"a": 1}"#)
            },
            Repetition("refresh") { try site.refresh(session.refresh) },
            Repetition("sign-out") { try site.signOut(ended.refresh) },
            Repetition("end the other sessions") {
                try site.send("DELETE", "/api/me/sessions", token: session.access)
            },
            Repetition("erase") { try gone.delete("/api/me") },
        ]
    }
}
