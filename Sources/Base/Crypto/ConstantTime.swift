import COpenSSL

/// Whether two byte strings are the same, in a time that tells only whether their lengths are.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
