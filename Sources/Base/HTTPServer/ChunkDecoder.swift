/// Decodes a chunked body as it arrives (RFC 9112 section 7.1).
///
/// Chunk extensions are skipped, and trailer fields are checked and then skipped; the size of all
/// of them is limited.
struct ChunkDecoder: Sendable {
    /// The part expected next.
    private enum State: Sendable {
        case sizeLine
        case data(left: Int)
        case dataEnd
        case trailer
        case end
    }

    private static let lineLimit = 1024
    private static let malformed = ServerFault.malformed("The chunked body is malformed.")

    private var state = State.sizeLine
    private var trailers: Trailers

    init(trailersLimit: Int) { trailers = Trailers(fieldsLimit: trailersLimit) }

    /// Whether the last chunk and the trailer have been read.
    private(set) var isAtEnd = false

    /// Decodes the bytes that have arrived, passes data to `store`, and returns the number of bytes
    /// consumed. The rest, part of a line, must be passed again together with the following bytes.
    ///
    /// - Parameter byteLimit: Number of bytes after which the rest is ignored.
    mutating func read(
        _ bytes: UnsafeRawBufferPointer, byteLimit: Int, _ store: (UnsafeRawBufferPointer) -> Void
    ) throws(ServerFault) -> Int {
        var offset = 0
        while !isAtEnd, offset <= byteLimit {
            if case .data(let left) = state {
                let count = min(left, bytes.count - offset)
                guard count > 0 else { return offset }
                store(bytes.part(offset..<offset + count))
                offset += count
                state = left == count ? .dataEnd : .data(left: left - count)
                continue
            }
            guard let line = try line(bytes, from: offset) else { return offset }
            offset += line.count + 2
            try read(line: line)
        }
        return offset
    }

    private mutating func read(line: UnsafeRawBufferPointer) throws(ServerFault) {
        switch state {
        case .sizeLine:
            let size = try Self.size(line)
            state = size == 0 ? .trailer : .data(left: size)
        case .dataEnd:
            guard line.isEmpty else { throw Self.malformed }
            state = .sizeLine
        case .trailer:
            try trailers.check(line)
            if line.isEmpty {
                state = .end
                isAtEnd = true
            }
        case .data, .end: break
        }
    }

    /// Returns the line at an offset, without its line break; nil if it hasn't arrived completely.
    private func line(
        _ bytes: UnsafeRawBufferPointer, from offset: Int
    ) throws(ServerFault) -> UnsafeRawBufferPointer? {
        let end = bytes.position(of: .lineFeed, from: offset)
        let length = (end ?? bytes.count) - offset
        if case .trailer = state {
            guard length <= Trailers.bytesLimit else { throw Trailers.tooLarge }
        } else {
            guard length <= Self.lineLimit else { throw Self.malformed }
        }
        guard let end else { return nil }
        guard end > offset, bytes[end - 1] == .carriageReturn,
            bytes.part(offset..<end - 1).allSatisfy({ $0.isFieldCharacter })
        else { throw Self.malformed }
        return bytes.part(offset..<end - 1)
    }

    /// Parses a chunk size of one to seven hexadecimal digits; ignores an extension after a
    /// semicolon.
    private static func size(_ line: UnsafeRawBufferPointer) throws(ServerFault) -> Int {
        let end = line.position(of: UInt8(ascii: ";")) ?? line.count
        let digits = line.part(0..<end)
        guard (1...7).contains(digits.count) else { throw malformed }
        var size = 0
        for digit in digits {
            guard let value = PercentEncoding.hexDigit(digit) else { throw malformed }
            size = size << 4 | Int(value)
        }
        return size
    }
}

/// Checks the trailer fields of a chunked body (RFC 9112 section 7.1.2).
///
/// They are skipped: none of them is merged into the headers, because nothing here needs one.
struct Trailers: Sendable {
    static let bytesLimit = 8192

    private let fieldsLimit: Int
    private var bytesCount = 0
    private var fieldsCount = 0

    init(fieldsLimit: Int) { self.fieldsLimit = fieldsLimit }

    /// Checks a line, without its line break; an empty line is the last.
    mutating func check(_ line: UnsafeRawBufferPointer) throws(ServerFault) {
        bytesCount += line.count + 2
        guard bytesCount <= Self.bytesLimit else { throw Self.tooLarge }
        if line.isEmpty { return }
        guard let field = Headers.Field(line) else { throw Self.malformed }
        fieldsCount += 1
        guard fieldsCount <= fieldsLimit else { throw .tooManyTrailers(limit: fieldsLimit) }
        let name = field.name.lowercased()
        guard name.hasPrefix("x-") || Self.inFrontOnly.contains(name) else { return }
        throw .malformed(
            "The field \(field.name) is not allowed in the trailer: it must precede the body.")
    }

    static let tooLarge = ServerFault.trailersTooLarge(limitBytes: bytesLimit)
    private static let malformed = ServerFault.malformed(
        "A trailer field is malformed.")

    /// Names that are forbidden in a trailer: framing, routing, authentication, conditions and body
    /// format (RFC 9110 section 6.5.1), and idempotency keys. A client that sends one in the
    /// trailer expects it to take effect, and a proxy in front of this server may have applied it.
    /// The same holds for all names that begin with `X-`, which applications use for their own
    /// headers.
    private static let inFrontOnly: Set<String> = [
        "content-length", "transfer-encoding", "connection", "host", "te", "trailer", "upgrade",
        "expect", "cache-control", "max-forwards", "pragma", "range", "if-match", "if-none-match",
        "if-modified-since", "if-unmodified-since", "if-range", "authorization",
        "proxy-authorization", "cookie", "content-encoding", "content-type", "content-range",
        "forwarded", "idempotency-key", "origin",
    ]
}
