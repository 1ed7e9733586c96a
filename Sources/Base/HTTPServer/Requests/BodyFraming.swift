/// How the end of a request's body is determined (RFC 9112 section 6).
enum BodyFraming: Sendable, Equatable {
    /// After this many bytes; 0 where no body was announced.
    case length(UInt64)
    case chunked

    /// If two readers could disagree about where a request ends, somebody behind a shared proxy can
    /// smuggle a request past it (RFC 9112 section 11.2). Such requests are refused.
    init(_ head: RequestHead) throws(ServerFault) {
        let length = head.headers.single("Content-Length")
        if length == .repeated {
            throw .malformed("The Content-Length header is repeated.")
        }
        switch head.headers.single("Transfer-Encoding") {
        case .absent: self = .length(try Self.number(length))
        case .once(let coding) where coding.isSameToken(as: "chunked"):
            guard length == .absent else {
                throw .malformed("Content-Length and Transfer-Encoding exclude each other.")
            }
            guard !head.isVersion10 else {
                throw .malformed("Transfer-Encoding is unknown to HTTP/1.0.")
            }
            self = .chunked
        case .once, .repeated:
            throw .malformed("The Transfer-Encoding header must be `chunked`.")
        }
    }

    /// Digits only, at most 18 of them: no sign, no list, no blank.
    private static func number(_ length: Headers.Occurrence) throws(ServerFault) -> UInt64 {
        guard case .once(let text) = length else { return 0 }
        guard (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = UInt64(text)
        else { throw .malformed("The Content-Length header is malformed.") }
        return number
    }
}
