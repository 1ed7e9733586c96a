import Crypto
package import JSON
package import Credentials

/// A passkey and the browser that uses it, in software. It responds as a real one does, or in ways
/// that must be refused.
package struct SoftPasskey: Sendable {
    package let pair: PasskeyPair
    package var id: [UInt8]
    package var userHandle: [UInt8]?
    package var counter: UInt32 = 1
    package var relyingParty: String
    package var origin: String
    /// User present and verified.
    package var flags: UInt8 = 0x05
    /// Members of the client data besides type, challenge and origin.
    package var clientData: JSONObject = ["crossOrigin": false]
    package var format = "none"
    package var statement = CBORWriter.map([])
    /// Extensions that are appended to the authenticator data.
    package var extensions: [UInt8] = []
    /// Value of `type` in the client data; nil for the type of the ceremony.
    package var type: String?

    package init(
        _ algorithm: CredentialKey.Algorithm = .es256, relyingParty: String, origin: String
    ) throws {
        pair = try PasskeyPair(algorithm)
        id = try .random(count: 32)
        self.relyingParty = relyingParty
        self.origin = origin
    }

    /// The JSON of a credential that was just made.
    package func registration(_ challenge: [UInt8]) throws -> JSONValue {
        let data = authenticatorData(
            flags | 0x40,
            [UInt8](repeating: 0, count: 16) + [UInt8(id.count >> 8), UInt8(id.count & 0xFF)]
                + id + (try pair.coseKey().encoded))
        let object = CBORWriter.map([
            (.text("fmt"), .text(format)), (.text("attStmt"), statement),
            (.text("authData"), .bytes(data)),
        ])
        return credential([
            "clientDataJSON": text(clientDataJSON(challenge, "webauthn.create")),
            "attestationObject": text(object.encoded),
            "transports": ["internal", "hybrid"],
        ])
    }

    /// The JSON of a response that signs in.
    package func assertion(_ challenge: [UInt8]) throws -> JSONValue {
        let client = clientDataJSON(challenge, "webauthn.get")
        let data = authenticatorData(flags, [])
        var response: [JSONObject.Member] = [
            .init(name: "clientDataJSON", value: text(client)),
            .init(name: "authenticatorData", value: text(data)),
            .init(
                name: "signature",
                value: text(try pair.sign(data + SHA256Digest(of: client).bytes))),
        ]
        if let userHandle {
            response.append(.init(name: "userHandle", value: text(userHandle)))
        }
        return credential(JSONObject(response))
    }

    private func credential(_ response: JSONObject) -> JSONValue {
        [
            "id": text(id), "rawId": text(id), "type": "public-key",
            "response": .object(response), "clientExtensionResults": [:],
            "authenticatorAttachment": "platform",
        ]
    }

    private func authenticatorData(_ flags: UInt8, _ attested: [UInt8]) -> [UInt8] {
        SHA256Digest(of: relyingParty).bytes + [flags]
            + (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - $0 * 8)) } + attested
            + extensions
    }

    private func clientDataJSON(_ challenge: [UInt8], _ ceremony: String) -> [UInt8] {
        let members: [JSONObject.Member] = [
            .init(name: "type", value: .string(type ?? ceremony)),
            .init(name: "challenge", value: text(challenge)),
            .init(name: "origin", value: .string(origin)),
        ]
        return Array(JSONValue.object(JSONObject(members + clientData.members)).text().utf8)
    }

    private func text(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.text(bytes)) }
}
