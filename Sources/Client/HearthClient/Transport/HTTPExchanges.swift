import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Gives what a session's tasks receive to those who wait for it.
final class HTTPExchanges: NSObject, URLSessionDataDelegate {
    typealias Parts = AsyncThrowingStream<TransportPart, any Error>.Continuation

    private let waiting = Locked<[Int: Parts]>([:])

    /// Before the task is resumed.
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
