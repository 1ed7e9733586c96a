import CFido2
import Crypto

/// Verifies signatures of authenticators with libfido2.
enum AssertionSignature {
    /// Throws unless the signature of these data is valid for this key.
    static func require(
        _ signature: [UInt8], over data: AuthenticatorData, _ clientData: ClientData,
        by key: CredentialKey, for party: RelyingParty
    ) throws(WebAuthnRefusal) {
        // OpenSSL's messages about a bad signature must not appear in another operation.
        defer { CryptoError.clearQueuedErrors() }
        var assertion = fido_assert_new()
        defer { fido_assert_free(&assertion) }
        let hash = clientData.hash.bytes
        let steps = [
            fido_assert_set_count(assertion, 1),
            fido_assert_set_rp(assertion, party.id),
            fido_assert_set_clientdata_hash(assertion, hash, hash.count),
            // The library refuses responses to extensions that it knows and that were not
            // announced. The standard says to ignore them.
            fido_assert_set_extensions(assertion, knownExtensions(in: data)),
            fido_assert_set_authdata_raw(assertion, 0, data.bytes, data.bytes.count),
            fido_assert_set_sig(assertion, 0, signature, signature.count),
            // The signed flags state whether the user was verified.
            fido_assert_set_up(assertion, FIDO_OPT_TRUE),
            fido_assert_set_uv(assertion, FIDO_OPT_OMIT),
        ]
        if let code = steps.first(where: { $0 != FIDO_ERR_SUCCESS }) { throw .unverifiable(code) }
        let code =
            switch key.algorithm {
            case .es256: es256(assertion, key.numbers)
            case .edDSA: edDSA(assertion, key.numbers)
            case .rs256: rs256(assertion, key.numbers)
            }
        guard code != FIDO_ERR_INVALID_SIG else { throw .wrongSignature }
        guard code == FIDO_ERR_SUCCESS else { throw .unverifiable(code) }
    }

    /// Returns the extensions in the response that the library knows.
    private static func knownExtensions(in data: AuthenticatorData) -> Int32 {
        var mask: Int32 = 0
        if data.extensions.contains("hmac-secret") { mask |= FIDO_EXT_HMAC_SECRET }
        if data.extensions.contains("credBlob") { mask |= FIDO_EXT_CRED_BLOB }
        return mask
    }

    private static func es256(_ assertion: OpaquePointer?, _ numbers: [[UInt8]]) -> Int32 {
        var key = es256_pk_new()
        defer { es256_pk_free(&key) }
        let point = numbers[0] + numbers[1]
        let status = es256_pk_from_ptr(key, point, point.count)
        guard status == FIDO_ERR_SUCCESS else { return status }
        return verify(assertion, .es256, key)
    }

    private static func edDSA(_ assertion: OpaquePointer?, _ numbers: [[UInt8]]) -> Int32 {
        var key = eddsa_pk_new()
        defer { eddsa_pk_free(&key) }
        let status = eddsa_pk_from_ptr(key, numbers[0], numbers[0].count)
        guard status == FIDO_ERR_SUCCESS else { return status }
        return verify(assertion, .edDSA, key)
    }

    private static func rs256(_ assertion: OpaquePointer?, _ numbers: [[UInt8]]) -> Int32 {
        var key = rs256_pk_new()
        defer { rs256_pk_free(&key) }
        let both = numbers[0] + numbers[1]
        let status = rs256_pk_from_ptr(key, both, both.count)
        guard status == FIDO_ERR_SUCCESS else { return status }
        return verify(assertion, .rs256, key)
    }

    private static func verify(
        _ assertion: OpaquePointer?, _ algorithm: CredentialKey.Algorithm, _ key: OpaquePointer?
    ) -> Int32 {
        fido_assert_verify(
            assertion, 0, Int32(algorithm.rawValue), UnsafeRawPointer(key))
    }
}
