import HTTPServer
import JSON
import Service

/// A request's failure as its client is told (RFC 9457, Problem Details for HTTP APIs).
struct Problem: Error, Sendable {
    let status: Int
    /// Stable, for programs.
    let code: String
    /// One or two sentences, for people; shown by the clients as they are.
    let message: String
    var headers: [(name: String, value: String)] = []

    init(
        _ status: Int, _ code: String, _ message: String,
        headers: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers
    }

    /// The answer, as `application/problem+json`.
    func response(_ request: RequestID) -> Response {
        var json = JSONWriter()
        json.object {
            $0.member("type", "urn:hearth:problem:\(code)")
            $0.member("title", Self.titles[status] ?? "Error")
            $0.member("status", status)
            $0.member("detail", message)
            $0.member("code", code)
            $0.member("message", message)
            $0.member("requestId", request.description)
        }
        var response = Response(status: status, body: json.bytes)
        response.headers.add("Content-Type", "application/problem+json")
        for header in headers { response.headers.add(header.name, header.value) }
        return response
    }

    /// The reason phrases of the statuses that are used (RFC 9110, section 15; RFC 6585).
    private static let titles = [
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 409: "Conflict", 410: "Gone", 413: "Content Too Large",
        429: "Too Many Requests", 431: "Request Header Fields Too Large",
        500: "Internal Server Error", 503: "Service Unavailable",
    ]
}
