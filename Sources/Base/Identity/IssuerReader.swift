import Crypto
import Fetching
import JSON

/// Reads one issuer of the file, going on after a mistake so that all are reported at once.
struct IssuerReader {
    typealias Read = (String) throws(FileReading.Failure) -> [UInt8]

    private static let fields =
        [
            "issuer", "kind", "audiences", "primary", "emailsConfirmed", "tokenUse",
            "hs256SecretFile",
            "jwksFile", "jwksURL",
        ] + appleFields
    private static let appleFields = [
        "requireNonce", "teamId", "keyId", "privateKeyFile", "tokenURL", "revokeURL",
    ]
    private static let secretBytes = 32

    private let field: JSONField
    private let read: Read
    private(set) var mistakes: [String] = []

    init(_ field: JSONField, read: @escaping Read) {
        self.field = field
        self.read = read
    }

    /// The issuer, or nil if there were mistakes.
    mutating func issuer() -> Issuer? {
        guard let object = attempt({ field throws(JSONError) in try field.object() }) else {
            return nil
        }
        for member in object.members where !Self.fields.contains(member.name) {
            note(member.name, "is unknown; known are \(Self.fields.joined(separator: ", "))")
        }
        let name = text("issuer", isRequired: true)
        let kind: Issuer.Kind? = choice("kind", isRequired: true)
        let audiences = audiences()
        let isPrimary = flag("primary")
        let confirmsEmails = flag("emailsConfirmed")
        let tokenUse: Issuer.TokenUse? = choice("tokenUse", isRequired: false)
        let requiresNonce = flag("requireNonce")
        let team = team(name, in: object)
        let secret = secret()
        let publicKeys = publicKeys()
        let source = source()
        checkPlace(of: "emailsConfirmed", in: object, kind, only: .supabase)
        checkPlace(of: "tokenUse", in: object, kind, only: .cognito)
        for name in Self.appleFields { checkPlace(of: name, in: object, kind, only: .apple) }
        if !["hs256SecretFile", "jwksFile", "jwksURL"].contains(where: { object[$0] != nil }) {
            mistakes.append("`\(field.path)` needs hs256SecretFile, jwksFile or jwksURL")
        }
        if object["jwksFile"] != nil, object["jwksURL"] != nil {
            note("jwksURL", "and jwksFile exclude each other")
        }
        guard mistakes.isEmpty, let name, let kind else { return nil }
        return Issuer(
            name: name, kind: kind, audiences: audiences, isPrimary: isPrimary,
            confirmsEmails: confirmsEmails, tokenUse: tokenUse, requiresNonce: requiresNonce,
            team: team,
            keys: IssuerKeys(
                secret: secret, publicKeys: publicKeys?.keys ?? [],
                ignored: publicKeys?.ignored ?? [], source: source))
    }

    // MARK: Fields

    private mutating func text(_ name: String, isRequired: Bool) -> String? {
        let text = attempt { field throws(JSONError) in
            isRequired
                ? try field[name].string() : try field[name].ifPresent?.string() ?? Optional.none
        }
        guard let text, let text else { return nil }
        if text.isEmpty { note(name, "must not be empty") }
        return text
    }

    private mutating func flag(_ name: String) -> Bool {
        attempt { field throws(JSONError) in try field[name].ifPresent?.bool() ?? false } ?? false
    }

