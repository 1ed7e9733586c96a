import Crypto
import Domain
import JSON
import Repositories
import UseCases
import Credentials

/// Options for `navigator.credentials`, as JSON (WebAuthn level 3 sections 5.4 and 5.5, in the form
/// of section 5.1).
struct PasskeyOptions: Sendable {
    /// The JSON of `publicKey`.
    let publicKey: [UInt8]

    private init(_ publicKey: JSONValue) {
        self.publicKey = Array(publicKey.text().utf8)
    }

    /// Returns options to sign in with any passkey that the person chooses.
    static func assertion(_ challenge: PasskeyChallenge, _ party: RelyingParty) -> PasskeyOptions {
        PasskeyOptions([
            "challenge": .string(Base64URL.text(challenge.bytes)),
            "rpId": .string(party.id),
            "allowCredentials": [],
            "userVerification": "preferred",
            "timeout": milliseconds,
        ])
    }

    /// Returns options to create a passkey that the person can choose without entering an address.
    static func registration(
        _ registration: PasskeyService.Registration, _ party: RelyingParty
    ) -> PasskeyOptions {
        let account = registration.account
        let name = account.email ?? account.fullName ?? party.id
        return PasskeyOptions([
            "challenge": .string(Base64URL.text(registration.challenge.bytes)),
            "rp": ["id": .string(party.id), "name": .string(party.id)],
            "user": [
                "id": .string(Base64URL.text(account.id.handle)),
                "name": .string(name),
                "displayName": .string(account.fullName ?? name),
            ],
            "pubKeyCredParams": .array(
                CredentialKey.Algorithm.allCases.map {
                    ["type": "public-key", "alg": .integer(Int64($0.rawValue))]
                }),
            "excludeCredentials": .array(
                registration.known.map {
                    [
                        "type": "public-key",
                        "id": .string(Base64URL.text($0.credentialID.bytes)),
                        "transports": .array($0.transports.map { .string($0) }),
                    ]
                }),
            "authenticatorSelection": [
                "residentKey": "required", "requireResidentKey": true,
                "userVerification": "preferred",
            ],
            "attestation": "none",
            "timeout": milliseconds,
        ])
    }

    /// Time that a browser waits for the person.
    private static let milliseconds = JSONValue.integer(PasskeyChallenge.seconds * 1_000)
}
