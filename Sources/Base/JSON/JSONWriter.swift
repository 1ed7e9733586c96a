import Basics

/// Writes a JSON document directly into bytes, without building it in memory first.
///
/// ```swift
/// var json = JSONWriter()
/// json.object {
///     $0.member("success", true)
///     $0.array("members") { for name in names { $0.element(name) } }
/// }
/// return json.bytes
/// ```
/// The writer adds commas and white space. The caller must put members into objects, elements into
/// arrays, and one value at the top. Names are not checked for uniqueness.
package struct JSONWriter: ~Copyable, Sendable {
    /// The layout of the document.
    package enum Layout: Sendable {
        /// Output without white space.
        case compact
        /// Readable output: one member or element per line, indented by two spaces per level.
        case pretty
    }

    private var output: ByteWriter
    private let layout: Layout
    private var depth = 0
    private var needsComma = false

    /// Creates an empty document with room for `capacity` bytes.
    package init(_ layout: Layout = .compact, capacity: Int = 512) {
        self.layout = layout
        output = ByteWriter(capacity: capacity)
    }

    /// Returns the bytes of the document that `body` writes, for which about `capacity` are needed.
    package static func document(
        capacity: Int, _ body: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var longer: [UInt8]?
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
            var json = JSONWriter(in: memory)
            body(&json)
            if json.output.isBorrowed {
                count = json.output.count
            } else {
                longer = json.bytes
            }
        }
        return longer ?? bytes
    }

    private init(in memory: UnsafeMutableBufferPointer<UInt8>) {
        layout = .compact
        output = ByteWriter(in: memory)
    }

    /// The bytes written so far.
    package var bytes: [UInt8] { output.array }

    /// The text written so far.
    package var text: String { output.withBytes { String(decoding: $0, as: UTF8.self) } }

    // MARK: The document, and elements of arrays

    /// Writes an object as the document or as an element.
    package mutating func object<E>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        separate()
        try enclose(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    /// Writes a string as the document or as an element; nil is `null`.
    package mutating func element(_ value: String?) {
        separate()
        write(value)
    }

    /// Writes a `JSONValue` as the document or as an element.
    package mutating func element(_ value: JSONValue) {
        separate()
        write(value)
    }

    // MARK: Members of objects

    /// A member name, encoded once because it is written often.
    package struct Name: Sendable {
        /// The encoded name `,"name":"`. The comma is omitted before the first member, the last
        /// quote before a value that is not a string.
        fileprivate let bytes: ReadyBytes

        /// Takes the unescaped name.
        package init(_ name: String) {
            var bytes = ByteWriter(capacity: 64)
            bytes.append(UInt8(ascii: ","))
            bytes.append(json: name)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(UInt8(ascii: "\""))
            self.bytes = ReadyBytes(bytes.array)
        }
    }

    /// Writes a string member; nil is `null`.
    package mutating func member(_ name: Name, _ value: String?) {
        guard let value else {
            begin(name)
            return writeNull()
        }
        begin(name, isText: true)
        output.append(restOfJSON: value)
    }

    /// Writes a string member of at most `limit` bytes, none of which need escaping. `write` puts
    /// them into the buffer, and returns their number.
    package mutating func member(
        _ name: Name, atMost limit: Int,
        _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int
    ) {
        begin(name, isText: true)
        output.append(atMost: limit, write)
        output.append(UInt8(ascii: "\""))
    }

    /// Writes a boolean member; nil is `null`.
    package mutating func member(_ name: Name, _ value: Bool?) {
        begin(name)
        write(value)
    }

    /// Writes an object member.
    package mutating func object<E>(
        _ name: Name, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        begin(name)
        try enclose(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    /// Writes an object member.
    package mutating func object<E>(
        _ name: String, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        begin(name)
        try enclose(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    /// Writes an array member.
    package mutating func array<E>(
        _ name: Name, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        begin(name)
        try enclose(UInt8(ascii: "["), UInt8(ascii: "]"), body)
    }

    /// Writes a whole-number member; nil is `null`.
    package mutating func member(_ name: Name, _ value: Int?) {
        begin(name)
        write(value)
    }

    /// Writes a `JSONValue` member.
    package mutating func member(_ name: Name, _ value: JSONValue) {
        begin(name)
        write(value)
    }

    /// Writes an array member.
    package mutating func array<E>(
        _ name: String, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        begin(name)
        try enclose(UInt8(ascii: "["), UInt8(ascii: "]"), body)
    }

    /// Writes a string member; nil is `null`.
    package mutating func member(_ name: String, _ value: String?) {
        begin(name)
        write(value)
    }

    /// Writes a whole-number member; nil is `null`.
    package mutating func member(_ name: String, _ value: Int?) {
        begin(name)
        write(value)
    }

    /// Writes a boolean member; nil is `null`.
    package mutating func member(_ name: String, _ value: Bool?) {
        begin(name)
        write(value)
    }

    /// Writes a number member; nil and non-finite numbers are `null`.
    package mutating func member(_ name: String, _ value: Double?) {
        begin(name)
        write(value)
    }

    /// Writes a `JSONValue` member.
    package mutating func member(_ name: String, _ value: JSONValue) {
        begin(name)
        write(value)
    }

    /// Writes a member whose value is already JSON, without checking it.
    package mutating func member(_ name: String, raw: [UInt8]) {
        begin(name)
        output.append(raw)
    }

    // MARK: Layout

    private mutating func separate() {
        if needsComma { output.append(UInt8(ascii: ",")) }
        if depth > 0 { breakLine() }
        needsComma = true
    }

    /// - Parameter isText: Whether a string follows; if so, its opening quote is written as well.
    private mutating func begin(_ name: Name, isText: Bool = false) {
        let isCompact = layout == .compact
        let start = isCompact && needsComma ? 0 : 1
        if !isCompact { separate() }
        needsComma = true
        output.append(name.bytes, from: start, leaving: isCompact && isText ? 0 : 1)
        if isCompact { return }
        output.append(UInt8(ascii: " "))
        if isText { output.append(UInt8(ascii: "\"")) }
    }

    private mutating func begin(_ name: String) {
        separate()
        output.append(json: name)
        output.append(UInt8(ascii: ":"))
        if layout == .pretty { output.append(UInt8(ascii: " ")) }
    }

    private mutating func enclose<E>(
        _ opening: UInt8, _ closing: UInt8, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        output.append(opening)
        depth += 1
        needsComma = false
        try body(&self)
        depth -= 1
        if needsComma { breakLine() }
        output.append(closing)
        needsComma = true
    }

    private mutating func breakLine() {
        guard layout == .pretty else { return }
        output.append(UInt8(ascii: "\n"))
        for _ in 0..<depth { output.append("  ") }
    }

    // MARK: Values

    private mutating func write(_ value: String?) {
        if let value { output.append(json: value) } else { writeNull() }
    }

    private mutating func write(_ value: Int?) {
        if let value { output.append(decimal: Int64(value)) } else { writeNull() }
    }

    private mutating func write(_ value: Bool?) {
        switch value {
        case true?: output.append("true")
        case false?: output.append("false")
        case nil: writeNull()
        }
    }

    private mutating func write(_ value: Double?) {
        // Swift writes the shortest digits that read back as the same number, in JSON's grammar.
        if let value, value.isFinite { output.append(value.description) } else { writeNull() }
    }

    private mutating func writeNull() {
        output.append("null")
    }

    private mutating func write(_ value: JSONValue) {
        switch value {
        case .null: writeNull()
        case .bool(let bool): write(bool)
        case .integer(let integer): output.append(decimal: integer)
        case .number(let number): write(number)
        case .string(let string): output.append(json: string)
        case .array(let elements):
            enclose(UInt8(ascii: "["), UInt8(ascii: "]")) { writer in
                for element in elements { writer.element(element) }
            }
        case .object(let object):
            enclose(UInt8(ascii: "{"), UInt8(ascii: "}")) { writer in
                for member in object.members { writer.member(member.name, member.value) }
            }
        }
    }
}

extension ByteWriter {
    /// Appends `text` as a JSON string: quoted, with quotes, backslashes and control characters
    /// escaped, everything else unchanged.
    mutating func append(json text: String) {
        append(UInt8(ascii: "\""))
        append(restOfJSON: text)
    }

    /// Appends `text` as a JSON string without its opening quote.
    fileprivate mutating func append(restOfJSON text: String) {
        let start = count
        append(text)
        // Few texts need escaping.
        if !none(from: start, Self.marksEscaped) { escape(from: start) }
        append(UInt8(ascii: "\""))
    }

    /// Returns a word in which the highest bit of each byte that JSON escapes is set, and possibly
    /// that of bytes after it.
    @inline(__always)
    private static func marksEscaped(_ bytes: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = bytes ^ ones &* UInt64(UInt8(ascii: "\""))
        let backslashes = bytes ^ ones &* UInt64(UInt8(ascii: "\\"))
        return ((bytes &- ones &* 0x20) & ~bytes)
            | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
    }

    /// Rewrites everything from `start` to the end in escaped form.
    private mutating func escape(from start: Int) {
        let text = withBytes { Array($0[start...]) }
        cut(to: start)
        for byte in text {
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                append(byte)
                continue
            }
            append(UInt8(ascii: "\\"))
            switch byte {
            case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
            case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
            case UInt8(ascii: "\t"): append(UInt8(ascii: "t"))
            case 0..<0x20:
                append("u00")
                append(byte >> 4 + UInt8(ascii: "0"))
                append(hexDigit(byte & 0x0F))
            default: append(byte)
            }
        }
    }

    private func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? value + UInt8(ascii: "0") : value - 10 + UInt8(ascii: "a")
    }
}

extension JSONValue {
    /// Writes the document as text.
    package func text(_ layout: JSONWriter.Layout = .compact) -> String {
        var writer = JSONWriter(layout)
        writer.element(self)
        return writer.text
    }
}

extension String {
    /// Whether two names have the same bytes. Names that differ in bytes are different in JSON,
    /// even if `==` considers them equal. `==` runs first because it finds most differences faster.
    package func hasSameBytes(as other: String) -> Bool {
        self == other && utf8.elementsEqual(other.utf8)
    }
}
