import COpenSSL

/// A key for AES-256-GCM (NIST SP 800-38D): only its holders can read or change the sealed text.
package struct SealingKey: Sendable {
    private static let (keyCount, nonceCount, tagCount) = (32, 12, 16)

    private let bytes: [UInt8]

    /// Creates a key from 32 bytes; throws `invalidKey` for any other number.
    package init(_ bytes: [UInt8]) throws(CryptoError) {
        guard bytes.count == Self.keyCount else {
            throw CryptoError(.invalidKey, "a sealing key has \(Self.keyCount) bytes")
        }
        self.bytes = bytes
    }

    /// Encrypts a text: returns a random nonce, the encrypted text, and the tag.
    ///
    /// - Parameter context: The owner of the text, which opens only with the same context.
    package func seal(_ text: [UInt8], for context: [UInt8]) throws(CryptoError) -> [UInt8] {
        let nonce = try [UInt8].random(count: Self.nonceCount)
        guard let cipher = EVP_CIPHER_CTX_new() else {
            throw .fromOpenSSL(.library, "making a cipher's context")
        }
        defer { EVP_CIPHER_CTX_free(cipher) }
        var sealed = [UInt8](repeating: 0, count: text.count + Self.tagCount)
        var tag = [UInt8](repeating: 0, count: Self.tagCount)
        var (count, rest): (Int32, Int32) = (0, 0)
        guard EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), nil, bytes, nonce) == 1,
            EVP_EncryptUpdate(cipher, nil, &count, context, Int32(context.count)) == 1,
            EVP_EncryptUpdate(cipher, &sealed, &count, text, Int32(text.count)) == 1,
            EVP_EncryptFinal_ex(cipher, &tag, &rest) == 1, rest == 0, Int(count) == text.count,
            EVP_CIPHER_CTX_ctrl(
                cipher, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagCount), &tag) == 1
        else { throw .fromOpenSSL(.library, "sealing") }
        return nonce + sealed.prefix(text.count) + tag
    }

    /// Decrypts a text; nil if it was sealed with another key or context, or was changed.
    package func open(_ sealed: [UInt8], for context: [UInt8]) throws(CryptoError) -> [UInt8]? {
        let size = sealed.count - Self.nonceCount - Self.tagCount
        guard size >= 0 else { return nil }
        guard let cipher = EVP_CIPHER_CTX_new() else {
            throw .fromOpenSSL(.library, "making a cipher's context")
        }
        defer { EVP_CIPHER_CTX_free(cipher) }
        let nonce = Array(sealed.prefix(Self.nonceCount))
        let body = Array(sealed.dropFirst(Self.nonceCount).prefix(size))
        var tag = Array(sealed.suffix(Self.tagCount))
        // Includes room for the output of the last step, which is empty.
        var text = [UInt8](repeating: 0, count: size + Self.tagCount)
        var end = [UInt8](repeating: 0, count: Self.tagCount)
        var (count, rest): (Int32, Int32) = (0, 0)
        guard EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), nil, bytes, nonce) == 1,
            EVP_DecryptUpdate(cipher, nil, &count, context, Int32(context.count)) == 1,
            EVP_DecryptUpdate(cipher, &text, &count, body, Int32(size)) == 1,
            EVP_CIPHER_CTX_ctrl(
                cipher, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagCount), &tag) == 1
        else { throw .fromOpenSSL(.library, "decrypting a sealed value") }
        guard EVP_DecryptFinal_ex(cipher, &end, &rest) == 1 else {
            ERR_clear_error()
            return nil
        }
        return Array(text.prefix(size))
    }
}
