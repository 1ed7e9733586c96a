import Fetching
import HTTPServer
import Synchronization

/// Forwards requests below `/rest/v1` to PostgREST, at the path that Supabase clients use.
///
/// PostgREST verifies the token again, and the database authorizes the request as it does for every
/// direct client. A request blocks its thread until PostgREST responds, so the number of concurrent
/// requests and the duration of each are limited; requests beyond the limit get 503.
package final class RestForwarder: Sendable {
    /// Path prefix of the forwarded requests.
    static let prefix = "/rest/v1"
    /// Route label for logs and metrics.
    static let label: StaticString = "/rest/v1/*"
    /// Maximum duration of a response.
    private static let timeoutSeconds = 10.0
    private static let connectTimeoutSeconds = 2.0
    /// Maximum size of a response.
    package static let responseLimitBytes = 4 << 20

    private let base: String
    private let client: OutboundClient
    private let limit: Int
    private let underWay = Atomic<Int>(0)

    /// - Parameters:
    ///   - base: The address of PostgREST, on this machine or in a private network.
    ///   - limit: Maximum number of concurrent requests.
    package init(base: String, limit: Int) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.limit = limit
        var client = OutboundClient(.privateNetworks)
        client.timeoutSeconds = Self.timeoutSeconds
        client.connectTimeoutSeconds = Self.connectTimeoutSeconds
        client.responseLimitBytes = Self.responseLimitBytes
        self.client = client
    }

    /// Returns true if a request is meant for PostgREST.
    static func takes(_ request: Request) -> Bool {
        request.path == prefix || request.path.hasPrefix(prefix + "/")
    }

    /// Returns the endpoint of requests with this method.
    static func endpoint(for method: Method) -> Endpoint {
        [.get, .head].contains(method) ? reading : changing
    }

    private static let reading = Endpoint(.get, label, .forwarding)
    private static let changing = Endpoint(.post, label, .forwarding)

    /// Forwards the request and returns PostgREST's response.
    ///
    /// - Throws: 404 for a path that can't exist in PostgREST; 405; 400 for a repeated header that
    ///   has one value; 413 for a read whose response is too large; 503 if too many requests are in
    ///   progress. ``RestFailure`` if PostgREST does not respond, or if its response to a change
    ///   is too large.
    func forward(_ request: Request) throws -> Reply {
        guard Self.methods.contains(request.method) else {
            throw Problem.methodNotAllowed(Self.methods)
        }
        let target = try Self.target(of: request)
        guard let address = FetchAddress(trustingNetwork: base + target) else {
            throw Problem.routeNotFound
        }
        let headers = try Self.headers(of: request)
        let changes = ![.get, .head].contains(request.method)
        guard underWay.add(1, ordering: .relaxed).newValue <= limit else {
            underWay.subtract(1, ordering: .relaxed)
            throw Problem.unavailable
        }
        defer { underWay.subtract(1, ordering: .relaxed) }
        let answer: OutboundResponse
        do {
            answer = try client.send(
                request.method.name, to: address, headers: headers, body: request.body)
        } catch {
            throw RestFailure(reason: "\(error)", mayHaveChangedData: changes && error.wasSent)
        }
        guard !answer.isTruncated else {
            if changes {
                throw RestFailure(
                    reason: "the response to a change is larger than 4 MiB",
                    mayHaveChangedData: true)
            }
            throw Problem(
                .bodyTooLarge,
                "The response is larger than 4 MiB. Request less data, for example by `limit`.")
        }
        return Self.reply(answer)
    }

    private static let methods: [Method] = [.get, .head, .post, .patch, .put, .delete]

    /// Request headers with one value that PostgREST needs.
    private static let forwarded = [
        "Authorization", "Accept-Profile", "Content-Profile", "Content-Type", "Range",
        "Range-Unit", "X-Acting-As-Member",
    ]
    /// Request headers with a list that PostgREST needs. Several lines are one list (RFC 9110
    /// section 5.3).
    private static let forwardedLists = ["Accept", "Prefer"]

    /// Returns the headers to forward.
    ///
    /// - Throws: 400 for a repeated header that has one value.
    private static func headers(
        of request: Request
    ) throws(Problem) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        for name in forwarded {
            switch request.headers.single(name) {
            case .absent: break
            case .once(let value): headers.append((name, value))
            case .repeated: throw Problem(.malformedRequest, "More than one \(name) was sent.")
            }
        }
        for name in forwardedLists {
            let values = request.headers.values(name)
            if !values.isEmpty { headers.append((name, values.joined(separator: ", "))) }
        }
        return headers
    }

    /// Response headers that clients need. `Content-Type` is the reply's own.
    private static let returned: Set<String> = [
        "content-range", "content-location", "location", "preference-applied", "range-unit",
        "www-authenticate", "proxy-status",
    ]

    private static func reply(_ answer: OutboundResponse) -> Reply {
        var mediaType = ""
        var headers: [(name: String, value: String)] = []
        for header in answer.headers {
            let name = header.name.lowercased()
            if name == "content-type" { mediaType = header.value }
            if returned.contains(name) { headers.append(header) }
        }
        return Reply(
            status: answer.status, mediaType: mediaType, body: answer.body, headers: headers)
    }

    /// Rebuilds the path and the query for PostgREST, and refuses names of tables and functions
    /// that are not plain.
    private static func target(of request: Request) throws(Problem) -> String {
        let names = request.segments.dropFirst(2).filter { !$0.isEmpty }
        let arePlain = names.allSatisfy { $0.utf8.allSatisfy { isPlain($0) } }
        guard arePlain, names.count <= (names.first == "rpc" ? 2 : 1) else { throw .routeNotFound }
        let query = request.query.parameters.map { parameter in
            "\(escaped(parameter.name))=\(escaped(parameter.value))"
        }
        let path = "/" + names.joined(separator: "/")
        return query.isEmpty ? path : path + "?" + query.joined(separator: "&")
    }

    /// Percent-encodes everything except letters and digits.
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [
                    UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)],
                ]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// A request to PostgREST that got no response, or a response that is too large.
struct RestFailure: Error, CustomDebugStringConvertible {
    /// The reason, for the log.
    let reason: String
    /// Whether PostgREST may have made a change.
    let mayHaveChangedData: Bool
    var debugDescription: String { "PostgREST: \(reason)" }
}

extension Operation {
    /// Forwards requests to PostgREST. Hearth refuses an invalid token before PostgREST sees it;
    /// PostgREST decides everything else.
    fileprivate static let forwarding: Operation = {
        var operation = Operation.open(
            "forwardToPostgREST", "Forwards to PostgREST.", responses: []
        ) { services, call in
            guard let rest = services.rest else { throw Problem.routeNotFound }
            return try rest.forward(call.request)
        }
        operation.stages = []
        operation.ignoresBody = true
        return operation
    }()
}
