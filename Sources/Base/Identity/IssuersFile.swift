import Crypto
import Fetching
import Glibc
import JSON

/// Reads the file of trusted issuers: a JSON array of objects.
///
/// | field | meaning |
/// |---|---|
/// | `issuer` | the `iss` of its tokens; required, unique |
/// | `kind` | `supabase`, `cognito`, `apple` or `generic`; required |
/// | `audiences` | array of accepted audiences (Cognito: client ids); required |
/// | `primary` | whether its subjects are UUIDs that become users' ids |
/// | `emailsConfirmed` | Supabase: whether sign-ups are confirmed by e-mail |
/// | `linksVerifiedAddresses` | whether a new sign-in joins the account that verified its address |
/// | `tokenUse` | Cognito: `id` or `access`; both if omitted |
/// | `requireNonce` | Apple: whether an exchange needs the nonce of the token's request |
/// | `teamId`, `keyId`, `privateKeyFile` | Apple: to exchange authorization codes |
/// | `tokenURL`, `revokeURL` | Apple: its endpoints, if they are elsewhere |
/// | `clientID` | the client for signing in on pages, one of the audiences |
/// | `clientSecretFile` | a file with the client's secret; Apple's is made with the team's key |
/// | `name` | the provider's name on the pages' buttons; required with `clientID` |
/// | `hs256SecretFile` | a file with a secret of at least 32 bytes |
/// | `jwksFile` | a file with a set of public keys |
/// | `jwksURL` | the address of the issuer's public keys: `https`, or `http` on this machine |
///
/// Paths are relative to the file's folder. A key source is required: a secret, public keys by file
/// or address, or both.
package struct IssuersFile: Sendable {
    /// All mistakes in the file, as sentences with their locations.
    package struct ParsingErrors: Error, Sendable, Equatable, CustomStringConvertible {
        package let sentences: [String]

        package var description: String { sentences.joined(separator: "\n") }
    }

    /// The issuers in the order of the file: at least one, with unique names.
    package let issuers: [Issuer]

    /// Reads the file at a path, and the files that it names.
    package init(path: String) throws(ParsingErrors) {
        let bytes: [UInt8]
        do throws(FileReading.Failure) {
            bytes = try FileReading.contents(of: path)
        } catch {
            throw ParsingErrors(sentences: [error.description])
        }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        do throws(ParsingErrors) {
            try self.init(parsing: bytes) { name throws(FileReading.Failure) in
                try FileReading.contents(of: name.hasPrefix("/") ? name : folder + name)
            }
        } catch {
            throw ParsingErrors(sentences: error.sentences.map { "\(path): \($0)" })
        }
    }

    /// Returns the mistakes in the file at a path and in the files that it names; empty if there
    /// are none.
    package static func problems(_ path: String) -> [String] {
        do throws(ParsingErrors) {
            _ = try IssuersFile(path: path)
            return []
        } catch {
            return error.sentences
        }
    }

    /// Parses the file's contents; `read` returns the contents of files that it names.
    init(
        parsing bytes: [UInt8], read: @escaping IssuerReader.Read
    ) throws(ParsingErrors) {
        let elements: [JSONField]
        do throws(JSONError) {
            elements = try JSONField(try JSONValue(parsing: bytes)).elements()
        } catch {
            throw ParsingErrors(sentences: [error.description(in: bytes)])
        }
        var issuers: [Issuer] = []
        var sentences: [String] = []
        if elements.isEmpty { sentences.append("The document must name at least one issuer") }
        for element in elements {
            var reader = IssuerReader(element, read: read)
            if let issuer = reader.issuer() {
                if issuers.contains(where: { $0.name == issuer.name }) {
                    sentences.append("`\(element.path).issuer` is a duplicate")
                }
                if let name = issuer.client?.name.lowercased(),
                    issuers.contains(where: { $0.client?.name.lowercased() == name })
                {
                    sentences.append("`\(element.path).name` is a duplicate")
                }
                issuers.append(issuer)
            }
            sentences += reader.mistakes
        }
        guard sentences.isEmpty else { throw ParsingErrors(sentences: sentences) }
        self.issuers = issuers
    }
}

