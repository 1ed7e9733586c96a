import Crypto
import JSON
import PasskeySupport
import Testing
import UseCases
import Credentials

/// A passkey, and the routes that use it.
struct PasskeyClient: Sendable {
    let site: Site
    var passkey: SoftPasskey

    init(_ site: Site, _ algorithm: CredentialKey.Algorithm = .es256) throws {
        self.site = site
        passkey = try SoftPasskey(
            algorithm, relyingParty: "family.test", origin: Site.publicURL)
    }

    /// Requests options for a purpose; returns them and their challenge.
    static func options(
        _ site: Site, _ purpose: String, of person: SessionClient? = nil
    ) throws -> (publicKey: JSONField, challenge: [UInt8]) {
        let answer = try site.send(
            "POST", "/api/auth/passkeys/options", token: person?.access,
            body: #"{"purpose": "\#(purpose)"}"#)
        try #require(answer.status == 200, "\(answer)")
        let options = try answer.json["publicKey"]
        let text = try options["challenge"].string()
        return (options, try #require(Base64URL.decode(text)))
    }

    /// Adds the passkey to a person's account.
    mutating func register(for person: SessionClient, label: String? = nil) throws -> Answer {
        let (options, challenge) = try Self.options(site, "register", of: person)
        passkey.userHandle = Base64URL.decode(try options["user"]["id"].string())
        return try send(passkey.registration(challenge), as: person, label: label)
    }

    /// Sends a credential's JSON to register it.
    func send(
        _ credential: JSONValue, as person: SessionClient, label: String? = nil
    ) throws -> Answer {
        let label = label.map { #", "label": "\#($0)""# } ?? ""
        return try person.send(
            "POST", "/api/auth/passkeys/register",
            #"{"credential": \#(credential.text())\#(label)}"#)
    }

    /// Increments the counter and signs in.
    mutating func signIn(client: String? = nil) throws -> Answer {
        passkey.counter += 1
        return try answer(to: Self.options(site, "assert").challenge, client: client)
    }

    /// Signs in with a response to this challenge.
    func answer(to challenge: [UInt8], client: String? = nil) throws -> Answer {
        try assert(passkey.assertion(challenge), client: client)
    }

    /// Sends a credential's JSON to sign in.
    func assert(_ credential: JSONValue, client: String? = nil) throws -> Answer {
        try site.send(
            "POST", "/api/auth/passkeys/assert",
            body: #"{"credential": \#(credential.text()), "device": "Phone"}"#,
            headers: ["X-Forwarded-For": client ?? Self.address()])
    }

    /// A random client address.
    static func address() -> String {
        "10.\(Int.random(in: 0...255)).\(Int.random(in: 0...255)).1"
    }
}
