import Basics
package import Configuration

/// One field of a log line.
///
/// The set of fields is closed, and no field accepts text that a person typed or a client sent: ids
/// are numbers, names are source literals, and error texts are cleaned first. A token, a code, an
/// e-mail address or a secret can't get into the log by accident.
package struct LogField: Sendable {
    enum Value: Sendable {
        case text(String)
        case literal(StaticString)
        case integer(Int)
        /// Microseconds, shown in milliseconds with three decimals.
        case microseconds(Int)
        case uuid(UInt128)
        case hexadecimal(UInt64)
    }

    let key: StaticString
    let value: Value
}

extension LogField {
    /// An id of 128 bits, such as a user's; `key` is the field's name in the log.
    package init(_ key: StaticString, id: UInt128) {
        self.init(key: key, value: .uuid(id))
    }
}

// MARK: - Requests

extension LogField {
    /// The id under which the caller and the log know a request.
    package static func requestID(_ id: RequestID) -> LogField {
        LogField(key: "requestId", value: id.logged)
    }

    /// A request's route as in the route table, such as `/api/family/invite/:token`, and never the
    /// actual path.
    package static func route(_ pattern: StaticString) -> LogField {
        LogField(key: "route", value: .literal(pattern))
    }

    /// A request's route, by a pattern that the source composes of literals.
    package static func route(composed pattern: String) -> LogField {
        LogField(key: "route", value: .text(pattern))
    }

    /// A request's method, with a name that HTTP defines.
    package static func method(_ name: StaticString) -> LogField {
        LogField(key: "method", value: .literal(name))
    }

    /// The code of a refusal or fault, from the list in the source that clients know.
    package static func code(_ code: String) -> LogField {
        LogField(key: "code", value: .text(code))
    }

    /// The response's status.
    package static func status(_ code: Int) -> LogField {
        LogField(key: "status", value: .integer(code))
    }

    /// A duration.
    package static func duration(microseconds: Int) -> LogField {
        LogField(key: "durationMs", value: .microseconds(microseconds))
    }

    /// The trace and the span that a request belongs to (W3C Trace Context): its own span if it is
    /// traced, otherwise the caller's.
    package static func trace(_ context: TraceContext) -> [LogField] {
        [
            LogField(key: "traceId", value: .text(context.traceText)),
            LogField(key: "spanId", value: .hexadecimal(context.parent)),
        ]
    }
}

// MARK: - Service

extension LogField {
    /// A reason, from a list in the source.
    package static func reason(_ reason: StaticString) -> LogField {
        LogField(key: "reason", value: .literal(reason))
    }

    /// A name from the source, of a queue, a pool or a kind of job.
    package static func name(_ name: StaticString) -> LogField {
        LogField(key: "name", value: .literal(name))
    }

    /// The count that the line reports.
    package static func count(_ count: Int) -> LogField {
        LogField(key: "count", value: .integer(count))
    }

    /// The limit of a count.
    package static func limit(_ limit: Int) -> LogField {
        LogField(key: "limit", value: .integer(limit))
    }

    /// Number of processors that the process may use.
    package static func processors(_ count: Int) -> LogField {
        LogField(key: "processors", value: .integer(count))
    }

    /// Maximum number of threads.
    package static func threads(_ count: Int) -> LogField {
        LogField(key: "threads", value: .integer(count))
    }

    /// Number of connections to the database.
    package static func connections(_ count: Int) -> LogField {
        LogField(key: "connections", value: .integer(count))
    }

    /// A number of seconds.
    package static func seconds(_ count: Int) -> LogField {
        LogField(key: "seconds", value: .integer(count))
    }

    /// The number of an attempt, from 1.
    package static func attempt(_ number: Int) -> LogField {
        LogField(key: "attempt", value: .integer(number))
    }

    /// A job queue, by its name in the source.
    package static func queue(_ name: String) -> LogField {
        LogField(key: "queue", value: .text(name))
    }

    /// A kind of job, by its name in the source.
    package static func kind(_ name: String) -> LogField {
        LogField(key: "kind", value: .text(name))
    }

    /// Start time of a state, such as `2026-11-21T16:55:00Z`.
    package static func since(_ moment: String) -> LogField {
        LogField(key: "since", value: .text(moment))
    }

    /// The id of a job.
    package static func job(_ id: Int) -> LogField {
        LogField(key: "jobId", value: .integer(id))
    }

    /// A process that runs jobs, by the number of its lease.
    package static func worker(_ id: Int) -> LogField {
        LogField(key: "workerId", value: .integer(id))
    }

    /// An address at which one of our servers listens.
    package static func listen(_ address: ListenAddress) -> LogField {
        LogField(key: "listen", value: .text(address.description))
    }

    /// A server from the settings, without its password.
    package static func server(_ summary: String) -> LogField {
        LogField(key: "place", value: .text(Redaction.clean(summary)))
    }

    /// The name of a received signal.
    package static func signal(_ name: StaticString) -> LogField {
        LogField(key: "signal", value: .literal(name))
    }

