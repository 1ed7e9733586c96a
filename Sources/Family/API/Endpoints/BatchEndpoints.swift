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
            // The first operation is always tried, so a batch that is sent again goes on.
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
