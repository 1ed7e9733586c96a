public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests over HTTP, by `URLSession`.
///
/// Nothing is kept by the session: no cookies, no responses, no credentials. Redirects are not
/// followed, since a token must not reach another host.
public final class HTTPTransport: Transport {
    private let base: String
    private let session: URLSession
    private let exchanges: HTTPExchanges

    /// - Parameter url: Where Hearth is, such as `https://family.example.com`; what it serves is
    ///   looked for below the path.
    public init(_ url: URL) {
        var base = url.absoluteString
        while base.hasSuffix("/") { base.removeLast() }
        self.base = base
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        exchanges = HTTPExchanges()
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    /// Sends a request once, and gives its response as it comes.
    public func exchange(_ request: APIRequest) -> AsyncThrowingStream<TransportPart, any Error> {
        AsyncThrowingStream { parts in
            guard let url = URL(string: base + request.target) else {
                parts.finish(throwing: HearthError.unreachable(reason: "no URL: \(request.path)"))
                return
            }
            var http = URLRequest(url: url, timeoutInterval: request.timeoutSeconds)
            http.httpMethod = request.method
            http.httpBody = request.body
            http.cachePolicy = .reloadIgnoringLocalCacheData
            #if os(Linux)
                // If a connection that was used before breaks, Foundation on Linux can't send a
                // body again, and finds out by its timeout only.
                http.setValue("close", forHTTPHeaderField: "Connection")
            #endif
            for (name, value) in request.headers { http.setValue(value, forHTTPHeaderField: name) }
            let task = session.dataTask(with: http)
            exchanges.begin(task, parts)
            parts.onTermination = { _ in task.cancel() }
            task.resume()
        }
    }
}
