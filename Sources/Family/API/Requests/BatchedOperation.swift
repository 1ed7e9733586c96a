import HTTPServer
import JSON

/// One change of a batch.
struct BatchedOperation {
    /// Headers that an operation may have.
    static let headers = [
        "Idempotency-Key", "If-Match", "X-Acting-As-Member", "X-Base-Version", "X-Changed-At",
    ]
    private static let methods: [Method] = [.post, .put, .patch, .delete]
    /// Response headers that belong to the transport of the batch, not to an operation.
    private static let headersOfTransport: Set = [
        "cache-control", "x-content-type-options", "vary", "access-control-allow-origin",
        "access-control-expose-headers",
    ]

    /// Runs an operation as a separate request of the batch's caller, and returns its result.
    ///
    /// - Parameter operation: The bytes as they were sent. The body is passed on unchanged: numbers
    ///   keep their digits, and an idempotency key covers the same request as outside a batch.
    static func result(
        of operation: [UInt8], in batch: Request, by runner: RequestRunner
    ) -> BatchResult {
        let response: Response
        do {
            response = runner.respond(try request(of: operation, in: batch))
        } catch {
            response = runner.refuse(error)
        }
        return BatchResult(
            status: response.status,
            headers: response.headers.fields.filter {
                !headersOfTransport.contains($0.name.lowercased())
            },
            body: response.body)
    }

    /// Builds the request that is equivalent to an operation.
    private static func request(
        of operation: [UInt8], in batch: Request
    ) throws(Problem) -> Request {
        let range = JSONLocator.value(of: "body", in: operation)
        let frame = JSONLocator.document(operation, withNullAt: range.map { [$0] } ?? [])
        let value: JSONValue
        do {
            value = try JSONValue(parsing: frame)
        } catch {
            throw Problem(.invalidBody, "\(error).")
        }
        guard case .object(let parts) = value else {
            throw .invalidField(BatchBody.name, "objects with `method` and `path`")
        }
        let names = methods.map(\.name)
        guard case .string(let name)? = parts["method"],
            let method = methods.first(where: { $0.name == name })
        else {
            throw .invalidField("method", "one of \(names.joined(separator: ", "))")
        }
        let given = range.map { Array(operation[$0]) } ?? []
        let body = given.elementsEqual("null".utf8) ? [] : given
        if !body.isEmpty { try checkForm(of: body) }
        guard case .string(let path)? = parts["path"], path.hasPrefix("/"),
            let request = Request(
                method, path,
                headers: try fields(of: parts["headers"], in: batch, hasBody: !body.isEmpty),
                body: body, peer: batch.peer, client: batch.client),
            isTaken(request.segments)
        else {
            throw .invalidField(
                "path", "a path below `/api` or `/groups`, of a change that can be in a batch")
        }
        return request
    }

    /// Refuses a body that is not JSON, even for a route that reads none.
    private static func checkForm(of body: [UInt8]) throws(Problem) {
        do {
            _ = try JSONValue(parsing: body)
        } catch {
            throw Problem(.invalidBody, "\(error).")
        }
    }

    /// Returns true if a batch may contain the path. Sign-in routes are excluded: they are for
    /// callers without a token, and a batch passes on no token but its own.
    private static func isTaken(_ segments: [String]) -> Bool {
        switch segments.first {
        case "groups": true
        case "api": segments.count > 1 && !["batch", "auth"].contains(segments[1])
        default: false
        }
    }

    /// Returns the headers of the request: the batch's token, and the operation's own headers.
    private static func fields(
        of given: JSONValue?, in batch: Request, hasBody: Bool
    ) throws(Problem) -> Headers {
        var fields = batch.headers.values("Authorization").map {
            Headers.Field(name: "Authorization", value: $0)
        }
        fields += batch.headers.values("Accept-Language").map {
            .init(name: "Accept-Language", value: $0)
        }
        if hasBody { fields.append(.init(name: "Content-Type", value: "application/json")) }
        let acting = "X-Acting-As-Member"
        var isActing = false
        switch given {
        case nil, .null?: break
        case .object(let object)?:
            for member in object.members {
                guard
                    let name = headers.first(where: { $0.lowercased() == member.name.lowercased() }
                    ),
                    case .string(let value) = member.value, value.utf8.count <= 1_024,
                    value.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
                else {
                    throw .invalidField(
                        "headers", "texts under the names " + headers.joined(separator: ", "))
                }
                isActing = isActing || name == acting
                fields.append(.init(name: name, value: value))
            }
        default: throw .invalidField("headers", "an object of texts")
        }
        if !isActing {
            fields += batch.headers.values(acting).map { .init(name: acting, value: $0) }
        }
        return Headers(fields)
    }
}

/// The result of an operation of a batch.
struct BatchResult: Sendable {
    let status: Int
    var headers: [Headers.Field] = []
    /// JSON; empty if the response has no body.
    var body: [UInt8] = []

    static let notTried = BatchResult(status: 424)
}
