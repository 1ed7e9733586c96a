import JSON

/// Headers that answers have.
enum CommonHeaders {
    private static let all: KeyValuePairs<String, String> = [
        "X-Request-Id": "The request's id in the log.",
        "Cache-Control": "Always `no-store`.",
        "WWW-Authenticate": "How to sign in (RFC 6750).",
        "Retry-After": "Seconds to wait before a retry.",
        "RateLimit": "The limit that was reached, and when its window ends.",
        "RateLimit-Policy": "The quota and window of the limit.",
        "Location": "The address of what was created.",
        "ETag": "The version, for `If-Match` and `If-None-Match`.",
        "Idempotency-Replayed": "`true`: the same request was answered before, with this.",
    ]
    private static let optional: Set = ["Idempotency-Replayed"]

    static var components: JSONValue {
        .object(
            JSONObject(
                all.map { name, help in
                    .init(
                        name: name,
                        value: [
                            "description": .string(help),
                            "required": .bool(!optional.contains(name)),
                            "schema": ["type": "string"],
                        ])
                }))
    }

    /// Those of an answer of this status.
    ///
    /// - Parameters:
    ///   - isVersioned: It tells its version.
    ///   - isReplayable: It can be a repetition of what was answered before.
    static func of(
        status: Int, isVersioned: Bool = false, isReplayable: Bool = false
    ) -> JSONValue {
        var names = ["X-Request-Id", "Cache-Control"]
        if isVersioned { names.append("ETag") }
        if isReplayable { names.append("Idempotency-Replayed") }
        switch status {
        case 201: names.append("Location")
        case 401: names.append("WWW-Authenticate")
        case 429: names += ["Retry-After", "RateLimit", "RateLimit-Policy"]
        case 503: names.append("Retry-After")
        default: break
        }
        return .object(
            JSONObject(
                names.map {
                    .init(name: $0, value: ["$ref": .string("#/components/headers/\($0)")])
                }))
    }
}
