import Foundation
import Identity
import Postgres
import TestSupport
import Testing

/// Signing in with Apple through the real programs, with a stand-in for Apple's endpoints.
@Suite("Signing in with Apple")
struct AppleJourneyTests {
    private let office: PostOffice
    private let apple: StandInApple
    private let api: APIProcess
    private let issuers: String

    init() throws {
        office = try PostOffice()
        apple = try StandInApple(in: office.folder)
        let file = office.folder.appendingPathComponent("apple-issuers.json")
        try "[\(try apple.entry())]".write(to: file, atomically: false, encoding: .utf8)
        issuers = file.path
        let keys = office.folder.appendingPathComponent("signing-keys.pem").path
        try SigningKeys.create(keys)
        api = try APIProcess(
            office, ["HEARTH_SIGNING_KEYS_FILE": keys, "HEARTH_ISSUERS_FILE": issuers])
    }

    private func post(_ route: String, _ body: [String: String]) throws -> APIProcess.Answer {
        try api.send("POST", "/api/auth/" + route, body: body)
    }

    private func exchange(
        _ subject: String, code: String? = nil, fullName: String? = nil
    ) throws -> APIProcess.Answer {
        var body = ["token": try apple.token(of: subject, nonce: "n-1"), "nonce": "n-1"]
        body["authorizationCode"] = code
        body["fullName"] = fullName
        return try post("exchange", body)
    }

    /// Makes the next check of each token due, as if a day had passed since the last one.
    private func makeDue() throws {
        let connection = try Connection(office.test.settings())
        try connection.query("UPDATE app.provider_tokens SET check_at = now()")
    }

    @Test("a token is accepted only with the nonce of its request")
    func nonce() throws {
        let token = try apple.token(of: "ada", nonce: "n-1")
        let without = try post("exchange", ["token": token])
        #expect(try without.status == 400 && without.field("code") == "missing_field")
        let wrong = try post("exchange", ["token": token, "nonce": "n-2"])
        #expect(try wrong.status == 401 && wrong.field("code") == "invalid_token")
        let unbound = try apple.token(of: "ada", nonce: nil)
        #expect(try post("exchange", ["token": unbound, "nonce": "n-1"]).status == 401)
        #expect(try post("exchange", ["token": token, "nonce": "n-1"]).status == 200)
    }

    @Test("the name that Apple sends only once is stored")
    func name() throws {
        let first = try exchange("ada", fullName: "Ada Gull")
        #expect(first.status == 200 && first.text.contains("\"fullName\":\"Ada Gull\""))
        let later = try exchange("ada", fullName: "Somebody Else")
        #expect(later.text.contains("\"fullName\":\"Ada Gull\""))
        let unnamed = try exchange("bea")
        #expect(!unnamed.text.contains("Gull"))
        #expect(try exchange("bea", fullName: "Bea").text.contains("\"fullName\":\"Bea\""))
    }

    @Test("a request with a wrong field does not use up its code")
    func wrongField() throws {
        let code = apple.code(of: "ada")
        let body = [
            "token": try apple.token(of: "ada", nonce: "n-1"), "nonce": "n-1",
            "authorizationCode": code, "device": String(repeating: "x", count: 1_000),
        ]
        let refused = try post("exchange", body)
        #expect(try refused.status == 400 && refused.field("code") == "invalid_field")
        #expect(apple.asked().isEmpty)
        #expect(try exchange("ada", code: code).status == 200)
        #expect(apple.asked() == ["authorization_code"])
    }

    @Test(
        "a code is accepted once, only for its person; Apple's refresh token is stored encrypted")
    func code() throws {
        let code = apple.code(of: "ada")
        #expect(try exchange("ada", code: code).status == 200)
        #expect(apple.asked() == ["authorization_code"])
        let kept = try #require(apple.tokens(of: "ada").first)
        let plain = Array(kept.utf8)
        #expect(
            try office.count(
                """
                SELECT count(*) FROM app.provider_tokens
                WHERE position(\(PostgresBytes(plain)) IN sealed) = 0
                """) == 1)
        let again = try exchange("ada", code: code)
        #expect(try again.status == 401 && again.field("code") == "invalid_token")
        let crossed = try exchange("bea", code: apple.code(of: "ada"))
        #expect(crossed.status == 401)
        #expect(try office.count("SELECT count(*) FROM app.provider_tokens") == 1)
        apple.goAway(true)
        #expect(try exchange("ada", code: apple.code(of: "ada")).status == 503)
        #expect(try !api.log().contains(kept) && !api.log().contains(code))
    }

    @Test("Apple is asked at most once a day, and a token revoked there ends the session")
    func checked() throws {
        let begun = try exchange("ada", code: apple.code(of: "ada"))
        _ = apple.asked()
        var refresh = try #require(try begun.field("refresh_token"))
        func next() throws -> APIProcess.Answer {
            let answer = try post("refresh", ["refresh_token": refresh])
            refresh = try answer.field("refresh_token") ?? refresh
            return answer
        }
        #expect(try next().status == 200 && apple.asked() == [])
        try makeDue()
        let token = refresh
        let answers = try (0..<8).map { _ in
            inBackground { try post("refresh", ["refresh_token": token]) }
        }.map { try $0.wait() }
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(apple.asked() == ["refresh_token"])
        refresh = try #require(try answers[0].field("refresh_token"))
        apple.goAway(true)
        try makeDue()
        #expect(try next().status == 200)
        apple.goAway(false)
        apple.takeBack("ada")
        #expect(try next().status == 200, "it is asked again an hour later")
        try makeDue()
        let ended = try next()
        #expect(try ended.status == 401 && ended.field("code") == "session_ended")
        let access = try #require(try begun.field("access_token"))
        #expect(try api.send("GET", "/api/me", token: access).status == 401)
        #expect(try office.count("SELECT count(*) FROM app.provider_tokens") == 0)
    }

    @Test("erasing an account revokes the app's access at Apple once Apple answers")
    func erased() throws {
        let begun = try exchange("ada", code: apple.code(of: "ada"))
        let access = try #require(try begun.field("access_token"))
        apple.goAway(true)
        let worker = try office.worker(nil, ["HEARTH_ISSUERS_FILE": issuers])
        defer { worker.kill() }
        #expect(try api.send("DELETE", "/api/me", token: access).status == 200)
        let left: SQL =
            """
            SELECT count(*) FROM app.provider_tokens
            WHERE user_id IS NULL AND subject_hash IS NULL
            """
        #expect(try office.count(left) == 1)
        try eventually {
            try office.count(
                """
                SELECT count(*) FROM jobs.live
                WHERE kind = 'provider.revoke' AND attempt > 0 AND last_error IS NOT NULL
                """) == 1
        }
        #expect(apple.tokens(of: "ada").count == 1)
        apple.goAway(false)
        let connection = try Connection(office.test.settings())
        try connection.query("UPDATE jobs.live SET run_at = now() WHERE kind = 'provider.revoke'")
        try eventually { apple.tokens(of: "ada").isEmpty }
        try eventually { try office.count(left) == 0 }
        #expect(apple.asked().last == "revoke refresh_token")
    }
}
