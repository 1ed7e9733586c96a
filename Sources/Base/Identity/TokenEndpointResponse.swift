import Fetching
import JSON

/// The response of an issuer's token endpoint: a JSON document with tokens or an error code
/// (RFC 6749 sections 5.1 and 5.2).
struct TokenEndpointResponse {
    let status: Int
    private let document: JSONValue?

    init(_ response: OutboundResponse) {
        status = response.status
        document = try? JSONValue(parsing: response.body)
    }

    /// The text of a member; nil if there is none.
    func text(_ name: String) -> String? {
        guard case .object(let object)? = document, case .string(let text)? = object[name]
        else { return nil }
        return text
    }

    /// The reason of a failure, for logs: the status, and the error code if it looks like one.
    /// Nothing else of the response is repeated.
    var reason: String {
        guard let error = text("error"), error.utf8.count <= 64,
            error.utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") })
        else { return "status \(status)" }
        return "status \(status), \(error)"
    }
}
