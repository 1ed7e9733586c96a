import Foundation
import MailSupport
import TestSupport
import Testing

/// Kills the API during a sign-in with Apple, which issues a refresh token for a code that works
/// once.
@Suite("kill -9 between the steps of signing in with Apple")
struct KilledAppleSignInTests {
    @Test(
        "another code signs in after the API was killed, and one of Apple's tokens is stored",
        arguments: TwinAPIs.Moment.each(
            of: "AFTER INSERT ON app.sessions", "AFTER INSERT ON app.provider_tokens"))
    func code(at moment: TwinAPIs.Moment) throws {
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        let apple = try StandInApple(in: folder)
        let issuers = folder.appendingPathComponent("issuers.json")
        try "[\(try apple.entry())]".write(to: issuers, atomically: false, encoding: .utf8)
        let twins = try TwinAPIs(["HEARTH_ISSUERS_FILE": issuers.path])
        func body() throws -> [String: String] {
            [
                "token": try apple.token(of: "ada", nonce: "n-1"), "nonce": "n-1",
                "authorizationCode": apple.code(of: "ada"),
            ]
        }
        let first = try body()
        try twins.kill(at: moment) { try twins.post("exchange", first, at: $0) }
        // Apple has used up the code: it works once, even if the response was lost.
        #expect(try twins.post("exchange", first).status == 401)
        let answer = try twins.post("exchange", body())
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try twins.count("users") == 1 && twins.count("provider_tokens") == 1)
        try twins.office.execute("UPDATE app.provider_tokens SET check_at = now()")
        _ = apple.asked()
        let next = try twins.post("refresh", ["refresh_token": answer.refreshToken])
        #expect(next.status == 200 && apple.asked() == ["refresh_token"], "\(next.text)")
    }
}
