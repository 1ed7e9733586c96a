import Crypto
import Glibc
import Testing

@testable import Identity

private let secret = "0123456789abcdef0123456789abcdef"

/// Parses the file's text, with these files beside it; returns the issuers or the mistakes.
private func read(
    _ text: String, _ files: [String: String] = [:]
) -> Result<[Issuer], IssuersFile.ParsingErrors> {
    do throws(IssuersFile.ParsingErrors) {
        let file = try IssuersFile(parsing: Array(text.utf8)) {
            name throws(FileReading.Failure) in
            guard let content = files[name] else {
                throw FileReading.Failure(
                    path: name, reason: "No such file or directory", isThere: false)
            }
            return Array(content.utf8)
        }
        return .success(file.issuers)
    } catch {
        return .failure(error)
    }
}

private func mistakes(_ text: String, _ files: [String: String] = ["s": secret]) -> [String] {
    guard case .failure(let mistakes) = read(text, files) else { return [] }
    return mistakes.sentences
}

@Suite("Issuers file") struct IssuersFileTests {
    @Test("issuers of every kind are parsed")
    func everyKind() throws {
        let issuers = try read(
            """
            [{"issuer": "https://a.example.com/auth/v1", "kind": "supabase",
              "audiences": ["authenticated"], "primary": true, "emailsConfirmed": true,
              "hs256SecretFile": "s", "jwksFile": "k"},
             {"issuer": "https://b.example.com", "kind": "cognito", "audiences": ["client"],
              "tokenUse": "access", "jwksFile": "k"},
             {"issuer": "https://c.example.com", "kind": "apple", "audiences": ["app", "web"],
              "jwksFile": "k"},
             {"issuer": "https://d.example.com", "kind": "generic", "audiences": ["hearth"],
              "primary": false, "hs256SecretFile": "s", "jwksFile": null}]
            """, ["s": secret + "\n", "k": SignedFixtures.keySet]
        ).get()
        #expect(issuers.map(\.kind) == [.supabase, .cognito, .apple, .generic])
        #expect(issuers.map(\.isPrimary) == [true, false, false, false])
        #expect(issuers.map(\.confirmsEmails) == [true, false, false, false])
        #expect(issuers.map(\.tokenUse) == [nil, .access, nil, nil])
        #expect(issuers[2].audiences == ["app", "web"])
        for (issuer, accepted) in zip(
            issuers,
            [
                SignatureAlgorithm.allCases, [.rs256, .es256, .edDSA], [.rs256, .es256, .edDSA],
                [.hs256],
            ])
        {
            #expect(SignatureAlgorithm.allCases.filter(issuer.keys.accepts) == accepted)
        }
    }

    @Test(
        "a line break at the end of a secret's file is not part of the secret",
        arguments: [
            "", "\n", "\r\n",
        ])
    func secretEnding(ending: String) throws {
        let text = """
            [{"issuer": "https://generic.example.com", "kind": "generic", "audiences": ["hearth"],
              "hs256SecretFile": "s"}]
            """
        let content = String(decoding: Forge.secretBytes, as: UTF8.self) + ending
        let issuers = try read(text, ["s": content]).get()
        #expect(throws: Never.self) { try verdict(Forge().token, issuers).get() }
    }

