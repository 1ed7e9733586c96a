import Configuration
import Synchronization

/// The id of a request: the caller's own if it is harmless, otherwise a new one.
package struct RequestID: Sendable, Hashable, CustomStringConvertible {
    let text: String

    /// Takes an id of up to 40 letters, digits, `-`, `_` and `.`, as in a UUID or a trace id; too
    /// short for a token of 32 random bytes. nil for any other text, a shared code included.
    package init?(_ text: String) {
        guard (1...40).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPlain),
            !Redaction.containsSharedCode(text.utf8)
        else { return nil }
        self.text = text
    }

    /// A fresh id: 16 hexadecimal digits that no other call of this process has, and most probably
    /// no other process. It can be guessed: it names a request and opens nothing.
    package static func fresh() -> RequestID {
        RequestID(unchecked: Hexadecimal.text(RequestNumber.next()))
    }

    /// The id as it is sent and logged.
    package var description: String { text }

    private init(unchecked text: String) {
        self.text = text
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}

/// Unique numbers: a counter with a random start, its bits mixed so that consecutive numbers look
/// different.
private enum RequestNumber {
    private static let counter = Atomic<UInt64>(UInt64.random(in: .min ... .max))

    static func next() -> UInt64 {
        // SplitMix64 (Steele, Lea, Flood 2014): a bijection, so different counts stay different.
        var value = counter.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// The trace that a request belongs to, from the header `traceparent` (W3C Trace Context 1).
package struct TraceContext: Sendable, Hashable {
    /// The trace's id; never 0.
    package let trace: UInt128
    /// The caller's span; never 0.
    package let parent: UInt64

    /// Reads `00-<32 digits>-<16 digits>-<2 digits>` in lower-case hexadecimal; nil for a header
    /// that the standard says to ignore. Later versions may add more after another dash.
    package init?(traceparent: String) {
        let bytes = Array(traceparent.utf8)
        guard bytes.count == 55 || (bytes.count > 55 && bytes[55] == 0x2D),
            bytes[2] == 0x2D, bytes[35] == 0x2D, bytes[52] == 0x2D,
            let version = Hexadecimal.value(bytes[0..<2]), version != 0xFF,
            version != 0 || bytes.count == 55,
            let trace = Hexadecimal.value(bytes[3..<35]), trace != 0,
            let parent = Hexadecimal.value(bytes[36..<52]), parent != 0,
            Hexadecimal.value(bytes[53..<55]) != nil
        else { return nil }
        self.trace = trace
        self.parent = UInt64(truncatingIfNeeded: parent)
    }

    var traceText: String {
        Hexadecimal.text(UInt64(truncatingIfNeeded: trace >> 64))
            + Hexadecimal.text(UInt64(truncatingIfNeeded: trace))
    }
}

/// Lower-case hexadecimal digits.
enum Hexadecimal {
    /// The digit of the lowest four bits.
    static func digit(_ value: UInt64) -> UInt8 {
        let four = UInt8(truncatingIfNeeded: value & 15)
        return four < 10 ? 0x30 + four : 0x61 + four - 10
    }

    /// Always 16 digits.
    static func text(_ value: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { buffer in
            for index in 0..<16 { buffer[index] = digit(value >> UInt64(60 - 4 * index)) }
            return 16
        }
    }

    /// The value of at most 32 digits; nil for anything that is no lower-case digit.
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
