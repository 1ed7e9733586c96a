import COpenSSL

/// SHA-512 (FIPS 180-4).
package enum SHA512 {
    /// Returns the digest of the bytes: 64 bytes.
    package static func digest(of bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 64)
        guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha512(), nil) == 1 else {
            throw .fromOpenSSL(.library, "hashing")
        }
        return digest
    }
}
