import HTTPServer
import JSON

/// Several changes in one request, each run like a separate request.
enum BatchEndpoints {
    /// Maximum number of operations of a batch.
    static let limit = 50

    /// The operations. Each element is null here and parsed separately (``BatchBody``).
    private static let operations = Input<[JSONValue]>.required(
        BatchBody.name,
        .list(of: operation, 1...limit, "a list of 1 to \(limit) operations") { $0 },
        "The changes, in the order in which they are made; each runs in a separate transaction.")

    private static let stopsOnFailure = Input<Bool?>.optional(
        "stopOnFailure", .flag,
        "Whether the batch stops at the first operation that fails.")

    static let batch = API.Operation.composed(
        "batch",
        "Makes several changes in order. Each runs like a separate request, with the same "
            + "permissions, limits and audit log entries.",
        inputs: [operations, stopsOnFailure],
        responses: [.ok(results, "The responses of all operations that were tried.")]
    ) { call, runner in
        // A key for the whole batch would promise that a repeated batch has no second effect.
        guard try IdempotencyKey.sent(with: call.request) == nil else {
            throw Problem(
                .malformedRequest, "A batch takes no Idempotency-Key: give each operation its own.")
        }
        let stops = try call[stopsOnFailure] ?? false
        var hasFailed = false
        _ = try call[operations]
        var results: [BatchResult] = []
        for operation in try BatchBody(call.request.body).operations {
            // The first operation is always tried, so that a batch that is sent again makes
            // progress.
            if hasFailed && stops || !results.isEmpty && !runner.hasTime() {
                results.append(.notTried)
                continue
            }
            let result = BatchedOperation.result(of: operation, in: call.request, by: runner)
            hasFailed = hasFailed || result.status >= 400
            results.append(result)
        }
        return .of(Self.results, results)
    }

    private static let results = Shape<[BatchResult]>(
        "BatchResults", [.list("results", result) { $0 }])

    private static let result = Shape<BatchResult>(
        "BatchResult",
        [
            .count("status", \.status),
            Property(name: "headers", schema: .object) { result, json in
                json.object("headers") { json in
                    for field in result.headers { json.member(field.name, field.value) }
                }
            },
            .document("body", as: Schema([:])) { $0.body.isEmpty ? Array("null".utf8) : $0.body },
        ])

    private static let operation = Schema([
        "type": "object",
        "properties": [
            "method": Schema.word(["POST", "PUT", "PATCH", "DELETE"]).described("The method.")
                .value,
            "path": Schema.string.described("Path and query, of `/api` or `/groups`.").value,
            "headers": .object([
                "type": "object",
                "description": .string(
                    "Of these: " + BatchedOperation.headers.joined(separator: ", ") + "."),
                "additionalProperties": ["type": "string"],
            ]),
            "body": Schema.object.described("The body, if the operation takes one.").value,
        ],
        "required": ["method", "path"],
    ])
}

/// The body of a batch. Each operation is parsed separately, so a malformed one does not affect the
/// others.
struct BatchBody {
    /// The batch without its operations, each of which is replaced by null.
    let frame: JSONField
    /// Bytes of the operations, as they were sent.
    let operations: [[UInt8]]

    /// - Throws: 400 if the batch without its operations is not valid JSON or not an object.
    init(_ bytes: [UInt8]) throws(Problem) {
        let ranges = JSONLocator.elements(of: Self.name, in: bytes)
        do {
            frame = try RequestBody.read(JSONLocator.document(bytes, withNullAt: ranges))
        } catch {
            // Parses the original document, so that the error has its positions.
            _ = try RequestBody.read(bytes)
            throw error
        }
        operations = ranges.map { Array(bytes[$0]) }
    }

    /// Name of the member with the operations.
    static let name = "operations"
}

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
