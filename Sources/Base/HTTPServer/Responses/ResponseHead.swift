/// Writes a response's first line and header fields (RFC 9112 sections 4 and 5).
enum ResponseHead {
    /// The `Connection` header of a response.
    enum Persistence: Sendable {
        /// None: the connection stays open, the default of HTTP/1.1.
        case usual
        /// `keep-alive`, which HTTP/1.0 needs.
        case kept
        /// It ends with this response.
        case closed
    }

    /// The head with its empty line; nil if the response can't be sent as HTTP.
    static func bytes(
        _ response: Response, _ persistence: Persistence, unixSeconds: Int, hasLength: Bool = true
    ) -> [UInt8]? {
        guard (200...599).contains(response.status) else { return nil }
        var head: [UInt8] = []
        head.reserveCapacity(512)
        head += "HTTP/1.1 \(response.status) \(ReasonPhrase.of(response.status) ?? "")\r\n".utf8
        for field in response.headers.fields {
            guard isSendable(field) else { return nil }
            head += field.name.utf8
            head += ": ".utf8
            head += field.value.utf8
            head += "\r\n".utf8
        }
        head += "Date: ".utf8
        head += HTTPDate(unixSeconds: unixSeconds).bytes
        // A response of these has no body (RFC 9110 sections 15.3.5 and 15.4.5).
        if hasLength, response.status != 204, response.status != 304 {
            head += "\r\nContent-Length: \(response.body.count)".utf8
        }
        switch persistence {
        case .usual: break
        case .kept: head += "\r\nConnection: keep-alive".utf8
        case .closed: head += "\r\nConnection: close".utf8
        }
        head += "\r\n\r\n".utf8
        return head
    }

    /// Whether the field can be sent, and is the handler's to say.
    private static func isSendable(_ field: Headers.Field) -> Bool {
        guard !field.name.isEmpty, field.name.utf8.allSatisfy({ $0.isTokenCharacter }),
            field.value.utf8.allSatisfy({ $0.isFieldCharacter })
        else { return false }
        return !["Content-Length", "Transfer-Encoding", "Connection", "Date"]
            .contains { $0.isSameToken(as: field.name) }
    }
}
