import Crypto
@testable import Identity

// Fuzzes bearer tokens: one without a valid signature must never be accepted.

private let verifier: TokenVerifier? = {
    guard let secret = try? HMACKey(Array("an-hs256-secret-that-nobody-else-knows".utf8)) else {
        return nil
    }
    return TokenVerifier([
        Issuer(
            name: "https://issuer.example.com", kind: .supabase, audiences: ["authenticated"],
            isPrimary: true, keys: IssuerKeys(secret: secret))
    ])
}()

/// Entry point that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzToken(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Input(start, count)
    let believed = try? verifier?.verify(input.bytes, now: 1_800_000_000)
    mustHold(believed == nil, "a token must be signed")
    return 0
}