/// Reads one issuer of the file, and continues after a mistake so that all are reported at once.
struct IssuerReader {
    typealias Read = (String) throws(FileReading.Failure) -> [UInt8]

    private static let fields =
        [
            "issuer", "kind", "audiences", "primary", "emailsConfirmed", "linksVerifiedAddresses",
            "tokenUse",
            "hs256SecretFile",
            "jwksFile", "jwksURL",
        ] + appleFields + clientFields
    private static let appleFields = [
        "requireNonce", "teamId", "keyId", "privateKeyFile", "tokenURL", "revokeURL",
    ]
    private static let secretBytes = 32

    let field: JSONField
    private let read: Read
    private(set) var mistakes: [String] = []

    init(_ field: JSONField, read: @escaping Read) {
        self.field = field
        self.read = read
    }

    /// Returns the issuer, or nil if there were mistakes.
    mutating func issuer() -> Issuer? {
        guard let object = attempt({ field throws(JSONError) in try field.object() }) else {
            return nil
        }
        for member in object.members where !Self.fields.contains(member.name) {
            addMistake(member.name, "is unknown; known are \(Self.fields.joined(separator: ", "))")
        }
        let name = text("issuer", isRequired: true)
        let kind: Issuer.Kind? = choice("kind", isRequired: true)
        let audiences = audiences()
        let isPrimary = flag("primary")
        let confirmsEmails = flag("emailsConfirmed")
        let linksAddresses = flag("linksVerifiedAddresses", else: isPrimary && confirmsEmails)
        let tokenUse: Issuer.TokenUse? = choice("tokenUse", isRequired: false)
        let requiresNonce = flag("requireNonce")
        let team = team(name, in: object)
        let client = client(name, kind, tokenUse, audiences, team, in: object)
        let secret = secret()
        let publicKeys = publicKeys()
        let source = source()
        checkApplies(of: "emailsConfirmed", in: object, kind, only: .supabase)
        checkApplies(of: "tokenUse", in: object, kind, only: .cognito)
        for name in Self.appleFields { checkApplies(of: name, in: object, kind, only: .apple) }
        if !["hs256SecretFile", "jwksFile", "jwksURL"].contains(where: { object[$0] != nil }) {
            mistakes.append("`\(field.path)` needs hs256SecretFile, jwksFile or jwksURL")
        }
        if object["jwksFile"] != nil, object["jwksURL"] != nil {
            addMistake("jwksURL", "and jwksFile exclude each other")
        }
        guard mistakes.isEmpty, let name, let kind else { return nil }
        return Issuer(
            name: name, kind: kind, audiences: audiences, isPrimary: isPrimary,
            confirmsEmails: confirmsEmails, linksAddresses: linksAddresses, tokenUse: tokenUse,
            requiresNonce: requiresNonce,
            team: team, client: client,
            keys: IssuerKeys(
                secret: secret, publicKeys: publicKeys?.keys ?? [],
                ignored: publicKeys?.ignored ?? [], source: source))
    }

    // MARK: Fields

    mutating func text(_ name: String, isRequired: Bool) -> String? {
        let text = attempt { field throws(JSONError) in
            isRequired
                ? try field[name].string() : try field[name].ifPresent?.string() ?? Optional.none
        }
        guard let text, let text else { return nil }
        if text.isEmpty { addMistake(name, "must not be empty") }
        return text
    }

    private mutating func flag(_ name: String, else defaultValue: Bool = false) -> Bool {
        attempt { field throws(JSONError) in try field[name].ifPresent?.bool() ?? defaultValue }
            ?? defaultValue
    }

