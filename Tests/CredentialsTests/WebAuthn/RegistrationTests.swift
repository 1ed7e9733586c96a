import Crypto
import JSON
import PasskeySupport
import Testing

@testable import Credentials

/// The relying party of these tests.
let site = RelyingParty(
    id: "family.example.com",
    origins: ["https://family.example.com", "android:apk-key-hash:c2l4dGVlbiBieXRlcyBvciBzbw"])

func passkey(_ algorithm: CredentialKey.Algorithm = .es256) throws -> SoftPasskey {
    try SoftPasskey(algorithm, relyingParty: site.id, origin: "https://family.example.com")
}

let challenge: [UInt8] = Array("a challenge that nobody foresees".utf8)

@Suite("WebAuthn registration") struct RegistrationTests {
    private func register(
        _ passkey: SoftPasskey, userVerification: Bool = false
    ) throws -> NewCredential {
        try site.newCredential(
            RegistrationResponse(
                JSONField(try passkey.registration(challenge), path: "credential")),
            to: challenge, userVerification: userVerification)
    }

    @Test("the standard's examples are accepted", arguments: KnownExample.all)
    func examples(_ example: KnownExample) throws {
        let party = RelyingParty(id: "example.org", origins: ["https://example.org"])
        let made = try party.newCredential(
            RegistrationResponse(JSONField(example.registration)),
            to: hexadecimal(example.registrationChallenge))
        #expect(made.id == hexadecimal(example.id))
        #expect(made.counter == 0)
        #expect(made.key.algorithm == (example.name == "packedEdDSA" ? .edDSA : .es256))
    }

    @Test("keys of each algorithm are accepted", arguments: CredentialKey.Algorithm.allCases)
    func algorithms(_ algorithm: CredentialKey.Algorithm) throws {
        let passkey = try passkey(algorithm)
        let made = try register(passkey)
        #expect(made.id == passkey.id)
        #expect(made.key.encoded == (try passkey.pair.coseKey().encoded))
        #expect(try CredentialKey(made.key.encoded) == made.key)
        #expect(made.counter == 1 && made.isUserVerified && !made.isBackupEligible)
        #expect(made.transports == ["internal", "hybrid"])
    }

    @Test("an app's origin, extensions, backups and long ids are accepted")
    func variety() throws {
        var passkey = try passkey()
        passkey.origin = "android:apk-key-hash:c2l4dGVlbiBieXRlcyBvciBzbw"
        passkey.flags = 0x9D
        passkey.extensions = CBORWriter.map([(.text("credProtect"), .int(2))]).encoded
        passkey.id = [UInt8](repeating: 7, count: 1023)
        passkey.clientData = ["somethingNew": ["deep": [1, 2.5]]]
        passkey.format = "tpm"
        passkey.statement = .map([
            (.text("ver"), .text("2.0")), (.text("x5c"), .array([.bytes([1])])),
        ])
        let made = try register(passkey)
        #expect(made.isBackupEligible && made.isBackedUp && made.id.count == 1023)
    }

    @Test("a registration for another site or challenge is refused")
    func foreign() throws {
        try expect(.wrongCeremony) { $0.type = "webauthn.get" }
        try expect(.wrongOrigin) { $0.origin = "https://family.example.com.evil.example" }
        try expect(.wrongOrigin) { $0.origin = "https://family.example.com:8443" }
        try expect(.wrongOrigin) { $0.origin = "http://family.example.com" }
        try expect(.wrongOrigin) { $0.origin = "https://family.example.com/" }
        try expect(.crossOrigin) { $0.clientData = ["crossOrigin": true] }
        try expect(.crossOrigin) { $0.clientData = ["topOrigin": "https://evil.example"] }
        try expect(.wrongRelyingParty) { $0.relyingParty = "example.com" }
        try expect(.userAbsent) { $0.flags = 0x04 }
        let passkey = try passkey()
        let answer = try RegistrationResponse(
            JSONField(try passkey.registration([UInt8](repeating: 1, count: 32))))
        #expect(throws: WebAuthnRefusal.wrongChallenge) {
            try site.newCredential(answer, to: challenge)
        }
        var unverified = passkey
        unverified.flags = 0x01
        #expect(throws: WebAuthnRefusal.userUnverified) {
            try register(unverified, userVerification: true)
        }
        #expect(try !register(unverified).isUserVerified)
    }

    @Test("a contradictory registration is refused")
    func contradictions() throws {
        try expect(malformed: "attestationObject") {
            $0.statement = .map([(.text("alg"), .int(-7))])
        }
        try expect(malformed: "attestationObject") { $0.format = "" }
        try expect(malformed: "attestationObject") { $0.statement = .int(1) }
        try expect(malformed: "authenticatorData") { $0.flags = 0x11 }
        try expect(malformed: "authenticatorData") { $0.flags = 0x85 }
        try expect(malformed: "authenticatorData") { $0.extensions = [0xA0] }
        try expect(malformed: "authenticatorData") {
            $0.flags = 0x85
            $0.extensions = [0x01]
        }
        try expect(malformed: "credential.id") { $0.id = [] }
        try expect(malformed: "credential.id") { $0.id = [UInt8](repeating: 1, count: 1024) }
        try expect(malformed: "credential.response.clientDataJSON") {
            $0.clientData = ["padding": .string(String(repeating: "x", count: 4096))]
        }
        try expect(malformed: "clientDataJSON") { $0.clientData = ["type": "webauthn.create"] }
        try expect(malformed: "clientDataJSON.crossOrigin") {
            $0.clientData = ["crossOrigin": "no"]
        }
    }

    private func expect(
        _ refusal: WebAuthnRefusal, _ change: (inout SoftPasskey) -> Void
    ) throws {
        var passkey = try passkey()
        change(&passkey)
        #expect(throws: refusal) { try register(passkey) }
    }

    private func expect(
        malformed part: String, _ change: (inout SoftPasskey) -> Void
    ) throws {
        var passkey = try passkey()
        change(&passkey)
        let refusal = try #require(throws: WebAuthnRefusal.self) { try register(passkey) }
        guard case .malformed(part, _) = refusal else {
            Issue.record("\(refusal.debugDescription), not \(part)")
            return
        }
    }
}
