import Foundation

/// A request as the typed calls make it.
struct Call: Sendable {
    var method: String
    var path: String
    var query: [String: String?] = [:]
    var body: JSONValue?
    var headers: [String: String] = [:]
    /// Whether the answer may be asked for again: a read, or a change with an idempotency key.
    var isRepeatable = true
    /// The token is left out: signing in.
    var isAnonymous = false
    /// As oneself, whatever the profile.
    var isOwn = false
    var timeoutSeconds = 30.0

    static func get(_ path: String, _ query: [String: String?] = [:]) -> Call {
        Call(method: "GET", path: path, query: query)
    }

    static func post(_ path: String, _ body: JSONValue = [:]) -> Call {
        Call(method: "POST", path: path, body: body)
    }

    static func put(_ path: String, _ body: JSONValue) -> Call {
        Call(method: "PUT", path: path, body: body)
    }

    static func patch(_ path: String, _ body: JSONValue) -> Call {
        Call(method: "PATCH", path: path, body: body)
    }

    static func delete(_ path: String, _ query: [String: String?] = [:]) -> Call {
        Call(method: "DELETE", path: path, query: query)
    }

    /// As it is sent.
    var request: APIRequest {
        var request = APIRequest(
            method, path, query: query.compactMapValues { $0 }, headers: headers,
            body: body?.data, timeoutSeconds: timeoutSeconds)
        if body != nil, headers["Content-Type"] == nil {
            request.headers["Content-Type"] = "application/json"
        }
        if request.headers["Accept"] == nil { request.headers["Accept"] = "application/json" }
        return request
    }
}

extension ID {
    /// As a part of a path.
    var inPath: String { APIRequest.encoded(rawValue) }
}