    @Test("all mistakes are reported at once, each with its location")
    func allMistakes() {
        let found = mistakes(
            """
            [{"issuer": "", "kind": "google", "audiences": [], "primary": "yes",
              "secret": "hush", "hs256SecretFile": "short", "jwksFile": "none"},
             7,
             {"kind": "apple", "audiences": ["a", 7], "emailsConfirmed": true, "tokenUse": "id"}]
            """, ["short": "too short"])
        #expect(
            found == [
                "`[0].secret` is unknown; known are issuer, kind, audiences, primary, "
                    + "emailsConfirmed, linksVerifiedAddresses, tokenUse, hs256SecretFile, "
                    + "jwksFile, jwksURL, requireNonce, teamId, keyId, privateKeyFile, tokenURL, "
                    + "revokeURL, clientID, clientSecretFile, name",
                "`[0].issuer` must not be empty",
                "`[0].kind` must be one of supabase, cognito, apple, generic",
                "`[0].audiences` must have at least one element, and no empty one",
                "`[0].primary` must be a boolean, found a string",
                "`[0].hs256SecretFile` must contain a secret of at least 32 bytes",
                "`[0].jwksFile` can't be read: none: No such file or directory",
                "`[1]` must be an object, found a number",
                "`[2].issuer` is missing: expected a string",
                "`[2].audiences[1]` must be a string, found a number",
                "`[2].emailsConfirmed` is for the kind supabase only",
                "`[2].tokenUse` is for the kind cognito only",
                "`[2]` needs hs256SecretFile, jwksFile or jwksURL",
            ])
    }

    @Test(
        "a file that is not an array of issuers is reported as such",
        arguments: [
            ("", "Not valid JSON in line 1, column 1: expected a value, found the end"),
            ("[\n  \"é\", }", "Not valid JSON in line 2, column 8: expected a value"),
            ("{}", "The document must be an array, found an object"),
            ("[]", "The document must name at least one issuer"),
        ])
    func notAFile(text: String, sentence: String) {
        #expect(mistakes(text) == [sentence])
    }

    @Test("an issuer that occurs twice is refused")
    func twice() {
        let one = """
            {"issuer": "i", "kind": "generic", "audiences": ["a"], "hs256SecretFile": "s"}
            """
        #expect(mistakes("[\(one)]") == [])
        #expect(mistakes("[\(one), \(one)]") == ["`[1].issuer` is a duplicate"])
    }

    @Test("keys may be published at an address, over https or on this machine")
    func address() {
        func one(_ fields: String) -> String {
            #"[{"issuer": "i", "kind": "cognito", "audiences": ["a"], \#(fields)}]"#
        }
        #expect(mistakes(one(#""jwksURL": "https://i.example.com/keys""#)) == [])
        #expect(mistakes(one(#""jwksURL": "http://127.0.0.1:8000/keys""#)) == [])
        let mistake =
            "`[0].jwksURL` must be an https address; http is only allowed for this machine"
        for text in ["http://i.example.com/keys", "file:///keys", "keys", "https://a@b/"] {
            #expect(mistakes(one(#""jwksURL": "\#(text)""#)) == [mistake])
        }
        let both = mistakes(one(#""jwksURL": "https://a/b", "jwksFile": "none""#))
        #expect(both.last == "`[0].jwksURL` and jwksFile exclude each other")
    }

    @Test("mistakes in a key set are reported with its file's name")
    func keySet() {
        let noKey = JSONWebKeySetTests.noKey
        let found = mistakes(
            #"[{"issuer": "i", "kind": "generic", "audiences": ["a"], "jwksFile": "k"}]"#,
            ["k": #"{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA"}, {}]}"#])
        #expect(
            found == [
                "`[0].jwksFile` (k): \(noKey)",
                "`[0].jwksFile` (k): `keys[0]`: Invalid key: an Ed25519 key has 32 bytes",
                "`[0].jwksFile` (k): `keys[1].kty` is missing: expected a string",
            ])
    }

    @Test("paths are relative to the file that contains them")
    func relativePaths() throws {
        // mkdtemp replaces the X by letters.
        var template = Array("\(P_tmpdir)/hearth-issuers-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer { for name in ["/i.json", "/s", ""] { remove(folder + name) } }
        try write(secret, to: folder + "/s")
        try write(
            #"[{"issuer": "i", "kind": "generic", "audiences": ["a"], "hs256SecretFile": "s"}]"#,
            to: folder + "/i.json")
        #expect(try IssuersFile(path: folder + "/i.json").issuers.count == 1)
        try write(
            """
            [{"issuer": "i", "kind": "generic", "audiences": ["a"],
              "hs256SecretFile": "\(folder)/s"}]
            """, to: folder + "/i.json")
        #expect(try IssuersFile(path: folder + "/i.json").issuers.count == 1)
        remove(folder + "/s")
        let error = #expect(throws: IssuersFile.ParsingErrors.self) {
            try IssuersFile(path: folder + "/i.json")
        }
        #expect(
            error?.description
                == "\(folder)/i.json: `[0].hs256SecretFile` can't be read: "
                + "No such file or directory")
        let missing = #expect(throws: IssuersFile.ParsingErrors.self) {
            try IssuersFile(path: folder + "/none")
        }
        #expect(missing?.description == "\(folder)/none: No such file or directory")
        let directory = #expect(throws: IssuersFile.ParsingErrors.self) {
            try IssuersFile(path: folder)
        }
        #expect(directory?.description == "\(folder): Is a directory")
    }

    @Test("a byte order mark at the start of the file or of a secret is not part of its content")
    func byteOrderMarks() throws {
        var template = Array("\(P_tmpdir)/hearth-issuers-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer { for name in ["/i.json", "/s", ""] { remove(folder + name) } }
        try write("\u{FEFF}" + secret, to: folder + "/s")
        try write(
            "\u{FEFF}" + #"[{"issuer": "i", "kind": "generic", "audiences": ["a"], "#
                + #""hs256SecretFile": "s"}]"#,
            to: folder + "/i.json")
        let issuer = try #require(try IssuersFile(path: folder + "/i.json").issuers.first)
        let message = Array("message".utf8)
        let key = try #require(issuer.keys.secret)
        let plain = try HMACKey(Array(secret.utf8))
        #expect(try key.authenticate(message) == plain.authenticate(message))
    }

    private func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
    }
}

