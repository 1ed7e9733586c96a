public import Foundation

/// What the system gave when the person made or used a passkey. Hearth judges it; an app only
/// passes it on.
public struct PasskeyCredential: Sendable, Hashable {
    let value: JSONValue

    /// As browsers and Android give it.
    ///
    /// - Throws: `JSONError` if this is no JSON.
    public init(json: Data) throws {
        value = try JSONValue(parsing: json)
    }

    private init(_ id: Data, _ response: [String: Data?]) {
        value = [
            "id": .string(Base64URLText.text(id)), "type": "public-key",
            "response": .object(
                response.compactMapValues { $0.map { .string(Base64URLText.text($0)) } }),
        ]
    }

    /// A passkey that was just made, from the parts of an
    /// `ASAuthorizationPublicKeyCredentialRegistration`.
    public static func made(
        id: Data, clientDataJSON: Data, attestationObject: Data
    ) -> PasskeyCredential {
        PasskeyCredential(
            id, ["clientDataJSON": clientDataJSON, "attestationObject": attestationObject])
    }

    /// A passkey that was used, from the parts of an
    /// `ASAuthorizationPublicKeyCredentialAssertion`.
    public static func used(
        id: Data, clientDataJSON: Data, authenticatorData: Data, signature: Data, userID: Data?
    ) -> PasskeyCredential {
        PasskeyCredential(
            id,
            [
                "clientDataJSON": clientDataJSON, "authenticatorData": authenticatorData,
                "signature": signature, "userHandle": userID,
            ])
    }
}
