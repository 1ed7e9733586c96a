/// What the server itself answers, before or instead of the handler.
package enum ServerFault: Error, Sendable, Equatable {
    /// Something in the request's head has no valid meaning.
    case malformed(String)
    /// The body is longer than this many bytes.
    case bodyTooLarge(limitBytes: Int)
    /// The header section is longer than this many bytes.
    case headersTooLarge(limitBytes: Int)
    /// The handler's response can't be sent as HTTP.
    case invalidResponse

    /// The status that fits.
    package var status: Int {
        switch self {
        case .malformed: 400
        case .bodyTooLarge: 413
        case .headersTooLarge: 431
        case .invalidResponse: 500
        }
    }

    /// One sentence for the client.
    package var detail: String {
        switch self {
        case .malformed(let detail): detail
        case .bodyTooLarge(let limit): "The body is larger than \(limit) bytes."
        case .headersTooLarge(let limit): "The header section is larger than \(limit) bytes."
        case .invalidResponse: "The answer could not be sent."
        }
    }
}
