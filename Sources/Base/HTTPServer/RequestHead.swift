import Glibc

/// A request's first line and header fields (RFC 9112 sections 3 and 5).
struct RequestHead: Sendable, Equatable {
    let method: Method
    /// The target; nil if it is malformed.
    let target: RequestTarget?
    /// Whether the version is HTTP/1.0, which closes after each response unless asked otherwise.
    let isVersion10: Bool
    let headers: Headers

    /// Parses a head, from its first line to its empty line; lines end in CR and LF.
    ///
    /// - Throws: The fault. Nothing is repaired, because a proxy in front of this server may have
    ///   repaired it differently.
    init(_ bytes: UnsafeRawBufferPointer, fieldsLimit: Int) throws(ServerFault) {
        var lines = Lines(bytes: bytes)
        guard let first = lines.next() else { throw Self.malformedLine }
        let parts = try Self.parts(of: first)
        method = Method(parts.method.text)
        if let target = RequestTarget(plain: parts.target) {
            self.target = target
        } else {
            guard let text = String(validating: parts.target, as: UTF8.self) else {
                throw Self.malformedTarget
            }
            target = RequestTarget(text)
        }
        if parts.version.elementsEqual("HTTP/1.1".utf8) {
            isVersion10 = false
        } else if parts.version.elementsEqual("HTTP/1.0".utf8) {
            isVersion10 = true
        } else {
            throw .malformed("This server speaks HTTP/1.1.")
        }
        var fields: [Headers.Field] = []
        fields.reserveCapacity(16)
        while let line = lines.next(), !line.isEmpty {
            guard fields.count < fieldsLimit else { throw .tooManyHeaders(limit: fieldsLimit) }
            guard let field = Headers.Field(line) else { throw Self.malformedField }
            fields.append(field)
        }
        headers = Headers(fields)
        try Self.checkHost(headers.single("Host"), isVersion10: isVersion10)
    }

    /// The parts of a refused head on which the response depends.
    struct Legible: Sendable {
        /// The target; nil if it is malformed, or has not arrived.
        let target: RequestTarget?
        /// The media types and languages that the client accepts.
        let headers: Headers
    }

    /// Maximum number of such fields that are read from a refused head; a client sends two.
    private static let legibleFields = 8

    /// Returns what can be read from a head that is too long or malformed, as far as it has
    /// arrived. It is used only for the refusal, so nothing that the head says is trusted.
    static func legible(in bytes: UnsafeRawBufferPointer) -> Legible {
        var lines = Lines(bytes: bytes)
        var target: RequestTarget?
        if let first = lines.next(), let parts = try? parts(of: first),
            let text = String(validating: parts.target, as: UTF8.self)
        {
            target = RequestTarget(text)
        }
        var headers = Headers()
        while headers.fields.count < legibleFields, let line = lines.next(), !line.isEmpty {
            guard let field = Headers.Field(line) else { continue }
            if ["Accept", "Accept-Language"].contains(where: { field.name.isSameToken(as: $0) }) {
                headers.add(field.name, field.value)
            }
        }
        return Legible(target: target, headers: headers)
    }

    /// Checks the Host header. Clients whose target has no host send an empty header (RFC 9112
    /// section 3.2), which is accepted because the server serves a single site.
    private static func checkHost(
        _ host: Headers.Occurrence, isVersion10: Bool
    ) throws(ServerFault) {
        switch host {
        case .repeated: throw .malformed("The Host header is repeated.")
        case .absent where !isVersion10: throw .malformed("The Host header is missing.")
        case .once(let text) where !text.isEmpty && !Authority.isValid(text):
            throw .malformed("The Host header is malformed.")
        case .once, .absent: return
        }
    }

    static let malformedTarget = ServerFault.malformed("The request's target is malformed.")
    static let malformedLine = ServerFault.malformed("The request line is malformed.")
    private static let malformedField = ServerFault.malformed("A header is malformed.")

