import Crypto
import Domain
import Foundation
import JSON
import PasskeySupport
import Postgres
import TestSupport
import Testing

/// Kills the API while it changes an account's sign-ins. The change must be applied as a whole or
/// not at all, and the owner must still be able to sign in.
@Suite("kill -9 while sign-ins of an account change")
struct KilledAccountTests {
    private let twins: TwinAPIs

    init() throws { twins = try TwinAPIs() }

    @Test(
        "killing the API during a password change leaves one password and matching sessions",
        arguments: TwinAPIs.Moment.each(
            of: "AFTER UPDATE ON app.passwords", "AFTER UPDATE ON app.sessions",
            "AFTER UPDATE ON app.email_tokens", "AFTER INSERT ON jobs.live"))
    func password(at moment: TwinAPIs.Moment) throws {
        let token = try twins.signUp().accessToken
        let other = try twins.signIn(TwinAPIs.password).accessToken
        _ = try twins.post("password/forgot", ["email": TwinAPIs.address])
        let link = try twins.mailed().linkToken
        let body = [
            "currentPassword": TwinAPIs.password, "newPassword": TwinAPIs.otherPassword,
        ]
        try twins.kill(at: moment) {
            try $0.send("PUT", "/api/me/password", token: token, body: body)
        }
        let isChanged = try twins.signIn(TwinAPIs.otherPassword).status == 200
        #expect(try twins.signIn(TwinAPIs.password).status == (isChanged ? 401 : 200))
        let status = try twins.api.send("GET", "/api/me", token: other).status
        #expect(status == (isChanged ? 401 : 200))
        #expect(try twins.api.send("GET", "/api/me", token: token).status == 200)
        let told = try twins.office.count(
            "SELECT count(*) FROM jobs.live WHERE kind = 'mail.password_changed'")
        #expect(told == (isChanged ? 1 : 0))
        // The reset link ends together with the old password.
        let reset = try twins.patiently {
            try twins.post(
                "password/reset", ["token": link, "password": "harbour lamp 4 over tin roofs"])
        }
        #expect(reset.status == (isChanged ? 410 : 200), "\(reset.text)")
    }

