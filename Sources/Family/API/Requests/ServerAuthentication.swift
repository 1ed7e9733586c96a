import HTTPServer
import UseCases

/// Reads the API key of a request to a route of servers.
///
/// A key is accepted in `Authorization: Bearer hk_...` only, never in an address. A request with
/// `Origin` comes from a browser, where everybody could read the key. CORS is off for these routes,
/// whatever origins are allowed.
enum ServerAuthentication {
    private static let prefix = "/api/server"
    private static let prefixSegments = ["api", "server"]

    /// Whether the request goes to a route of servers. Routes are found by decoded segments, so
    /// these are compared; a path without escapes is compared as it is, which is quicker.
    static func takes(_ request: Request) -> Bool {
        let path = request.path
        if path.utf8.contains(UInt8(ascii: "%")) {
            return request.segments.starts(with: prefixSegments)
        }
        return path == prefix || path.hasPrefix(prefix + "/")
    }

    /// Returns the context of a request with a key. The database decides whether the key is valid.
    ///
    /// - Throws: 403 for a request of a browser; 401 for a missing or malformed key, with the same
    ///   body as for an unknown one.
    static func context(of exchange: Exchange) throws(Problem) -> ServerContext {
        let headers = exchange.request.headers
        if case .absent = headers.single("Origin") {} else { throw Problem(.browserRefused) }
        guard case .once(let value) = headers.single("Authorization"),
            let key = key(in: value)
        else { throw Problem(.invalidAPIKey) }
        return ServerContext(key, trace: exchange.trace)
    }

    private static func key(in header: String) -> APIKeySecret? {
        let words = header.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return APIKeySecret(String(words[1]))
    }
}