    private mutating func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String, isRequired: Bool
    ) -> Choice? {
        guard let text = text(name, isRequired: isRequired) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        addMistake(
            name, "must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
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
            addMistake("audiences", "must have at least one element, and no empty one")
        }
        return found
    }

    private mutating func checkApplies(
        of name: String, in object: JSONObject, _ kind: Issuer.Kind?, only owner: Issuer.Kind
    ) {
        guard let kind, kind != owner, object[name] != nil else { return }
        addMistake(name, "is for the kind \(owner.rawValue) only")
    }

    // MARK: Apple's endpoints

    private mutating func team(_ issuer: String?, in object: JSONObject) -> AppleTeam? {
        let names = ["teamId", "keyId", "privateKeyFile"]
        let missing = names.filter { object[$0] == nil }
        guard missing.count < names.count else {
            for name in ["tokenURL", "revokeURL"] where object[name] != nil {
                addMistake(name, "is of use only with \(names.joined(separator: ", "))")
            }
            return nil
        }
        for name in missing {
            addMistake(name, "is needed with the other fields of the team's key")
        }
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

    private mutating func endpoint(_ name: String, else defaultValue: String) -> FetchAddress? {
        let text = text(name, isRequired: false) ?? defaultValue
        if let address = FetchAddress(text) { return address }
        addMistake(name, "must be an https address; http is only allowed for this machine")
        return nil
    }

    private mutating func privateKey() -> SigningKey? {
        guard let name = text("privateKeyFile", isRequired: false),
            let bytes = contents("privateKeyFile", name, showsName: false)
        else { return nil }
        do throws(CryptoError) {
            return try SigningKey(pem: String(decoding: bytes, as: UTF8.self))
        } catch {
            addMistake("privateKeyFile", "must be a private key on the curve P-256 in PEM")
            return nil
        }
    }

    // MARK: Keys

    private mutating func secret() -> HMACKey? {
        guard let name = text("hs256SecretFile", isRequired: false),
            var secret = contents("hs256SecretFile", name, showsName: false)
        else { return nil }
        // Editors end files with a line break that is not part of the secret.
        if secret.last == UInt8(ascii: "\n") { secret.removeLast() }
        if secret.last == UInt8(ascii: "\r") { secret.removeLast() }
        guard secret.count >= Self.secretBytes else {
            addMistake(
                "hs256SecretFile", "must contain a secret of at least \(Self.secretBytes) bytes")
            return nil
        }
        do throws(CryptoError) {
            return try HMACKey(secret)
        } catch {
            addMistake("hs256SecretFile", error.description)
            return nil
        }
    }

    private mutating func publicKeys() -> JSONWebKeySet? {
        guard let name = text("jwksFile", isRequired: false),
            let bytes = contents("jwksFile", name)
        else { return nil }
        do throws(JSONWebKeySet.ParsingErrors) {
            return try JSONWebKeySet(parsing: bytes)
        } catch {
            for sentence in error.sentences { addMistake("jwksFile", "(\(name)): \(sentence)") }
            return nil
        }
    }

    private mutating func source() -> PublishedKeys? {
        guard let text = text("jwksURL", isRequired: false), !text.isEmpty else { return nil }
        guard let address = FetchAddress(text) else {
            addMistake("jwksURL", "must be an https address; http is only allowed for this machine")
            return nil
        }
        return PublishedKeys(address)
    }

    /// - Parameter showsName: Whether a message may repeat the name of a missing file. The name of
    ///   a secret's file may be the secret itself, by mistake.
    mutating func contents(
        _ field: String, _ name: String, showsName: Bool = true
    ) -> [UInt8]? {
        do throws(FileReading.Failure) {
            return try read(name)
        } catch {
            let description = showsName || error.isThere ? error.description : error.reason
            addMistake(field, "can't be read: \(description)")
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

    mutating func addMistake(_ name: String, _ sentence: String) {
        mistakes.append("`\(field.path).\(name)` \(sentence)")
    }
}

/// Reads small files whole.
enum FileReading {
    /// Maximum size of a file.
    static let limitBytes = 1 << 20

    /// The reason why a file can't be read.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let path: String
        let reason: String
        /// Whether a file of this name exists. If not, the given text might not be a file's name at
        /// all.
        let isThere: Bool

        var description: String { "\(path): \(reason)" }
    }

    /// Returns all bytes of a file of at most a mebibyte, without the byte order mark that some
    /// editors put before a text.
    static func contents(of path: String) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 {
                return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            bytes += buffer[..<count]
            guard bytes.count <= limitBytes else {
                throw Failure(path: path, reason: "larger than \(limitBytes) bytes", isThere: true)
            }
        }
    }

    private static func failure(_ path: String) -> Failure {
        let code = errno
        let isThere = ![ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP].contains(code)
        return Failure(path: path, reason: String(cString: strerror(code)), isThere: isThere)
    }
}
