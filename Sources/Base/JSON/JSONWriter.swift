/// Writes a JSON document straight into bytes, without building it in memory first.
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
/// arrays, and one value at the top. Names are not checked for being unique.
package struct JSONWriter: Sendable {
    /// How the document is laid out.
    package enum Layout: Sendable {
        /// No white space at all.
        case compact
        /// A member or element a line, two spaces a level: for people.
        case pretty
    }

    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []
    private let layout: Layout
    private var depth = 0
    private var needsComma = false

    /// An empty document; `capacity` bytes are set aside for it.
    package init(_ layout: Layout = .compact, capacity: Int = 512) {
        self.layout = layout
        bytes.reserveCapacity(capacity)
    }

    // MARK: The document, and elements of arrays

    /// An object as the document or as an element.
    package mutating func object<E>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        separate()
        try enclose(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    /// A scalar as the document or as an element; nil is `null`.
    package mutating func element(_ value: String?) {
        separate()
        write(value)
    }

    /// A document in memory as the document or as an element.
    package mutating func element(_ value: JSONValue) {
        separate()
        write(value)
    }

    // MARK: Members of objects

    /// The name of a member, made ready once for being written often.
    package struct Name: Sendable {
        /// `,"name":"`: the comma is left out before the first member, the last quote before what
        /// is no string.
        fileprivate let bytes: [UInt8]

        package init(_ name: String) {
            var bytes = [UInt8(ascii: ",")]
            bytes.append(json: name)
            self.bytes = bytes + [UInt8(ascii: ":"), UInt8(ascii: "\"")]
        }
    }

    /// A member that is a string; nil is `null`.
    package mutating func member(_ name: Name, _ value: String?) {
        guard let value else {
            begin(name)
            return writeNull()
        }
        begin(name, isText: true)
        bytes.append(restOfJSON: value)
    }

    /// A member that is a string whose bytes are added by `append`: none that JSON escapes.
    package mutating func member(_ name: Name, plain append: (inout [UInt8]) -> Void) {
        begin(name, isText: true)
        append(&bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// A member that is a boolean; nil is `null`.
    package mutating func member(_ name: Name, _ value: Bool?) {
        begin(name)
        write(value)
    }

    /// A member that is an object.
    package mutating func object<E>(
        _ name: Name, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        begin(name)
        try enclose(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    /// A member that is an object.
    package mutating func object<E>(
        _ name: String, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        begin(name)
        try enclose(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    /// A member that is an array.
    package mutating func array<E>(
        _ name: Name, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        begin(name)
        try enclose(UInt8(ascii: "["), UInt8(ascii: "]"), body)
    }

    /// A member that is a whole number; nil is `null`.
    package mutating func member(_ name: Name, _ value: Int?) {
        begin(name)
        write(value)
    }

    /// A member that is a document in memory.
    package mutating func member(_ name: Name, _ value: JSONValue) {
        begin(name)
        write(value)
    }

    /// A member that is an array.
    package mutating func array<E>(
        _ name: String, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        begin(name)
        try enclose(UInt8(ascii: "["), UInt8(ascii: "]"), body)
    }

    /// A member that is a string; nil is `null`.
    package mutating func member(_ name: String, _ value: String?) {
        begin(name)
        write(value)
    }

    /// A member that is a whole number; nil is `null`.
    package mutating func member(_ name: String, _ value: Int?) {
        begin(name)
        write(value)
    }

    /// A member that is a boolean; nil is `null`.
    package mutating func member(_ name: String, _ value: Bool?) {
        begin(name)
        write(value)
    }

    /// A member that is a number; nil and what is not finite are `null`.
    package mutating func member(_ name: String, _ value: Double?) {
        begin(name)
        write(value)
    }

    /// A member that is a document in memory.
    package mutating func member(_ name: String, _ value: JSONValue) {
        begin(name)
        write(value)
    }

    /// A member whose value is JSON already; it is not checked.
    package mutating func member(_ name: String, raw: [UInt8]) {
        begin(name)
        bytes += raw
    }

    // MARK: Layout

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        if depth > 0 { breakLine() }
        needsComma = true
    }

    /// - Parameter isText: Whether a string follows: then its first quote is written as well.
    private mutating func begin(_ name: Name, isText: Bool = false) {
        let isCompact = layout == .compact
        let start = isCompact && needsComma ? 0 : 1
        if !isCompact { separate() }
        needsComma = true
        name.bytes.withUnsafeBufferPointer { text in
            let end = isCompact && isText ? text.count : text.count - 1
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<end]))
        }
        if isCompact { return }
        bytes.append(UInt8(ascii: " "))
        if isText { bytes.append(UInt8(ascii: "\"")) }
    }

    private mutating func begin(_ name: String) {
        separate()
        bytes.append(json: name)
        bytes.append(UInt8(ascii: ":"))
        if layout == .pretty { bytes.append(UInt8(ascii: " ")) }
    }

    private mutating func enclose<E>(
        _ opening: UInt8, _ closing: UInt8, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        bytes.append(opening)
        depth += 1
        needsComma = false
        try body(&self)
        depth -= 1
        if needsComma { breakLine() }
        bytes.append(closing)
        needsComma = true
    }

    private mutating func breakLine() {
        guard layout == .pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        for _ in 0..<depth { bytes += [0x20, 0x20] }
    }

    // MARK: Values

    private mutating func write(_ value: String?) {
        if let value { bytes.append(json: value) } else { writeNull() }
    }

    private mutating func write(_ value: Int?) {
        if let value { bytes.append(decimal: Int64(value)) } else { writeNull() }
    }

    private mutating func write(_ value: Bool?) {
        switch value {
        case true?: bytes += "true".utf8
        case false?: bytes += "false".utf8
        case nil: writeNull()
        }
    }

    private mutating func write(_ value: Double?) {
        // Swift writes the shortest digits that read back as the same number, in JSON's grammar.
        if let value, value.isFinite { bytes += value.description.utf8 } else { writeNull() }
    }

    private mutating func writeNull() {
        bytes += "null".utf8
    }

    private mutating func write(_ value: JSONValue) {
        switch value {
        case .null: writeNull()
        case .bool(let bool): write(bool)
        case .integer(let integer): bytes.append(decimal: integer)
        case .number(let number): write(number)
        case .string(let string): bytes.append(json: string)
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

extension [UInt8] {
    /// Appends `text` as a JSON string: quoted, with quotes, backslashes and control characters
    /// escaped, everything else as it is.
    mutating func append(json text: String) {
        append(UInt8(ascii: "\""))
        append(restOfJSON: text)
    }

    /// Appends the same without its first quote.
    fileprivate mutating func append(restOfJSON text: String) {
        let done: Void? = text.utf8.withContiguousStorageIfAvailable { appendEscaped($0) }
        if done == nil {
            Array(text.utf8).withUnsafeBufferPointer { appendEscaped($0) }
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        // Few texts have something to escape. All bytes are looked at, many at a time.
        var isPlain = true
        for byte in text {
            isPlain =
                isPlain && byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        if isPlain { return append(contentsOf: text) }
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
