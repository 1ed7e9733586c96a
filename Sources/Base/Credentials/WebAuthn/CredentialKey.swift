import Crypto

/// The public key of a credential, valid and with an accepted algorithm.
package struct CredentialKey: Sendable, Equatable {
    /// The accepted algorithms by their COSE numbers, the preferred one first.
    package enum Algorithm: Int, Sendable, CaseIterable {
        /// ECDSA on P-256 with SHA-256.
        case es256 = -7
        /// Ed25519.
        case edDSA = -8
        /// RSASSA-PKCS1-v1_5 with SHA-256, with 2048 bits.
        case rs256 = -257
    }

    static let limitBytes = 1024

    package let algorithm: Algorithm
    /// The COSE_Key (RFC 9052 section 7), as the authenticator wrote it.
    package let encoded: [UInt8]
    /// The key's numbers, big-endian: the point's coordinates, or modulus and exponent.
    let numbers: [[UInt8]]

    /// Parses a COSE_Key that fills all of `encoded`.
    package init(_ encoded: [UInt8]) throws(WebAuthnRefusal) {
        guard encoded.count <= Self.limitBytes,
            let map = (try? CBORReader.document(encoded))?.map
        else { throw Self.malformed }
        try self.init(map, encoded: encoded)
    }

    init(_ map: CBORMap, encoded: [UInt8]) throws(WebAuthnRefusal) {
        guard let type = map[Label.type]?.integer, let number = map[Label.algorithm]?.integer
        else { throw Self.malformed }
        guard let algorithm = Int(exactly: number).flatMap(Algorithm.init) else {
            throw .unknownAlgorithm
        }
        self.algorithm = algorithm
        self.encoded = encoded
        switch (algorithm, type) {
        case (.es256, 2):
            // The curve is P-256.
            guard map.entries.count == 5, map[Label.first]?.integer == 1 else {
                throw Self.malformed
            }
            numbers = try Self.numbers(map, [Label.second, Label.third])
        case (.edDSA, 1):
            // The curve is Ed25519.
            guard map.entries.count == 4, map[Label.first]?.integer == 6 else {
                throw Self.malformed
            }
            numbers = try Self.numbers(map, [Label.second])
        case (.rs256, 3):
            guard map.entries.count == 4 else { throw Self.malformed }
            numbers = try Self.numbers(map, [Label.first, Label.second])
        default: throw Self.malformed
        }
        try requireValidKey()
    }

    private func requireValidKey() throws(WebAuthnRefusal) {
        do throws(CryptoError) {
            switch algorithm {
            case .es256: _ = try VerificationKey.p256(x: numbers[0], y: numbers[1])
            case .edDSA: _ = try VerificationKey.ed25519(numbers[0])
            case .rs256: _ = try VerificationKey.rsa(modulus: numbers[0], exponent: numbers[1])
            }
        } catch {
            throw .unsoundKey(error.code == .invalidKey ? error.context : "\(error)")
        }
        // libfido2 verifies no other RSA keys.
        if algorithm == .rs256, numbers[0].count != 256 || numbers[1].count != 3 {
            throw .unsoundKey("an RSA key must have 2048 bits and an exponent of three bytes")
        }
    }

    private static func numbers(
        _ map: CBORMap, _ labels: [Int64]
    ) throws(WebAuthnRefusal) -> [[UInt8]] {
        var numbers: [[UInt8]] = []
        for label in labels {
            guard let bytes = map[label]?.bytes else { throw malformed }
            numbers.append(bytes)
        }
        return numbers
    }

    private enum Label {
        static let type: Int64 = 1
        static let algorithm: Int64 = 3
        /// Labels whose meaning depends on the type of key.
        static let first: Int64 = -1
        static let second: Int64 = -2
        static let third: Int64 = -3
    }

    private static let malformed = WebAuthnRefusal.malformed(
        "credentialPublicKey", expected: "a COSE_Key for ES256, EdDSA or RS256, and nothing more")
}
