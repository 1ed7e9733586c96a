/// A fault that the server answers itself, before or instead of the handler.
package enum ServerFault: Error, Sendable, Equatable {
    /// Something in the request's head has no valid meaning.
    case malformed(String)
    /// The body is longer than this many bytes.
    case bodyTooLarge(limitBytes: Int)
    /// The header section is longer than this many bytes.
    case headersTooLarge(limitBytes: Int)
    /// There are more header fields than this.
    case tooManyHeaders(limit: Int)
    /// The fields behind a chunked body are more than this.
    case tooManyTrailers(limit: Int)
    /// The fields behind a chunked body are longer than this many bytes.
    case trailersTooLarge(limitBytes: Int)
    /// The handler's response can't be sent as HTTP.
    case invalidResponse

    /// The status that fits.
    package var status: Int {
        switch self {
        case .malformed: 400
        case .bodyTooLarge: 413
        case .headersTooLarge, .tooManyHeaders, .tooManyTrailers, .trailersTooLarge: 431
        case .invalidResponse: 500
        }
    }

    /// One sentence for the client.
    package var detail: String {
        switch self {
        case .malformed(let detail): detail
        case .bodyTooLarge(let limit): "The body is larger than \(limit) bytes."
        case .headersTooLarge(let limit): "The header section is larger than \(limit) bytes."
        case .tooManyHeaders(let limit): "There are more than \(limit) header fields."
        case .tooManyTrailers(let limit):
            "There are more than \(limit) fields behind the chunks of the body."
        case .trailersTooLarge(let limit):
            "The fields behind the chunks of the body are larger than \(limit) bytes."
        case .invalidResponse: "The answer could not be sent."
        }
    }
}
