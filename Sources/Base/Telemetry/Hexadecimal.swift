/// Lower-case hexadecimal digits.
enum Hexadecimal {
    /// Returns the digit of the lowest four bits.
    static func digit(_ value: UInt64) -> UInt8 {
        let four = UInt8(truncatingIfNeeded: value & 15)
        return four < 10 ? 0x30 + four : 0x61 + four - 10
    }
    /// Writes the lowest digits of a number.
    static func write(
        _ value: UInt64, digits: Int, to buffer: UnsafeMutableBufferPointer<UInt8>, at start: Int
    ) {
        for index in 0..<digits {
            buffer[start + index] = digit(value >> UInt64(4 * (digits - 1 - index)))
        }
    }

    /// Returns a number as exactly 16 digits.
    static func text(_ value: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { buffer in
            write(value, digits: 16, to: buffer, at: 0)
            return 16
        }
    }

    /// Returns the value of at most 32 digits; nil if there is anything but lower-case digits.
    static func value(_ bytes: ArraySlice<UInt8>) -> UInt128? {
        var value: UInt128 = 0
        for byte in bytes {
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt128(byte - 0x30)
            case 0x61...0x66: value = value << 4 | UInt128(byte - 0x61 + 10)
            default: return nil
            }
        }
        return value
    }
}
