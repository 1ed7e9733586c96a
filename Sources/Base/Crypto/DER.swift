/// The little of ITU-T X.690 that signatures need.
enum DER {
    /// ECDSA-Sig-Value (RFC 3279 section 2.2.3) for r and s, big-endian, of at most 32 bytes each.
    static func ecdsaSignature(r: ArraySlice<UInt8>, s: ArraySlice<UInt8>) -> [UInt8] {
        let content = unsignedInteger(r) + unsignedInteger(s)
        return [0x30, UInt8(content.count)] + content
    }

    private static func unsignedInteger(_ bigEndian: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = Array(bigEndian.drop { $0 == 0 })
        // Two's complement: the top bit would make it negative, and zero has one byte.
        if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
        return [0x02, UInt8(bytes.count)] + bytes
    }
}
