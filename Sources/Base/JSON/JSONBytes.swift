extension [UInt8] {
    /// Appends `text` as a JSON string: quoted, with quotes, backslashes and control characters
    /// escaped, everything else as it is.
    mutating func append(json text: String) {
        append(UInt8(ascii: "\""))
        let done: Void? = text.utf8.withContiguousStorageIfAvailable { appendEscaped($0) }
        if done == nil {
            Array(text.utf8).withUnsafeBufferPointer { appendEscaped($0) }
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for (index, byte) in text.enumerated() {
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                continue
            }
            append(contentsOf: text[start..<index])
            start = index + 1
            append(UInt8(ascii: "\\"))
            switch byte {
            case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
            case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
            case UInt8(ascii: "\t"): append(UInt8(ascii: "t"))
            case 0..<0x20:
                append(contentsOf: "u00".utf8)
                append(byte >> 4 + UInt8(ascii: "0"))
                append(hexDigit(byte & 0x0F))
            default: append(byte)
            }
        }
        append(contentsOf: text[start...])
    }

    private func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? value + UInt8(ascii: "0") : value - 10 + UInt8(ascii: "a")
    }

    /// Appends the number's decimal digits.
    mutating func append(decimal value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        let start = count
        repeat {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        self[start...].reverse()
    }
}

extension JSONValue {
    /// The document as text.
    package func text(_ layout: JSONWriter.Layout = .compact) -> String {
        var writer = JSONWriter(layout)
        writer.element(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension String {
    /// Whether two names are the same to JSON, which knows of no equivalent spellings. `==` does,
    /// but is faster at telling names apart.
    func hasSameBytes(as other: String) -> Bool {
        self == other && utf8.elementsEqual(other.utf8)
    }
}
