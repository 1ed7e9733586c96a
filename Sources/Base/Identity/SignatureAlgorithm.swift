package import Crypto

/// The algorithms of RFC 7518 and RFC 8037 that are accepted; raw values are those of `alg`.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"

    /// The algorithm of a public key; every key has exactly one.
    package init(of key: VerificationKey) {
        switch key.algorithm {
        case .rsaSHA256: self = .rs256
        case .p256SHA256: self = .es256
        case .ed25519: self = .edDSA
        }
    }
}