    /// Maximum length of a method, far more than any has.
    private static let methodLimit = 32

    private static func parts(
        of line: UnsafeRawBufferPointer
    ) throws(ServerFault) -> (
        method: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer,
        version: UnsafeRawBufferPointer
    ) {
        let space = UInt8(ascii: " ")
        guard let first = line.position(of: space), first > 0, first <= methodLimit,
            line.part(0..<first).allSatisfy({ $0.isTokenCharacter }),
            let second = line.position(of: space, from: first + 1), second > first + 1
        else { throw malformedLine }
        let target = line.part(first + 1..<second)
        let version = line.part(second + 1..<line.count)
        guard version.starts(with: "HTTP/".utf8), !version.contains(space) else {
            throw malformedLine
        }
        guard target.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw malformedTarget }
        return (line.part(0..<first), target, version)
    }

    /// Iterates over the lines of a head, without their line breaks.
    private struct Lines: IteratorProtocol {
        let bytes: UnsafeRawBufferPointer
        private var offset = 0

        init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        mutating func next() -> UnsafeRawBufferPointer? {
            guard let end = bytes.position(of: .lineFeed, from: offset), end > offset else {
                return nil
            }
            defer { offset = end + 1 }
            return bytes.part(offset..<end - 1)
        }
    }
}

/// Finds the end of a request's head as it arrives, without scanning a byte twice.
struct HeadScan: Sendable {
    enum Finding: Equatable {
        /// The head is not complete yet.
        case unfinished
        /// The length of the head in bytes, including its empty line.
        case end(Int)
        /// A line does not end in CR LF, so two parsers could disagree about its end.
        case bareLineFeed(at: Int)
    }

    /// Number of scanned bytes.
    private var scanned = 0
    private var lineStart = 0

    /// Scans all bytes received since the request's first byte.
    mutating func advance(over bytes: UnsafeRawBufferPointer) -> Finding {
        while scanned < bytes.count {
            let rest = bytes.part(scanned..<bytes.count)
            guard let base = rest.baseAddress,
                let found = memchr(base, Int32(UInt8.lineFeed), rest.count)
            else {
                scanned = bytes.count
                return .unfinished
            }
            let lineFeed = scanned + (UnsafeRawPointer(found) - base)
            guard lineFeed > lineStart, bytes[lineFeed - 1] == .carriageReturn else {
                return .bareLineFeed(at: lineFeed)
            }
            let isEmpty = lineFeed - 1 == lineStart
            scanned = lineFeed + 1
            lineStart = scanned
            if isEmpty { return .end(scanned) }
        }
        return .unfinished
    }
}

/// Header fields in the order of the message; names are looked up case-insensitively (RFC 9110
/// section 5.1).
///
/// Bytes of a value that are not UTF-8 appear as U+FFFD.
package struct Headers: Sendable, Equatable {
    /// A name and a value, as they were sent.
    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The number of occurrences of a field that may occur only once.
    package enum Occurrence: Sendable, Equatable {
        case absent
        case once(String)
        /// Repeated: it is unclear which value is meant, so none should be used.
        case repeated
    }

    /// All fields, in order.
    package private(set) var fields: [Field]

    /// Creates headers from fields.
    package init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Creates empty headers with room for `capacity` fields.
    package init(capacity: Int) {
        fields = []
        fields.reserveCapacity(capacity)
    }

    /// Returns the value of the first field with this name, or nil.
    package subscript(name: String) -> String? {
        fields.first { $0.name.isSameToken(as: name) }?.value
    }

    /// Returns the values of all fields with this name, in order.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name.isSameToken(as: name) }.map(\.value)
    }

    /// Returns whether a field is absent, occurs once, or is repeated.
    package func single(_ name: String) -> Occurrence {
        var found: String?
        for field in fields where field.name.isSameToken(as: name) {
            guard found == nil else { return .repeated }
            found = field.value
        }
        return found.map(Occurrence.once) ?? .absent
    }

    /// Appends a field.
    package mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }
}

