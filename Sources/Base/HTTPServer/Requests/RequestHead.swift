/// A request's first line and header fields (RFC 9112 sections 3 and 5).
struct RequestHead: Sendable, Equatable {
    let method: Method
    /// As it was sent.
    let target: String
    /// HTTP/1.0, whose connections end with each response unless asked otherwise.
    let isVersion10: Bool
    let headers: Headers

    /// Reads a head, from its first line to its empty line; lines end in CR and LF.
    ///
    /// - Throws: The fault. Nothing is repaired, because a reader in front of this one may have
    ///   repaired it differently.
    init(_ bytes: UnsafeRawBufferPointer, fieldsLimit: Int) throws(ServerFault) {
        var lines = Lines(bytes: bytes)
        guard let first = lines.next() else { throw Self.malformedLine }
        let parts = try Self.parts(of: first)
        method = Method(parts.method.text)
        guard let target = String(validating: parts.target, as: UTF8.self) else {
            throw Self.malformedTarget
        }
        self.target = target
        switch parts.version.text {
        case "HTTP/1.1": isVersion10 = false
        case "HTTP/1.0": isVersion10 = true
        default: throw .malformed("This server speaks HTTP/1.1.")
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

    /// Clients whose target has no host send an empty one (RFC 9112 section 3.2). It is accepted,
    /// because the server serves a single site.
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

    /// Methods are short; this is far more than any has.
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

    /// The lines of a head, without their ends.
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
