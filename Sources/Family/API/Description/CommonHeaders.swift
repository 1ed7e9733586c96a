import JSON

/// Response headers that many routes share.
enum CommonHeaders {
    private static let all: KeyValuePairs<String, String> = [
        "X-Request-Id": "The id of the request in the server's log.",
        "Cache-Control": "`no-store`; with an ETag, `private, no-cache`.",
        "WWW-Authenticate": "How to sign in (RFC 6750).",
        "Retry-After": "Seconds to wait before a retry.",
        "RateLimit": "The limit that was reached, and the time until its window ends.",
        "RateLimit-Policy": "The quota and window of the limit.",
        "Location": "The address of the created resource.",
        "ETag": "The version of the response, for `If-None-Match` and `If-Match`.",
        "Idempotency-Replayed":
            "`true` if this is the stored response to an earlier request with the same key.",
    ]
    /// Headers that are not always present: the list of former members has no entity tag.
    private static let optional: Set = ["ETag", "Idempotency-Replayed"]

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

    /// Returns the headers of a response with this status.
    ///
    /// - Parameters:
    ///   - isTagged: Whether the response has an entity tag.
    ///   - isReplayable: Whether the response can be a replay of a stored one.
    static func of(
        status: Int, isTagged: Bool = false, isReplayable: Bool = false
    ) -> JSONValue {
        var names = ["X-Request-Id", "Cache-Control"]
        if isTagged { names.append("ETag") }
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
