import Crypto
@testable import Identity

// Fuzzes signed tokens with unusual claims, for each kind of issuer in turn.

private let secret = try? HMACKey(Array("an-hs256-secret-that-nobody-else-knows".utf8))

/// Entry point that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzClaims(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Input(start, count).bytes
    guard let secret, let first = bytes.first else { return 0 }
    let kinds = Issuer.Kind.allCases
    let issuer = Issuer(
        name: "https://issuer.example.com", kind: kinds[Int(first) % kinds.count],
        audiences: ["hearth"], isPrimary: first & 0x80 != 0, confirmsEmails: first & 0x40 != 0,
        keys: IssuerKeys(secret: secret))
    var token = Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8))
    token.append(UInt8(ascii: "."))
    token += Base64URL.encode(Array(bytes.dropFirst()))
    guard let signature = try? secret.authenticate(token) else { return 0 }
    token.append(UInt8(ascii: "."))
    token += Base64URL.encode(signature)
    let believed = try? TokenVerifier([issuer]).verify(token, now: 1_800_000_000)
    if let believed {
        mustHold(believed.expiresAt > 1_800_000_000, "an expired token is refused")
        mustHold(believed.bearer != .person || !believed.subject.isEmpty, "people have names")
    }
    return 0
}