    @Test(
        "killing the API while a sign-in is moved applies the whole move or none of it",
        arguments: TwinAPIs.Moment.each(
            of: "AFTER UPDATE ON app.user_identities", "AFTER UPDATE ON app.sessions",
            "AFTER UPDATE ON app.users", "AFTER INSERT ON app.audit_log"))
    func moved(at moment: TwinAPIs.Moment) throws {
        let token = try twins.signUp().accessToken
        let person = Person()
        let theirs = try twins.api.token(of: person)
        let session = try twins.post("exchange", ["token": theirs]).accessToken
        try twins.kill(at: moment) {
            try $0.send("POST", "/api/me/identities", token: token, body: ["token": theirs])
        }
        let isMoved = try twins.api.send("GET", "/api/me", token: theirs).field("fullName") == "Ada"
        #expect(
            try twins.api.send("GET", "/api/me", token: session).status == (isMoved ? 401 : 200))
        #expect(try twins.count("users", where: "deleted_at IS NOT NULL") == (isMoved ? 1 : 0))
        let again = try twins.api.send(
            "POST", "/api/me/identities", token: token, body: ["token": theirs])
        #expect(again.status == 200, "\(again.text)")
        let profile = try twins.api.send("GET", "/api/me", token: theirs)
        #expect(try profile.field("fullName") == "Ada" && profile.field("id") == person.subject)
        #expect(try twins.api.send("GET", "/api/me", token: session).status == 401)
        #expect(try twins.count("user_identities") == 1)
    }

    @Test(
        "repeating an addition of a sign-in after the API was killed leaves exactly one sign-in",
        arguments: TwinAPIs.Moment.each(
            of: "AFTER INSERT ON app.user_identities", "AFTER INSERT ON app.audit_log"))
    func added(at moment: TwinAPIs.Moment) throws {
        let token = try twins.signUp().accessToken
        let theirs = try twins.api.token(of: Person())
        let body = ["token": theirs]
        try twins.kill(at: moment) {
            try $0.send("POST", "/api/me/identities", token: token, body: body)
        }
        let added = try twins.count("user_identities")
        #expect(try twins.count("audit_log", where: "action = 'identity.add'") == added)
        let again = try twins.api.send("POST", "/api/me/identities", token: token, body: body)
        #expect(again.status == 200, "\(again.text)")
        #expect(try twins.count("user_identities") == 1 && twins.count("users") == 1)
    }

    // MARK: Passkeys

    private func options(_ purpose: String, as token: String?) throws -> JSONField {
        let answer = try twins.api.send(
            "POST", "/api/auth/passkeys/options", token: token, body: ["purpose": purpose])
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.json["publicKey"]
    }

    private func challenge(_ options: JSONField) throws -> [UInt8] {
        try #require(Base64URL.decode(try options["challenge"].string()))
    }

    /// Returns a passkey and the request body that adds it.
    private func passkey(for token: String) throws -> (SoftPasskey, JSONValue) {
        var passkey = try SoftPasskey(relyingParty: "localhost", origin: twins.site)
        let options = try options("register", as: token)
        passkey.userHandle = Base64URL.decode(try options["user"]["id"].string())
        return (passkey, ["credential": try passkey.registration(challenge(options))])
    }

    private func signsIn(by passkey: SoftPasskey) throws -> Bool {
        var passkey = passkey
        passkey.counter += 1
        let credential = try passkey.assertion(challenge(options("assert", as: nil)))
        let answer = try twins.api.send(
            "POST", "/api/auth/passkeys/assert", json: ["credential": credential])
        try #require([200, 401].contains(answer.status), "\(answer.text)")
        return answer.status == 200
    }

    @Test(
        "killing the API during a registration adds both passkey and e-mail, or neither",
        arguments: TwinAPIs.Moment.each(
            of: "AFTER INSERT ON app.answered_challenges", "AFTER INSERT ON app.passkeys",
            "AFTER INSERT ON app.audit_log", "AFTER INSERT ON jobs.live"))
    func passkeyAdded(at moment: TwinAPIs.Moment) throws {
        let token = try twins.signUp().accessToken
        let (passkey, body) = try passkey(for: token)
        try twins.kill(at: moment) {
            try $0.send("POST", "/api/auth/passkeys/register", token: token, json: body)
        }
        let isAdded = try signsIn(by: passkey)
        let told = try twins.office.count(
            "SELECT count(*) FROM jobs.live WHERE kind = 'mail.passkey_added'")
        #expect(told == (isAdded ? 1 : 0))
        let again = try twins.api.send(
            "POST", "/api/auth/passkeys/register", token: token, json: body)
        #expect(again.status == (isAdded ? 410 : 200), "\(again.text)")
        #expect(try twins.count("passkeys") == 1)
    }

    @Test(
        "killing the API during a removal leaves the passkey either removed or usable",
        arguments: TwinAPIs.Moment.each(
            of: "AFTER DELETE ON app.passkeys", "AFTER INSERT ON app.audit_log"))
    func passkeyRemoved(at moment: TwinAPIs.Moment) throws {
        let token = try twins.signUp().accessToken
        let (passkey, body) = try passkey(for: token)
        let added = try twins.api.send(
            "POST", "/api/auth/passkeys/register", token: token, json: body)
        let listed = try #require(try added.json["passkeys"].elements().first)
        let id = try listed["id"].string()
        try twins.kill(at: moment) {
            try $0.send("DELETE", "/api/me/passkeys/\(id)", token: token)
        }
        let isThere = try signsIn(by: passkey)
        let again = try twins.api.send("DELETE", "/api/me/passkeys/\(id)", token: token)
        #expect(again.status == (isThere ? 200 : 404), "\(again.text)")
        #expect(try !signsIn(by: passkey) && twins.count("passkeys") == 0)
        #expect(try twins.count("audit_log", where: "action = 'identity.remove'") == 1)
        #expect(try twins.signIn(TwinAPIs.password).status == 200)
    }
}