    private mutating func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String, isRequired: Bool
    ) -> Choice? {
        guard let text = text(name, isRequired: isRequired) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        note(name, "must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        return nil
    }

    private mutating func audiences() -> [String] {
        let found = attempt { field throws(JSONError) in
            var audiences: [String] = []
            for element in try field["audiences"].elements() {
                audiences.append(try element.string())
            }
            return audiences
        }
        guard let found else { return [] }
        if found.isEmpty || found.contains("") {
            note("audiences", "must have at least one element, and no empty one")
        }
        return found
    }

    private mutating func checkPlace(
        of name: String, in object: JSONObject, _ kind: Issuer.Kind?, only owner: Issuer.Kind
    ) {
        guard let kind, kind != owner, object[name] != nil else { return }
        note(name, "is for the kind \(owner.rawValue) only")
    }

    // MARK: Apple's endpoints

    private mutating func team(_ issuer: String?, in object: JSONObject) -> AppleTeam? {
        let names = ["teamId", "keyId", "privateKeyFile"]
        let missing = names.filter { object[$0] == nil }
        guard missing.count < names.count else {
            for name in ["tokenURL", "revokeURL"] where object[name] != nil {
                note(name, "is of use only with \(names.joined(separator: ", "))")
            }
            return nil
        }
        for name in missing { note(name, "is needed with the others of the team's key") }
        let team = text("teamId", isRequired: false)
        let key = text("keyId", isRequired: false)
        let privateKey = privateKey()
        let token = endpoint("tokenURL", else: AppleTeam.tokenURL)
        let revoke = endpoint("revokeURL", else: AppleTeam.revokeURL)
        guard let issuer, let team, let key, let privateKey, let token, let revoke else {
            return nil
        }
        return AppleTeam(
            issuer: issuer, teamID: team, keyID: key, key: privateKey, tokenAddress: token,
            revokeAddress: revoke)
    }

    private mutating func endpoint(_ name: String, else standard: String) -> FetchAddress? {
        let text = text(name, isRequired: false) ?? standard
        if let address = FetchAddress(text) { return address }
        note(name, "must be an https address; http is only allowed for this machine")
        return nil
    }

    private mutating func privateKey() -> SigningKey? {
        guard let name = text("privateKeyFile", isRequired: false),
            let bytes = contents("privateKeyFile", name, isShown: false)
        else { return nil }
        do throws(CryptoError) {
            return try SigningKey(pem: String(decoding: bytes, as: UTF8.self))
        } catch {
            note("privateKeyFile", "must have a private key of the curve P-256 in PEM")
            return nil
        }
    }

    // MARK: Keys

    private mutating func secret() -> HMACKey? {
        guard let name = text("hs256SecretFile", isRequired: false),
            var secret = contents("hs256SecretFile", name, isShown: false)
        else { return nil }
        // Editors end files with a line break that is no part of the secret.
        if secret.last == UInt8(ascii: "\n") { secret.removeLast() }
        if secret.last == UInt8(ascii: "\r") { secret.removeLast() }
        guard secret.count >= Self.secretBytes else {
            note("hs256SecretFile", "must contain a secret of at least \(Self.secretBytes) bytes")
            return nil
        }
        do throws(CryptoError) {
            return try HMACKey(secret)
        } catch {
            note("hs256SecretFile", error.description)
            return nil
        }
    }

    private mutating func publicKeys() -> JSONWebKeySet? {
        guard let name = text("jwksFile", isRequired: false),
            let bytes = contents("jwksFile", name)
        else { return nil }
        do throws(JSONWebKeySet.Mistakes) {
            return try JSONWebKeySet(parsing: bytes)
        } catch {
            for sentence in error.sentences { note("jwksFile", "(\(name)): \(sentence)") }
            return nil
        }
    }

    private mutating func source() -> PublishedKeys? {
        guard let text = text("jwksURL", isRequired: false), !text.isEmpty else { return nil }
        guard let address = FetchAddress(text) else {
            note("jwksURL", "must be an https address; http is only allowed for this machine")
            return nil
        }
        return PublishedKeys(address)
    }

    /// - Parameter isShown: Whether a message may repeat the name of a missing file. In the place
    ///   of a secret's file name somebody may have written the secret itself.
    private mutating func contents(
        _ field: String, _ name: String, isShown: Bool = true
    ) -> [UInt8]? {
        do throws(FileReading.Failure) {
            return try read(name)
        } catch {
            let description = isShown || error.isThere ? error.description : error.reason
            note(field, "can't be read: \(description)")
            return nil
        }
    }

    // MARK: Mistakes

    private mutating func attempt<T>(_ body: (JSONField) throws(JSONError) -> T) -> T? {
        do throws(JSONError) {
            return try body(field)
        } catch {
            mistakes.append(error.description)
            return nil
        }
    }

    private mutating func note(_ name: String, _ sentence: String) {
        mistakes.append("`\(field.path).\(name)` \(sentence)")
    }
}
