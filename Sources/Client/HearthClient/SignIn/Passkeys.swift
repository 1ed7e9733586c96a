public import Foundation

/// A passkey of the account.
public struct Passkey: Sendable, Hashable, Identifiable, Codable {
    /// Id of the passkey.
    public let id: ID<Passkey>
    /// Name that the person gave the passkey; empty if none.
    public let label: String
    /// Whether the passkey is synchronized to other devices of the person.
    public let isBackedUp: Bool
    /// Time at which the passkey was added.
    public let createdAt: Date?
    /// Time of the last sign-in with the passkey; nil if never used.
    public let lastUsedAt: Date?

    /// Creates a value, for previews and tests.
    public init(
        id: ID<Passkey>, label: String = "", isBackedUp: Bool = false, createdAt: Date? = nil,
        lastUsedAt: Date? = nil
    ) {
        self.id = id
        self.label = label
        self.isBackedUp = isBackedUp
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
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

/// The system's response when the person created or used a passkey. Hearth verifies it; an app only
/// passes it on.
public struct PasskeyCredential: Sendable, Hashable, Codable {
    let value: JSONValue

    /// Creates a credential from the JSON that browsers and Android return.
    ///
    /// - Throws: `JSONError` if the data is not JSON.
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

    /// Creates the credential of a new passkey, from the parts of an
    /// `ASAuthorizationPublicKeyCredentialRegistration`.
    public static func made(
        id: Data, clientDataJSON: Data, attestationObject: Data
    ) -> PasskeyCredential {
        PasskeyCredential(
            id, ["clientDataJSON": clientDataJSON, "attestationObject": attestationObject])
    }

    /// Creates the credential of a sign-in, from the parts of an
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

/// The options with which the system creates or uses a passkey. They can be used once, within ten
/// minutes.
///
/// ```swift
/// let options = try await account.passkeyOptions()
/// let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
///     relyingPartyIdentifier: options.relyingPartyID)
/// let request = provider.createCredentialAssertionRequest(challenge: options.challenge)
/// ```
public struct PasskeyOptions: Sendable, Hashable, Codable {
    /// All options, as the JSON that browsers, Android and web views accept.
    public let json: Data
    /// Domain that passkeys are for.
    public let relyingPartyID: String
    /// Challenge that has to be signed.
    public let challenge: Data
    /// User handle to store in a new passkey; nil for signing in.
    public let userID: Data?
    /// Account name that the system shows for a new passkey; nil for signing in.
    public let userName: String?
    /// Ids of the account's existing passkeys, to exclude when creating another.
    public let known: [Data]

    /// Creates options from the JSON that browsers, Android and web views accept, for previews and
    /// tests.
    ///
    /// - Throws: `JSONError` if the data is not JSON; `HearthError.unexpectedAnswer` if it has no
    ///   challenge or no domain.
    public init(json data: Data) throws {
        try self.init(["publicKey": try JSONValue(parsing: data)])
    }

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

/// Coder for Base64 with the URL alphabet, without padding.
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
    /// Returns the options with which the person can choose a passkey and sign in.
    public func passkeyOptions() async throws -> PasskeyOptions {
        var call = Self.call("/api/auth/passkeys/options", ["purpose": "assert"])
        // Retrying is safe: a new challenge serves as well as the lost one.
        call.isRepeatable = true
        return try PasskeyOptions(try await hearth.json(call))
    }

    /// Begins a session with a passkey.
    @discardableResult
    public func signIn(with passkey: PasskeyCredential) async throws -> SignedIn {
        try await begin("/api/auth/passkeys/assert", ["credential": passkey.value])
    }
}
