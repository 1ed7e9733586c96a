import Domain
import JSON
import Postgres
import TestSupport
import Testing

@Suite("The locale of an account")
struct LocaleRoutesTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private func locale(_ answer: Answer) throws -> String? {
        try #require(answer.status == 200, "\(answer)")
        return answer.text("locale")
    }

    private func stored(_ email: String) throws -> (ticket: String?, account: String?) {
        let rows = try Connection(try site.test.settings()).query(
            """
            SELECT (SELECT t.locale FROM app.email_tokens AS t WHERE t.email = \(email)
                    ORDER BY t.opened_at DESC LIMIT 1),
                (SELECT u.locale FROM app.users AS u WHERE u.email = \(email))
            """
        ).map { (row) throws(PostgresError) in
            (try row.read(String?.self), try row.read(String?.self))
        }
        return try #require(rows.first)
    }

    @Test(
        "a new account gets the language of its first request if Hearth supports it, and keeps it")
    func firstSight() throws {
        let site = try site
        func asked(_ person: APIClient, _ header: String?) throws -> String? {
            try locale(
                person.send(
                    "GET", "/api/me", headers: header.map { ["Accept-Language": $0] } ?? [:]))
        }
        let mexican = try site.person(.parent)
        #expect(try asked(mexican, "es-mx, en;q=0.5") == "es-MX")
        #expect(try asked(mexican, "en") == "es-MX")
        let german = try site.person(.parent)
        #expect(try asked(german, "de") == nil)
        #expect(try asked(german, nil) == nil)
    }

    @Test("the owner changes the locale, and an invalid one is refused")
    func chosen() throws {
        let person = try site.person(.parent)
        let changed = try person.patch("/api/me", #"{"locale": "pt-br"}"#)
        #expect(try locale(changed) == "pt-BR")
        #expect(try locale(person.patch("/api/me", #"{"locale": ""}"#)) == "pt-BR")
        #expect(try locale(person.get("/api/me")) == "pt-BR")
        for wrong in ["english", "e", "es_MX", "es\\nBcc", "../en", "es-123456789"] {
            let answer = try person.patch("/api/me", #"{"locale": "\#(wrong)"}"#)
            #expect(answer.says(400, "invalid_field"), "\(wrong)")
            #expect(answer.text("message")?.contains("`locale`") == true)
        }
        let export = try person.get("/api/me/export")
        #expect(try export.json["account"]["locale"].string() == "pt-BR")
    }

    @Test("a child has no locale, and its guardian can't set one")
    func ofChildren() throws {
        let person = try site.person(.parent)
        _ = try person.patch("/api/me", #"{"locale": "es"}"#)
        _ = try person.post("/api/family/create", "{}")
        let child = try person.post("/api/family/managed", #"{"displayName": "Max"}"#)
        let id = try #require(child.text("user_id"))
        let acting = person.acting(for: id)
        #expect(try locale(acting.get("/api/me")) == nil)
        let refused = try acting.patch("/api/me", #"{"locale": "es"}"#)
        #expect(refused.says(403, "not_while_acting"))
    }

    @Test(
        "the first sign-in sets the account's locale; an e-mail token has its request's language"
    )
    func signingIn() throws {
        let site = try site
        let (client, email) = (PasskeyClient.address(), Site.address())
        func post(_ route: String, _ body: String, _ language: String) throws -> Answer {
            try site.send(
                "POST", "/api/auth/" + route, body: body,
                headers: ["Accept-Language": language, "X-Forwarded-For": client])
        }
        let sent = try post("email", #"{"email": "\#(email)"}"#, "es-419")
        #expect(try stored(email).ticket == "es-419")
        let ticket = try #require(sent.text("ticket"))
        let code = try site.mailed(to: email).code
        let answer = try post(
            "email/verify", #"{"ticket": "\#(ticket)", "code": "\#(code)"}"#, "en")
        #expect(try answer.json["user"]["locale"].string() == "en")
        let person = try SessionClient(site, answer)
        #expect(person.user != "")
        let again = try post("email", #"{"email": "\#(email)"}"#, "es")
        let other = try site.mailed(to: email).code
        let entered = try post(
            "email/verify",
            #"{"ticket": "\#(try #require(again.text("ticket")))", "code": "\#(other)"}"#, "es")
        #expect(try entered.json["user"]["locale"].string() == "en")
        let erased = try SessionClient(site, entered).delete("/api/me")
        #expect(erased.status == 200)
        // The row that remains has another id, which nobody knows.
        let left = try Connection(site.test.settings()).query(
            """
            SELECT count(*) FROM app.users AS u WHERE u.id::text = \(person.user)
                OR (u.deleted_at IS NOT NULL AND u.locale IS NOT NULL)
            """
        ).scalar(Int.self)
        #expect(left == 0)
        let erasure = try Connection(site.test.settings()).query(
            "SELECT locale FROM app.erasures WHERE email = \(email)"
        ).scalar(String.self)
        #expect(erasure == "en", "for the confirmation")
    }

    @Test("concurrent sign-ins of one account all succeed")
    func atOnce() throws {
        let site = try site
        let person = try site.person(.parent)
        for _ in 0..<5 {
            let answers = try onThreads(16) { _ in
                try site.send(
                    "POST", "/api/auth/exchange", body: #"{"token": "\#(person.token)"}"#,
                    headers: ["Accept-Language": "es"])
            }.map { try $0.get() }
            #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.status))")
            _ = try Connection(site.test.settings()).query(
                "UPDATE app.users SET locale = NULL WHERE email = \(person.email)")
        }
    }
}
