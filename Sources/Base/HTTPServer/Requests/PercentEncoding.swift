/// Percent-encoding (RFC 3986 section 2.1), reading side.
enum PercentEncoding {
    /// The decoded text, or nil if an escape is malformed, or the result is not UTF-8 or has a NUL.
    static func decode(_ encoded: Substring, plusIsSpace: Bool) -> String? {
        let bytes = encoded.utf8
        let isPlain = !bytes.contains {
            $0 == UInt8(ascii: "%") || $0 == 0 || (plusIsSpace && $0 == UInt8(ascii: "+"))
        }
        if isPlain { return String(encoded) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = iterator.next().flatMap(hexDigit),
                    let low = iterator.next().flatMap(hexDigit)
                else { return nil }
                decoded.append(high << 4 | low)
            } else if byte == UInt8(ascii: "+"), plusIsSpace {
                decoded.append(UInt8(ascii: " "))
            } else {
                decoded.append(byte)
            }
        }
        return decoded.contains(0) ? nil : String(validating: decoded, as: UTF8.self)
    }

    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
