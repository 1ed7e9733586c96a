/// A CBOR item to write, which may violate the rules of CTAP2.
package indirect enum CBORWriter: Sendable {
    case int(Int)
    case bytes([UInt8])
    case text(String)
    case array([CBORWriter])
    case map([(CBORWriter, CBORWriter)])
    /// Bytes that are written unchanged.
    case raw([UInt8])

    package var encoded: [UInt8] {
        switch self {
        case .int(let number):
            number >= 0 ? Self.head(0, UInt64(number)) : Self.head(1, UInt64(-1 - number))
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + Array(text.utf8)
        case .array(let elements):
            Self.head(4, UInt64(elements.count)) + elements.flatMap(\.encoded)
        case .map(let entries):
            Self.head(5, UInt64(entries.count))
                + entries.flatMap { $0.0.encoded + $0.1.encoded }
        case .raw(let bytes): bytes
        }
    }

    private static func head(_ type: UInt8, _ number: UInt64) -> [UInt8] {
        let top = type << 5
        let width =
            switch number {
            case ..<24: 0
            case ...0xFF: 1
            case ...0xFFFF: 2
            case ...0xFFFF_FFFF: 4
            default: 8
            }
        guard width > 0 else { return [top | UInt8(number)] }
        let code: [Int: UInt8] = [1: 24, 2: 25, 4: 26, 8: 27]
        return [top | (code[width] ?? 27)]
            + (0..<width).map { UInt8(truncatingIfNeeded: number >> ((width - 1 - $0) * 8)) }
    }
}
