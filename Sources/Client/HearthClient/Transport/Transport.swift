public import Foundation

/// Carries requests to a Hearth and its responses back: over HTTP (`HTTPTransport`), or to one in
/// this process (`InMemoryHearth`), which previews and tests use.
public protocol Transport: Sendable {
    /// Sends a request once, and gives its response as it comes.
    ///
    /// The stream begins with `.head` and ends with the response. It throws if the connection
    /// breaks before that. Ending the iteration ends the request.
    func exchange(_ request: APIRequest) -> AsyncThrowingStream<TransportPart, any Error>
}

extension Transport {
    /// Sends a request once, and gives its whole response.
    ///
    /// - Throws: What broke the connection; `CancellationError`.
    public func send(_ request: APIRequest) async throws -> APIResponse {
        var response: APIResponse?
        for try await part in exchange(request) {
            switch part {
            case .head(let head): response = head
            case .body(let data):
                response?.body.append(data)
                if let count = response?.body.count, count > maximumBodyBytes {
                    throw HearthError.unexpectedAnswer(
                        status: response?.status ?? 0, detail: "larger than 16 MiB")
                }
            }
        }
        try Task.checkCancellation()
        guard let response else { throw HearthError.unreachable(reason: "no response") }
        return response
    }

    private var maximumBodyBytes: Int { 16 << 20 }
}

/// A part of a response, in the order in which they come.
public enum TransportPart: Sendable {
    /// Status and headers; the body is empty.
    case head(APIResponse)
    /// More of the body.
    case body(Data)
}

/// A request to Hearth, below the typed calls: what a `Transport` sends.
public struct APIRequest: Sendable, Hashable {
    /// Such as `GET`.
    public var method: String
    /// Percent-encoded, beginning with a slash; below the address of the server.
    public var path: String
    /// Names and values as they are meant, not percent-encoded.
    public var query: [String: String]
    /// Names as Hearth documents them.
    public var headers: [String: String]
    /// Nil for none.
    public var body: Data?
    /// For how long nothing may arrive before it counts as lost.
    public var timeoutSeconds: Double

    /// A request.
    public init(
        _ method: String, _ path: String, query: [String: String] = [:],
        headers: [String: String] = [:], body: Data? = nil, timeoutSeconds: Double = 30
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.timeoutSeconds = timeoutSeconds
    }

    /// The path with the query, in an order that does not depend on chance.
    public var target: String {
        if query.isEmpty { return path }
        let pairs = query.sorted { $0.key < $1.key }.map { name, value in
            Self.encoded(name) + "=" + Self.encoded(value)
        }
        return path + "?" + pairs.joined(separator: "&")
    }

    /// The text as a part of a path or query.
    static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."), UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return encoded
    }
}

/// A response of Hearth's, below the typed calls.
public struct APIResponse: Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// By their names in lower case.
    public var headers: [String: String]
    /// Empty for none.
    public var body: Data

    /// A response.
    ///
    /// - Parameter headers: In any letter case.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }) { $1 }
        self.body = body
    }

    /// What `Retry-After` says, if it says a number of seconds.
    var retryAfterSeconds: Double? {
        headers["retry-after"].flatMap { Double($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}
