import HTTPServer

/// Which web apps browsers let in (the Fetch standard, section 3.2).
///
/// Callers are known by a bearer token, never by a cookie: so no credentials are allowed for.
struct CORS: Sendable {
    let origins: Set<String>

    /// The response to a CORS preflight request; nil if it is none, or its origin is not allowed.
    func preflight(_ request: Request) -> Reply? {
        guard request.method == .options, allowedOrigin(of: request) != nil,
            request.headers["Access-Control-Request-Method"] != nil
        else { return nil }
        return Reply(
            status: 204, mediaType: "", body: [],
            headers: [
                ("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE"),
                (
                    "Access-Control-Allow-Headers",
                    "Authorization, Content-Type, Idempotency-Key, X-Acting-As-Member, "
                        + "X-Changed-At, X-Base-Version, X-Confirmation-Code, X-Request-Id, "
                        + "If-Match, If-None-Match, Last-Event-ID, traceparent"
                        + (RestForwarder.takes(request) ? Self.restHeaders : "")
                ),
                ("Access-Control-Max-Age", "600"),
            ])
    }

    /// Adds what lets an allowed origin read an answer.
    func mark(_ response: inout Response, to request: Request) {
        if origins.isEmpty { return }
        response.headers.add("Vary", "Origin")
        guard let origin = allowedOrigin(of: request) else { return }
        response.headers.add("Access-Control-Allow-Origin", origin)
        response.headers.add(
            "Access-Control-Expose-Headers",
            "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, ETag, Location, "
                + "Idempotency-Replayed"
                + (RestForwarder.takes(request) ? ", Content-Range, Preference-Applied" : ""))
    }

    /// What clients of Supabase send besides.
    private static let restHeaders =
        ", Accept-Profile, Content-Profile, Prefer, Range, Range-Unit, apikey, x-client-info, "
        + "x-retry-count, x-supabase-api-version"

    private func allowedOrigin(of request: Request) -> String? {
        guard case .once(let origin) = request.headers.single("Origin") else { return nil }
        return origins.contains(origin) ? origin : nil
    }
}
