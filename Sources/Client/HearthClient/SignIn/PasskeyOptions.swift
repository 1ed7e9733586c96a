public import Foundation

/// What the system needs to make or use a passkey. It is of use for ten minutes, and once.
///
/// ```swift
/// let options = try await account.passkeyOptions()
/// let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
///     relyingPartyIdentifier: options.relyingPartyID)
/// let request = provider.createCredentialAssertionRequest(challenge: options.challenge)
/// ```
public struct PasskeyOptions: Sendable, Hashable {
    /// All of it, as the JSON that browsers, Android and web views take.
    public let json: Data
    /// The domain that passkeys are for.
    public let relyingPartyID: String
    /// What has to be signed.
    public let challenge: Data
    /// To make one: what the passkey keeps of the account.
    public let userID: Data?
    /// To make one: the account's name, as the system shows it.
    public let userName: String?
    /// To make one: those that the account has already.
    public let known: [Data]

    init(_ answer: JSONValue) throws {
        let options = answer["publicKey"] ?? .null
        guard let challenge = options["challenge"]?.stringValue.flatMap(Base64URLText.data),
            let party = options["rpId"]?.stringValue ?? options["rp"]?["id"]?.stringValue
        else { throw HearthError.unexpectedAnswer(status: 200, detail: "no passkey options") }
        json = options.data
        relyingPartyID = party
        self.challenge = challenge
        userID = options["user"]?["id"]?.stringValue.flatMap(Base64URLText.data)
        userName = options["user"]?["name"]?.stringValue
        known = (options["excludeCredentials"]?.arrayValue ?? []).compactMap {
            $0["id"]?.stringValue.flatMap(Base64URLText.data)
        }
    }
}

/// Base64 with the alphabet for URLs, without padding.
enum Base64URLText {
    static func data(_ text: String) -> Data? {
        let standard = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: String(standard) + padding)
    }

    static func text(_ data: Data) -> String {
        String(
            data.base64EncodedString().compactMap {
                $0 == "=" ? nil : $0 == "+" ? "-" : $0 == "/" ? "_" : $0
            })
    }
}
