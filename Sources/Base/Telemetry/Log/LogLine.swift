import Configuration

/// The bytes of one line.
struct LogLine {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// `{"time":"...","level":"info","message":"...","status":200}`
    mutating func json(
        _ milliseconds: Int, _ level: LogLevel, _ message: StaticString, _ fields: [LogField]
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
        _ milliseconds: Int, _ level: LogLevel, _ message: StaticString, _ fields: [LogField]
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

    private mutating func value(_ value: LogField.Value) {
        switch value {
        case .text(let text): quoted(text)
        case .literal(let text): quoted(text)
        case .integer(let number): integer(number)
        case .microseconds(let count):
            integer(count / 1000)
            append(".")
            digits(abs(count % 1000), width: 3)
        case .uuid(let id): uuid(id)
        case .hexadecimal(let id):
            append("\"")
            hexadecimal(id)
            append("\"")
        }
    }

    private mutating func uuid(_ id: UInt128) {
        let (high, low) = (
            UInt64(truncatingIfNeeded: id >> 64), UInt64(truncatingIfNeeded: id)
        )
        append("\"")
        hexadecimal(high >> 32, digits: 8)
        append("-")
        hexadecimal(high >> 16, digits: 4)
        append("-")
        hexadecimal(high, digits: 4)
        append("-")
        hexadecimal(low >> 48, digits: 4)
        append("-")
        hexadecimal(low, digits: 12)
        append("\"")
    }

    /// The lowest digits of a number.
    private mutating func hexadecimal(_ number: UInt64, digits: Int = 16) {
        for place in stride(from: 4 * (digits - 1), through: 0, by: -4) {
            bytes.append(Hexadecimal.digit(number >> UInt64(place)))
        }
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

    private mutating func integer(_ number: Int) {
        if number < 0 { append("-") }
        digits(number.magnitude, width: 1)
    }

    private mutating func digits(_ number: Int, width: Int) {
        digits(number.magnitude, width: width)
    }

    private mutating func digits(_ number: UInt, width: Int) {
        var divisor: UInt = 1
        var length = 1
        while length < width || number / divisor > 9 {
            divisor *= 10
            length += 1
        }
        while divisor > 0 {
            bytes.append(0x30 + UInt8(number / divisor % 10))
            divisor /= 10
        }
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
        var start = 0
        for (index, byte) in text.enumerated()
        where byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F {
            bytes.append(contentsOf: text[start..<index])
            start = index + 1
            switch byte {
            case 0x22: append("\\\"")
            case 0x5C: append("\\\\")
            case 0x0A: append("\\n")
            default:
                append("\\u00")
                hexadecimal(UInt64(byte), digits: 2)
            }
        }
        bytes.append(contentsOf: text[start...])
        append("\"")
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
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
