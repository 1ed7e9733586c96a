public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport over HTTP that uses `URLSession`.
///
/// The session stores no cookies, responses or credentials. It follows no redirects, since a token
/// must not reach another host.
public final class HTTPTransport: Transport {
    private let base: String
    private let session: URLSession
    private let exchanges: HTTPExchanges

    /// - Parameter url: Address of Hearth, such as `https://family.example.com`. Routes are
    ///   resolved below its path.
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

    /// Sends a request once and returns its response as it arrives.
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
                // If a reused connection breaks, Foundation on Linux can't resend a body, and
                // notices the break only when the timeout ends.
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

/// Delegate that forwards what a session's tasks receive to their streams.
final class HTTPExchanges: NSObject, URLSessionDataDelegate {
    typealias Parts = AsyncThrowingStream<TransportPart, any Error>.Continuation

    private let waiting = Locked<[Int: Parts]>([:])

    /// Registers a task. Call it before the task is resumed.
    func begin(_ task: URLSessionTask, _ parts: Parts) {
        waiting.withLock { $0[task.taskIdentifier] = parts }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        guard let http = response as? HTTPURLResponse else {
            completionHandler(.cancel)
            return
        }
        var headers: [String: String] = [:]
        for (name, value) in http.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name] = value }
        }
        parts(of: dataTask)?.yield(.head(APIResponse(status: http.statusCode, headers: headers)))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        parts(of: dataTask)?.yield(.body(data))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let parts = waiting.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        if let error { parts?.finish(throwing: error) } else { parts?.finish() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    private func parts(of task: URLSessionTask) -> Parts? {
        waiting.withLock { $0[task.taskIdentifier] }
    }
}
