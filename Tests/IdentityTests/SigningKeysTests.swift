import Crypto
import Foundation
import JSON
import TestSupport
import Testing

@testable import Identity

@Suite("Access tokens and signing keys")
struct SigningKeysTests {
    private static let now: Int64 = 1_800_000_000
    private let path: String
    private let tokens: AccessTokens

    init() throws {
        path = NSTemporaryDirectory() + "signing-keys-\(UUID().uuidString)"
        try SigningKeys.create(path)
        tokens = AccessTokens(
            issuer: "https://family.test", keys: try SigningKeys(path: path))
    }

    private var draft: AccessTokens.Draft {
        AccessTokens.Draft(
            subject: "11111111-1111-4111-8111-111111111111",
            session: "22222222-2222-4222-8222-222222222222", signedInAt: Self.now - 100,
            methods: ["otp"])
    }

    private func verify(_ token: String) throws -> VerifiedToken {
        try TokenVerifier([tokens.trusted]).verify(token, now: Self.now + 1)
    }

    @Test("creating a first key never replaces an existing file")
    func created() throws {
        defer { unlink(path) }
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let failure = #expect(throws: SigningKeys.Mistake.self) {
            try SigningKeys.create(path)
        }
        #expect(failure?.description.hasPrefix("\(path): the file already exists") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(!FileManager.default.fileExists(atPath: path + ".new"))
        let missing = #expect(throws: SigningKeys.Mistake.self) {
            try SigningKeys.create("/none/keys.pem")
        }
        #expect(missing?.description == "/none/keys.pem: No such file or directory")
        let unread = #expect(throws: SigningKeys.Mistake.self) {
            try SigningKeys(path: "/none/keys.pem")
        }
        #expect(unread?.description == "No such file or directory")
    }

    @Test("an access token contains the subject, the session and the audience")
    func claims() throws {
        defer { unlink(path) }
        let token = try tokens.token(draft, now: Self.now)
        let verified = try verify(token)
        #expect(verified.subject == draft.subject && verified.session?.id == draft.session)
        #expect(verified.session?.actor == nil && verified.bearer == .person)
        #expect(verified.expiresAt == Self.now + 600)
        let parts = token.split(separator: ".").map { Base64URL.decode(String($0)) ?? [] }
        let header = JSONField(try JSONValue(parsing: parts[0]))
        #expect(try header["typ"].string() == "at+jwt")
        #expect(try header["alg"].string() == "ES256")
        let claims = JSONField(try JSONValue(parsing: parts[1]))
        #expect(try claims["aud"].string() == "hearth")
        #expect(try claims["iss"].string() == "https://family.test")
        #expect(try claims["role"].string() == "authenticated")
        #expect(try claims["auth_time"].integer() == Self.now - 100)
        let methods = try claims["amr"].elements().map { try $0.string() }
        #expect(methods == ["otp"])
        #expect(throws: TokenRefusal.expired) {
            try TokenVerifier([tokens.trusted]).verify(token, now: Self.now + 600)
        }
    }

    @Test("an access token with another type, key, algorithm or audience is refused")
    func forged() throws {
        defer { unlink(path) }
        let key = tokens.keys.newest
        let payload = try #require(
            try tokens.token(draft, now: Self.now).split(separator: ".").dropFirst().first)
        func forge(_ header: String, _ sign: ([UInt8]) throws -> [UInt8]) rethrows -> String {
            let signed = Base64URL.text(Array(header.utf8)) + "." + payload
            return signed + "." + Base64URL.text(try sign(Array(signed.utf8)))
        }
        let ownKey = #""alg":"ES256","kid":"\#(key.id)""#
        let plain = try forge(#"{"typ":"JWT",\#(ownKey)}"#) { try key.key.sign($0) }
        #expect(throws: TokenRefusal.malformed("typ")) { try verify(plain) }
        let untyped = try forge("{\(ownKey)}") { try key.key.sign($0) }
        #expect(throws: TokenRefusal.malformed("typ")) { try verify(untyped) }
        let stranger = try SigningKey.generate()
        let foreign = try forge(#"{"typ":"at+jwt",\#(ownKey)}"#) { try stranger.sign($0) }
        #expect(throws: TokenRefusal.badSignature) { try verify(foreign) }
        let unknown = try forge(#"{"typ":"at+jwt","alg":"ES256","kid":"x"}"#) {
            try stranger.sign($0)
        }
        #expect(throws: TokenRefusal.unknownKey) { try verify(unknown) }
        // The public key used as a secret: algorithm confusion.
        let secret = try HMACKey(key.key.x + key.key.y)
        let confused = try forge(#"{"typ":"at+jwt","alg":"HS256","kid":"\#(key.id)"}"#) {
            try secret.authenticate($0)
        }
        #expect(throws: TokenRefusal.algorithmNotAllowed) { try verify(confused) }
        let none = forge(#"{"typ":"at+jwt","alg":"none"}"#) { _ in [] }
        #expect(throws: TokenRefusal.algorithmNotAllowed) { try verify(none) }
        var elsewhere = draft
        elsewhere.audience = "votes"
        let audience = try tokens.token(elsewhere, now: Self.now)
        #expect(throws: TokenRefusal.wrongAudience) { try verify(audience) }
    }

    @Test(
        "after a rotation the newest key signs, and the two keys before it still verify")
    func rotated() throws {
        defer { unlink(path) }
        let old = try tokens.token(draft, now: Self.now)
        // Another process, which has not read the file since.
        let elsewhere = AccessTokens(issuer: tokens.issuer, keys: try SigningKeys(path: path))
        let verifier = TokenVerifier([elsewhere.trusted])
        #expect(try SigningKeys.rotate(path, keeping: 2) == 2)
        guard case .renewed(keyCount: 2)? = tokens.keys.reload() else {
            Issue.record("not renewed")
            return
        }
        #expect(tokens.keys.reload() == nil)
        let new = try tokens.token(draft, now: Self.now)
        #expect(old.prefix { $0 != "." } != new.prefix { $0 != "." })
        for token in [old, new] {
            #expect(try verify(token).subject == draft.subject)
            #expect(try verifier.verify(token, now: Self.now + 1).subject == draft.subject)
        }
        #expect(try SigningKeys.rotate(path, keeping: 2) == 3)
        #expect(try SigningKeys.rotate(path, keeping: 2) == 3)
        tokens.keys.reload()
        #expect(throws: TokenRefusal.unknownKey) { try verify(old) }
        #expect(try verify(new).subject == draft.subject)
    }

    @Test("a key's file records when the key was created, and a rotation keeps earlier keys' times")
    func creation() throws {
        defer { unlink(path) }
        unlink(path)
        try SigningKeys.create(path, now: 1_790_000_000)
        let keys = try SigningKeys(path: path)
        #expect(keys.createdAt == 1_790_000_000)
        let first = try String(contentsOfFile: path, encoding: .utf8)
        #expect(first.hasPrefix("Created: 2026-09-21T14:13:20Z\n-----BEGIN PRIVATE KEY-----\n"))
        _ = try SigningKeys.rotate(path, keeping: 2, now: 1_800_000_000)
        keys.reload()
        #expect(keys.createdAt == 1_800_000_000)
        let both = try String(contentsOfFile: path, encoding: .utf8)
        #expect(both.hasPrefix("Created: 2027-01-15T08:00:00Z\n") && both.hasSuffix(first))
    }

    @Test(
        "a key without a valid creation line is as old as the file's last change",
        arguments: ["", "Created: yesterday\n", "Created: 2026-13-21T14:13:20Z\n"])
    func unknownCreation(_ line: String) throws {
        defer { unlink(path) }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let key = text.drop { $0 != "\n" }.dropFirst()
        try (line + key).write(toFile: path, atomically: false, encoding: .utf8)
        let changed = 1_700_000_000
        let times = Array(repeating: timespec(tv_sec: changed, tv_nsec: 0), count: 2)
        #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
        let keys = try SigningKeys(path: path)
        #expect(keys.createdAt == changed)
        #expect(keys.newest.id == tokens.keys.newest.id)
    }

    @Test("the published key set verifies access tokens and contains nothing private")
    func published() throws {
        defer { unlink(path) }
        let set = try JSONWebKeySet(parsing: tokens.keys.published)
        #expect(set.keys.count == 1 && set.ignored.isEmpty)
        let issuer = Issuer(
            name: "https://family.test", kind: .generic, audiences: ["hearth"],
            keys: IssuerKeys(publicKeys: set.keys))
        let token = try tokens.token(draft, now: Self.now)
        #expect(try TokenVerifier([issuer]).verify(token, now: Self.now).subject == draft.subject)
    }

    @Test("the key set with times says when each key was created, and contains nothing private")
    func publishedTimes() throws {
        defer { unlink(path) }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        // Without its line, the key is as old as the file's last change.
        try String(text.drop { $0 != "\n" }.dropFirst()).write(
            toFile: path, atomically: false, encoding: .utf8)
        let times = Array(repeating: timespec(tv_sec: 1_700_000_000, tv_nsec: 0), count: 2)
        #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
        let first = try SigningKeys(path: path)
        #expect(
            String(decoding: first.publishedWithTimes, as: UTF8.self)
                .contains("\"createdAt\":1700000000"))
        _ = try SigningKeys.rotate(path, keeping: 2, now: 1_800_000_000)
        let keys = try SigningKeys(path: path).publishedWithTimes
        let set = try JSONWebKeySet(parsing: keys)
        #expect(set.keys.count == 2 && set.ignored.isEmpty)
        let json = String(decoding: keys, as: UTF8.self)
        #expect(json.contains("\"createdAt\":1800000000") && json.contains("\"createdAt\":null"))
        #expect(!String(decoding: tokens.keys.published, as: UTF8.self).contains("createdAt"))
    }

    @Test("a program that has only the public keys verifies access tokens of these keys")
    func verifiedByPublicKeys() throws {
        let otherPath = path + ".other"
        defer {
            unlink(path)
            unlink(otherPath)
        }
        let set = try JSONWebKeySet(parsing: tokens.keys.publishedWithTimes)
        let verifier = TokenVerifier([
            AccessTokens.trusted(issuer: tokens.issuer, publicKeys: set.keys)
        ])
        let verified = try verifier.verify(tokens.token(draft, now: Self.now), now: Self.now)
        #expect(verified.session?.id == draft.session)
        try SigningKeys.create(otherPath)
        let others = AccessTokens(
            issuer: tokens.issuer, keys: try SigningKeys(path: otherPath))
        let foreign = try others.token(draft, now: Self.now)
        #expect(throws: TokenRefusal.unknownKey) { try verifier.verify(foreign, now: Self.now) }
    }

    @Test("a key file is readable by its owner only; a broken one leaves the earlier keys in use")
    func file() throws {
        defer { unlink(path) }
        var rights = stat()
        #expect(stat(path, &rights) == 0 && rights.st_mode & 0o777 == 0o600)
        try Data("no key".utf8).write(to: URL(fileURLWithPath: path))
        guard case .failed? = tokens.keys.reload() else {
            Issue.record("not failed")
            return
        }
        _ = try verify(try tokens.token(draft, now: Self.now))
        #expect(!SigningKeys.problems(path).isEmpty)
    }
}
