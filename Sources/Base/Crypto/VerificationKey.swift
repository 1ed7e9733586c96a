import COpenSSL

/// A public key that verifies signatures, usable from any thread.
package final class VerificationKey: @unchecked Sendable {
    // Sendable: only `init` writes the context. Later it is only copied, which reads it, and each
    // copy belongs to the call that made it.

    /// The algorithm of a key, which verifies only one kind of signature.
    package enum Algorithm: String, Sendable {
        /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 section 8.2).
        case rsaSHA256
        /// ECDSA on P-256 with SHA-256 (FIPS 186-5), signatures as 64 bytes: r, then s.
        case p256SHA256
        /// Ed25519 (RFC 8032 section 5.1).
        case ed25519
    }

    package let algorithm: Algorithm
    // Set up once, because each setup looks up the algorithms by name.
    private let prepared: OpaquePointer

    /// Creates an RSA key from its modulus and exponent, big-endian, without leading zeros.
    ///
    /// The modulus has 2,048 to 8,192 bits (shorter is weak, longer makes verification too
    /// expensive), the exponent is odd and has at most 32 bits; throws `invalidKey` otherwise.
    package static func rsa(
        modulus: [UInt8], exponent: [UInt8]
    ) throws(CryptoError) -> VerificationKey {
        guard let top = modulus.first, top != 0, let last = modulus.last, last & 1 == 1 else {
            throw CryptoError(.invalidKey, "an RSA modulus is odd and has no leading zero")
        }
        let bits = modulus.count * 8 - top.leadingZeroBitCount
        guard (2048...8192).contains(bits) else {
            throw CryptoError(.invalidKey, "an RSA key has \(bits) bits, not 2048 to 8192")
        }
        let number = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard exponent.count <= 4, exponent.first != 0, number >= 3, number & 1 == 1 else {
            throw CryptoError(.invalidKey, "an RSA exponent is odd, from 3 and of 32 bits at most")
        }
        // OpenSSL takes big numbers in the machine's byte order, which is little-endian here.
        var n = Array(modulus.reversed())
        var e = Array(exponent.reversed())
        let key = try n.withUnsafeMutableBufferPointer { n throws(CryptoError) in
            try e.withUnsafeMutableBufferPointer { e throws(CryptoError) in
                try fromData(
                    "RSA",
                    [
                        hearth_param_rsa_modulus(n.baseAddress, n.count),
                        hearth_param_rsa_exponent(e.baseAddress, e.count),
                        OSSL_PARAM_construct_end(),
                    ])
            }
        }
        return try VerificationKey(.rsaSHA256, key)
    }

    /// Creates a P-256 key from its point's two coordinates of 32 bytes, big-endian.
    ///
    /// Throws `invalidKey` if the point is not on the curve.
    package static func p256(x: [UInt8], y: [UInt8]) throws(CryptoError) -> VerificationKey {
        guard x.count == 32, y.count == 32 else {
            throw CryptoError(.invalidKey, "a P-256 coordinate has 32 bytes")
        }
        var point = [0x04] + x + y
        var group = Array("prime256v1".utf8CString)
        let key = try point.withUnsafeMutableBufferPointer { point throws(CryptoError) in
            try group.withUnsafeMutableBufferPointer { group throws(CryptoError) in
                try fromData(
                    "EC",
                    [
                        hearth_param_group(group.baseAddress),
                        hearth_param_public_key(point.baseAddress, point.count),
                        OSSL_PARAM_construct_end(),
                    ])
            }
        }
        return try VerificationKey(.p256SHA256, key)
    }

    /// Creates an Ed25519 key from its 32 bytes.
    ///
    /// Also throws for the eight points of small order, under which anybody can sign, although
    /// OpenSSL accepts them.
    package static func ed25519(_ bytes: [UInt8]) throws(CryptoError) -> VerificationKey {
        guard bytes.count == 32 else {
            throw CryptoError(.invalidKey, "an Ed25519 key has 32 bytes")
        }
        if isOfSmallOrder(bytes) {
            throw CryptoError(.invalidKey, "an Ed25519 key for which anybody can sign")
        }
        guard
            let key = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count)
        else { throw .fromOpenSSL(.invalidKey, "an Ed25519 key that OpenSSL refuses") }
        return try VerificationKey(.ed25519, key)
    }

    /// Whether the point has small order, so that no secret belongs to it: compares the y
    /// coordinate, as little-endian bytes, with those of the eight points in every encoding.
    private static func isOfSmallOrder(_ bytes: [UInt8]) -> Bool {
        var height = bytes
        height[31] &= 0x7F
        let field: [UInt8] = [0xED] + Array(repeating: 0xFF, count: 30) + [0x7F]
        let small = [UInt8](repeating: 0, count: 31)
        let heights = [
            [0] + small, [1] + small, field, [0xEC] + field.dropFirst(),
            [0xEE] + field.dropFirst(), pointOfOrderEight, oppositePointOfOrderEight,
        ]
        return heights.contains(height)
    }

    private static let pointOfOrderEight: [UInt8] = [
        0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98,
        0xF0, 0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53,
        0xFC, 0x05,
    ]

    private static let oppositePointOfOrderEight: [UInt8] = [
        0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67,
        0x0F, 0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC,
        0x03, 0x7A,
    ]

    /// Takes ownership of a key, even if it throws.
    private init(_ algorithm: Algorithm, _ key: OpaquePointer) throws(CryptoError) {
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else {
            throw .fromOpenSSL(.library, "making a context")
        }
        let digest = algorithm == .ed25519 ? nil : "SHA256"
        guard EVP_DigestVerifyInit_ex(context, nil, digest, nil, nil, key, nil) == 1 else {
            EVP_MD_CTX_free(context)
            throw .fromOpenSSL(.library, "setting up a verification")
        }
        self.algorithm = algorithm
        prepared = context
    }

    deinit {
        EVP_MD_CTX_free(prepared)
    }

    /// Whether `signature` is this key's signature of `message`. False for a malformed signature;
    /// throws only `library`.
    package func isValid(
        _ signature: [UInt8], for message: Span<UInt8>
    ) throws(CryptoError) -> Bool {
        var encoded = signature
        if algorithm == .p256SHA256 {
            guard signature.count == 64 else { return false }
            encoded = DER.ecdsaSignature(r: signature[..<32], s: signature[32...])
        }
        guard let context = EVP_MD_CTX_new() else {
            throw .fromOpenSSL(.library, "making a context")
        }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_MD_CTX_copy_ex(context, prepared) == 1 else {
            throw .fromOpenSSL(.library, "copying a context")
        }
        let verdict = message.withUnsafeBufferPointer {
            EVP_DigestVerify(context, encoded, encoded.count, $0.baseAddress, $0.count)
        }
        // OpenSSL's messages about a bad signature must not appear in another operation.
        if verdict != 1 { ERR_clear_error() }
        return verdict == 1
    }

    /// Creates a public key from OpenSSL's parameters, and checks that it is valid.
    private static func fromData(
        _ type: String, _ parameters: [OSSL_PARAM]
    ) throws(CryptoError) -> OpaquePointer {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, type, nil) else {
            throw .fromOpenSSL(.library, "making a key context")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var parameters = parameters
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &key, Int32(HEARTH_EVP_PKEY_PUBLIC_KEY), &parameters) == 1,
            let key
        else { throw .fromOpenSSL(.invalidKey, "an \(type) key that OpenSSL refuses") }
        guard let check = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else {
            EVP_PKEY_free(key)
            throw .fromOpenSSL(.library, "making a key context")
        }
        defer { EVP_PKEY_CTX_free(check) }
        guard EVP_PKEY_public_check(check) == 1 else {
            EVP_PKEY_free(key)
            throw .fromOpenSSL(.invalidKey, "not a valid \(type) key")
        }
        return key
    }
}
