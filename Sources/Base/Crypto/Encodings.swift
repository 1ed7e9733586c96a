// Text encodings of bytes: base64url and hexadecimal.

/// Base64 with the alphabet for URLs and without padding (RFC 4648 section 5, RFC 7515 section 2).
package enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The six bits of each character, or 0xFF if it is not in the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, character) in alphabet.enumerated() {
            values[Int(character)] = UInt8(value)
        }
        return values
    }()

    /// Encodes `bytes` as ASCII characters.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        let alphabet = alphabet
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count * 4 + 2) / 3)
        var bits: UInt32 = 0
        var pendingBits: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            pendingBits += 8
            while pendingBits >= 6 {
                pendingBits -= 6
                output.append(alphabet[Int(bits >> pendingBits & 0x3F)])
            }
        }
        if pendingBits > 0 {
            output.append(alphabet[Int(bits << (6 - pendingBits) & 0x3F)])
        }
        return output
    }

    /// Encodes bytes as text between quotes.
    package static func quoted(_ bytes: UnsafeRawBufferPointer) -> String {
        let alphabet = alphabet
        return String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3 + 2) { output in
            var count = 0
            func put(_ character: UInt8) {
                output[count] = character
                count += 1
            }
            var bits: UInt32 = 0
            var pendingBits: UInt32 = 0
            put(UInt8(ascii: "\""))
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                pendingBits += 8
                while pendingBits >= 6 {
                    pendingBits -= 6
                    put(alphabet[Int(bits >> pendingBits & 0x3F)])
                }
            }
            if pendingBits > 0 { put(alphabet[Int(bits << (6 - pendingBits) & 0x3F)]) }
            put(UInt8(ascii: "\""))
            return count
        }
    }

    /// Encodes `bytes` as text.
    package static func text(_ bytes: [UInt8]) -> String {
        String(decoding: encode(bytes), as: UTF8.self)
    }

    /// Encodes bytes with the standard alphabet and padding (RFC 4648 section 4).
    package static func standardText(_ bytes: [UInt8]) -> String {
        var output = encode(bytes).map { character in
            switch character {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: character
            }
        }
        while output.count % 4 != 0 { output.append(UInt8(ascii: "=")) }
        return String(decoding: output, as: UTF8.self)
    }

    /// Decodes exactly the characters that `encode` produces; nil for any others. Padding, white
    /// space, the other alphabet and stray bits at the end are refused, so that no two texts decode
    /// to the same bytes.
    package static func decode(_ characters: Span<UInt8>) -> [UInt8]? {
        guard characters.count % 4 != 1 else { return nil }
        let values = values
        var output: [UInt8] = []
        output.reserveCapacity(characters.count * 3 / 4)
        var bits: UInt32 = 0
        var pendingBits: UInt32 = 0
        for index in characters.indices {
            let value = values[Int(characters[index])]
            guard value != 0xFF else { return nil }
            bits = bits << 6 | UInt32(value)
            pendingBits += 6
            if pendingBits >= 8 {
                pendingBits -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> pendingBits))
            }
        }
        let leftoverBits = bits & (1 << pendingBits - 1)
        return leftoverBits == 0 ? output : nil
    }

    /// Decodes an array of characters.
    package static func decode(_ characters: [UInt8]) -> [UInt8]? {
        decode(characters.span)
    }

    /// Decodes a text.
    package static func decode(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8))
    }
}

extension [UInt8] {
    /// The bytes in lower-case hexadecimal, two digits per byte.
    package var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(unsafeUninitializedCapacity: count * 2) { output in
            var position = 0
            for byte in self {
                output[position] = digits[Int(byte >> 4)]
                output[position + 1] = digits[Int(byte & 0x0F)]
                position += 2
            }
            return position
        }
    }
}
