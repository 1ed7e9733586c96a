import COpenSSL

/// Whether two byte strings are equal. The time it takes reveals only whether their lengths are
/// equal.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
