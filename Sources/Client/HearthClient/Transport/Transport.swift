public import Foundation

/// Connection to a Hearth: over HTTP (`HTTPTransport`), or in this process (`InMemoryHearth`), for
/// previews and tests.
public protocol Transport: Sendable {
    /// Sends a request once and returns its response as it arrives.
    ///
    /// The stream begins with `.head` and ends with the response. It throws if the connection
    /// breaks before that. Ending the iteration cancels the request.
    func exchange(_ request: APIRequest) -> AsyncThrowingStream<TransportPart, any Error>
}

extension Transport {
    /// Sends a request once and returns its whole response.
    ///
    /// - Throws: The error that broke the connection; `CancellationError`.
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

/// A part of a response, in order of arrival.
public enum TransportPart: Sendable {
    /// Status and headers; the body is empty.
    case head(APIResponse)
    /// A further part of the body.
    case body(Data)
}

/// A request to Hearth, as a `Transport` sends it.
public struct APIRequest: Sendable, Hashable {
    /// HTTP method, such as `GET`.
    public var method: String
    /// Percent-encoded path that begins with a slash, relative to the server's address.
    public var path: String
    /// Query parameters, not percent-encoded.
    public var query: [String: String]
    /// Query parameters that occur once for each of their values.
    public var repeatedQuery: [String: [String]] = [:]
    /// Header fields, with the names that Hearth documents.
    public var headers: [String: String]
    /// Body; nil if there is none.
    public var body: Data?
    /// Seconds without data after which the request fails.
    public var timeoutSeconds: Double

    /// Creates a request.
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

    /// Path with the query, whose parameters are sorted so that equal requests have equal targets.
    public var target: String {
        let repeated = repeatedQuery.flatMap { name, values in values.map { (name, $0) } }
        let all = query.map { ($0.key, $0.value) } + repeated
        if all.isEmpty { return path }
        let pairs = all.sorted { $0 < $1 }.map { name, value in
            Self.encoded(name) + "=" + Self.encoded(value)
        }
        return path + "?" + pairs.joined(separator: "&")
    }

    /// Returns the text percent-encoded for a path or query.
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

/// A response from Hearth, before decoding.
public struct APIResponse: Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// Header fields, by lowercase names.
    public var headers: [String: String]
    /// Body; empty if there is none.
    public var body: Data

    /// Creates a response.
    ///
    /// - Parameter headers: Header fields, by names in any case.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }) { $1 }
        self.body = body
    }

    /// Value of `Retry-After` in seconds; nil if it is missing or not a number.
    var retryAfterSeconds: Double? {
        headers["retry-after"].flatMap { Double($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}
