import COpenSSL

/// A key for HMAC-SHA256 (RFC 2104), set up once and used from any thread.
///
/// The key can't be read back, and its copy in memory is wiped with the object.
package final class HMACKey: @unchecked Sendable {
    // Sendable: only `init` writes the context. Later it is only duplicated, which reads it, and
    // each duplicate belongs to the call that made it.
    private let prepared: OpaquePointer

    /// Takes the key's bytes; throws `invalidKey` if there are none.
    package init(_ key: [UInt8]) throws(CryptoError) {
        guard !key.isEmpty else { throw CryptoError(.invalidKey, "an HMAC key is empty") }
        guard let mac = EVP_MAC_fetch(nil, "HMAC", nil) else {
            throw .fromOpenSSL(.library, "fetching HMAC")
        }
        defer { EVP_MAC_free(mac) }
        guard let context = EVP_MAC_CTX_new(mac) else {
            throw .fromOpenSSL(.library, "making an HMAC context")
        }
        var digest = Array("SHA256".utf8CString)
        let done = digest.withUnsafeMutableBufferPointer { name in
            let parameters = [
                hearth_param_mac_digest(name.baseAddress),
                OSSL_PARAM_construct_end(),
            ]
            return EVP_MAC_init(context, key, key.count, parameters)
        }
        guard done == 1 else {
            EVP_MAC_CTX_free(context)
            throw .fromOpenSSL(.library, "setting an HMAC key")
        }
        prepared = context
    }

    deinit {
        EVP_MAC_CTX_free(prepared)
    }

    /// Returns the 32-byte HMAC of `message`.
    package func authenticate(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_MAC_CTX_dup(prepared) else {
            throw .fromOpenSSL(.library, "copying an HMAC context")
        }
        defer { EVP_MAC_CTX_free(context) }
        var code = [UInt8](repeating: 0, count: 32)
        var length = 0
        let done = message.withUnsafeBufferPointer { input in
            EVP_MAC_update(context, input.baseAddress, input.count) == 1
                && EVP_MAC_final(context, &code, &length, code.count) == 1
        }
        guard done, length == code.count else {
            throw .fromOpenSSL(.library, "computing an HMAC")
        }
        return code
    }

    /// Returns the 32-byte HMAC of `message`.
    package func authenticate(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        try authenticate(message.span)
    }

    /// Whether `code` is the HMAC of `message`; the time does not depend on where they differ.
    package func isValid(_ code: [UInt8], for message: Span<UInt8>) throws(CryptoError) -> Bool {
        constantTimeEqual(try authenticate(message), code)
    }
}

/// Whether two byte strings are equal. The time reveals only whether their lengths are equal.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
