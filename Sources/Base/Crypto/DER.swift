/// The parts of DER (ITU-T X.690) that signatures need.
enum DER {
    /// Encodes an ECDSA-Sig-Value (RFC 3279 section 2.2.3); r and s are big-endian, at most 32
    /// bytes each.
    static func ecdsaSignature(r: ArraySlice<UInt8>, s: ArraySlice<UInt8>) -> [UInt8] {
        let content = unsignedInteger(r) + unsignedInteger(s)
        return [0x30, UInt8(content.count)] + content
    }

    private static func unsignedInteger(_ bigEndian: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = Array(bigEndian.drop { $0 == 0 })
        // Two's complement: a set top bit would make the number negative, and zero needs one byte.
        if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
        return [0x02, UInt8(bytes.count)] + bytes
    }

    /// Decodes an ECDSA-Sig-Value into r and s, 32 bytes each; nil if the signature is malformed or
    /// from a larger curve than one of 256 bits.
    static func ecdsaParts(of signature: [UInt8]) -> [UInt8]? {
        guard signature.count >= 2, signature[0] == 0x30, Int(signature[1]) == signature.count - 2
        else { return nil }
        var rest = signature[2...]
        var parts: [UInt8] = []
        for _ in 0..<2 {
            guard rest.count >= 2, rest.removeFirst() == 0x02 else { return nil }
            let length = Int(rest.removeFirst())
            guard (1...33).contains(length), rest.count >= length else { return nil }
            let number = Array(rest.prefix(length).drop { $0 == 0 })
            guard number.count <= 32 else { return nil }
            rest = rest.dropFirst(length)
            parts += [UInt8](repeating: 0, count: 32 - number.count) + number
        }
        return rest.isEmpty ? parts : nil
    }
}
