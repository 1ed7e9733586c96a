public import Foundation

/// A passkey of the account.
public struct Passkey: Sendable, Hashable, Identifiable {
    /// The passkey.
    public let id: ID<Passkey>
    /// What the person calls it; empty if nothing.
    public let label: String
    /// Whether other devices of the person have it too.
    public let isBackedUp: Bool
    /// When it was added.
    public let createdAt: Date?
    /// When somebody last signed in with it; nil if never.
    public let lastUsedAt: Date?
}

extension Passkey: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("id")
        label = fields.text("label")
        isBackedUp = fields.flag("isBackedUp")
        createdAt = fields.date("createdAt")
        lastUsedAt = fields.date("lastUsedAt")
    }
}

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

extension Account {
    /// What the system needs so that the person can choose a passkey and sign in with it.
    public func passkeyOptions() async throws -> PasskeyOptions {
        var call = Self.call("/api/auth/passkeys/options", ["purpose": "assert"])
        // Another challenge is as good.
        call.isRepeatable = true
        return try PasskeyOptions(try await hearth.json(call))
    }

    /// Begins a session by a passkey.
    @discardableResult
    public func signIn(with passkey: PasskeyCredential) async throws -> SignedIn {
        try await begin("/api/auth/passkeys/assert", ["credential": passkey.value])
    }
}
