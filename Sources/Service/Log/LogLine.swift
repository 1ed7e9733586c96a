/// The bytes of one line.
struct LogLine {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// `{"time":"...","level":"info","message":"...","status":200}`
    mutating func json(
        _ milliseconds: Int, _ level: LogLevel, _ message: StaticString, _ fields: [Field]
    ) {
        append("{\"time\":\"")
        time(milliseconds, isFull: true)
        append("\",\"level\":\"")
        append(level.name)
        append("\",\"message\":")
        quoted(message)
        for field in fields {
            append(",")
            quoted(field.key)
            append(":")
            value(field.value)
        }
        append("}\n")
    }

    /// `12:00:00.123 info    request answered  status=200`
    mutating func text(
        _ milliseconds: Int, _ level: LogLevel, _ message: StaticString, _ fields: [Field]
    ) {
        time(milliseconds, isFull: false)
        append(level.column)
        append(message)
        for (index, field) in fields.enumerated() {
            append(index == 0 ? "  " : " ")
            append(field.key)
            append("=")
            value(field.value)
        }
        append("\n")
    }

    private mutating func value(_ value: Field.Value) {
        switch value {
        case .text(let text): quoted(text)
        case .literal(let text): quoted(text)
        case .integer(let number): append(String(number))
        case .microseconds(let count):
            append(String(count / 1000))
            append(".")
            digits(abs(count % 1000), width: 3)
        case .uuid(let id): uuid(id)
        case .hexadecimal(let id):
            append("\"")
            append(Hexadecimal.text(id))
            append("\"")
        }
    }

    private mutating func uuid(_ id: UInt128) {
        append("\"")
        for nibble in 0..<32 {
            if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 { append("-") }
            let shift = UInt128(124 - 4 * nibble)
            bytes.append(Hexadecimal.digits[Int(truncatingIfNeeded: id >> shift) & 15])
        }
        append("\"")
    }

    private mutating func time(_ milliseconds: Int, isFull: Bool) {
        let time = CivilTime(millisecondsSince1970: milliseconds)
        if isFull {
            digits(time.year, width: 4)
            append("-")
            digits(time.month, width: 2)
            append("-")
            digits(time.day, width: 2)
            append("T")
        }
        digits(time.hour, width: 2)
        append(":")
        digits(time.minute, width: 2)
        append(":")
        digits(time.second, width: 2)
        append(".")
        digits(time.millisecond, width: 3)
        if isFull { append("Z") }
    }

    private mutating func digits(_ number: Int, width: Int) {
        let text = String(number)
        for _ in 0..<max(0, width - text.utf8.count) { append("0") }
        append(text)
    }

    private mutating func quoted(_ text: StaticString) {
        text.withUTF8Buffer { escape($0) }
    }

    private mutating func quoted(_ text: String) {
        var copy = text
        copy.withUTF8 { escape($0) }
    }

    /// A JSON string (RFC 8259): control characters never reach the terminal or split the line.
    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        append("\"")
        for byte in text {
            switch byte {
            case 0x22: append("\\\"")
            case 0x5C: append("\\\\")
            case 0x0A: append("\\n")
            case 0x00..<0x20, 0x7F:
                append("\\u00")
                bytes.append(Hexadecimal.digits[Int(byte >> 4)])
                bytes.append(Hexadecimal.digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        append("\"")
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }
}

extension LogLevel {
    fileprivate var name: StaticString {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    /// The same, between blanks that keep messages in one column.
    fileprivate var column: StaticString {
        switch self {
        case .debug: " debug    "
        case .info: " info     "
        case .warning: " warning  "
        case .error: " error    "
        }
    }
}
