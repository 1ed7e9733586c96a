import COpenSSL

extension [UInt8] {
    /// Returns `count` unpredictable bytes from OpenSSL's generator, which the system seeds.
    package static func random(count: Int) throws(CryptoError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard count == 0 || RAND_bytes(&bytes, Int32(count)) == 1 else {
            throw .fromOpenSSL(.randomness, "\(count) random bytes")
        }
        return bytes
    }
}
