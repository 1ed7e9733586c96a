import Crypto
import JSON
import PasskeySupport
import Testing

@testable import Credentials

@Suite("WebAuthn assertions") struct AssertionTests {
    private func known(
        _ passkey: SoftPasskey, counter: UInt32 = 1, isBackupEligible: Bool = false
    ) throws -> RegisteredCredential {
        RegisteredCredential(
            id: passkey.id, key: try CredentialKey(try passkey.pair.coseKey().encoded),
            counter: counter, isBackupEligible: isBackupEligible)
    }

    private func verify(
        _ passkey: SoftPasskey, as credential: RegisteredCredential
    ) throws -> VerifiedAssertion {
        try site.verify(
            AssertionResponse(JSONField(try passkey.assertion(challenge), path: "credential")),
            of: credential, to: challenge)
    }

    @Test(
        "the standard's examples are verified, and refused with one byte changed",
        arguments: KnownExample.all)
    func examples(_ example: KnownExample) throws {
        let party = RelyingParty(id: "example.org", origins: ["https://example.org"])
        let made = try party.newCredential(
            RegistrationResponse(JSONField(example.registration)),
            to: hexadecimal(example.registrationChallenge))
        let credential = RegisteredCredential(
            id: made.id, key: made.key, counter: made.counter,
            isBackupEligible: made.isBackupEligible)
        let challenge = hexadecimal(example.challenge)
        let verified = try party.verify(
            AssertionResponse(JSONField(example.assertion)), of: credential, to: challenge)
        #expect(verified.counter == 0)
        var signature = hexadecimal(example.signature)
        signature[signature.count - 1] ^= 1
        #expect(throws: WebAuthnRefusal.wrongSignature) {
            try party.verify(
                AssertionResponse(JSONField(example.assertion(signature: signature))),
                of: credential, to: challenge)
        }
    }

    @Test("assertions of each algorithm are verified", arguments: CredentialKey.Algorithm.allCases)
    func algorithms(_ algorithm: CredentialKey.Algorithm) throws {
        var passkey = try passkey(algorithm)
        let credential = try known(passkey)
        passkey.counter = 2
        passkey.userHandle = Array("somebody".utf8)
        let verified = try verify(passkey, as: credential)
        #expect(verified.counter == 2 && verified.isUserVerified && !verified.isBackedUp)
        let other = try self.passkeyOfAnother(algorithm, like: passkey)
        #expect(throws: WebAuthnRefusal.wrongSignature) { try verify(other, as: credential) }
    }

    private func passkeyOfAnother(
        _ algorithm: CredentialKey.Algorithm, like passkey: SoftPasskey
    ) throws -> SoftPasskey {
        var other = try SoftPasskey(
            algorithm, relyingParty: passkey.relyingParty, origin: passkey.origin)
        other.id = passkey.id
        other.counter = passkey.counter
        return other
    }

    @Test("an assertion of one algorithm is refused for a key of another")
    func algorithmConfusion() throws {
        for (signing, stored) in [
            (CredentialKey.Algorithm.es256, CredentialKey.Algorithm.edDSA),
            (.edDSA, .es256), (.rs256, .es256), (.es256, .rs256),
        ] {
            var passkey = try passkey(signing)
            passkey.counter = 2
            let other = try self.passkey(stored, id: passkey.id)
            #expect(throws: WebAuthnRefusal.wrongSignature) {
                try verify(passkey, as: try known(other))
            }
        }
    }

    private func passkey(
        _ algorithm: CredentialKey.Algorithm, id: [UInt8]
    ) throws -> SoftPasskey {
        var passkey = try CredentialsTests.passkey(algorithm)
        passkey.id = id
        return passkey
    }

    private func passkey(_ algorithm: CredentialKey.Algorithm) throws -> SoftPasskey {
        try CredentialsTests.passkey(algorithm)
    }

    @Test("the counter must rise, or stay at zero")
    func counter() throws {
        var passkey = try passkey(.es256)
        for (before, now, isAccepted) in [
            (UInt32(0), UInt32(0), true), (0, 1, true), (5, 6, true), (5, 500, true),
            (5, 5, false), (5, 4, false), (5, 0, false), (.max, 0, false),
        ] {
            passkey.counter = now
            let credential = try known(passkey, counter: before)
            if isAccepted {
                #expect(try verify(passkey, as: credential).counter == now)
            } else {
                #expect(throws: WebAuthnRefusal.counterWentBack) {
                    try verify(passkey, as: credential)
                }
            }
        }
    }

    @Test("an assertion for another site or credential is refused")
    func foreign() throws {
        try expect(.wrongCeremony) { $0.type = "webauthn.create" }
        try expect(.wrongOrigin) { $0.origin = "https://evil.example" }
        try expect(.crossOrigin) { $0.clientData = ["crossOrigin": true] }
        try expect(.wrongRelyingParty) { $0.relyingParty = "evil.example" }
        try expect(.userAbsent) { $0.flags = 0x00 }
        try expect(.wrongCredential) { $0.id = [1, 2, 3] }
        try expect(.malformed("authenticatorData", expected: "as long as its flags say")) {
            $0.extensions = [0xA0]
        }
    }

    @Test("a credential may become eligible for backup, but never lose its eligibility")
    func backupEligibility() throws {
        var passkey = try passkey(.es256)
        passkey.counter = 2
        for (before, flags) in [(false, UInt8(0x05)), (false, 0x0D), (false, 0x1D), (true, 0x1D)] {
            passkey.flags = flags
            let credential = try known(passkey, isBackupEligible: before)
            let verified = try verify(passkey, as: credential)
            #expect(verified.isBackupEligible == (flags & 0x08 != 0))
            #expect(verified.isBackedUp == (flags & 0x10 != 0))
        }
        passkey.flags = 0x05
        let credential = try known(passkey, isBackupEligible: true)
        #expect(
            throws: WebAuthnRefusal.malformed(
                "authenticatorData", expected: "from a credential that may be backed up as before")
        ) { try verify(passkey, as: credential) }
    }

    @Test("an empty user handle counts as missing")
    func emptyUserHandle() throws {
        var passkey = try passkey(.es256)
        passkey.userHandle = []
        let answer = try AssertionResponse(
            JSONField(try passkey.assertion(challenge), path: "credential"))
        #expect(answer.userHandle == nil)
    }

    private func expect(
        _ refusal: WebAuthnRefusal, _ change: (inout SoftPasskey) -> Void
    ) throws {
        var passkey = try passkey(.es256)
        let credential = try known(passkey)
        passkey.counter = 2
        change(&passkey)
        #expect(throws: refusal) { try verify(passkey, as: credential) }
    }

    @Test("unrequested extensions are ignored")
    func extensions() throws {
        var passkey = try passkey(.es256)
        let credential = try known(passkey)
        passkey.counter = 2
        passkey.flags = 0x85
        let secret = CBORWriter.bytes([UInt8](repeating: 7, count: 48))
        for answers: [(CBORWriter, CBORWriter)] in [
            [(.text("unheardOf"), .int(1))],
            [(.text("hmac-secret"), secret)],
            [(.text("credBlob"), .bytes([]))],
            [(.text("credBlob"), .bytes([1, 2]))],
            [(.text("credBlob"), .bytes([1])), (.text("hmac-secret"), secret)],
            [(.text("credProtect"), .int(2)), (.text("largeBlobKey"), secret)],
            [(.text("uvm"), .array([.array([.int(2), .int(4), .int(2)])]))],
        ] {
            passkey.extensions = CBORWriter.map(answers).encoded
            #expect(throws: Never.self, "\(answers)") { try verify(passkey, as: credential) }
            var other = passkey
            other.extensions = []
            other.flags = 0x05
            #expect(throws: Never.self) { try verify(other, as: credential) }
        }
    }
}
