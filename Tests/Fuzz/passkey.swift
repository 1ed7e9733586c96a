import JSON
@testable import Credentials

// Fuzzes responses of authenticators and browsers. Unsigned data must never be accepted.

private let party = RelyingParty(id: "example.org", origins: ["https://example.org"])

/// A public key whose private key is unknown here.
private let key = try? CredentialKey(
    [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + [
        0xAF, 0xEF, 0xA1, 0x6F, 0x97, 0xCA, 0x9B, 0x2D, 0x23, 0xEB, 0x86, 0xCC, 0xB6, 0x40, 0x98,
        0xD2, 0x0D, 0xB9, 0x08, 0x56, 0x06, 0x2E, 0xB2, 0x49, 0xC3, 0x3A, 0x9B, 0x67, 0x2F, 0x26,
        0xDF, 0x61,
    ] + [0x22, 0x58, 0x20] + [
        0x93, 0x0A, 0x56, 0xB8, 0x7A, 0x2F, 0xCA, 0x66, 0x33, 0x4B, 0x03, 0x45, 0x8A, 0xBF, 0x87,
        0x97, 0x17, 0xC1, 0x2C, 0xC6, 0x8E, 0xD7, 0x32, 0x90, 0xAF, 0x2E, 0x26, 0x64, 0x79, 0x6B,
        0x92, 0x20,
    ])

/// Entry point that libFuzzer calls with each input; the first byte selects the kind of the rest.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPasskey(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let all = Input(start, count).bytes
    guard let first = all.first else { return 0 }
    let bytes = Array(all.dropFirst())
    switch first % 6 {
    case 0:
        guard let (_, end) = try? CBORReader.item(in: bytes) else { return 0 }
        mustHold((1...bytes.count).contains(end), "an item lies in its bytes")
    case 1:
        guard let object = try? AttestationObject(bytes) else { return 0 }
        check(object.data)
    case 2:
        guard let data = try? AuthenticatorData(bytes) else { return 0 }
        check(data)
    case 3:
        guard let data = try? ClientData(bytes) else { return 0 }
        mustHold(data.challenge.count >= 16, "challenges are long")
    case 4:
        guard let made = try? CredentialKey(bytes) else { return 0 }
        mustHold((try? CredentialKey(made.encoded)) == made, "a key is read as itself")
    default: answer(bytes)
    }
    return 0
}

private func check(_ data: AuthenticatorData) {
    guard let made = data.attested else { return }
    mustHold((1...1023).contains(made.credentialID.count), "ids are bounded")
    mustHold((try? CredentialKey(made.key.encoded)) == made.key, "a key is read as itself")
}

/// Parses the JSON of a credential.
private func answer(_ bytes: [UInt8]) {
    guard let key, let json = try? JSONValue(parsing: bytes) else { return }
    _ = try? RegistrationResponse(JSONField(json))
    guard let answer = try? AssertionResponse(JSONField(json)) else { return }
    let credential = RegisteredCredential(
        id: answer.credentialID, key: key, counter: 0,
        isBackupEligible: answer.data.flags.contains(.backupEligible))
    let verified = try? party.verify(answer, of: credential, to: answer.clientData.challenge)
    mustHold(verified == nil, "an answer must be signed")
}
