/// The reason why a request failed.
package struct FetchError: Error, Sendable, Equatable {
    /// The kind of failure.
    package enum Code: Sendable, Equatable {
        /// The server is unreachable, or the connection broke.
        case unreachable
        /// The request timed out.
        case timedOut
        /// The server's certificate could not be verified.
        case notTrusted
        /// The response is larger than allowed.
        case tooLarge
        /// The response's status is not 200; redirects are not followed.
        case status(Int)
        /// The address may not be requested, such as one in a private network.
        case forbidden
        /// libcurl could not be set up.
        case resources
    }

    package let code: Code
    /// The requested host.
    package let host: String
    /// libcurl's message; empty if there is none.
    package let underlying: String
    /// Whether the request was sent, at least in part, so that the server may have handled it.
    package var wasSent = false
}

extension FetchError: CustomStringConvertible {
    package var description: String {
        let phrase =
            switch code {
            case .unreachable: "can't be reached"
            case .timedOut: "took too long"
            case .notTrusted: "could not be trusted"
            case .tooLarge: "sent too large a response"
            case .status(let status): "returned status \(status)"
            case .forbidden: "has an address to which requests must not be sent"
            case .resources: "got no request"
            }
        return "\(host) \(phrase)" + (underlying.isEmpty ? "" : ": \(underlying)")
    }
}