    /// The error that ended a program, for its operator, cleaned by `Redaction`.
    package static func failure(_ text: String) -> LogField {
        let lines = text.split(separator: "\n").joined(separator: "\n")
        return LogField(key: "error", value: .text(Redaction.clean(lines)))
    }

    /// Output of a C library, cleaned by `Redaction`.
    static func libraryText(_ text: String) -> LogField {
        LogField(key: "text", value: .text(Redaction.clean(text)))
    }

    /// An error's text for developers, cleaned by `Redaction`.
    package static func error(_ error: any Error) -> LogField {
        LogField(key: "error", value: .text(Redaction.clean(String(reflecting: error))))
    }
}

/// A log line that is being written.
///
/// As JSON: `{"time":"...","level":"info","message":"...","status":200}`; as text:
/// `12:00:00.123 info    request answered  status=200`.
package struct LogLine: ~Copyable {
    private var bytes: ByteWriter
    private let format: Log.Format
    private var hasFields = false

    /// Begins a line in memory that outlives it. A line that doesn't fit is moved to memory of its
    /// own.
    init(
        in memory: UnsafeMutableBufferPointer<UInt8>, _ format: Log.Format, _ milliseconds: Int,
        _ level: LogLevel, _ message: StaticString
    ) {
        bytes = ByteWriter(in: memory)
        self.format = format
        switch format {
        case .json:
            append("{\"time\":\"")
            time(milliseconds, isFull: true)
            append("\",\"level\":\"")
            append(level.name)
            append("\",\"message\":")
            quoted(message)
        case .text:
            time(milliseconds, isFull: false)
            append(level.column)
            append(message)
        }
    }

    /// Adds a field.
    package mutating func add(_ field: LogField) {
        switch format {
        case .json:
            append(",")
            quoted(field.key)
            append(":")
        case .text:
            append(hasFields ? " " : "  ")
            append(field.key)
            append("=")
        }
        hasFields = true
        value(field.value)
    }

    /// Ends the line.
    mutating func end() {
        switch format {
        case .json: append("}\n")
        case .text: append("\n")
        }
    }

    /// Calls `body` with the line's bytes, without copying them.
    func withBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { bytes.withBytes(body) }

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
        bytes.append(atMost: 38) { text in
            text.update(repeating: 0x2D)
            (text[0], text[37]) = (0x22, 0x22)
            Hexadecimal.write(high >> 32, digits: 8, to: text, at: 1)
            Hexadecimal.write(high >> 16, digits: 4, to: text, at: 10)
            Hexadecimal.write(high, digits: 4, to: text, at: 15)
            Hexadecimal.write(low >> 48, digits: 4, to: text, at: 20)
            Hexadecimal.write(low, digits: 12, to: text, at: 25)
            return 38
        }
    }

    /// Writes the lowest hexadecimal digits of a number.
    private mutating func hexadecimal(_ number: UInt64, digits: Int = 16) {
        bytes.append(atMost: digits) { text in
            Hexadecimal.write(number, digits: digits, to: text, at: 0)
            return digits
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
        bytes.append(digits: UInt64(number), width: width)
    }

    private mutating func quoted(_ text: StaticString) {
        append("\"")
        let start = bytes.count
        append(text)
        endQuoted(from: start)
    }

    private mutating func quoted(_ text: String) {
        append("\"")
        let start = bytes.count
        bytes.append(text)
        endQuoted(from: start)
    }

    /// Ends a JSON string (RFC 8259) whose content begins at `start`. Control characters are
    /// escaped, so that they can't reach the terminal or split the line.
    private mutating func endQuoted(from start: Int) {
        if !bytes.none(from: start, Self.marksEscaped) { escape(from: start) }
        append("\"")
    }

    /// Marks each byte that must be escaped with its highest bit. Bytes after a marked one may be
    /// marked too.
    private static func marksEscaped(_ bytes: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = bytes ^ ones &* 0x22
        let backslashes = bytes ^ ones &* 0x5C
        let deletes = bytes ^ ones &* 0x7F
        return ((bytes &- ones &* 0x20) & ~bytes) | ((quotes &- ones) & ~quotes)
            | ((backslashes &- ones) & ~backslashes) | ((deletes &- ones) & ~deletes)
    }

    /// Rewrites everything from `start` on, escaped.
    private mutating func escape(from start: Int) {
        let text = bytes.withBytes { Array($0[start...]) }
        bytes.cut(to: start)
        for byte in text {
            switch byte {
            case 0x22: append("\\\"")
            case 0x5C: append("\\\\")
            case 0x0A: append("\\n")
            case 0..<0x20, 0x7F:
                append("\\u00")
                hexadecimal(UInt64(byte), digits: 2)
            default: bytes.append(byte)
            }
        }
    }

    private mutating func append(_ text: StaticString) { bytes.append(text) }
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

    /// The level's name between blanks that align messages in one column.
    fileprivate var column: StaticString {
        switch self {
        case .debug: " debug    "
        case .info: " info     "
        case .warning: " warning  "
        case .error: " error    "
        }
    }
}
