import Foundation
import Postgres
import TestSupport
import Testing

/// Kills the API during a sign-in. Each step must be applied as a whole or not at all, and a client
/// that got no response must be able to continue.
@Suite("kill -9 between the steps of signing in")
struct KilledSignInTests {
    private let twins: TwinAPIs

    init() throws { twins = try TwinAPIs() }

    @Test(
        "repeating a sign-up after the API was killed leaves one account and one session",
        arguments: TwinAPIs.Moment.each(
            of: "AFTER UPDATE ON app.email_tokens", "AFTER INSERT ON app.users",
            "AFTER INSERT ON app.email_sign_ins", "AFTER INSERT ON app.sessions",
            "AFTER INSERT ON app.refresh_tokens", "AFTER INSERT ON app.passwords"))
    func code(at moment: TwinAPIs.Moment) throws {
        let up = try twins.post(
            "sign-up",
            ["email": TwinAPIs.address, "password": TwinAPIs.password, "fullName": "Ada"])
        let body = try ["ticket": #require(try up.field("ticket")), "code": twins.mailed().code]
        try twins.kill(at: moment) { try twins.post("email/verify", body, at: $0) }
        let again = try twins.post("email/verify", body)
        #expect([200, 410].contains(again.status), "\(again.text)")
        #expect(try twins.count("users") == 1 && twins.count("email_sign_ins") == 1)
        #expect(try twins.count("sessions") == 1 && twins.count("refresh_tokens") == 1)
        let entered = try twins.signIn(TwinAPIs.password)
        #expect(entered.status == 200, "\(entered.text)")
    }

    @Test(
        "killing the API during a password reset leaves exactly one valid password",
        arguments: TwinAPIs.Moment.each(
            of: "AFTER UPDATE ON app.email_tokens", "AFTER UPDATE ON app.passwords"))
    func reset(at moment: TwinAPIs.Moment) throws {
        _ = try twins.signUp()
        _ = try twins.post("password/forgot", ["email": TwinAPIs.address])
        let body = try ["token": twins.mailed().linkToken, "password": TwinAPIs.otherPassword]
        try twins.kill(at: moment) { try twins.post("password/reset", body, at: $0) }
        let works = try [TwinAPIs.password, TwinAPIs.otherPassword].map {
            try twins.signIn($0).status
        }
        #expect(works == [200, 401] || works == [401, 200], "\(works)")
        let again = try twins.post("password/reset", body)
        #expect(again.status == (works[0] == 200 ? 200 : 410), "\(again.text)")
        #expect(try twins.signIn(TwinAPIs.otherPassword).status == 200)
    }

    @Test(
        "repeating an exchange after a kill makes one account; each session has a refresh token",
        // The account is created in a separate transaction.
        arguments: TwinAPIs.Moment.each(
            of: "AFTER INSERT ON app.users", "AFTER INSERT ON app.user_identities")
            + TwinAPIs.Moment.each(
                of: "AFTER INSERT ON app.sessions", "AFTER INSERT ON app.refresh_tokens"))
    func exchange(at moment: TwinAPIs.Moment) throws {
        let body = ["token": try twins.api.token(of: Person())]
        try twins.kill(at: moment) { try twins.post("exchange", body, at: $0) }
        // A session may have begun although its client got no response.
        let begun = try twins.count("sessions")
        #expect(try begun <= 1 && twins.count("refresh_tokens") == begun)
        let answer = try twins.post("exchange", body)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try twins.count("users") == 1 && twins.count("user_identities") == 1)
        #expect(try twins.count("sessions") == begun + 1)
        let next = try twins.post("refresh", ["refresh_token": answer.refreshToken])
        #expect(next.status == 200, "\(next.text)")
    }

    @Test(
        "repeating a refresh after the API was killed returns the one successor",
        arguments: TwinAPIs.Moment.each(
            of: "AFTER UPDATE ON app.refresh_tokens", "AFTER UPDATE ON app.sessions"))
    func refresh(at moment: TwinAPIs.Moment) throws {
        let body = ["refresh_token": try twins.signUp().refreshToken]
        try twins.kill(at: moment) { try twins.post("refresh", body, at: $0) }
        let answers = try (0..<2).map { _ in try twins.post("refresh", body) }
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(try Set(answers.map { try $0.refreshToken }).count == 1)
        #expect(try twins.count("refresh_tokens", where: "generation = 1") == 1)
    }
}
