/// Checks the fields behind the chunks of a body (RFC 9112 section 7.1.2).
///
/// They are read over: none of them is taken for a header, since nothing here waits for one.
struct Trailers: Sendable {
    private static let bytesLimit = 8192

    private let fieldsLimit: Int
    private var bytesCount = 0
    private var fieldsCount = 0

    init(fieldsLimit: Int) { self.fieldsLimit = fieldsLimit }

    /// Takes a line, without its end; the empty one is the last.
    mutating func check(_ line: UnsafeRawBufferPointer) throws(ServerFault) {
        bytesCount += line.count + 2
        guard bytesCount <= Self.bytesLimit else {
            throw .trailersTooLarge(limitBytes: Self.bytesLimit)
        }
        if line.isEmpty { return }
        guard let field = Headers.Field(line) else { throw Self.malformed }
        fieldsCount += 1
        guard fieldsCount <= fieldsLimit else { throw .tooManyTrailers(limit: fieldsLimit) }
        guard Self.inFrontOnly.contains(field.name.lowercased()) else { return }
        throw .malformed(
            "The field \(field.name) can't stand behind the body, but only in front of it.")
    }

    private static let malformed = ServerFault.malformed(
        "A field behind the chunks of the body is malformed.")

    /// Fields for framing, routing, authentication, conditions and body format (RFC 9110 section
    /// 6.5.1). A client that sends one in the trailer expects it to count, and a reader in front of
    /// this one may have let it count.
    private static let inFrontOnly: Set<String> = [
        "content-length", "transfer-encoding", "connection", "host", "te", "trailer", "upgrade",
        "expect", "cache-control", "max-forwards", "pragma", "range", "if-match", "if-none-match",
        "if-modified-since", "if-unmodified-since", "if-range", "authorization",
        "proxy-authorization", "cookie", "content-encoding", "content-type", "content-range",
        "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
    ]
}