extension String {
    /// Whether two tokens are equal, ignoring the case of ASCII letters.
    func isSameToken(as other: String) -> Bool {
        utf8.count == other.utf8.count
            && withBytes { a in
                other.withBytes { b in UnsafeRawBufferPointer(a).isSameToken(as: b) }
            }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether two tokens of the same length are equal, ignoring the case of ASCII letters.
    func isSameToken(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in indices where self[index] != other[index] {
            if self[index].lowered != other[index].lowered { return false }
        }
        return true
    }
}

extension StringProtocol {
    /// Calls `body` with the text's bytes without copying them, because iterating over a text looks
    /// up each byte.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        utf8.withContiguousStorageIfAvailable(body)
            ?? Array(utf8).withUnsafeBufferPointer(body)
    }
}

extension UInt8 {
    fileprivate var lowered: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }
}

extension Headers.Field {
    /// Parses a line without its line break (RFC 9112 section 5); nil if it is not a field.
    ///
    /// Refuses folded lines (which begin with a blank), blanks before the colon, and any other name
    /// that is not a token (RFC 9112 sections 5.1 and 5.2).
    init?(_ line: UnsafeRawBufferPointer) {
        guard let colon = line.position(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        let name = line.part(0..<colon)
        let value = line.part(colon + 1..<line.count).trimmed
        guard name.allSatisfy({ $0.isTokenCharacter }), value.isFieldValue else { return nil }
        self.init(name: name.text, value: value.text)
    }
}

// Bytes of HTTP messages.

extension UInt8 {
    /// Whether the byte may be part of a token (RFC 9110 section 5.6.2).
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

    /// Whether the byte may be part of a field value (RFC 9110 section 5.5): no control except tab.
    var isFieldCharacter: Bool { self >= 0x20 && self != 0x7F || self == 0x09 }

    /// Whether the byte is a space or tab.
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    static let carriageReturn = UInt8(ascii: "\r")
    static let lineFeed = UInt8(ascii: "\n")
}

extension UnsafeRawBufferPointer {
    /// Returns a part, counted from the beginning of these bytes.
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }

    /// Returns the first position of a byte at or after an offset; nil if there is none.
    func position(of byte: UInt8, from offset: Int = 0) -> Int? {
        guard offset < count, let base = baseAddress,
            let found = memchr(base + offset, Int32(byte), count - offset)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// Whether all bytes may be part of a field value.
    var isFieldValue: Bool {
        // Few values contain a tab or a forbidden byte, so eight bytes are checked together. The
        // highest bit of each control character is set, and possibly that of bytes after it.
        let ones: UInt64 = 0x0101_0101_0101_0101
        var found: UInt64 = 0
        var offset = 0
        while offset + 8 <= count {
            let bytes = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let deletes = bytes ^ ones &* 0x7F
            found |= (bytes &- ones &* 0x20) & ~bytes
            found |= (deletes &- ones) & ~deletes
            offset += 8
        }
        let isClear = found & (ones &* 0x80) == 0
        let rest = self[(isClear ? offset : 0)...]
        return rest.allSatisfy { $0.isFieldCharacter }
    }

    /// The bytes without blanks at either end.
    var trimmed: UnsafeRawBufferPointer {
        var low = 0
        var high = count
        while low < high, self[low].isBlank { low += 1 }
        while high > low, self[high - 1].isBlank { high -= 1 }
        return part(low..<high)
    }

    /// The bytes as text; those that are not UTF-8 become U+FFFD.
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension [UInt8] {
    /// Calls `body` with the bytes, without copying them.
    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(ServerFault) -> Result
    ) throws(ServerFault) -> Result {
        try withUnsafeBytes { bytes in
            Swift.Result { () throws(ServerFault) in try body(bytes) }
        }.get()
    }
}
