// Bytes as HTTP writes them.

extension UInt8 {
    /// Whether RFC 9110 section 5.6.2 allows it in a token.
    var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Whether a field's value may hold it (RFC 9110 section 5.5): no control but the tab.
    var isFieldCharacter: Bool { self >= 0x20 && self != 0x7F || self == 0x09 }

    /// Space or tab.
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    static let carriageReturn = UInt8(ascii: "\r")
    static let lineFeed = UInt8(ascii: "\n")
}

extension UnsafeRawBufferPointer {
    /// A part of it, counted from its own beginning.
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }

    /// The first position of a byte at or behind an offset; nil if there is none.
    func position(of byte: UInt8, from offset: Int = 0) -> Int? {
        var index = offset
        while index < count {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    /// Without the blanks at its ends.
    var trimmed: UnsafeRawBufferPointer {
        var low = 0
        var high = count
        while low < high, self[low].isBlank { low += 1 }
        while high > low, self[high - 1].isBlank { high -= 1 }
        return part(low..<high)
    }

    /// As text; bytes that are not UTF-8 become U+FFFD.
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension [UInt8] {
    /// Runs `body` with the bytes where they lie.
    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(ServerFault) -> Result
    ) throws(ServerFault) -> Result {
        try withUnsafeBytes { bytes in
            Swift.Result { () throws(ServerFault) in try body(bytes) }
        }.get()
    }
}
