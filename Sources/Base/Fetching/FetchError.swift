/// Why nothing was fetched.
package struct FetchError: Error, Sendable, Equatable {
    /// The kind of failure.
    package enum Code: Sendable, Equatable {
        /// Nobody answers there, or the conversation broke off.
        case unreachable
        /// It took too long.
        case timedOut
        /// The other side could not prove that it is who it should be.
        case notTrusted
        /// The answer is larger than allowed.
        case tooLarge
        /// The answer's status is not 200; redirects are not followed.
        case status(Int)
        /// Its address is one that must not be asked, such as one of a private network.
        case forbidden
        /// The library could not be set up.
        case resources
    }

    package let code: Code
    /// The host that was asked.
    package let host: String
    /// libcurl's message; empty if libcurl reported nothing.
    package let underlying: String
}

extension FetchError: CustomStringConvertible {
    package var description: String {
        let what =
            switch code {
            case .unreachable: "can't be reached"
            case .timedOut: "took too long"
            case .notTrusted: "could not be trusted"
            case .tooLarge: "answered too much"
            case .status(let status): "answered \(status)"
            case .forbidden: "is at an address that must not be asked"
            case .resources: "was not asked"
            }
        return "\(host) \(what)" + (underlying.isEmpty ? "" : ": \(underlying)")
    }
}
