import COpenSSL

/// A private key that signs with ECDSA on P-256 and SHA-256 (FIPS 186-5), usable from any thread.
package final class SigningKey: @unchecked Sendable {
    // Sendable: only `init` writes the key. Signing reads it, with a separate context for each
    // call.

    /// The coordinates of the public point, big-endian, 32 bytes each.
    package let x: [UInt8]
    package let y: [UInt8]
    private let key: OpaquePointer

    /// Generates a new key.
    package static func generate() throws(CryptoError) -> SigningKey {
        guard let key = hearth_generate_p256() else {
            throw .fromOpenSSL(.library, "making a P-256 key")
        }
        return try SigningKey(owning: key)
    }

    /// Parses an unencrypted key in PEM: PKCS #8 (RFC 5208) or SEC1 (RFC 5915).
    ///
    /// Throws `invalidKey` for a key of another kind or curve.
    package convenience init(pem: String) throws(CryptoError) {
        let bytes = Array(pem.utf8)
        guard let bio = BIO_new_mem_buf(bytes, Int32(bytes.count)) else {
            throw .fromOpenSSL(.library, "reading PEM")
        }
        defer { BIO_free(bio) }
        // A password that no key has: without one OpenSSL would prompt at the terminal.
        var password = Array("".utf8CString)
        guard let key = PEM_read_bio_PrivateKey(bio, nil, nil, &password) else {
            throw .fromOpenSSL(.invalidKey, "no unencrypted private key in PEM")
        }
        try self.init(owning: key)
    }

    /// Takes ownership of a key, even if it throws.
    private init(owning key: OpaquePointer) throws(CryptoError) {
        var name = [CChar](repeating: 0, count: 32)
        var point = [UInt8](repeating: 0, count: 65)
        var length = 0
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_EC,
            hearth_group_name(key, &name, name.count) == 1,
            String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
                == "prime256v1",
            hearth_public_key(key, &point, point.count, &length) == 1, length == point.count
        else {
            EVP_PKEY_free(key)
            throw .fromOpenSSL(.invalidKey, "a signing key must be on the curve P-256")
        }
        x = Array(point[1...32])
        y = Array(point[33...])
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Returns the key in PEM, PKCS #8, unencrypted.
    package func pem() throws(CryptoError) -> String {
        guard let bio = BIO_new(BIO_s_secmem()) else {
            throw .fromOpenSSL(.library, "writing PEM")
        }
        defer { BIO_free(bio) }
        var bytes: UnsafeMutablePointer<CChar>?
        guard PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil) == 1,
            case let length = hearth_bio_contents(bio, &bytes), length > 0, let bytes
        else { throw .fromOpenSSL(.library, "writing PEM") }
        return String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self)
    }

    /// Returns the public key that verifies its signatures.
    package func verificationKey() throws(CryptoError) -> VerificationKey {
        try .p256(x: x, y: y)
    }

    /// Signs `message`: returns r and s, 32 bytes each.
    package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else {
            throw .fromOpenSSL(.library, "making a context")
        }
        defer { EVP_MD_CTX_free(context) }
        // A signature on this curve has at most 72 bytes in DER.
        var encoded = [UInt8](repeating: 0, count: 80)
        var length = encoded.count
        guard EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, key, nil) == 1,
            EVP_DigestSign(context, &encoded, &length, message, message.count) == 1,
            let signature = DER.ecdsaParts(of: Array(encoded.prefix(length)))
        else { throw .fromOpenSSL(.library, "signing") }
        return signature
    }
}
