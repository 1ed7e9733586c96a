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
    ]

    static var components: JSONValue {
        .object(
            JSONObject(
                all.map { name, help in
                    .init(
                        name: name,
                        value: [
                            "description": .string(help), "required": true,
                            "schema": ["type": "string"],
                        ])
                }))
    }

    /// Those of an answer of this status.
    static func of(status: Int) -> JSONValue {
        var names = ["X-Request-Id", "Cache-Control"]
        switch status {
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