@Suite("JSON Web Key Sets") struct JSONWebKeySetTests {
    static let noKey = "`keys` has no key that can be used for RS256, ES256 or EdDSA"

    private func read(_ text: String) -> Result<JSONWebKeySet, JSONWebKeySet.ParsingErrors> {
        do throws(JSONWebKeySet.ParsingErrors) {
            return .success(try JSONWebKeySet(parsing: Array(text.utf8)))
        } catch {
            return .failure(error)
        }
    }

    private func sentences(_ text: String) -> [String] {
        if case .failure(let mistakes) = read(text) { mistakes.sentences } else { [] }
    }

    private static let edwards =
        #""kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo""#
    private static let curve =
        #""kty":"EC","crv":"P-256","x":"HqQNY2ZZs8EJIMZ9thxqri7sah3YSDeHp5GBYqTh-CE","#
        + #""y":"kenporWCnBkcfxakJuIb4M2kae1fQacBLZIe9097MEA""#
    private static let number = String(repeating: "_", count: 398)

    /// Unusable keys, each with the reason and the message.
    static let odd: [(key: String, reason: IgnoredKey.Reason, told: String)] = [
        (#"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#, .unsuitable, notForUs),
        (#"{"kty":"new"}"#, .unsuitable, notForUs),
        (#"{"kty":"RSA","alg":"RS512","n":"AA","e":"AQAB"}"#, .unsuitable, notForUs),
        (#"{"kty":"RSA","alg":"RSA-OAEP","n":"AA","e":"AQAB"}"#, .unsuitable, notForUs),
        (#"{"kty":"OKP","crv":"X25519"}"#, .unsuitable, notForUs),
        ("{\(edwards),\"alg\":\"ES256\"}", .unsuitable, notForUs),
        (
            #"{"kty":"RSA","use":"enc","n":"AA","e":"AQAB"}"#, .unsuitable,
            "`keys[0].use` is not `sig`"
        ),
        (
            #"{"kty":"RSA","key_ops":["wrapKey"],"n":"AA","e":"AQAB"}"#, .unsuitable,
            "`keys[0].key_ops` is without `verify`"
        ),
        ("{}", .malformed, "`keys[0].kty` is missing: expected a string"),
        ("7", .malformed, "`keys[0]` must be an object, found a number"),
        ("null", .malformed, "`keys[0]` must be an object, found null"),
        (#"{"kty":7}"#, .malformed, "`keys[0].kty` must be a string, found a number"),
        (#"{"kty":"RSA","e":"AQAB"}"#, .malformed, "`keys[0].n` is missing: expected a string"),
        (
            #"{"kty":"OKP","x":"AA"}"#, .malformed,
            "`keys[0].crv` is missing: expected a string"
        ),
        (
            "{\(edwards),\"kid\":7}", .malformed,
            "`keys[0].kid` must be a string, found a number"
        ),
        (
            "{\(edwards),\"key_ops\":\"verify\"}", .malformed,
            "`keys[0].key_ops` must be an array, found a string"
        ),
        (
            "{\(edwards),\"use\":[\"sig\"]}", .malformed,
            "`keys[0].use` must be a string, found an array"
        ),
        (
            "{\(edwards),\"kid\":\"a\",\"kid\":\"b\"}", .malformed,
            "`keys[0]` has two members of the same name"
        ),
        (
            #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo="}"#,
            .malformed, "`keys[0].x` must be base64url without padding"
        ),
        (
            #"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, .unsound,
            "`keys[0]`: Invalid key: an RSA key has 17 bits, not 2048 to 8192"
        ),
        (
            "{\"kty\":\"RSA\",\"n\":\"AA\(number)\",\"e\":\"AQAB\"}", .unsound,
            "`keys[0]`: Invalid key: an RSA modulus is odd and has no leading zero"
        ),
        (
            #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#, .unsound,
            "`keys[0]`: Invalid key: a P-256 coordinate has 32 bytes"
        ),
        (
            #"{"kty":"OKP","crv":"Ed25519","x":"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#,
            .unsound, "`keys[0]`: Invalid key: an Ed25519 key for which anybody can sign"
        ),
        ("{\(edwards),\"d\":\"AAAA\"}", .isPrivate, "`keys[0]` is not a public key: it has `d`"),
        (#"{"kty":"oct","k":"AAAA"}"#, .isPrivate, "`keys[0]` is not a public key: it has `k`"),
    ]
    private static let notForUs = "`keys[0]` is not for RS256, ES256 or EdDSA"

    @Test("all usable keys are parsed, with their ids")
    func usable() throws {
        let keys = try JSONWebKeySet(parsing: Array(SignedFixtures.keySet.utf8)).keys
        #expect(keys.map(\.id) == ["r", "e", "o"])
        #expect(keys.map { SignatureAlgorithm(of: $0.key) } == [.rs256, .es256, .edDSA])
        let unnamed = try read("{\"keys\":[{\(Self.edwards)}]}").get()
        #expect(unnamed.keys.map(\.id) == [nil] && unnamed.ignored.isEmpty)
    }

    @Test(
        "an unusable key is ignored and its reason reported, and the usable keys are used",
        arguments: odd)
    func ignored(key: String, reason: IgnoredKey.Reason, told: String) throws {
        let set = try read("{\"keys\":[\(key),{\(Self.edwards)}]}").get()
        #expect(set.keys.count == 1)
        #expect(set.ignored == [IgnoredKey(reason, told)])
        #expect(sentences("{\"keys\":[\(key)]}") == [Self.noKey, told])
    }

    @Test("a key with half a surrogate pair or an out-of-range number invalidates no other key")
    func oddValues() throws {
        let odd = #"{"kty":"new","kid":"\ud800"},{"kty":"new","x":1e999}"#
        let names = #""kid":"\ud83d\ud83d","x-of-theirs":-1e999"#
        let set = try read("{\"keys\":[\(odd),{\(Self.edwards),\(names)},{\(Self.curve)}]}").get()
        #expect(set.keys.count == 2)
        #expect(set.ignored.map(\.reason) == [.unsuitable, .unsuitable])
    }

    @Test("keys may share an id; duplicates and keys beyond the number tried per token are ignored")
    func duplicates() throws {
        let (edwards, curve) = (Self.edwards, Self.curve)
        let set = try read(
            """
            {"keys": [{\(edwards), "kid": "a"}, {\(curve), "kid": "a"}, {\(edwards)},
              {\(edwards), "kid": "a", "use": "sig"}]}
            """
        ).get()
        #expect(set.keys.map(\.id) == ["a", "a", nil])
        #expect(set.ignored == [IgnoredKey(.duplicate, "`keys[3]` is a duplicate")])
        let many = (0..<10).map { number in
            // 32 bytes, different each time.
            "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"a\",\"x\":\""
                + Base64URL.text([UInt8](repeating: 7, count: 31) + [UInt8(number)]) + "\"}"
        }
        let crowd = try read("{\"keys\":[\(many.joined(separator: ","))]}").get()
        #expect(crowd.keys.count == TokenVerifier.keysTried)
        #expect(crowd.ignored.map(\.reason) == [.duplicate, .duplicate])
    }

    @Test(
        "a document that is not a key set is refused as a whole",
        arguments: [
            (#"{"keys":{}}"#, "`keys` must be an array, found an object"),
            (#"{}"#, "`keys` is missing: expected an array"),
            (#"[]"#, "The document must be an object, found an array"),
            (#"{"keys":[]}"#, noKey),
            (#"{"keys":[],"keys":[]}"#, "The document has two members of the same name"),
            (#"{"keys":[}"#, "Not valid JSON at byte 9: expected a value"),
        ])
    func malformed(text: String, sentence: String) {
        #expect(sentences(text) == [sentence])
    }

    @Test("a set with too many keys is refused")
    func tooMany() {
        let keys = [String](repeating: "{\(Self.edwards)}", count: 101).joined(separator: ",")
        #expect(sentences("{\"keys\":[\(keys)]}") == ["`keys` has more than 100 elements"])
    }
}
